/* SPDX-License-Identifier: Apache-2.0
 * How much a person may store, and how much they store: the sum over the artifacts that they own,
 * including drafts and the trash, until an artifact is purged. Within an artifact a file counts
 * once, however many versions contain it; so do its variants for small screens and its icons. The
 * data of an artifact count too: the JSON document, the rows of tables, and uploads.
 *
 * Each artifact and each person has a counter, changed in the transaction of the change. Code that
 * writes bytes of an artifact calls storage_add() as the last statement before the commit. It locks
 * both counters, so from there on all writers of one owner wait for one another. It doesn't lock
 * the artifact's row, and finds the artifact's present owner by itself.
 *
 * fsck compares the counters with the query COUNTED_ROWS in storage.c: a new kind of bytes must be
 * added there. Source: core/README.md. */
#ifndef VITRINE_STORAGE_H
#define VITRINE_STORAGE_H
#include "base/principal.h"
#include "db/db.h"
#include "db/ids.h"

struct artifact;

#define STORAGE_LIMIT_MOST INT64_C(1000000000000000)

#define STORAGE(F, T) \
	F(T, INT, used_bytes, \
		.doc = "Stored by the artifacts you own, including drafts and the trash; " \
		       "a file that versions of an artifact share counts once") \
	F(T, INT, limit_bytes, .flags = F_NUL, .doc = "null: no limit")
SHAPE_DECLARE(storage, STORAGE);

/* Adds bytes to what the artifact stores; a negative number always succeeds. E_STORAGE_FULL, with
 * the owner's figures in message and details if `who` (NULL: an operator) is the owner, else only
 * with the number of bytes asked for; E_NOT_FOUND if the artifact has been purged. */
enum err
storage_add(struct ctx *c, const char *artifact_id, const struct principal *who, int64_t bytes);
/* storage_add() for data that a viewer writes into an artifact. */
enum err storage_add_data(struct ctx *c, const struct artifact *a, int64_t bytes);
/* Checks for room without reserving it, before many bytes are written. artifact_id NULL: a new
 * artifact of owner_id. */
enum err storage_room(struct ctx *c, const char *artifact_id, const char *owner_id,
    const struct principal *who, int64_t bytes);

/* For a compound statement that ends with the work of storage_add(). Each argument names a declared
 * variable: the artifact, which must be locked, its workspace and its owner, the bytes, conf's
 * storage_per_user. The statement fails with E_STORAGE_FULL; storage_refuse() then makes the
 * message. */
#define STORAGE_ADD(art, space, owner, more, most) \
	" INSERT INTO artifact_storage (artifact_id, workspace_id, bytes)" \
	" VALUES (" art ", " space ", " more ")" \
	" ON DUPLICATE KEY UPDATE bytes = artifact_storage.bytes + " more ";" \
	STORAGE_TAKE(owner, more, most)
#define STORAGE_TAKE(owner, more, most) \
	" UPDATE storage SET bytes = bytes + " more " WHERE user_id = " owner \
	" AND (" more " <= 0 OR COALESCE(limit_bytes, " most ") = 0" \
	" OR bytes + " more " <= COALESCE(limit_bytes, " most "));" \
	" IF ROW_COUNT() = 0 THEN INSERT IGNORE INTO storage (user_id, bytes)" \
	" SELECT " owner ", " more \
	" FROM DUAL WHERE " more " <= 0 OR " most " = 0 OR " more " <= " most ";" \
	" IF ROW_COUNT() = 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'STORAGE_FULL';" \
	" END IF; END IF;"
enum err
storage_refuse(struct ctx *c, const char *artifact_id, const struct principal *who, int64_t bytes);
/* This check as a block, for an artifact that need not be locked; its values are the artifact's id,
 * the bytes, and conf's storage_per_user. It locks the artifact's counter first. A transfer and a
 * purge hold that lock while they change the owner, so the owner that it reads next has the
 * counter. */
#define STORAGE_ADDED \
	" BEGIN DECLARE art " SQL_ID " DEFAULT ?; DECLARE more BIGINT DEFAULT ?;" \
	" DECLARE most BIGINT DEFAULT ?; DECLARE holder " SQL_ID " DEFAULT NULL;" \
	" UPDATE artifact_storage SET bytes = bytes + more WHERE artifact_id = art;" \
	" IF ROW_COUNT() > 0 THEN" \
	" SELECT MAX(a.owner_id) INTO holder FROM artifact a WHERE a.id = art;" \
	STORAGE_TAKE("holder", "more", "most") \
	" ELSE SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'NOT_FOUND'; END IF; END;"
/* Returns the result of storage_add_data() for a statement with STORAGE_ADDED that ended with e. */
enum err storage_added_data(struct ctx *c, const struct artifact *a, int64_t bytes, enum err e);

/* Gives a purged artifact's bytes back to its owner. Last in the transaction. */
enum err storage_leave(struct ctx *c, const char *artifact_id, const char *owner_id);
/* Counts the artifact for its new owner, whom the message calls `named` ("email: ann@example.org").
 * E_STORAGE_FULL, without figures of that owner. Last in the transaction. */
enum err storage_move(
    struct ctx *c, const char *artifact_id, const char *from, const char *to, const char *named);
/* Moves the counts of all that `from` owns in a workspace to `to`, beyond their limit if need be.
 * Call it before the owner changes: it locks the counters, as storage_add() does. */
enum err storage_inherit(
    struct ctx *c, const char *workspace_id, const char *from, const char *to);

enum err storage_get(struct ctx *c, const char *user_id, struct storage **out);
/* Sets a person's limit. NULL: the usual limit; 0: none; at most STORAGE_LIMIT_MOST. Nothing is
 * deleted if they store more. */
enum err storage_limit(struct ctx *c, const char *user_id, const int64_t *bytes);

#define STORAGE_ITEM(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, STR,  name) \
	F(T, INT,  bytes) \
	F(T, BOOL, deleted)
SHAPE_DECLARE(storage_item, STORAGE_ITEM);
/* Lists the person's largest artifacts first. */
enum err storage_largest(struct ctx *c, const char *user_id, int64_t limit, struct list *out);

/* A wrong counter: for fsck. */
#define MISCOUNT(F, T) \
	F(T, STR, noun, .doc = "artifact or user") \
	F(T, STR, id) \
	F(T, INT, counted) \
	F(T, INT, used)
SHAPE_DECLARE(miscount, MISCOUNT);
enum err storage_check(struct ctx *c, struct miscount_list *out);
/* Recounts the counters that storage_check() found, while other requests run. Not within a
 * transaction. */
enum err storage_recount(struct ctx *c, int64_t *mended);
#endif
