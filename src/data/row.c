/* SPDX-License-Identifier: Apache-2.0 */
#include "data/row.h"

#include "base/str.h"
#include "data/carried.h"
#include "data/rowlink.h"
#include "data/tablekey.h"

/* ---- checks ---- */

struct row_check {
	struct ctx *c;
	const struct data_table *t;
	const char *at; /* "rows[3]." or "" */
	bool exists;    /* the row exists, so values may contain its id */
};

static int
name_check(void *arg, const char *name, const struct json *value)
{
	struct row_check *k = arg;

	(void)value;
	if (table_column(k->t, name) || (k->exists && str_eq(name, "id")))
		return 0;
	return (int)fail(k->c, E_INVALID,
	    "%s%s: the table %s has no such column; its columns are %s",
	    k->at, name, k->t->name, table_column_names(k->c->mem, k->t));
}

/* Returns a value for an error message, cut. */
static const char *
cell_sent(struct ctx *c, const struct json *v)
{
	enum { SENT_CHARS = 80 };

	return json_kind(v) == J_STR ? value_quoted(c, json_str(v))
				     : str_cut(c->mem, json_text(c->mem, v), SENT_CHARS);
}

/* Makes the text and keys of a row from `values`, and from `before` (may be NULL) for columns
 * that `values` lacks. */
static enum err
row_make(struct ctx *c, const struct data_table *t, const char *at, const struct json *values,
    const struct json *before, struct row_new *out)
{
	const struct data_column *col = t->columns.v;
	struct row_check k = { .c = c, .t = t, .at = at, .exists = before != NULL };
	struct cell_columns columns;
	struct buf b = BUF(c->mem);

	table_columns(t, &columns);
	TRY((enum err)json_each(values, name_check, &k));
	for (size_t i = 0; i < t->columns.n; i++, col++) {
		const struct json *v = json_get(values, col->name);
		const char *why;

		if (!v && before)
			v = json_get(before, col->name);
		row_member_write(&b, col->name, v);
		why = v ? cell_of_column(c->mem, &columns.v[col->slot], v, &out->keys[col->slot])
			: NULL;
		if (why)
			return fail(c, E_INVALID, "%s%s: %s%s%s", at, col->name, why,
			    str_starts(why, "must be") ? ", not " : "",
			    str_starts(why, "must be") ? cell_sent(c, v) : "");
	}
	buf_chr(&b, '}');
	out->doc = buf_done(&b);
	if (b.n > ROW_BYTES)
		return fail(c, E_BODY_TOO_LARGE,
		    "%sthe row is %zu bytes as JSON; the maximum is %d", row_whole(c, at),
		    b.n, ROW_BYTES);
	return E_OK;
}

enum err
row_keep_dropped(struct ctx *c, const struct data_table *t, const struct data_row *state,
    struct row_new *out)
{
	const struct data_column *col = t->kept.v;
	struct buf b = BUF(c->mem);
	struct json *doc;

	if (!t->kept.n)
		return E_OK;
	TRY(json_parse(c, state->doc, strlen(state->doc), &doc));
	buf_add(&b, out->doc, strlen(out->doc) - 1);
	for (size_t i = 0; i < t->kept.n; i++) {
		const struct cell_column cell = {
			col[i].name, cell_type_of(col[i].type), &col[i].choices
		};
		const struct json *v = row_value(state, doc, &col[i]);

		if (v && json_kind(v) != J_NULL &&
		    !cell_of_column(c->mem, &cell, v, &out->keys[col[i].slot]))
			row_member_write(&b, col[i].name, v);
	}
	buf_chr(&b, '}');
	out->doc = buf_done(&b);
	return E_OK;
}

/* ---- links ---- */

/* Returns the link in a key, which is a tag and the id's text; NULL: there is none. */
static const char *
key_link(struct ctx *c, struct bytes key)
{
	return key.n ? mem_strndup(c->mem, (const char *)key.p + 1, key.n - 1) : NULL;
}

/* Checks the links of rows. before: the old states, whose links may stay; or NULL. at() returns the
 * place of a row, for messages. */
