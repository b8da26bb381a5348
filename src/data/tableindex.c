/* SPDX-License-Identifier: Apache-2.0 */
#include "data/tableindex.h"

#include "base/clock.h"
#include "base/str.h"
#include "data/carried.h"
#include "store/rounds.h"

enum {
	PIECE_ROWS = 20000,
	CLEAR_ROWS = 2000,
	TURN_MS = 10000,
	LEASE_S = 20, /* the longest that a piece may take */
	TABLES = 100, /* looked at by a piece of the round */
	READERS_S = 60 /* before entries are deleted that lists may still follow */
};

/* ---- the queue ---- */

/* An index to make. since: of its column, because another column may get the slot. after: hex id of
 * the last row that has an entry; NULL: nothing has begun. */
#define INDEX_DUE(F, T) \
	F(T, STR, id) \
	F(T, INT, due_at) \
	F(T, INT, no) \
	F(T, INT, slot) \
	F(T, INT, since) \
	F(T, STR, after)
SHAPE(index_due, INDEX_DUE);

static const char *
payload_write(struct ctx *c, const struct index_due *d)
{
	return mem_printf(c->mem, "{\"table_no\":%lld,\"slot\":%lld,\"since\":%lld%s%s%s}",
	    (long long)d->no, (long long)d->slot, (long long)d->since,
	    d->after ? ",\"after\":\"" : "", d->after ? d->after : "", d->after ? "\"" : "");
}

enum err
table_index_want(struct ctx *c, const struct data_table *t, int64_t slot)
{
	const struct index_due d = {
		.no = t->no, .slot = slot, .since = column_of_slot(&t->columns, slot)->since
	};

	return db_exec(c,
	    EXEC("INSERT IGNORE INTO outbox (id, kind, subject, payload, due_at)"
		 " VALUES (?, '" TABLE_INDEX_KIND "', ?, ?, ?)"),
	    ARGS(mem_printf(c->mem, "idx_%lld_%lld", (long long)t->no, (long long)slot),
		mem_printf(c->mem, "%lld", (long long)t->no), payload_write(c, &d), c->now),
	    NULL);
}

/* Claims the index that has waited longest. *out is NULL if there is none, or another runner was
 * quicker. */
static enum err
due_claim(struct ctx *c, bool *any, struct index_due **out)
{
	struct index_due *d;
	int64_t mine;

	*out = NULL;
	TRY(db_find(c,
	    ROWS(index_due,
		"SELECT id, due_at, CAST(JSON_VALUE(payload, '$.table_no') AS SIGNED) AS no,"
		" CAST(JSON_VALUE(payload, '$.slot') AS SIGNED) AS slot,"
		" CAST(JSON_VALUE(payload, '$.since') AS SIGNED) AS since,"
		" JSON_VALUE(payload, '$.after') AS after FROM outbox"
		" WHERE kind = '" TABLE_INDEX_KIND "' AND due_at <= ? ORDER BY due_at, id LIMIT 1"),
	    ARGS(c->now), &d));
	*any = d != NULL;
	if (!d)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE outbox SET due_at = ?, attempts = attempts + 1"
		 " WHERE id = ? AND due_at = ?"),
	    ARGS(c->now + LEASE_S, d->id, d->due_at), &mine));
	d->due_at = c->now + LEASE_S;
	if (mine)
		*out = d;
	return E_OK;
}

/* Stores the position. Fails if another runner has claimed the index. */
static enum err
due_move(struct ctx *c, struct index_due *d, int64_t due_at)
{
	TRY(db_exec1(c,
	    EXEC("UPDATE outbox SET payload = ?, due_at = ?, attempts = 0"
		 " WHERE id = ? AND due_at = ?"),
	    ARGS(payload_write(c, d), due_at, d->id, d->due_at)));
	d->due_at = due_at;
	return E_OK;
}

