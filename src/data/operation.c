/* SPDX-License-Identifier: Apache-2.0 */
#include "data/operation.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/principal.h"
#include "base/str.h"
#include "core/follow.h"
#include "store/rounds.h"

SHAPE_DEFINE(operation, OPERATION);
SHAPE_DEFINE(operation_query, OPERATION_QUERY);

enum {
	TURN_MS = 10000,
	LEASE_S = 120, /* the longest that a piece may take */
	ATTEMPTS = 8,
	WAIT_S = 5,    /* after the first failure; twice as long after each other */
	KEPT_S = 7 * 86400
};

#define OPERATED(kind) extern const struct operation_kind kind##_operation;
#include "core/nouns.def"
static const struct operation_kind *const kinds[] = {
#define OPERATED(kind) &kind##_operation,
#include "core/nouns.def"
	NULL
};

static const struct operation_kind *
kind_of(const struct operation *op)
{
	size_t i = 0;

	while (kinds[i] && !str_eq(kinds[i]->name, op->kind))
		i++;
	return kinds[i];
}

enum err
operation_add(struct ctx *c, struct operation *op)
{
	op->id = id_new(c->mem, "opr_");
	op->state = "waiting";
	op->created_at = c->now;
	op->has.batch_id = op->has.error = op->has.ended_at = NULLED;
	return db_exec(c,
	    EXEC("INSERT INTO operation (id, artifact_id, table_no, table_name, kind, total, asked,"
		 " due_at, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(op->id, op->artifact_id, op->table_no, op->table, op->kind, op->total, op->asked,
		c->now, op->created_by, c->now),
	    NULL);
}

#define OPERATION_COLUMNS \
	"id, artifact_id, table_no, table_name AS `table`, kind, state, total, done, batch_id," \
	" asked, place, error, attempts, due_at, created_by, created_at, ended_at"

static bool
is_editor(const struct artifact *a)
{
	return a->can_edit || role_rank(a->role) >= ROLE_EDITOR;
}

enum err
operation_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct operation **out)
{
	TRY(db_find(c,
	    ROWS(operation,
		"SELECT " OPERATION_COLUMNS " FROM operation WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id), out));
	if (*out && who &&
	    (str_eq((*out)->created_by, who->user_id) || is_editor(a)))
		return E_OK;
	return fail(c, E_NOT_FOUND, "There is no operation %s, or you don't have access to it", id);
}

enum err
operation_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct operation_query *q, struct operation_list *out, const char **next)
{
	const char *of = is_editor(a) ? NULL : who ? who->user_id : "";

	return db_part(c,
	    ROWS(operation,
		"SELECT " OPERATION_COLUMNS " FROM operation WHERE artifact_id = ?"
		" AND (? IS NULL OR created_by = ?) AND (? IS NULL OR table_name = ?)"
		" AND (NOT ? OR ended_at IS NULL)"
		" AND id < COALESCE(?, 'p') ORDER BY id DESC LIMIT ?"),
	    ARGS(a->id, of, of, q->table, q->table, q->open, arg_before(q->cursor, "opr_")),
	    q->limit, out, next, last->id);
}

#define ASKER_ROW(F, T) \
	F(T, STR, id) \
	F(T, STR, email)
SHAPE(asker_row, ASKER_ROW);

enum err
asker_find(struct ctx *c, const char *user_id, const char *artifact_id, struct principal **who,
    struct artifact **a)
{
	struct asker_row *asker;
	enum err e;

	TRY(db_find(c,
	    ROWS(asker_row, "SELECT id, email FROM user WHERE id = ? AND disabled_at IS NULL"),
	    ARGS(user_id), &asker));
	if (!asker)
		return fail(c, E_DENIED, "the account of the person who asked for this is gone");
	*who = mem_new(c->mem, struct principal);
	**who = (struct principal){
		.kind = "person", .user_id = asker->id, .email = asker->email
	};
	e = artifact_get(c, artifact_id, *who, false, a);
	return e != E_NOT_FOUND
	    ? e
	    : fail(c, E_DENIED,
		  "the person who asked for this no longer has access to the artifact");
}

enum err
operation_maker(struct ctx *c, const struct operation *op, struct principal **who,
    struct artifact **a)
{
	TRY(asker_find(c, op->created_by, op->artifact_id, who, a));
	return (*a)->deleted_at ? fail(c, E_CONFLICT, "the artifact is in the trash") : E_OK;
}

/* ---- the lane ---- */

/* Claims the operation that has waited longest. *out is NULL if there is none, or another runner
 * was quicker. */
static enum err
due_claim(struct ctx *c, bool *any, struct operation **out)
{
	int64_t mine;

	TRY(db_find(c,
	    ROWS(operation,
		"SELECT " OPERATION_COLUMNS " FROM operation WHERE due_at <= ?"
		" ORDER BY due_at LIMIT 1"),
	    ARGS(c->now), out));
	*any = *out != NULL;
	if (!*out)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE operation SET due_at = ?, state = 'running', attempts = attempts + 1"
		 " WHERE id = ? AND due_at = ?"),
	    ARGS(c->now + LEASE_S, (*out)->id, (*out)->due_at), &mine));
	(*out)->due_at = c->now + LEASE_S;
	(*out)->attempts++;
	if (!mine)
		*out = NULL;
	return E_OK;
}

