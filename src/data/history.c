/* SPDX-License-Identifier: Apache-2.0 */
#include "data/history.h"

#include "base/str.h"
#include "data/celltext.h"

SHAPE_DEFINE(data_batch, DATA_BATCH);
SHAPE_DEFINE(history_query, HISTORY_QUERY);
SHAPE_DEFINE(row_change, ROW_CHANGE);

const char *
batch_id_of_hex(struct ctx *c, const char *hex)
{
	uint8_t raw[ID_BYTES];

	crypto_unhex(hex, raw, sizeof raw);
	return id_text(c->mem, "bat_", raw);
}

/* ---- reading ---- */

/* Adds the batches of a row as r, so that their records are found. */
static void
row_batches_sql(struct sql *q, int64_t history_no, struct bytes row)
{
	sql_add(q,
	    " FROM (SELECT batch FROM data_change WHERE history_no = ? AND row_id = ?"
	    " UNION SELECT x.batch FROM (SELECT batch, row_id FROM data_change"
	    " WHERE history_no = ? AND last_id >= ? ORDER BY last_id LIMIT 1) x"
	    " WHERE x.row_id <= ?) r STRAIGHT_JOIN data_change d"
	    " ON d.history_no = ? AND d.batch = r.batch",
	    ARGS(history_no, row, history_no, row, row, history_no));
}

enum err
history_batches(struct ctx *c, const struct table_for *tf, const struct history_query *q,
    struct data_batch_list *out, const char **next)
{
	uint8_t row[ID_BYTES], from[ID_BYTES], before[ID_BYTES];
	struct sql s = SQL(c->mem);

	if (tf->read.verdict != VERDICT_YES)
		return fail(c, E_DENIED,
		    "Only people who may read all rows of %s see its history; "
		    "the history of a row is at …/rows/{row}/history", tf->t->name);
	batch_first(q->has.since == GIVEN ? q->since : 0, from);
	memset(before, 255, sizeof before);
	if (q->cursor && !id_bytes(q->cursor, "bat_", before))
		return fail_cursor(c);
	sql_add(&s,
	    "SELECT b.batch, b.at, b.via, b.added, b.changed, b.deleted,"
	    " b.user_id AS `by.user_id`, " CHANGE_BY_NAME " FROM (SELECT d.batch,"
	    " MIN(d.at) AS at, MIN(d.via) AS via, MIN(d.user_id) AS user_id,"
	    " CAST(SUM(IF(d.act = 0, d.n, 0)) AS SIGNED) AS added,"
	    " CAST(SUM(d.act = 1) AS SIGNED) AS changed,"
	    " CAST(SUM(d.act = 2) AS SIGNED) AS deleted",
	    NOARGS);
	if (q->row && id_bytes(q->row, "row_", row))
		row_batches_sql(&s, table_history_no(tf->t), (struct bytes){ row, ID_BYTES });
	else
		sql_add(&s, " FROM data_change d FORCE INDEX (data_change_batch)", NOARGS);
	sql_add(&s, " WHERE d.history_no = ? AND d.batch >= ? AND d.batch < ?",
	    ARGS(table_history_no(tf->t), ((struct bytes){ from, ID_BYTES }),
		((struct bytes){ before, ID_BYTES })));
	if (q->via)
		sql_add(&s, " AND d.via = ?", ARGS(q->via));
	sql_add(&s,
	    " GROUP BY d.batch ORDER BY d.batch DESC LIMIT ?) b"
	    " LEFT JOIN user u ON u.id = b.user_id ORDER BY b.batch DESC",
	    ARGS(q->limit + 1));
	TRY(db_all(c, BUILT(data_batch, &s), sql_args(&s), out));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].batch_id = batch_id_of_hex(c, out->v[i].batch);
	*next = db_page(out, q->limit, last->batch_id);
	return E_OK;
}

#define ROW_RECORD(F, T) \
	F(T, STR,  batch) \
	F(T, TIME, at) \
	F(T, OBJ,  by,       .flags = F_NUL, .sub = &change_by_shape) \
	F(T, STR,  via) \
	F(T, INT,  act) \
	F(T, INT,  rev) \
	F(T, INT,  shape_no, .flags = F_NUL) \
	F(T, STR,  doc,      .flags = F_NUL)
SHAPE(row_record, ROW_RECORD);

/* Reads records of a row with a rev up to `rev`, newest first; last, how the row was added with
 * others. */
