/* SPDX-License-Identifier: Apache-2.0 */
#include "data/past.h"

#include "base/principal.h"
#include "base/str.h"
#include "core/follow.h"

void
batch_first(int64_t at, uint8_t out[ID_BYTES])
{
	uint64_t ms = (uint64_t)at * 1000;

	memset(out, 0, ID_BYTES);
	for (int i = 5; i >= 0; i--, ms >>= 8)
		out[i] = (uint8_t)ms;
}

/* Batches sort by the time in their ids. */
static struct arg
batch_arg(struct table_past *past)
{
	if (!past->begun)
		id_bytes_new(past->batch);
	past->begun = true;
	return arg_bytes((struct bytes){ past->batch, ID_BYTES });
}

/* Returns the time of a record, which is never before the one in the batch's id. */
static int64_t
past_at(struct ctx *c, const struct table_past *past)
{
	const int64_t begun = id_time(id_text(c->mem, "bat_", past->batch));

	return begun > c->now ? begun : c->now;
}

static const char *
past_via(const struct ctx *c, const struct table_past *past)
{
	const struct principal *who = c->actor;

	if (past->via)
		return past->via;
	if (!who)
		return "job";
	if (principal_is_agent(who))
		return "agent";
	return who->token_id ? "api" : "page";
}

static const char *
past_by(const struct ctx *c)
{
	return c->actor ? c->actor->user_id : NULL;
}

#define RECORD \
	" INSERT INTO data_change (history_no, batch, at, user_id, via, act, n, row_id, rev," \
	" last_id, shape_no, doc)"

void
past_one_sql(struct ctx *c, struct sql *q, struct table_past *past, int64_t history_no,
    enum past_act act, int64_t bytes)
{
	if (!past)
		return;
	sql_add(q,
	    RECORD " SELECT ?, ?, ?, ?, ?, ?, 1, r.id, r.rev, NULL, r.shape_no, r.doc"
	    " FROM data_row r WHERE r.table_no = tab AND r.id = rid;",
	    ARGS(history_no, batch_arg(past), past_at(c, past), past_by(c), past_via(c, past),
		(int)act));
	past->bytes += RECORD_BYTES + bytes;
}

void
past_many_sql(struct ctx *c, struct sql *q, struct table_past *past, int64_t history_no,
    enum past_act act, int64_t n, int64_t bytes)
{
	if (!past)
		return;
	sql_add(q,
	    RECORD " SELECT ?, ?, ?, ?, ?, ?, 1, r.id, r.rev, NULL, r.shape_no, r.doc" ROWS_OF_IDS
	    ";",
	    ARGS(history_no, batch_arg(past), past_at(c, past), past_by(c), past_via(c, past),
		(int)act));
	past->bytes += RECORD_BYTES * n + bytes;
}

void
past_next_id(struct table_past *past, uint8_t id[ID_BYTES])
{
	if (past->numbered)
		id_bytes_after(past->newest, id);
	else
		id_bytes_new(id);
	past->numbered = true;
	memcpy(past->newest, id, ID_BYTES);
}

void
past_added(struct table_past *past, const uint8_t *first, const uint8_t *last, int64_t n)
{
	if (!past)
		return;
	if (!past->added)
		memcpy(past->first, first, ID_BYTES);
	memcpy(past->last, last, ID_BYTES);
	past->added += n;
}

int64_t
past_end_sql(struct ctx *c, struct sql *q, struct table_past *past, int64_t history_no)
{
	int64_t bytes;

	if (!past)
		return 0;
	if (past->added) {
		/* Rows that were added together have one record. */
		const struct bytes first = { past->first, ID_BYTES };
		const struct bytes last = { past->last, ID_BYTES };

		sql_add(q, RECORD " VALUES (?, ?, ?, ?, ?, 0, ?, ?, -1, ?, NULL, NULL);",
		    ARGS(history_no, batch_arg(past), past_at(c, past), past_by(c),
			past_via(c, past), past->added, first,
			past->added > 1 ? arg_bytes(last) : arg_null()));
		past->bytes += RECORD_BYTES;
		past->added = 0;
	}
	bytes = past->bytes;
	past->bytes = 0;
	return bytes;
}

enum err
past_again(struct ctx *c, struct table_past *past, int64_t history_no,
    const struct past_again *rows, size_t n)
{
	enum { EACH = 7 };
	struct arg *v = mem_array(c->mem, struct arg, EACH * n + 1), *at = v;

	for (size_t i = 0; i < n; i++) {
		*at++ = arg_int(history_no);
		*at++ = batch_arg(past);
		*at++ = arg_int(past_at(c, past));
		*at++ = arg_str(past_by(c));
		*at++ = arg_str(past_via(c, past));
		*at++ = arg_bytes((struct bytes){ rows[i].id, ID_BYTES });
		*at++ = arg_int(rows[i].rev);
	}
	past->bytes += RECORD_BYTES * (int64_t)n;
	return db_exec_many(c,
	    EXEC(RECORD " VALUES (?, ?, ?, ?, ?, 0, 1, ?, ?, NULL, NULL, NULL)"), v, EACH, n);
}

enum err
past_filled(struct ctx *c, int64_t table_no)
{
	struct table_past past = { .via = c->actor ? "import" : "job" };

	return db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE tab BIGINT DEFAULT ?;" RECORD
		" SELECT tab, ?, ?, ?, ?, 0, x.n, x.first, -1, IF(x.n > 1, x.last, NULL), NULL,"
		" NULL FROM (SELECT (SELECT MIN(id) FROM data_row WHERE table_no = tab) AS first,"
		" (SELECT MAX(id) FROM data_row WHERE table_no = tab) AS last,"
		" (SELECT row_count FROM data_table WHERE no = tab) AS n) x"
		" WHERE x.first IS NOT NULL;"
		" IF ROW_COUNT() > 0 THEN UPDATE data_table SET trim_at = ?, history_bytes = ?"
		" WHERE no = tab; END IF; END"),
	    ARGS(table_no, batch_arg(&past), past_at(c, &past), past_by(c), past_via(c, &past),
		c->now + HISTORY_S, RECORD_BYTES),
	    NULL);
}

enum err
past_move(struct ctx *c, int64_t from_no, int64_t to_no)
{
	TRY(db_exec1(c,
	    EXEC("UPDATE data_table t JOIN data_table f ON f.no = ?"
		 " SET t.history_no = IF(f.history_no = 0, f.no, f.history_no),"
		 " t.history_since = f.history_since, t.history_bytes = f.history_bytes,"
		 " t.size_most = GREATEST(f.size_most, f.size_bytes), t.size_most_at = ?,"
		 " t.trim_at = f.trim_at WHERE t.no = ?"),
	    ARGS(from_no, c->now, to_no)));
	return db_exec1(c,
	    EXEC("UPDATE data_table SET history_no = -1, history_bytes = 0, trim_at = NULL"
		 " WHERE no = ?"),
	    ARGS(from_no));
}

USERS(USER_UNSET(data_change, user_id) USER_UNSET(data_deleted, user_id))
FOLLOWS(past, USERS_FOLLOW);