static enum err
rows_links_check(struct ctx *c, const struct table_for *tf, const struct row_new *rows, size_t n,
    const struct row_new *before, const char *(*at)(void *arg, size_t i), void *arg)
{
	const struct data_column *col = tf->t->columns.v;
	size_t wrong;

	for (size_t k = 0; k < tf->t->columns.n; k++) {
		const int64_t slot = col[k].slot;
		struct rowlinks l = { &col[k], NULL, n };

		if (!col[k].to)
			continue;
		l.ids = mem_array(c->mem, const char *, n + 1);
		for (size_t i = 0; i < n; i++)
			if (!before || !cell_equal(before[i].keys[slot], rows[i].keys[slot]))
				l.ids[i] = key_link(c, rows[i].keys[slot]);
		TRY(rowlinks_check(c, tf, &l, &wrong));
		if (wrong < n)
			return fail(c, E_INVALID,
			    "%s%s: there is no row %s in the table %s, or you can't read it",
			    at(arg, wrong), col[k].name, key_link(c, rows[wrong].keys[slot]),
			    col[k].to);
	}
	return E_OK;
}

/* ---- the table's key ---- */

/* Rows whose keys are recorded, with what a message needs. */
struct keyed {
	struct ctx *c;
	const struct data_table *t;
	const struct row_new *rows;
	const char *(*at)(void *arg, size_t i);
	void *arg;
};

static const char *
keyed_at(void *arg, size_t i)
{
	const struct keyed *k = arg;

	return k->at(k->arg, i);
}

/* Returns the value as JSON; NULL if the row isn't JSON. */
static const char *
keyed_value(void *arg, size_t i)
{
	const struct keyed *k = arg;
	struct json *doc;

	if (json_parse(k->c, k->rows[i].doc, strlen(k->rows[i].doc), &doc)) {
		ctx_forgive(k->c);
		return NULL;
	}
	return json_text(k->c->mem, json_get(doc, table_key_column(k->t)->name));
}

enum err
rows_key(struct ctx *c, const struct table_for *tf, const struct row_new *rows, size_t n,
    const char *(*at)(void *arg, size_t i), void *arg)
{
	struct keyed k = { c, tf->t, rows, at, arg };
	struct keyed_row *keyed;

	if (!table_key_column(tf->t))
		return E_OK;
	keyed = mem_array(c->mem, struct keyed_row, n + 1);
	for (size_t i = 0; i < n; i++)
		keyed[i] = (struct keyed_row){ rows[i].keys[tf->t->key_slot], rows[i].id };
	return table_keys_put(c, tf, keyed, n, keyed_at, keyed_value, &k);
}

/* ---- inserting ---- */

#define SLOT_NAMED_(n) ", c" #n "|"

static struct arg
key_arg(struct bytes key)
{
	return key.n ? arg_bytes(key) : arg_null();
}

/* Returns the slot of a column; those of dropped columns follow. */
static size_t
stored_slot(const struct data_table *t, size_t k)
{
	const struct data_column *col = t->columns.v, *kept = t->kept.v;

	return (size_t)(k < t->columns.n ? col[k].slot : kept[k - t->columns.n].slot);
}

/* n: how many of the columns. */
static void
row_slots_sql(struct sql *q, const struct data_table *t, size_t n)
{
	sql_add(q, " INSERT INTO data_row (table_no, id, shape_no, doc, rev", NOARGS);
	for (size_t k = 0; k < n; k++)
		sql_pick(q, CELL_EACH(SLOT_NAMED_), stored_slot(t, k));
}

/* The key as the index stores it. */
static struct arg
cell_arg(struct bytes key)
{
	return arg_bytes(key.n ? key : (struct bytes){ "", 0 });
}

