/* SPDX-License-Identifier: Apache-2.0
 * Lists of rows. A list of a large table follows one index of data_cell, or the rows by id, and
 * checks each row for the other conditions and the rule. It follows
 *
 *  - a condition that few rows match (lead_choose() counts them), and sorts these; or
 *  - one certain key, in a list by id, because its entries are in order of the ids; or
 *  - the requested order.
 *
 * A list stops after examining about LOOKED_MOST rows, and its cursor continues there. So no list
 * costs as much as the whole table, unless an index that it needs isn't there yet. Then it asks for
 * the index, reads all rows, and sorts them. A small table is read like that as well. */
#include "base/crypto.h"
#include "base/id.h"
#include "base/seal.h"
#include "base/str.h"
#include "data/carried.h"
#include "data/rowlead.h"

/* ---- order and cursor ---- */

static enum err
order_wrong(struct finding_rows *f)
{
	return fail(f->c, E_INVALID,
	    "order: must be id or a column of the table %s, with - in front for descending order, "
	    "or up to %d of them with commas, not %s; its columns are %s",
	    f->tf->t->name, ORDERS_MOST, value_quoted(f->c, f->what->order),
	    table_column_names(f->c->mem, f->tf->t));
}

/* Reads "city,-n,id". Rows of equal columns are in the order of their ids, in the direction of the
 * first column unless id is last. */
static enum err
order_read(struct finding_rows *f)
{
	char *rest = mem_strdup(f->c->mem, f->what->order), *name;
	bool by_id = false;

	while ((name = str_split(&rest, ','))) {
		bool down = *name == '-';
		const struct data_column *col = table_column(f->tf->t, name + down);

		if (by_id || f->several_n == ORDERS_MOST || !(col || str_eq(name + down, "id")))
			return order_wrong(f);
		by_id = !col;
		for (size_t i = 0; i < f->several_n; i++)
			if (f->several[i].col == col)
				return order_wrong(f);
		f->id_down = by_id || !f->several_n ? down : f->id_down;
		if (col)
			f->several[f->several_n++] = (struct ordered){ col, down };
	}
	f->down = f->several_n ? f->several[0].down : f->id_down;
	if (f->several_n != 1 || f->down != f->id_down)
		return E_OK;
	f->order = f->several[0].col;
	f->several_n = 0;
	return E_OK;
}

static const char *
cursor_head(const struct finding_rows *f)
{
	struct buf b = BUF(f->c->mem);

	for (size_t i = 0; i < f->several_n; i++)
		buf_fmt(&b, "%lld%c", (long long)f->several[i].col->slot,
		    f->several[i].down ? 'd' : 'u');
	buf_fmt(&b, "%lld%c", f->order ? (long long)f->order->slot : -1LL,
	    f->id_down ? 'd' : 'u');
	return buf_done(&b);
}

static enum err
cursor_wrong(struct finding_rows *f)
{
	return fail(f->c, E_INVALID,
	    "cursor: is not valid for this list; use the next_cursor of an earlier reply");
}

/* A cursor is "3u.<id>.<key>" with hex id and key; in an order of several columns it has each key.
 * If the caller may not see that row, it is "s<hex>", sealed. */
#define CURSOR_PURPOSE(f) mem_printf((f)->c->mem, "rows of %lld", (long long)(f)->tf->t->no)

/* Returns NULL if it wasn't sealed here for this table. */
static char *
cursor_unseal(const struct finding_rows *f)
{
	const char *hex = f->what->cursor + 1, *cursor;
	size_t n = strlen(hex) / 2;
	char *box = mem_zalloc(f->c->mem, n + 1);

	if (!crypto_unhex(hex, (uint8_t *)box, n))
		return NULL;
	cursor = seal_open(f->c->mem, CURSOR_PURPOSE(f), box);
	return cursor ? mem_strdup(f->c->mem, cursor) : NULL;
}