static enum err
due_end(struct ctx *c, const struct index_due *d, bool *end)
{
	*end = true;
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ?"), ARGS(d->id), NULL);
}

/* ---- a piece ---- */

/* Reads the table. *t is NULL if the index can't be made: the table, its column, or the bit that
 * index_begin() has set is gone, or the index is there. */
static enum err
table_wanted(struct ctx *c, const struct index_due *d, bool lock, struct data_table **t)
{
	const struct data_column *col;

	TRY(table_of_no(c, d->no, lock, t));
	col = *t ? column_of_slot(&(*t)->columns, d->slot) : NULL;
	if (!col || col->since != d->since || ((*t)->indexed & slot_bit(d->slot)) ||
	    (d->after && !((*t)->indexing & slot_bit(d->slot))))
		*t = NULL;
	return E_OK;
}

static enum err
bits_set(struct ctx *c, const struct data_table *t, int64_t indexed, int64_t indexing)
{
	return db_exec1(c, EXEC("UPDATE data_table SET indexed = ?, indexing = ? WHERE no = ?"),
	    ARGS(indexed, indexing, t->no));
}

/* Has writers write entries from now on. Those that read the table before are refused at their end
 * (table_account()). Entries of an earlier index of the slot are deleted first. */
static enum err
index_begin(struct ctx *c, struct index_due *d, struct data_table *t)
{
	static const char first[] = "00000000000000000000000000000000";
	int64_t gone = 0;

	if (!(t->indexing & slot_bit(d->slot)))
		TRY(db_exec(c,
		    EXEC("DELETE FROM data_cell WHERE table_no = ? AND slot = ?"
			 " ORDER BY k, row_id LIMIT ?"),
		    ARGS(d->no, d->slot, (int64_t)CLEAR_ROWS), &gone));
	if (gone == CLEAR_ROWS)
		return due_move(c, d, c->now + LEASE_S);
	TRY(table_wanted(c, d, true, &t));
	if (!t)
		return fail(c, E_CONFLICT, "the table changes");
	TRY(bits_set(c, t, t->indexed, t->indexing | slot_bit(d->slot)));
	d->after = first;
	return due_move(c, d, c->now + LEASE_S);
}

#define INDEX_ROW(F, T) F(T, STR, id)
SHAPE(index_row, INDEX_ROW);

/* Inserts the entries of the next rows. A writer has such a row locked, or waits until this piece
 * is committed. The table may change until the piece has locked its row. */
static enum err
index_go_on(struct ctx *c, struct index_due *d, struct data_table *t, bool *end)
{
	struct sql q = SQL(c->mem);
	struct index_row *last;

	TRY(db_find(c,
	    ROWS(index_row,
		"SELECT id FROM data_row WHERE table_no = ? AND id > UNHEX(?)"
		" ORDER BY id LIMIT 1 OFFSET ?"),
	    ARGS(d->no, d->after, (int64_t)PIECE_ROWS - 1), &last));
	sql_add(&q, "INSERT IGNORE INTO data_cell " CARRIED_COLUMNS " SELECT r.table_no, ?, ",
	    ARGS(d->slot));
	sql_pick(&q, CELL_R_KEYS, (size_t)d->slot);
	sql_add(&q, ", r.id", NOARGS);
	carried_sql(&q, t, d->slot);
	sql_add(&q, " FROM data_row r WHERE r.table_no = ? AND r.id > UNHEX(?)",
	    ARGS(d->no, d->after));
	if (last)
		sql_add(&q, " AND r.id <= UNHEX(?)", ARGS(last->id));
	sql_add(&q, " LOCK IN SHARE MODE", NOARGS);
	TRY(db_exec(c, BUILT_EXEC(&q), sql_args(&q), NULL));
	TRY(table_wanted(c, d, true, &t));
	if (!t)
		return fail(c, E_CONFLICT, "the table changes");
	if (last) {
		d->after = last->id;
		return due_move(c, d, c->now + LEASE_S);
	}
	TRY(bits_set(c, t, t->indexed | slot_bit(d->slot), t->indexing & ~slot_bit(d->slot)));
	return due_end(c, d, end);
}