/* All rows have the same columns, so one statement inserts them. */
static enum err
rows_store(struct ctx *c, const struct data_table *t, const struct row_new *rows, size_t n)
{
	const size_t slots = t->columns.n + t->kept.n, each = 5 + slots;
	struct arg *v = mem_array(c->mem, struct arg, n * each), *at = v;
	struct sql q = SQL(c->mem);

	for (size_t i = 0; i < n; i++) {
		*at++ = arg_int(t->no);
		*at++ = arg_bytes((struct bytes){ rows[i].id, ID_BYTES });
		*at++ = arg_int(t->shape_no);
		*at++ = arg_str(rows[i].doc);
		*at++ = arg_int(rows[i].rev);
		for (size_t k = 0; k < slots; k++)
			*at++ = key_arg(rows[i].keys[stored_slot(t, k)]);
	}
	row_slots_sql(&q, t, slots);
	sql_add(&q, ") VALUES (?, ?, ?, ?, ?", ARGS(v[0], v[1], v[2], v[3], v[4]));
	for (size_t k = 0; k < slots; k++)
		sql_add(&q, ", ?", ARGS(v[5 + k]));
	sql_add(&q, ")", NOARGS);
	return db_exec_many(c, BUILT_EXEC(&q), v, each, n);
}

/* A key that the entry of a slot carries at a place. */
static struct arg
carried_arg(const struct data_table *t, int place, int64_t slot, const struct bytes *keys)
{
	const int of = carried_slot(t, place);

	return of == CARRIED_NONE || of == slot ? arg_null() : cell_arg(keys[of]);
}

/* Stores entries column by column, in the order of the table. Those of a table with carried columns
 * are a half longer, so others have a statement of their own. */
static enum err
cells_store(struct ctx *c, const struct data_table *t, const struct row_new *rows, size_t n)
{
	const struct data_column *col = t->columns.v;
	const size_t each = t->carried ? 4 + CARRIED : 4;
	struct arg *v = mem_array(c->mem, struct arg, each * n * t->columns.n), *at = v;

	for (size_t k = 0; k < t->columns.n; k++)
		for (size_t i = 0; table_keeps_entries(t, col[k].slot) && i < n; i++) {
			*at++ = arg_int(t->no);
			*at++ = arg_int(col[k].slot);
			*at++ = cell_arg(rows[i].keys[col[k].slot]);
			*at++ = arg_bytes((struct bytes){ rows[i].id, ID_BYTES });
			for (int place = 0; t->carried && place < CARRIED; place++)
				*at++ = carried_arg(t, place, col[k].slot, rows[i].keys);
		}
	return db_exec_many(c,
	    t->carried
		? EXEC("INSERT INTO data_cell " CARRIED_COLUMNS " VALUES (?, ?, ?, ?, ?, ?, ?)")
		: EXEC("INSERT INTO data_cell (table_no, slot, k, row_id) VALUES (?, ?, ?, ?)"),
	    v, each, (size_t)(at - v) / each);
}

enum err
rows_put(struct ctx *c, const struct table_for *tf, const struct row_new *rows, size_t n,
    int64_t *bytes)
{
	const struct data_table *t = tf->t;
	const struct data_column *col = t->columns.v;
	const size_t keys = t->columns.n * (KEY_BYTES + ID_BYTES + 32 + CARRIED * CARRIED_BYTES);
	bool entries = false;

	for (size_t k = 0; k < t->columns.n; k++)
		entries |= table_keeps_entries(t, col[k].slot);
	for (size_t i = 0; i < n; i++)
		*bytes += (int64_t)strlen(rows[i].doc);
	for (size_t i = 0, some; i < n; i += some) {
		size_t sent = 0;

		/* At most as many rows as one message to the database may carry. */
		for (some = 0; i + some < n && sent < DB_MANY_BYTES / 2; some++)
			sent += strlen(rows[i + some].doc) + keys;
		TRY(rows_store(c, t, rows + i, some));
		if (entries)
			TRY(cells_store(c, t, rows + i, some));
	}
	if (n && !rows[0].rev)
		past_added(tf->past, rows[0].id, rows[n - 1].id, (int64_t)n);
	return E_OK;
}

/* Begins a compound statement about one row: its variables are `tab` (table) and `rid` (row id),
 * and in a table with carried columns `y0` to `y2`, the row's keys in these. */
static void
row_begin_sql(struct sql *q, const struct data_table *t, const struct row_new *row)
{
	const struct bytes id = { row->id, ID_BYTES };

	sql_add(q,
	    "BEGIN NOT ATOMIC DECLARE tab BIGINT DEFAULT ?; DECLARE rid BINARY(16) DEFAULT ?;",
	    ARGS(t->no, id));
	if (t->carried)
		sql_add(q,
		    " DECLARE y0 VARBINARY(40) DEFAULT ?; DECLARE y1 VARBINARY(40) DEFAULT ?;"
		    " DECLARE y2 VARBINARY(40) DEFAULT ?;",
		    ARGS(carried_arg(t, 0, CARRIED_NONE, row->keys),
			carried_arg(t, 1, CARRIED_NONE, row->keys),
			carried_arg(t, 2, CARRIED_NONE, row->keys)));
}