static bool
key_read(struct finding_rows *f, const char *hex, struct bytes *out)
{
	uint8_t *key;

	if (!hex || strlen(hex) > 2 * KEY_BYTES)
		return false;
	out->n = strlen(hex) / 2;
	out->p = key = mem_array(f->c->mem, uint8_t, out->n + 1);
	return crypto_unhex(hex, key, out->n);
}

static enum err
cursor_read(struct finding_rows *f)
{
	const char *given = f->what->cursor;
	char *rest = given && *given == 's' ? cursor_unseal(f) : mem_strdup(f->c->mem, given);
	char *part;

	if (!given)
		return E_OK;
	if (!rest || !str_eq(str_split(&rest, '.'), cursor_head(f)) ||
	    !(part = str_split(&rest, '.')) || !crypto_unhex(part, f->after_id, ID_BYTES))
		return cursor_wrong(f);
	f->after = true;
	for (size_t i = 0; i < f->several_n; i++)
		if (!key_read(f, str_split(&rest, '.'), &f->after_keys[i]))
			return cursor_wrong(f);
	return f->several_n || key_read(f, rest, &f->after_key) ? E_OK : cursor_wrong(f);
}

static const char *
cursor_after(const struct finding_rows *f, const struct data_row *last)
{
	return mem_printf(f->c->mem, "%s.%s.%s", cursor_head(f), last->id, last->k);
}

/* ---- the statement ---- */

#define CELL_S_KEY_(n) ", (SELECT COALESCE(s.c" #n ", '')|"

/* Returns where a list finds the key by which it is sorted. */
static int
order_from(const struct finding_rows *f, const struct filter *lead)
{
	if (!f->order || (!lead && (f->lacking || !order_has_index(f))))
		return FROM_ROW;
	if (!lead || lead->slot == f->order->slot)
		return FROM_ENTRY;
	if (!f->tf->t->filled || carried_place(f->tf->t, f->order->slot) == CARRIED_NONE)
		return FROM_ROW;
	return FROM_CARRIED + carried_place(f->tf->t, f->order->slot);
}

/* Adds the sort key. MariaDB sorts the entries alone before it reads the rows, but for entries that
 * don't carry the key. */
static void
order_key_sql(struct sql *q, const struct finding_rows *f, int from)
{
	if (from == FROM_ROW) {
		sql_pick(q, CELL_R_KEYS, (size_t)f->order->slot);
		return;
	}
	if (from == FROM_ENTRY) {
		key_sql(q, from, f->order->slot);
		return;
	}
	sql_add(q, "COALESCE(", NOARGS);
	key_sql(q, from, f->order->slot);
	sql_pick(q, CELL_EACH(CELL_S_KEY_), (size_t)f->order->slot);
	sql_add(q, " FROM data_row s WHERE s.table_no = x.table_no AND s.id = x.row_id))", NOARGS);
}

static void
beyond_sql(struct sql *q, bool down, struct arg arg)
{
	if (down)
		sql_add(q, " < ?", ARGS(arg));
	else
		sql_add(q, " > ?", ARGS(arg));
}

/* entry: take the id from the index entry. */
static void
id_sql(struct sql *q, bool entry)
{
	if (entry)
		sql_add(q, "x.row_id", NOARGS);
	else
		sql_add(q, "r.id", NOARGS);
}

/* With two columns: " AND (a > ? OR a = ? AND (b > ? OR b = ? AND (id > ?)))". */
static void
after_several_sql(struct sql *q, const struct finding_rows *f, struct arg id)
{
	sql_add(q, " AND (", NOARGS);
	for (size_t i = 0; i < f->several_n; i++) {
		sql_pick(q, CELL_R_KEYS, (size_t)f->several[i].col->slot);
		beyond_sql(q, f->several[i].down, arg_bytes(f->after_keys[i]));
		sql_add(q, " OR ", NOARGS);
		sql_pick(q, CELL_R_KEYS, (size_t)f->several[i].col->slot);
		sql_add(q, " = ? AND (", ARGS(f->after_keys[i]));
	}
	sql_add(q, "r.id", NOARGS);
	beyond_sql(q, f->id_down, id);
	for (size_t i = 0; i <= f->several_n; i++)
		sql_add(q, ")", NOARGS);
}

