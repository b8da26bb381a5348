/* SPDX-License-Identifier: Apache-2.0
 * Compares tables with their rows and indexes, and corrects them. */
#include "base/buf.h"
#include "core/follow.h"
#include "data/carried.h"
#include "data/row.h"
#include "data/tablekey.h"

SHAPE_DEFINE(table_odd, TABLE_ODD);

#define TABLE_SUMS(F, T) \
	F(T, INT, row_count) \
	F(T, INT, size_bytes)
SHAPE(table_sums, TABLE_SUMS);

#define TABLE_NAMED(F, T) \
	F(T, INT, no) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, STR, name)
SHAPE(table_named, TABLE_NAMED);

struct checking {
	struct ctx *c;
	const struct table_named *t;
	struct table_odd_list *out;
	bool mend;
};

static void
odd_add(struct checking *k, const char *why)
{
	struct table_odd_list *out = k->out;

	out->v = mem_grow(k->c->mem, out->v, (out->n + 1) * sizeof *out->v);
	out->v[out->n++] = (struct table_odd){ .no = k->t->no,
		.artifact_id = k->t->artifact_id,
		.name = k->t->name,
		.why = why };
}

static enum err
sums_check(struct checking *k, const struct data_table *t)
{
	struct table_sums *sums;

	TRY(db_one(k->c,
	    ROWS(table_sums,
		"SELECT COUNT(*) AS row_count, COALESCE(SUM(LENGTH(doc)), 0) AS size_bytes"
		" FROM data_row WHERE table_no = ?"),
	    ARGS(t->no), &sums));
	if (sums->row_count == t->row_count && sums->size_bytes == t->size_bytes)
		return E_OK;
	odd_add(k,
	    mem_printf(k->c->mem,
		"is recorded with %lld rows of %lld bytes, but has %lld of %lld",
		(long long)t->row_count, (long long)t->size_bytes, (long long)sums->row_count,
		(long long)sums->size_bytes));
	return !k->mend ? E_OK
			: db_exec(k->c,
			      EXEC(
				  "UPDATE data_table SET row_count = ?, size_bytes = ?"
				  " WHERE no = ?"),
			      ARGS(sums->row_count, sums->size_bytes, t->no), NULL);
}

static enum err
history_check(struct checking *k, const struct data_table *t)
{
	struct table_sums *is, *was;

	TRY(db_one(k->c,
	    ROWS(table_sums,
		"SELECT COUNT(*) AS row_count, COALESCE(SUM(" RECORD_SIZE "), 0) AS size_bytes"
		" FROM data_change WHERE history_no = ?"),
	    ARGS(table_history_no(t)), &is));
	TRY(db_one(k->c,
	    ROWS(table_sums,
		"SELECT 0 AS row_count, history_bytes AS size_bytes FROM data_table WHERE no = ?"),
	    ARGS(t->no), &was));
	if (is->size_bytes == was->size_bytes)
		return E_OK;
	odd_add(k,
	    mem_printf(k->c->mem, "is recorded with a history of %lld bytes, but it has %lld",
		(long long)was->size_bytes, (long long)is->size_bytes));
	return !k->mend ? E_OK
			: db_exec(k->c,
			      EXEC("UPDATE data_table SET history_bytes = ?,"
				   " trim_at = COALESCE(trim_at, ?) WHERE no = ?"),
			      ARGS(is->size_bytes, k->c->now, t->no), NULL);
}

/* Counts rows without an index entry, and entries without a row or with another row's keys. */
static enum err
entries_count(struct checking *k, const struct data_table *t, int64_t slot, int64_t *wrong)
{
	struct sql missing = SQL(k->c->mem), extra = SQL(k->c->mem);
	struct table_sums *one, *two;

	sql_add(&missing,
	    "SELECT COUNT(*) AS row_count FROM data_row r"
	    " LEFT JOIN data_cell x ON x.table_no = r.table_no AND x.slot = ? AND x.k = ",
	    ARGS(slot));
	sql_pick(&missing, CELL_R_KEYS, (size_t)slot);
	sql_add(&missing, " AND x.row_id = r.id WHERE r.table_no = ? AND (x.row_id IS NULL",
	    ARGS(t->no));
	for (int place = 0; place < CARRIED; place++)
		carried_wrong_sql(&missing, t, place);
	sql_add(&missing, ")", NOARGS);
	TRY(db_one(k->c, BUILT(table_sums, &missing), sql_args(&missing), &one));
	sql_add(&extra,
	    "SELECT COUNT(*) AS row_count FROM data_cell x"
	    " LEFT JOIN data_row r ON r.table_no = x.table_no AND r.id = x.row_id AND x.k = ",
	    NOARGS);
	sql_pick(&extra, CELL_R_KEYS, (size_t)slot);
	sql_add(&extra, " WHERE x.table_no = ? AND x.slot = ? AND r.id IS NULL", ARGS(t->no, slot));
	TRY(db_one(k->c, BUILT(table_sums, &extra), sql_args(&extra), &two));
	*wrong = one->row_count + two->row_count;
	return E_OK;
}