static void
entry_sql(struct sql *q, const struct data_table *t, int64_t slot, struct bytes key)
{
	sql_add(q, "(tab, ?, ?, rid", ARGS(slot, cell_arg(key)));
	for (int place = 0; t->carried && place < CARRIED; place++)
		if (carried_slot(t, place) == slot)
			sql_add(q, ", NULL", NOARGS);
		else
			sql_pick(q, ", y0|, y1|, y2", (size_t)place);
	sql_add(q, ")", NOARGS);
}

/* Writes one row, its index entries, and the counters in one round trip. */
static enum err
row_record(struct ctx *c, const struct table_for *tf, const struct row_new *row)
{
	const struct data_column *col = tf->t->columns.v;
	struct sql q = SQL(c->mem);
	size_t entries = 0;

	row_begin_sql(&q, tf->t, row);
	row_slots_sql(&q, tf->t, tf->t->columns.n);
	sql_add(&q, ") VALUES (tab, rid, ?, ?, 0", ARGS(tf->t->shape_no, row->doc));
	for (size_t k = 0; k < tf->t->columns.n; k++)
		sql_add(&q, ", ?", ARGS(key_arg(row->keys[col[k].slot])));
	sql_add(&q, ")", NOARGS);
	for (size_t k = 0; k < tf->t->columns.n; k++) {
		if (!table_keeps_entries(tf->t, col[k].slot))
			continue;
		if (entries++)
			sql_add(&q, ", ", NOARGS);
		else if (tf->t->carried)
			sql_add(&q, "; INSERT INTO data_cell " CARRIED_COLUMNS " VALUES ", NOARGS);
		else
			sql_add(&q, "; INSERT INTO data_cell (table_no, slot, k, row_id) VALUES ",
			    NOARGS);
		entry_sql(&q, tf->t, col[k].slot, row->keys[col[k].slot]);
	}
	sql_add(&q, ";", NOARGS);
	past_added(tf->past, row->id, row->id, 1);
	return table_account_with(c, tf, &q, 1, (int64_t)strlen(row->doc));
}

static enum err
new_row_make(struct ctx *c, const struct table_for *tf, const char *at, const struct json *values,
    struct row_new *out)
{
	TRY(row_make(c, tf->t, at, values, NULL, out));
	return row_write_check(c, tf, &tf->add, at, out->keys);
}

static const char *
insert_place(void *arg, size_t i)
{
	const struct ctx *c = arg;

	return mem_printf(c->mem, "rows[%zu].", i);
}

static const char *
patch_place(void *arg, size_t i)
{
	(void)arg;
	(void)i;
	return "";
}

struct load_lines {
	struct ctx *c;
	const int64_t *lines;
};

static const char *
line_place(void *arg, size_t i)
{
	const struct load_lines *l = arg;

	return mem_printf(l->c->mem, "line %s, ", str_number(l->c->mem, l->lines[i]));
}

enum err
rows_load_made(struct ctx *c, const struct table_for *tf, const struct row_new *rows, size_t n,
    const int64_t *lines, int64_t *bytes)
{
	struct load_lines at = { c, lines };

	TRY(rows_links_check(c, tf, rows, n, NULL, line_place, &at));
	TRY(rows_counted(c, tf, n));
	TRY(rows_key(c, tf, rows, n, line_place, &at));
	return rows_put(c, tf, rows, n, bytes);
}

enum err
rows_load_as(struct ctx *c, const struct table_for *tf, const struct json *rows,
    const struct data_row *const *of, int64_t *bytes)
{
	size_t n = json_len(rows);
	struct row_new *made = mem_array(c->mem, struct row_new, n + 1);

	for (size_t i = 0; i < n; i++) {
		crypto_unhex(of[i]->id, made[i].id, ID_BYTES);
		made[i].rev = of[i]->rev;
		TRY(new_row_make(c, tf, insert_place(c, i), json_at(rows, i), &made[i]));
		TRY(row_keep_dropped(c, tf->t, of[i], &made[i]));
	}
	TRY(rows_key(c, tf, made, n, insert_place, c));
	return rows_put(c, tf, made, n, bytes);
}