static void
after_sql(struct sql *q, const struct finding_rows *f, int from, bool entry_id)
{
	struct arg id = arg_bytes((struct bytes){ f->after_id, ID_BYTES });

	if (!f->after)
		return;
	if (f->several_n) {
		after_several_sql(q, f, id);
		return;
	}
	sql_add(q, " AND (", NOARGS);
	if (f->order) {
		order_key_sql(q, f, from);
		sql_add(q, " = ? AND ", ARGS(f->after_key));
	}
	id_sql(q, entry_id);
	beyond_sql(q, f->down, id);
	if (f->order) {
		sql_add(q, " OR ", NOARGS);
		order_key_sql(q, f, from);
		beyond_sql(q, f->down, arg_bytes(f->after_key));
	}
	sql_add(q, ")", NOARGS);
}

static void
order_sql(struct sql *q, const struct finding_rows *f, int from, bool entry_id)
{
	sql_add(q, " ORDER BY ", NOARGS);
	for (size_t i = 0; i < f->several_n; i++) {
		sql_pick(q, CELL_R_KEYS, (size_t)f->several[i].col->slot);
		if (f->several[i].down)
			sql_add(q, " DESC", NOARGS);
		sql_add(q, ", ", NOARGS);
	}
	if (f->order) {
		order_key_sql(q, f, from);
		if (f->down)
			sql_add(q, " DESC, ", NOARGS);
		else
			sql_add(q, ", ", NOARGS);
	}
	id_sql(q, entry_id);
	if (f->id_down)
		sql_add(q, " DESC", NOARGS);
}

/* Adds FROM: index entries, or rows by id. place: only the position is wanted, so the rows
 * aren't joined. */
static void
list_from_sql(struct sql *q, const struct finding_rows *f, bool entries, bool place)
{
	if (!entries)
		sql_add(q, " FROM data_row r WHERE r.table_no = ?", ARGS(f->tf->t->no));
	else if (place)
		sql_add(q, " FROM data_cell x WHERE", NOARGS);
	else
		sql_add(q,
		    " FROM data_cell x STRAIGHT_JOIN data_row r ON r.table_no = x.table_no"
		    " AND r.id = x.row_id WHERE",
		    NOARGS);
}

static void
list_sql(struct sql *q, const struct finding_rows *f, const struct filter *lead, bool place)
{
	int from = order_from(f, lead);
	bool by_entry = !lead && from == FROM_ENTRY, entries = lead || by_entry;
	/* For a list by id that follows one key, the index has the ids in order. */
	bool entry_id = from != FROM_ROW || (lead && !f->order && filter_is_one_key(lead));

	if (place && entries)
		sql_add(q, "SELECT x.row_id AS id, LOWER(CONCAT(HEX(", NOARGS);
	else if (place)
		sql_add(q, "SELECT r.id, LOWER(CONCAT(HEX(", NOARGS);
	else
		sql_add(q, "SELECT r.id, r.doc, r.shape_no, LOWER(CONCAT(HEX(", NOARGS);
	if (f->order)
		order_key_sql(q, f, from);
	else if (!f->several_n)
		sql_add(q, "''", NOARGS);
	for (size_t i = 0; i < f->several_n; i++) {
		if (i)
			sql_add(q, "), '.', HEX(", NOARGS);
		sql_pick(q, CELL_R_KEYS, (size_t)f->several[i].col->slot);
	}
	sql_add(q, "))) AS k", NOARGS);
	list_from_sql(q, f, entries, place);
	if (lead)
		entries_sql(q, f, lead);
	else if (by_entry)
		sql_add(q, " x.table_no = ? AND x.slot = ?", ARGS(f->tf->t->no, f->order->slot));
	for (size_t i = 0; by_entry && i < f->where.n; i++)
		if (f->where.v[i].slot == f->order->slot && filter_of_entry(f, &f->where.v[i])) {
			sql_add(q, " AND ", NOARGS);
			filter_sql(q, FROM_ENTRY, &f->where.v[i]);
		}
	if (!place && entries)
		carried_conditions_sql(q, f, lead ? lead->slot : f->order->slot);
	if (!place)
		conditions_sql(q, f);
	after_sql(q, f, from, entry_id);
	order_sql(q, f, from, entry_id);
}

