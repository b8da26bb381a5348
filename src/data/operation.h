/* SPDX-License-Identifier: Apache-2.0
 * Operations: work on a table that takes longer than a request. A request adds one in its
 * transaction; the runner's lane `tables` does it, a piece a transaction, so a killed runner
 * repeats one piece. Source: data/README.md. */
#ifndef VITRINE_OPERATION_H
#define VITRINE_OPERATION_H
#include "core/artifact.h"

#define OPERATION(F, T) \
	F(T, ID,   id,         .arg = "opr_") \
	F(T, WORD, kind,       .arg = "retype|change|delete|undo|restore") \
	F(T, WORD, state,      .arg = "waiting|running|done|failed") \
	F(T, STR,  table) \
	F(T, INT,  total,      .doc = "Rows, as counted before") \
	F(T, INT,  done) \
	F(T, ID,   batch_id,   .flags = F_NUL, .arg = "bat_") \
	F(T, STR,  error,      .flags = F_NUL, .doc = "Why it failed. Then nothing was changed, " \
		"unless the text says so") \
	F(T, TIME, created_at) \
	F(T, TIME, ended_at,   .flags = F_NUL) \
	F(T, ID,   artifact_id, .flags = F_HID) \
	F(T, INT,  table_no,   .flags = F_HID) \
	F(T, STR,  asked,      .flags = F_HID) \
	F(T, STR,  place,      .flags = F_HID) \
	F(T, INT,  attempts,   .flags = F_HID) \
	F(T, INT,  due_at,     .flags = F_HID) \
	F(T, ID,   created_by, .flags = F_HID, .arg = "usr_")
SHAPE_DECLARE(operation, OPERATION);

#define OPERATION_QUERY(F, T) \
	F(T, STR, table, .hi = 64, .doc = "Only operations of this table") \
	F(T, BOOL, open, .doc = "Only those that haven't ended") \
	PAGE_FIELDS(F, T, 40)
SHAPE_DECLARE(operation_query, OPERATION_QUERY);

/* A kind, named by OPERATED in noun.def. */
struct operation_kind {
	const char *name;
	/* Does one piece, of some seconds at most, in a transaction that operation.c commits.
	 * Changes op->place, done, total, and batch_id. *end: it was the last one. A failure of the
	 * caller's kind (4xx) ends the operation with its message; others repeat the piece. */
	enum err (*piece)(struct ctx *c, struct operation *op, bool *end);
	/* Frees, in a transaction, what the failed operation holds. May be NULL. */
	enum err (*give_up)(struct ctx *c, const struct operation *op);
};

/* Adds an operation: artifact_id, table_no, table, kind, total, asked, and created_by of op are
 * given; its id is set. Within a transaction. */
enum err operation_add(struct ctx *c, struct operation *op);
/* E_NOT_FOUND unless `who` asked for it or edits the artifact. */
enum err operation_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct operation **out);
/* Lists those that `who` asked for, or as an editor all, newest first. */
enum err operation_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct operation_query *, struct operation_list *out, const char **next);
/* Reads who asked the runner for work, and the artifact as they see it now. E_DENIED: their account
 * is gone or disabled, or they no longer see it. */
enum err asker_find(struct ctx *c, const char *user_id, const char *artifact_id,
    struct principal **who, struct artifact **a);
/* asker_find() of an operation. E_CONFLICT: the artifact is in the trash. */
enum err operation_maker(struct ctx *c, const struct operation *op, struct principal **who,
    struct artifact **a);

/* Does pieces of the operation that has waited longest, for at most ten seconds. *any is false if
 * none waits. Ends after a piece when left() returns true. */
enum err operation_next(
    const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