/* Stores the position. Fails if another runner has claimed the operation. */
static enum err
due_move(struct ctx *c, struct operation *op, int64_t due_at)
{
	TRY(db_exec1(c,
	    EXEC("UPDATE operation SET place = ?, done = ?, total = ?, batch_id = ?, due_at = ?,"
		 " attempts = 0 WHERE id = ? AND due_at = ?"),
	    ARGS(op->place, op->done, op->total, op->batch_id, due_at, op->id, op->due_at)));
	op->due_at = due_at;
	return E_OK;
}

static enum err
due_end(struct ctx *c, const struct operation *op, const char *state, const char *error)
{
	return db_exec1(c,
	    EXEC("UPDATE operation SET state = ?, error = ?, place = NULL, asked = '{}', done = ?,"
		 " total = ?, batch_id = ?, due_at = NULL, ended_at = ?"
		 " WHERE id = ? AND due_at = ?"),
	    ARGS(state, error, op->done, op->total, op->batch_id, c->now, op->id, op->due_at));
}

static enum err
piece_make(struct ctx *c, struct operation *op, bool *end)
{
	const struct operation_kind *kind = kind_of(op);

	*end = false;
	if (!kind)
		return fail(c, E_INVALID, "this release doesn't know operations of this kind");
	TRY(db_begin(c));
	TRY(kind->piece(c, op, end));
	TRY(*end ? due_end(c, op, "done", NULL) : due_move(c, op, c->now + LEASE_S));
	return db_commit(c);
}

static enum err
failed_end(struct ctx *c, const struct operation *op, const char *why)
{
	const struct operation_kind *kind = kind_of(op);

	TRY(db_begin(c));
	if (kind && kind->give_up)
		TRY(kind->give_up(c, op));
	TRY(due_end(c, op, "failed", why));
	return db_commit(c);
}

/* Ends a failed operation, or has its piece repeated later. */
static enum err
piece_failed(struct ctx *whole, struct operation *op, enum err e, const char *why)
{
	const bool ends = err_table[e].status < 500 || op->attempts >= ATTEMPTS;
	struct ctx *c = ctx_begin(whole->conf, whole->db);
	int64_t wait = WAIT_S << (op->attempts < ATTEMPTS ? op->attempts : ATTEMPTS);

	if (ends)
		e = failed_end(c, op,
		    err_table[e].status < 500 ? why : "the service failed again and again");
	else
		e = db_exec(c,
		    EXEC("UPDATE operation SET due_at = ? WHERE id = ? AND due_at = ?"),
		    ARGS(c->now + wait, op->id, op->due_at), NULL);
	/* Another runner has claimed it. */
	if (e == E_NOT_FOUND)
		e = ctx_forgive(c);
	return ctx_join(whole, c, e);
}

/* Makes a piece in a context of its own, again after a deadlock. *op becomes the new position. */
static enum err
piece_run(struct ctx *whole, struct operation *op, bool *end)
{
	struct ctx *c = ctx_begin(whole->conf, whole->db);
	struct operation to;
	int tries = 0;
	enum err e;
	const char *why;

	do {
		to = *op;
		e = piece_make(c, &to, end);
	} while (db_again(c, e, &tries));
	why = e ? mem_strdup(whole->mem, err_table[e].status < 500 ? ctx_told(c, e) : ctx_why(c))
		: NULL;
	if (!e) {
		to.place = mem_strdup(whole->mem, to.place);
		to.batch_id = mem_strdup(whole->mem, to.batch_id);
		to.attempts = 0;
		*op = to;
	} else {
		db_rollback(c);
	}
	ctx_end(c);
	if (!e)
		return E_OK;
	*end = true;
	return piece_failed(whole, op, e, why);
}

enum err
operation_next(const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	int64_t until = clock_ms() + TURN_MS;
	struct operation *op = NULL;
	bool end = false;
	enum err e = due_claim(c, any, &op);

	while (!e && op && !end && !left(NULL) && clock_ms() < until)
		e = piece_run(c, op, &end);
	/* Others that wait have their turn. Another runner may have claimed this one. */
	if (!e && op && !end && due_move(c, op, c->now))
		e = c->err == E_NOT_FOUND ? E_OK : c->err;
	ctx_end(c);
	return e;
}

/* ---- what ends ---- */

static enum err
old_delete(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c,
	    EXEC("DELETE FROM operation WHERE ended_at < ? ORDER BY ended_at LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), done);
}

USERS(USER_UNSET(operation, created_by))
FOLLOWS(operation, USERS_FOLLOW);
ROUNDS(operation, { "operations", .rows = old_delete });
PURGES(operation, ROWS_OF(operation));