enum err
finding_begin(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    struct finding_rows *f)
{
	*f = (struct finding_rows){ .c = c, .tf = tf, .what = what };
	if (tf->read.verdict == VERDICT_NO)
		return fail(c, E_NOT_FOUND,
		    "There is no table %s, or you don't have access to it", tf->t->name);
	TRY(order_read(f));
	TRY(cursor_read(f));
	return where_read(c, tf, &what->asked, &f->where);
}

/* True if the list may examine more rows than it returns. A lead with few rows is always read
 * completely. */
static bool
looks_far(const struct finding_rows *f, const struct filter *lead)
{
	if (f->tf->t->row_count <= looked_most(f) || f->sorts_all ||
	    (lead && (f->order || f->several_n || !filter_is_one_key(lead))))
		return false;
	return f->tf->read.verdict == VERDICT_ROW || f->where.n > (lead != NULL);
}

/* Sets *next to where a list that wasn't filled stopped, or NULL at the end. All entries up to
 * that place have been examined. */
static enum err
list_stopped(struct finding_rows *f, const struct filter *lead, const struct data_row_list *found,
    const char **next)
{
	struct sql q = SQL(f->c->mem);
	struct data_row *at;
	const char *box;

	list_sql(&q, f, lead, true);
	sql_add(&q, " LIMIT 1 OFFSET ?", ARGS(looked_most(f) - 1));
	TRY(db_find(f->c, BUILT(data_row, &q), sql_args(&q), &at));
	*next = found->n ? cursor_after(f, &found->v[found->n - 1]) : NULL;
	if (!at)
		*next = NULL;
	if (!at || found->n)
		return E_OK;
	box = seal_close(f->c->mem, CURSOR_PURPOSE(f), cursor_after(f, at));
	*next = mem_printf(f->c->mem, "s%s", crypto_hex(f->c->mem, box, strlen(box)));
	return E_OK;
}

/* Has the table carry columns for lists like this one. A small table has its rows in few pages. */
static enum err
carried_learn(struct finding_rows *f, const struct filter *lead)
{
	const int64_t slot = lead ? lead->slot : f->order ? f->order->slot : CARRIED_NONE;

	if (slot == CARRIED_NONE || f->lacking || f->tf->t->row_count <= LOOKED_MOST)
		return E_OK;
	if (f->order && f->order->slot != slot)
		TRY(carried_want(f->c, f->tf->t, f->order));
	for (size_t i = 0; i < f->where.n; i++)
		if (f->where.v[i].col && f->where.v[i].slot != slot)
			TRY(carried_want(f->c, f->tf->t, f->where.v[i].col));
	return E_OK;
}

/* MariaDB counts each index entry, each row, and each sorted row. */
static int64_t
examined(const struct finding_rows *f, int64_t limit)
{
	return 3 * looked_most(f) + FEW + limit;
}

/* A list that sorts all rows of the table must read them all. */
static void
limit_sql(struct sql *q, const struct finding_rows *f, int64_t limit, int64_t most)
{
	if (f->sorts_all || f->tf->t->row_count <= TABLE_SMALL)
		sql_add(q, " LIMIT ?", ARGS(limit));
	else
		sql_add(q, " LIMIT ? ROWS EXAMINED ?", ARGS(limit, most));
}