static enum err
piece_make(struct ctx *c, struct index_due *d, bool *end)
{
	struct data_table *t;

	TRY(db_begin(c));
	TRY(table_wanted(c, d, false, &t));
	/* A table that is small again needs no entries. */
	if (!t || (!d->after && t->row_count <= TABLE_SMALL))
		TRY(due_end(c, d, end));
	else if (!d->after)
		TRY(index_begin(c, d, t));
	else
		TRY(index_go_on(c, d, t, end));
	return db_commit(c);
}

/* Makes a piece in a context of its own, again after a deadlock. *d becomes the new position. */
static enum err
piece_run(struct ctx *whole, struct index_due *d, bool *end)
{
	struct ctx *c = ctx_begin(whole->conf, whole->db);
	struct index_due to;
	int tries = 0;
	enum err e;

	do {
		to = *d;
		e = piece_make(c, &to, end);
	} while (db_again(c, e, &tries));
	/* Another runner has claimed the index, or the table changed: the next turn looks again. */
	if (e == E_NOT_FOUND || e == E_CONFLICT) {
		*end = true;
		e = E_OK;
	}
	to.after = mem_strdup(whole->mem, to.after);
	*d = to;
	if (e)
		(void)fail_here(whole, "%s", ctx_why(c));
	ctx_end(c);
	return e;
}

enum err
table_index_next(const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	int64_t until = clock_ms() + TURN_MS;
	struct index_due *d = NULL;
	bool end = false;
	enum err e = due_claim(c, any, &d);

	while (!e && d && !end && !left(NULL) && clock_ms() < until)
		e = piece_run(c, d, &end);
	/* Others that wait have their turn. Another runner may have claimed this index. */
	if (!e && d && !end && due_move(c, d, c->now + (left(NULL) ? 0 : TURN_MS / 1000)))
		e = c->err == E_NOT_FOUND ? E_OK : c->err;
	ctx_end(c);
	return e;
}

/* ---- tables that are small ---- */

#define TABLE_WALKED(F, T) \
	F(T, INT, no) \
	F(T, INT, n)
SHAPE(table_walked, TABLE_WALKED);

/* Gives up the entries of tables that are small now, or that an older release has made. Walks all
 * tables, because an index on their number of rows would cost each writer. */
static enum err
small_clear(struct ctx *c, struct sweep_at *at)
{
	struct table_walked *to;
	int64_t cleared;
	bool late;

	TRY(table_entries_late(c, &late));
	at->end = !late;
	if (at->end)
		return E_OK;
	TRY(db_one(c,
	    ROWS(table_walked,
		"SELECT COALESCE(MAX(no), 0) AS no, COUNT(*) AS n FROM"
		" (SELECT no FROM data_table WHERE no > ? ORDER BY no LIMIT ?) t"),
	    ARGS(at->outer, (int64_t)TABLES), &to));
	at->looked += to->n;
	at->end = to->n < TABLES;
	TRY(db_exec(c,
	    EXEC("UPDATE data_table SET indexed = 0, indexing = 0, sweep_at = ?"
		 " WHERE no > ? AND no <= ? AND row_count <= ?"
		 " AND (sweep_at IS NULL OR sweep_at > ?)"
		 " AND (indexed <> 0 OR indexing <> 0) AND artifact_id IS NOT NULL"),
	    ARGS(c->now + READERS_S, at->outer, to->no, (int64_t)TABLE_SMALL,
		c->now + READERS_S),
	    &cleared));
	at->removed += cleared;
	at->outer = to->n ? to->no : at->outer;
	return E_OK;
}

ROUNDS(tableindex, { "entries", .piece = small_clear, .how = DAILY });