enum err
rows_insert(
    struct ctx *c, const struct table_for *tf, const struct json *rows, struct strs *ids)
{
	size_t n = json_len(rows);
	struct row_new *made = mem_array(c->mem, struct row_new, n + 1);
	int64_t bytes = 0;

	*ids = (struct strs){ mem_array(c->mem, const char *, n + 1), n };
	if (tf->add.verdict == VERDICT_NO)
		return row_refused(c, tf, &tf->add, "");
	if (!n || n > ROWS_AT_ONCE)
		return fail(c, E_INVALID, "rows: must have from 1 to %d rows, but has %zu",
		    ROWS_AT_ONCE, n);
	for (size_t i = 0; i < n; i++) {
		const struct json *values = json_at(rows, i);

		if (json_kind(values) != J_OBJ)
			return fail(c, E_INVALID, "rows[%zu]: must be an object", i);
		if (new_row_make(c, tf, "", values, &made[i]))
			return new_row_make(c, tf, insert_place(c, i), values, &made[i]);
		past_next_id(tf->past, made[i].id);
		ids->v[i] = id_text(c->mem, "row_", made[i].id);
	}
	TRY(rows_links_check(c, tf, made, n, NULL, insert_place, c));
	TRY(rows_counted(c, tf, n));
	TRY(rows_key(c, tf, made, n, insert_place, c));
	if (n == 1)
		return row_record(c, tf, made);
	TRY(rows_put(c, tf, made, n, &bytes));
	return table_account(c, tf, (int64_t)n, bytes);
}

/* ---- one row ---- */

enum err
row_absent(struct ctx *c, const struct table_for *tf, const char *id)
{
	return fail(c, E_NOT_FOUND,
	    "There is no row %s in the table %s, or you don't have access to it",
	    id, tf->t->name);
}

static enum err
row_read(struct ctx *c, const struct table_for *tf, const char *id, bool lock,
    struct data_row **out)
{
	uint8_t raw[ID_BYTES];
	const struct bytes key = { raw, sizeof raw };
	struct sql q = SQL(c->mem);

	*out = NULL;
	if (tf->read.verdict == VERDICT_NO || !id_bytes(id, "row_", raw))
		return row_absent(c, tf, id);
	sql_add(&q,
	    "SELECT r.id, r.doc, r.shape_no FROM data_row r WHERE r.table_no = ? AND r.id = ?",
	    ARGS(tf->t->no, key));
	row_rule_sql(&q, &tf->read, &tf->columns);
	if (lock)
		sql_add(&q, " FOR UPDATE", NOARGS);
	TRY(db_find(c, BUILT(data_row, &q), sql_args(&q), out));
	return *out ? E_OK : row_absent(c, tf, id);
}

enum err
row_get(struct ctx *c, const struct table_for *tf, const char *id, struct data_row **out)
{
	return row_read(c, tf, id, false, out);
}

enum err
row_lock(struct ctx *c, const struct table_for *tf, const char *id, struct data_row **out)
{
	return row_read(c, tf, id, true, out);
}

enum err
row_state(struct ctx *c, const struct table_for *tf, const struct data_row *row,
    struct json **doc, struct row_new *out)
{
	const char *text;

	*out = (struct row_new){ 0 };
	TRY(row_doc_now(c, tf->t, row, &text));
	TRY(json_parse(c, text, strlen(text), doc));
	return row_make(c, tf->t, "", *doc, NULL, out);
}

#define SLOT_(n) #n "|"

/* Adds the UPDATE of the row's entry in a slot, unless it stays as it is. moved: by slot, whether
 * the key changes. */