enum err
rows_find(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    struct data_row_list *out, const char **next)
{
	struct finding_rows *f = mem_new(c->mem, struct finding_rows);
	struct sql q = SQL(c->mem);
	const struct filter *lead;
	int64_t most;

	TRY(finding_begin(c, tf, what, f));
	TRY(lead_choose(f, &lead));
	/* An order of several columns reads and sorts all rows, more than `contains` may read. */
	if (f->several_n && !lead && tf->t->row_count > LOOKED_TEXTS)
		return fail(c, E_INVALID,
		    "order: the table %s has %s, and an order of several columns sorts all rows of "
		    "at most %s; order by one column, or add a condition that few rows match",
		    tf->t->name, str_count(c->mem, tf->t->row_count, "row"),
		    str_number(c->mem, LOOKED_TEXTS));
	if (what->whole && tf->t->row_count > TABLE_SMALL && (f->sorts_all || f->where.texts)) {
		*what->whole = true;
		*out = (struct data_row_list){ 0 };
		*next = NULL;
		return E_OK;
	}
	TRY(indexes_want(f));
	TRY(carried_learn(f, lead));
	list_sql(&q, f, lead, false);
	most = examined(f, what->limit);
	/* Entries that don't carry the sort key count again wherever the statement has it. */
	if (order_from(f, lead) >= FROM_CARRIED)
		most *= 3;
	limit_sql(&q, f, what->limit + 1, most);
	TRY(db_all(c, BUILT(data_row, &q), sql_args(&q), out));
	*next = db_page(out, what->limit, cursor_after(f, last));
	if (*next || !looks_far(f, lead))
		return E_OK;
	return list_stopped(f, lead, out, next);
}

void
rows_from_sql(struct sql *q, const struct finding_rows *f, const struct filter *lead)
{
	list_from_sql(q, f, lead != NULL, false);
	if (lead)
		entries_sql(q, f, lead);
	if (lead)
		carried_conditions_sql(q, f, lead->slot);
	conditions_sql(q, f);
}

enum err
rows_count(struct ctx *c, const struct table_for *tf, const struct row_find *what, int64_t *n,
    bool *more)
{
	struct row_find all = { .asked = what->asked, .limit = what->limit };
	struct finding_rows *f = mem_new(c->mem, struct finding_rows);
	struct sql q = SQL(c->mem);
	const struct filter *lead;
	struct data_row_list found;

	TRY(finding_begin(c, tf, &all, f));
	TRY(lead_choose(f, &lead));
	TRY(indexes_want(f));
	sql_add(&q, "SELECT r.id", NOARGS);
	rows_from_sql(&q, f, lead);
	limit_sql(&q, f, all.limit + 1, examined(f, all.limit));
	TRY(db_all(c, BUILT(data_row, &q), sql_args(&q), &found));
	*more = (int64_t)found.n > all.limit || looks_far(f, lead);
	*n = (int64_t)found.n > all.limit ? all.limit : (int64_t)found.n;
	return E_OK;
}

enum err
rows_total(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct row_rule *rule, int64_t *n, int64_t *denied)
{
	struct finding_rows *f = mem_new(c->mem, struct finding_rows);
	struct sql q = SQL(c->mem);
	const struct filter *lead;
	struct data_row *row;

	TRY(finding_begin(c, tf, what, f));
	TRY(lead_of_all(f, &lead));
	TRY(indexes_want(f));
	sql_add(&q, "SELECT COUNT(*) AS n, CAST(COALESCE(SUM(NOT (TRUE", NOARGS);
	row_rule_sql(&q, rule, &tf->columns);
	sql_add(&q, ")), 0) AS SIGNED) AS shape_no", NOARGS);
	rows_from_sql(&q, f, lead);
	TRY(db_one(c, BUILT(data_row, &q), sql_args(&q), &row));
	*n = row->n;
	*denied = rule->verdict == VERDICT_NO ? row->n : row->shape_no;
	return E_OK;
}

enum err
rows_order(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const char **order)
{
	struct finding_rows *f = mem_new(c->mem, struct finding_rows);
	const struct filter *lead;

	*order = NULL;
	TRY(finding_begin(c, tf, what, f));
	TRY(lead_of_all(f, &lead));
	for (size_t i = 0; lead && i < f->where.n; i++)
		if (f->where.v[i].slot == lead->slot && filter_of_entry(f, &f->where.v[i]))
			*order = column_of_slot(&tf->t->columns, lead->slot)->name;
	return E_OK;
}