static enum err
entries_check(struct checking *k, const struct data_table *t)
{
	const struct data_column *col = t->columns.v;
	int64_t wrong;

	for (size_t i = 0; i < t->columns.n; i++) {
		const int64_t slot = col[i].slot;
		struct sql q = SQL(k->c->mem);

		if (!(t->indexed & slot_bit(slot)))
			continue;
		TRY(entries_count(k, t, slot, &wrong));
		if (!wrong)
			continue;
		odd_add(k,
		    mem_printf(k->c->mem, "the index of column %s is wrong in %lld places",
			col[i].name, (long long)wrong));
		if (!k->mend)
			continue;
		TRY(db_exec(k->c, EXEC("DELETE FROM data_cell WHERE table_no = ? AND slot = ?"),
		    ARGS(t->no, slot), NULL));
		sql_add(&q, "INSERT INTO data_cell " CARRIED_COLUMNS " SELECT r.table_no, ?, ",
		    ARGS(slot));
		sql_pick(&q, CELL_R_KEYS, (size_t)slot);
		sql_add(&q, ", r.id", NOARGS);
		carried_sql(&q, t, slot);
		sql_add(&q, " FROM data_row r WHERE r.table_no = ?", ARGS(t->no));
		TRY(db_exec(k->c, BUILT_EXEC(&q), sql_args(&q), NULL));
	}
	return E_OK;
}

/* A check reads a snapshot. To mend, it locks the table's row, which writers change last. */
static enum err
table_inspect(struct checking *k)
{
	struct data_table *t;
	int64_t wrong;

	TRY(k->mend ? db_begin(k->c) : db_begin_snapshot(k->c));
	TRY(table_of_no(k->c, k->t->no, k->mend, &t));
	if (!t)
		return E_OK;
	TRY(sums_check(k, t));
	TRY(entries_check(k, t));
	TRY(table_keys_wrong(k->c, t, &wrong));
	if (wrong)
		odd_add(k,
		    mem_printf(k->c->mem, "the key is wrong in %lld places", (long long)wrong));
	if (wrong && k->mend)
		TRY(table_keys_mend(k->c, t));
	TRY(history_check(k, t));
	return db_commit(k->c);
}

static enum err
strays_check(struct ctx *c, bool mend, struct table_odd_list *out)
{
	struct table_named_list rows;

	TRY(db_all(c,
	    ROWS(table_named,
		"SELECT DISTINCT s.table_no AS no FROM (SELECT DISTINCT table_no FROM data_row"
		" UNION SELECT DISTINCT table_no FROM data_cell"
		" UNION SELECT DISTINCT table_no FROM data_key"
		" UNION SELECT DISTINCT history_no FROM data_change) s"
		" LEFT JOIN data_table t ON t.no = s.table_no WHERE t.no IS NULL"
		" AND NOT EXISTS (SELECT 1 FROM data_table h WHERE h.history_no = s.table_no)"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct checking k = { .c = c, .t = &rows.v[i], .out = out };

		odd_add(&k, "has rows or an index, but isn't a table");
		/* Inserts a deleted table, so the runner deletes its rows. */
		if (mend)
			TRY(db_exec(c,
			    EXEC(
				"INSERT INTO data_table"
				" (no, artifact_id, name, fields, created_at, updated_at, sweep_at)"
				" VALUES (?, NULL, '', '[]', ?, ?, ?)"),
			    ARGS(rows.v[i].no, c->now, c->now, c->now), NULL));
	}
	return E_OK;
}

/* Finds watched tables without the mark: writes to them queue no check. */
static enum err
watched_check(struct ctx *c, bool mend, struct table_odd_list *out)
{
	struct table_named_list rows;

	TRY(db_all(c,
	    ROWS(table_named,
		"SELECT t.no, t.artifact_id, t.name FROM data_table t"
		" WHERE t.artifact_id IS NOT NULL AND NOT t.watched"
		" AND (EXISTS (SELECT 1 FROM metric_watch w"
		" WHERE w.artifact_id = t.artifact_id AND w.table_name = t.name)"
		" OR EXISTS (SELECT 1 FROM metric_alert al"
		" WHERE al.artifact_id = t.artifact_id AND al.table_name = t.name)) ORDER BY t.no"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct checking k = { .c = c, .t = &rows.v[i], .out = out };

		odd_add(&k, "is watched, but isn't marked as watched");
		if (mend)
			TRY(follow(c, TABLE_MADE,
			    &(struct happened){ .artifact_id = rows.v[i].artifact_id,
				.table = rows.v[i].name }));
	}
	return E_OK;
}

/* Finds tables that are held by an operation which has ended. */
static enum err
held_check(struct ctx *c, bool mend, struct table_odd_list *out)
{
	struct table_named_list rows;

	TRY(db_all(c,
	    ROWS(table_named,
		"SELECT t.no, t.artifact_id, t.name FROM data_table t"
		" LEFT JOIN operation o ON o.id = t.held_by AND o.due_at IS NOT NULL"
		" WHERE t.artifact_id IS NOT NULL AND t.held_by IS NOT NULL AND o.id IS NULL"
		" ORDER BY t.no"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct checking k = { .c = c, .t = &rows.v[i], .out = out };

		odd_add(&k, "is held by an operation that has ended");
		if (mend)
			TRY(db_exec(c,
			    EXEC("UPDATE data_table SET held_by = NULL WHERE no = ?"),
			    ARGS(rows.v[i].no), NULL));
	}
	return E_OK;
}

enum err
table_check(struct ctx *c, bool mend, struct table_odd_list *out)
{
	struct table_named_list rows;

	*out = (struct table_odd_list){ 0 };
	TRY(db_all(c,
	    ROWS(table_named,
		"SELECT no, artifact_id, name FROM data_table WHERE artifact_id IS NOT NULL"
		" ORDER BY no"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct checking k = { .c = c, .t = &rows.v[i], .out = out, .mend = mend };
		enum err e = table_inspect(&k);

		db_rollback(c);
		TRY(e);
	}
	TRY(watched_check(c, mend, out));
	TRY(held_check(c, mend, out));
	return strays_check(c, mend, out);
}