static void
entry_change_sql(struct sql *q, const struct data_table *t, int64_t slot, const bool *moved,
    const struct row_new *after)
{
	size_t n = 0;

	if (!table_keeps_entries(t, slot))
		return;
	if (moved[slot]) {
		sql_add(q, " UPDATE data_cell SET k = ?", ARGS(cell_arg(after->keys[slot])));
		n++;
	}
	for (int place = 0; place < CARRIED; place++) {
		const int of = carried_slot(t, place);

		if (of == CARRIED_NONE || of == slot || !moved[of])
			continue;
		if (n++)
			sql_add(q, ", ", NOARGS);
		else
			sql_add(q, " UPDATE data_cell SET ", NOARGS);
		sql_pick(q, "a0 = y0|a1 = y1|a2 = y2", (size_t)place);
	}
	if (!n)
		return;
	sql_add(q, " WHERE table_no = tab AND slot = ", NOARGS);
	sql_pick(q, CELL_EACH(SLOT_), (size_t)slot);
	/* Find the entry by the key that the row still has. */
	sql_add(q, " AND k = (SELECT COALESCE(", NOARGS);
	sql_pick(q, CELL_R_NAMES, (size_t)slot);
	sql_add(q,
	    ", '') FROM data_row r WHERE r.table_no = tab AND r.id = rid) AND row_id = rid;",
	    NOARGS);
}

/* A single round trip, with the counters. Slots are literals here, because parameters are scarce
 * with 64 columns. */
static enum err
row_store(struct ctx *c, const struct table_for *tf, const struct data_row *row,
    const struct row_new *before, struct row_new *after)
{
	const struct data_column *col = tf->t->columns.v;
	size_t n = tf->t->columns.n;
	struct sql q = SQL(c->mem);
	bool moved[CELL_SLOTS] = { false };

	crypto_unhex(row->id, after->id, sizeof after->id);
	for (size_t i = 0; i < n; i++)
		moved[col[i].slot] =
		    !cell_equal(before->keys[col[i].slot], after->keys[col[i].slot]);
	row_begin_sql(&q, tf->t, after);
	past_one_sql(c, &q, tf->past, table_history_no(tf->t), ACT_CHANGED,
	    (int64_t)strlen(row->doc));
	for (size_t i = 0; i < n; i++)
		entry_change_sql(&q, tf->t, col[i].slot, moved, after);
	sql_add(&q, " UPDATE data_row SET doc = ?, shape_no = ?, rev = rev + 1",
	    ARGS(after->doc, tf->t->shape_no));
	for (size_t i = 0; i < n; i++)
		if (moved[col[i].slot]) {
			sql_pick(&q, CELL_EACH(SLOT_NAMED_), (size_t)col[i].slot);
			sql_add(&q, " = ?", ARGS(key_arg(after->keys[col[i].slot])));
		}
	sql_add(&q, " WHERE table_no = tab AND id = rid;", NOARGS);
	return table_account_with(
	    c, tf, &q, 0, (int64_t)strlen(after->doc) - (int64_t)strlen(row->doc));
}

static enum err
row_rekey(struct ctx *c, const struct table_for *tf, const struct data_row *row,
    const struct row_new *before, struct row_new *after)
{
	const int64_t slot = tf->t->key_slot;

	if (slot < 0 || cell_equal(before->keys[slot], after->keys[slot]))
		return E_OK;
	crypto_unhex(row->id, after->id, sizeof after->id);
	TRY(table_key_forget(c, tf, before->keys[slot]));
	return rows_key(c, tf, after, 1, patch_place, NULL);
}

enum err
row_patch(struct ctx *c, const struct table_for *tf, const struct json *values,
    struct data_row *row)
{
	struct row_new before, after = { 0 };
	struct json *doc;
	const char *id = row_id_of_hex(c, row->id);

	if (json_get(values, "id") && !str_eq(json_word(values, "id"), id))
		return fail(c, E_INVALID, "id: is %s, and can't be changed", id);
	TRY(row_state(c, tf, row, &doc, &before));
	TRY(row_write_check(c, tf, &tf->change, "", before.keys));
	TRY(row_make(c, tf->t, "", values, doc, &after));
	TRY(row_columns_check(c, tf, doc, values));
	TRY(row_write_check(c, tf, &tf->change, "", after.keys));
	TRY(row_keep_dropped(c, tf->t, row, &after));
	TRY(rows_links_check(c, tf, &after, 1, &before, patch_place, NULL));
	TRY(row_rekey(c, tf, row, &before, &after));
	TRY(row_store(c, tf, row, &before, &after));
	row->doc = after.doc;
	row->shape_no = tf->t->shape_no;
	return E_OK;
}

