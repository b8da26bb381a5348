/* SPDX-License-Identifier: Apache-2.0
 * The items of people's inboxes, for the nouns that write and end them. INBOX() and ITEM() in
 * noun.def of each folder declare kinds and sorts of items (core/nouns.def). A noun writes in the
 * transaction of what happens. Nobody gets items of their own acts; agents, guests, and disabled
 * accounts get none. Source: inbox/README.md. */
#ifndef VITRINE_INBOX_ITEM_H
#define VITRINE_INBOX_ITEM_H
#include "db/db.h"
#include "db/ids.h"

enum inbox_sort {
#define ITEM(name, ...) ITEM_##name,
#include "core/nouns.def"
	INBOX_SORTS
};

/* The columns of an item, for a SELECT; sql/085_inbox.sql explains them. */
#define INBOX_ROW(user, subject, actor, who, artifact, workspace, thing, word, excerpt, ends) \
	user " AS user_id, " subject " AS subject, " actor " AS actor_id, " who " AS who, " \
	artifact " AS artifact_id, " workspace " AS workspace_id, " thing " AS thing, " \
	word " AS word, " \
	"NULLIF(LEFT(REPLACE(" excerpt ", '\\n', ' '), 140), '') AS excerpt, " ends " AS ends_at"
/* Writes items of the rows of "SELECT " INBOX_ROW(…) " FROM …". One is open for a person, kind, and
 * subject: another row counts it up, and makes it new. */
#define INBOX_PUT(select) \
	((struct inbox_puts){ EXEC(INBOX_PUT_(select)), \
	    ROWS(inbox_told, "SELECT w.user_id FROM (" select ") w") })
#define INBOX_PUT_(select) \
	INBOX_INSERT_(select, "LIMIT 200") \
	" ON DUPLICATE KEY UPDATE sort = VALUES(sort), box = VALUES(box)," \
	" need = VALUES(need), actor_id = VALUES(actor_id)," \
	" who = VALUES(who), artifact_id = VALUES(artifact_id)," \
	" workspace_id = VALUES(workspace_id)," \
	" thing = VALUES(thing), word = VALUES(word), excerpt = VALUES(excerpt), n = n + 1," \
	" ends_at = VALUES(ends_at), updated_at = VALUES(updated_at), seen_at = NULL," \
	" listed_at = NULL," \
	" changes = changes + 1"
#define INBOX_INSERT_(select, most) \
	"INSERT INTO inbox_item (id, trims, user_id, kind, sort, box, need, subject, actor_id," \
	" who, artifact_id, workspace_id, thing, word, excerpt, ends_at, created_at, updated_at)" \
	" SELECT CONCAT(LEFT(?, 20), LPAD(ROW_NUMBER() OVER (), 10, '0'))," \
	" IF(CRC32(CONCAT(?, u.id)) % 64 = 0, 1, NULL), u.id, ?, ?, ?, ?," \
	" w.subject, w.actor_id, w.who, w.artifact_id, w.workspace_id, w.thing, w.word," \
	" w.excerpt, w.ends_at, ?, ?" INBOX_FROM_(select) " " most
/* Rows of a SELECT whose people get an item. */
#define INBOX_FROM_(select) \
	" FROM (" select ") w STRAIGHT_JOIN user u ON u.id = w.user_id" \
	" WHERE u.kind = 'person' AND u.disabled_at IS NULL AND NOT (u.id <=> w.actor_id)" \
	" AND NOT EXISTS (SELECT 1 FROM inbox_way y WHERE y.user_id = u.id AND y.kind = ?" \
	" AND y.way = 'off')"
#define INBOX_TOLD(F, T) F(T, STR, user_id)
SHAPE_DECLARE(inbox_told, INBOX_TOLD);
struct inbox_puts {
	struct stmt *put;
	struct inbox_told_rows told; /* its people, only read if somebody waits (base/told.h) */
};
/* Runs INBOX_PUT(…) with the arguments of its SELECT. */
enum err inbox_put(
    struct ctx *c, struct inbox_puts, enum inbox_sort, struct args of_select);
/* Returns the subject (base/told.h) of a person's inbox. */
const char *inbox_subject(void *owner, const char *user_id);

/* Ends waiting items about a thing, of one person or of all (user_id NULL). Items of the box "know"
 * stay. */
enum err inbox_end(struct ctx *c, const char *subject, const char *user_id);
/* Ends waiting items about many things. subjects: made by ids_json(). */
enum err inbox_end_many(struct ctx *c, const char *subjects, const char *user_id);

/* ---- things that wait ---- */

/* Declares what of a noun waits for whom; noun.def names it with WAITS(noun). Items are a copy of
 * these rows: inbox_sync() adds and ends what differs. select is INBOX_ROW; from joins tables to f,
 * which has ids of things. The others are statements with a ?, which give f: one thing, things of a
 * person (others may be among them), of an artifact, things that somebody caused, and all. */