static enum err
row_records(struct ctx *c, const struct table_for *tf, struct bytes row, int64_t rev,
    int64_t limit, struct row_record_list *out)
{
	return db_all(c,
	    ROWS(row_record,
		"SELECT d.batch, d.at, d.via, d.act, d.rev, d.shape_no, d.doc,"
		" d.user_id AS `by.user_id`, " CHANGE_BY_NAME " FROM"
		" (SELECT batch, at, via, act, rev, shape_no, doc, user_id FROM data_change"
		" WHERE history_no = ? AND row_id = ? AND last_id IS NULL"
		" UNION ALL SELECT x.batch, x.at, x.via, x.act, x.rev, NULL, NULL, x.user_id"
		" FROM (SELECT * FROM data_change WHERE history_no = ? AND last_id >= ?"
		" ORDER BY last_id LIMIT 1) x WHERE x.row_id <= ?) d"
		" LEFT JOIN user u ON u.id = d.user_id WHERE d.rev <= ?"
		" ORDER BY d.rev DESC, d.batch DESC LIMIT ?"),
	    ARGS(table_history_no(tf->t), row, table_history_no(tf->t), row, row, rev, limit), out);
}

enum err
history_state(struct ctx *c, const struct table_for *tf, struct data_row *row, struct row_new *out)
{
	const struct data_column *col = tf->t->columns.v;
	struct buf b = BUF(c->mem);
	struct json *tree, *now;
	struct bytes key;
	const char *text;

	TRY(row_doc_now(c, tf->t, row, &text));
	TRY(json_parse(c, text, strlen(text), &tree));
	/* A value stays if it fits the column's present type. Else it is read as if its text had
	 * been typed, or becomes null. */
	for (size_t i = 0; i < tf->t->columns.n; i++) {
		const struct cell_column *column = &tf->columns.v[col[i].slot];
		const struct json *value = json_get(tree, col[i].name);
		struct buf typed = BUF(c->mem);

		text = value ? cell_shown(c, value) : NULL;
		if (!text || !cell_of_column(c->mem, column, value, &key)) {
			row_member_write(&b, col[i].name, value);
			continue;
		}
		cell_typed(c, &typed, col[i].type, text);
		TRY(json_parse(c, typed.s, typed.n, &now));
		row_member_write(&b, col[i].name,
		    cell_of_column(c->mem, column, now, &key) ? NULL : now);
	}
	buf_chr(&b, '}');
	row->doc = buf_done(&b);
	row->shape_no = tf->t->shape_no;
	return row_state(c, tf, row, &tree, out);
}

/* Returns a state of the row as JSON; NULL if the caller may not read it, or doc is NULL. */
static const char *
state_shown(struct ctx *c, const struct table_for *tf, const struct data_row *row)
{
	struct data_row now = *row;
	struct row_new state;

	if (!row->doc)
		return NULL;
	if (history_state(c, tf, &now, &state)) {
		ctx_forgive(c);
		return NULL;
	}
	return row_rule_holds(&tf->read, &tf->columns, state.keys) ? row_text(c, tf->t, &now)
								    : NULL;
}

static enum err
row_now(struct ctx *c, const struct table_for *tf, struct bytes raw, struct data_row *out)
{
	struct data_row *now;

	TRY(db_find(c,
	    ROWS(data_row, "SELECT id, doc, shape_no FROM data_row WHERE table_no = ? AND id = ?"),
	    ARGS(tf->t->no, raw), &now));
	*out = now ? *now : (struct data_row){ .id = crypto_hex(c->mem, raw.p, raw.n) };
	return E_OK;
}

enum err
history_row(struct ctx *c, const struct table_for *tf, const char *id, const struct page_query *q,
    struct row_change_list *out, const char **next)
{
	static const char *const acts[] = { "added", "changed", "deleted" };
	const bool on = q->cursor != NULL;
	int64_t rev = INT32_MAX;
	uint8_t raw[ID_BYTES];
	struct row_record_list records;
	struct data_row row;
	const char *after;
	bool shown;

	*out = (struct row_change_list){ 0 };
	*next = NULL;
	if (on && !str_int(q->cursor, &rev))
		return fail_cursor(c);
	if (tf->read.verdict == VERDICT_NO || !id_bytes(id, "row_", raw))
		return row_absent(c, tf, id);
	TRY(row_now(c, tf, (struct bytes){ raw, ID_BYTES }, &row));
	after = state_shown(c, tf, &row);
	shown = after != NULL;
	/* After a cursor the first record was shown already. It has the state after the next. */
	TRY(row_records(c, tf, (struct bytes){ raw, ID_BYTES }, rev, q->limit + 1 + on, &records));
	out->v = mem_array(c->mem, struct row_change, records.n + 1);
	for (size_t i = 0; i < records.n; i++) {
		const struct row_record *rec = &records.v[i];
		const char *before;

		if ((int64_t)i == q->limit + on) {
			*next = mem_printf(c->mem, "%lld", (long long)records.v[i - 1].rev);
			break;
		}
		row.doc = rec->doc;
		row.shape_no = rec->shape_no;
		before = state_shown(c, tf, &row);
		if ((before || after) && !(on && !i))
			out->v[out->n++] = (struct row_change){
				.batch_id = batch_id_of_hex(c, rec->batch), .at = rec->at,
				.by = tf->a->role ? rec->by : NULL, .via = rec->via,
				.action = acts[rec->act], .before = before, .after = after
			};
		after = before;
	}
	return out->n || on || shown ? E_OK : row_absent(c, tf, id);
}