/* ---- several rows ---- */

/* Changes the entries of a slot for those of the rows whose key there, or a key that the entry
 * carries, changes. */
static enum err
entries_rewrite(struct ctx *c, const struct data_table *t, int64_t slot,
    const struct row_new *before, const struct row_new *after, size_t n)
{
	enum { EACH = 5 + CARRIED };
	struct arg *v = mem_array(c->mem, struct arg, EACH * n + 1), *at = v;

	for (size_t i = 0; i < n; i++) {
		bool moved = !cell_equal(before[i].keys[slot], after[i].keys[slot]);

		for (int place = 0; place < CARRIED; place++) {
			const int of = carried_slot(t, place);

			moved |= of != CARRIED_NONE &&
			    !cell_equal(before[i].keys[of], after[i].keys[of]);
		}
		if (!moved)
			continue;
		*at++ = cell_arg(after[i].keys[slot]);
		for (int place = 0; place < CARRIED; place++)
			*at++ = carried_arg(t, place, slot, after[i].keys);
		*at++ = arg_int(t->no);
		*at++ = arg_int(slot);
		*at++ = cell_arg(before[i].keys[slot]);
		*at++ = arg_bytes((struct bytes){ after[i].id, ID_BYTES });
	}
	return db_exec_many(c,
	    EXEC("UPDATE data_cell SET k = ?, a0 = ?, a1 = ?, a2 = ?"
		 " WHERE table_no = ? AND slot = ? AND k = ? AND row_id = ?"),
	    v, EACH, (size_t)(at - v) / EACH);
}

/* Stores new texts and keys of rows, and their entries. All rows have the same columns. */
static enum err
rows_rewrite(struct ctx *c, const struct data_table *t, const struct row_new *before,
    const struct row_new *after, size_t n)
{
	const struct data_column *col = t->columns.v;
	const size_t each = 4 + t->columns.n;
	struct arg *v = mem_array(c->mem, struct arg, n * each), *at = v;
	struct sql q = SQL(c->mem);

	for (size_t k = 0; k < t->columns.n; k++)
		if (table_keeps_entries(t, col[k].slot))
			TRY(entries_rewrite(c, t, col[k].slot, before, after, n));
	for (size_t i = 0; i < n; i++) {
		*at++ = arg_str(after[i].doc);
		*at++ = arg_int(t->shape_no);
		for (size_t k = 0; k < t->columns.n; k++)
			*at++ = key_arg(after[i].keys[col[k].slot]);
		*at++ = arg_int(t->no);
		*at++ = arg_bytes((struct bytes){ after[i].id, ID_BYTES });
	}
	sql_add(
	    &q, "UPDATE data_row SET rev = rev + 1, doc = ?, shape_no = ?", ARGS(v[0], v[1]));
	for (size_t k = 0; k < t->columns.n; k++) {
		sql_pick(&q, CELL_EACH(SLOT_NAMED_), (size_t)col[k].slot);
		sql_add(&q, " = ?", ARGS(v[2 + k]));
	}
	sql_add(&q, " WHERE table_no = ? AND id = ?", ARGS(v[each - 2], v[each - 1]));
	return db_exec_many(c, BUILT_EXEC(&q), v, each, n);
}

/* Records rows before they change. bytes: of their texts. */
static enum err
rows_remember(struct ctx *c, const struct table_for *tf, const struct data_row_list *rows,
    int64_t bytes)
{
	struct sql q = SQL(c->mem);

	if (!tf->past)
		return E_OK;
	sql_add(&q,
	    "BEGIN NOT ATOMIC DECLARE tab BIGINT DEFAULT ?; DECLARE ids MEDIUMTEXT DEFAULT ?;",
	    ARGS(tf->t->no, rows_ids_json(c, rows)));
	past_many_sql(c, &q, tf->past, table_history_no(tf->t), ACT_CHANGED, (int64_t)rows->n,
	    bytes);
	sql_add(&q, " END", NOARGS);
	return db_exec(c, BUILT_EXEC(&q), sql_args(&q), NULL);
}