#define INBOX_WAITS(noun, sort_, select, from, subject, user, artifact, actor, all) \
	STMTS(noun##_waiting, INBOX_FILL_(select, from, subject, ""), \
	    INBOX_FILL_(select, from, user, INBOX_NEW_), \
	    INBOX_FILL_(select, from, artifact, INBOX_NEW_), \
	    INBOX_FILL_(select, from, actor, ""), \
	    INBOX_FILL_(select, from, all " AND ? IS NULL", INBOX_NEW_), \
	    INBOX_OVER_(select, from, subject, "i.subject = ?"), \
	    INBOX_OVER_(select, from, user, "i.user_id = ?"), \
	    INBOX_OVER_(select, from, artifact, "i.artifact_id = ?"), \
	    INBOX_OVER_(select, from, actor, "i.actor_id = ?"), \
	    INBOX_OVER_(select, from, all " AND ? IS NULL", "? IS NULL"), \
	    INBOX_COUNT_(INBOX_FROM_("SELECT " select " FROM (" all ") f" from) \
		INBOX_TIMELY_ INBOX_NEW_), \
	    INBOX_COUNT_(" FROM inbox_item i" INBOX_LACKS_(select, from, all) \
		" WHERE i.sort = ? AND i.done_at IS NULL AND w.user_id IS NULL")); \
	extern const struct inbox_waits noun##_waits; \
	const struct inbox_waits noun##_waits = { sort_, noun##_waiting }
/* Joins m, the admins and the owner of a workspace, of whatever size, by an index. */
#define INBOX_ADMINS(workspace) \
	" STRAIGHT_JOIN (SELECT 'owner' AS role UNION ALL SELECT 'admin') h" \
	" STRAIGHT_JOIN member m FORCE INDEX (member_role)" \
	" ON m.workspace_id = " workspace " AND m.role = h.role"
#define INBOX_NONE "SELECT id FROM user WHERE id = ? AND FALSE"
#define INBOX_NEW_ \
	" AND NOT EXISTS (SELECT 1 FROM inbox_item o WHERE o.user_id = u.id" \
	" AND o.subject = w.subject AND o.done_at IS NULL AND o.sort = ?)"
#define INBOX_FILL_(select, from, of, new) \
	STMT(INBOX_INSERT_("SELECT " select " FROM (" of ") f" from, INBOX_TIMELY_ new) \
	    " ON DUPLICATE KEY UPDATE actor_id = VALUES(actor_id), who = VALUES(who)," \
	    " word = VALUES(word), excerpt = VALUES(excerpt), ends_at = VALUES(ends_at)")
#define INBOX_TIMELY_ " AND COALESCE(w.ends_at > ?, TRUE)"
#define INBOX_LACKS_(select, from, of) \
	" LEFT JOIN (SELECT " select " FROM (" of ") f" from ") w" \
	" ON w.user_id = i.user_id AND w.subject = i.subject"
#define INBOX_OVER_(select, from, of, items) \
	STMT("UPDATE inbox_item i" INBOX_LACKS_(select, from, of) " SET i.done_at = ?," \
	    " i.updated_at = ?, i.changes = i.changes + 1" \
	    " WHERE i.sort = ? AND i.done_at IS NULL AND " items " AND w.user_id IS NULL")
#define INBOX_COUNT_(from) \
	&(struct stmt){ .sql = "SELECT COUNT(*) AS n" from, .file = __FILE__, .line = __LINE__, \
		.shape = &inbox_count_shape }

#define INBOX_COUNT(F, T) F(T, INT, n)
SHAPE_DECLARE(inbox_count, INBOX_COUNT);

enum inbox_of { BY_SUBJECT, BY_USER, BY_ARTIFACT, BY_ACTOR, BY_ALL };
struct inbox_waits {
	enum inbox_sort sort;
	/* Statements that fill, by enum inbox_of, as many that end, and two that count what is
	 * missing and what is over. */
	struct stmt *const *stmts;
};
extern const struct inbox_waits *const inbox_waits[]; /* app/nouns.c; ends with NULL */

/* Makes the items of one thing, of a person, an artifact, or those that somebody caused equal to
 * what waits. Two statements. */
enum err inbox_sync(
    struct ctx *c, const struct inbox_waits *, enum inbox_of, const char *id);
/* Compares all items with what waits: *missing are not there, *over wait no longer. Only reads. */
enum err inbox_check(struct ctx *c, int64_t *missing, int64_t *over);
/* Adds missing items and ends those that wait no longer, in a transaction of its own. */
enum err inbox_mend(struct ctx *c, int64_t *added, int64_t *ended);

/* ---- e-mail ---- */

/* A condition of a statement: the user gets the mails of this kind. */
#define INBOX_MAILED(kind, user) \
	"NOT EXISTS (SELECT 1 FROM inbox_way y WHERE y.user_id = " user \
	" AND y.kind = '" kind "' AND y.way <> 'mail')"
/* *yes: the user gets the mails of this kind. user_id NULL: true. */
enum err inbox_mails(struct ctx *c, const char *kind, const char *user_id, bool *yes);
#endif