enum err
rows_patch(struct ctx *c, const struct table_for *tf, const struct json *values,
    const struct data_row_list *rows)
{
	struct row_new *before = mem_array(c->mem, struct row_new, rows->n + 1);
	struct row_new *after = mem_array(c->mem, struct row_new, rows->n + 1);
	int64_t bytes = 0, was = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct json *doc;

		TRY(row_state(c, tf, &rows->v[i], &doc, &before[i]));
		TRY(row_make(c, tf->t, "", values, doc, &after[i]));
		TRY(row_columns_check(c, tf, doc, values));
		if (!row_rule_holds(&tf->change, &tf->columns, before[i].keys) ||
		    !row_rule_holds(&tf->change, &tf->columns, after[i].keys))
			return rows_refused(c, tf, &tf->change);
		TRY(row_keep_dropped(c, tf->t, &rows->v[i], &after[i]));
		crypto_unhex(rows->v[i].id, after[i].id, ID_BYTES);
		was += (int64_t)strlen(rows->v[i].doc);
		bytes += (int64_t)strlen(after[i].doc);
	}
	TRY(rows_links_check(c, tf, after, rows->n, before, patch_place, NULL));
	TRY(rows_remember(c, tf, rows, was));
	for (size_t i = 0; i < rows->n; i++)
		TRY(row_rekey(c, tf, &rows->v[i], &before[i], &after[i]));
	for (size_t i = 0, some; i < rows->n; i += some) {
		size_t sent = 0;

		for (some = 0; i + some < rows->n && sent < DB_MANY_BYTES / 2; some++)
			sent += strlen(after[i + some].doc) + tf->t->columns.n * KEY_BYTES;
		TRY(rows_rewrite(c, tf->t, before + i, after + i, some));
	}
	return table_account(c, tf, 0, bytes - was);
}

/* ---- deleting ---- */

void
rows_delete_sql(struct sql *q, const struct data_table *t)
{
	const struct data_column *col = t->columns.v;

	for (size_t i = 0; i < t->columns.n; i++) {
		if (!table_keeps_entries(t, col[i].slot))
			continue;
		sql_add(q,
		    " DELETE x" ROWS_OF_IDS
		    " STRAIGHT_JOIN data_cell x ON x.table_no = r.table_no AND x.slot = ?"
		    " AND x.k = COALESCE(",
		    ARGS(col[i].slot));
		sql_pick(q, CELL_R_NAMES, (size_t)col[i].slot);
		sql_add(q, ", '') AND x.row_id = r.id;", NOARGS);
	}
	if (t->key_slot >= 0) {
		sql_add(q,
		    " DELETE k" ROWS_OF_IDS
		    " STRAIGHT_JOIN data_key k ON k.table_no = r.table_no AND k.k = ",
		    NOARGS);
		sql_pick(q, CELL_R_NAMES, (size_t)t->key_slot);
		sql_add(q, ";", NOARGS);
	}
	sql_add(q, " DELETE r" ROWS_OF_IDS ";", NOARGS);
}

enum err
rows_take_away(
    struct ctx *c, const struct table_for *tf, const char *ids, int64_t n, int64_t bytes)
{
	struct sql q = SQL(c->mem);

	sql_add(&q,
	    "BEGIN NOT ATOMIC DECLARE tab BIGINT DEFAULT ?; DECLARE ids MEDIUMTEXT DEFAULT ?;",
	    ARGS(tf->t->no, ids));
	past_many_sql(c, &q, tf->past, table_history_no(tf->t), ACT_DELETED, n, bytes);
	rows_delete_sql(&q, tf->t);
	return table_account_with(c, tf, &q, -n, -bytes);
}

enum err
row_delete(struct ctx *c, const struct table_for *tf, const struct data_row *row)
{
	struct row_new before;
	struct json *doc;

	TRY(row_state(c, tf, row, &doc, &before));
	TRY(row_write_check(c, tf, &tf->delete, "", before.keys));
	return rows_take_away(c, tf, mem_printf(c->mem, "[\"%s\"]", row->id), 1,
	    (int64_t)strlen(row->doc));
}
