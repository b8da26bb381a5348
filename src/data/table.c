/* SPDX-License-Identifier: Apache-2.0 */
#include "data/table.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/find.h"
#include "core/storage.h"
#include "data/carried.h"

SHAPE_DEFINE(data_column, DATA_COLUMN);
SHAPE_DEFINE(data_table, DATA_TABLE);
SHAPE_DEFINE(data_table_new, DATA_TABLE_NEW);

/* ---- columns ---- */

static const struct data_column *
columns_of(const struct data_table *t)
{
	return t->columns.v;
}

const struct data_column *
table_column(const struct data_table *t, const char *name)
{
	const struct data_column *col = columns_of(t);

	for (size_t i = 0; i < t->columns.n; i++)
		if (str_eq(col[i].name, name))
			return &col[i];
	return NULL;
}

const char *
table_column_names(void *owner, const struct data_table *t)
{
	const struct data_column *col = columns_of(t);
	struct buf b = BUF(owner);

	for (size_t i = 0; i < t->columns.n; i++)
		buf_fmt(&b, "%s%s", i ? i + 1 < t->columns.n ? ", " : " and " : "", col[i].name);
	return buf_done(&b);
}

void
table_columns(const struct data_table *t, struct cell_columns *out)
{
	const struct data_column *col = columns_of(t);

	*out = (struct cell_columns){ 0 };
	for (size_t i = 0; i < t->columns.n; i++)
		out->v[col[i].slot] =
		    (struct cell_column){ col[i].name, cell_type_of(col[i].type) };
}

bool
table_has_index(const struct data_table *t, int64_t slot)
{
	return t->row_count > TABLE_SMALL && (t->indexed & slot_bit(slot));
}

bool
table_lacks_index(const struct data_table *t, int64_t slot)
{
	return t->row_count > TABLE_SMALL && !(t->indexed & slot_bit(slot));
}

bool
table_keeps_entries(const struct data_table *t, int64_t slot)
{
	return (t->indexed | t->indexing) & slot_bit(slot);
}

/* Format of data_table.fields: [["title","text",0,1],…] */
static const char *
fields_write(struct ctx *c, const struct list *columns)
{
	const struct data_column *col = columns->v;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < columns->n; i++)
		buf_fmt(&b, "%s[\"%s\",\"%s\",%lld,%lld]", i ? "," : "[", col[i].name, col[i].type,
		    (long long)col[i].slot, (long long)col[i].since);
	buf_chr(&b, ']');
	return buf_done(&b);
}

static enum err
fields_read(struct ctx *c, struct data_table *t)
{
	struct data_column *col;
	struct json *tree;

	TRY(json_parse(c, t->fields, strlen(t->fields), &tree));
	t->columns.n = json_len(tree);
	t->columns.v = col = mem_array(c->mem, struct data_column, t->columns.n + 1);
	for (size_t i = 0; i < t->columns.n; i++) {
		const struct json *one = json_at(tree, i);

		col[i] = (struct data_column){ .name = json_str(json_at(one, 0)),
			.type = json_str(json_at(one, 1)),
			.slot = json_int(json_at(one, 2)),
			.since = json_int(json_at(one, 3)),
			.has = { .name = GIVEN, .type = GIVEN } };
	}
	return E_OK;
}

/* ---- reading ---- */

#define TABLE_COLUMNS \
	"no, name, fields, shape_no, dropped, carried, carry_at IS NULL AS filled, indexed," \
	" indexing, change_no, watched, row_count, size_bytes, created_at, updated_at"

static enum err
table_find(struct ctx *c, const struct artifact *a, const char *name, struct data_table **out)
{
	TRY(db_find(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table WHERE artifact_id = ? AND name = ?"),
	    ARGS(a->id, name), out));
	return *out ? fields_read(c, *out) : E_OK;
}

#define ENTRIES_LATE(F, T) F(T, BOOL, late)
SHAPE(entries_late, ENTRIES_LATE);

enum err
table_entries_late(struct ctx *c, bool *late)
{
	enum { MIGRATION = 63, DAY_S = 86400, HOUR_S = 3600 };
	struct entries_late *row;

	TRY(db_one(c,
	    ROWS(entries_late,
		"SELECT EXISTS (SELECT 1 FROM schema_migration m"
		" JOIN schema_migration made ON made.version = 1 WHERE m.version = ?"
		" AND (m.changed_at < ? OR m.changed_at < made.changed_at + ?)) AS late"),
	    ARGS(MIGRATION, c->now - DAY_S, HOUR_S), &row));
	*late = row->late;
	return E_OK;
}

#define TABLE_FRESH(F, T) \
	F(T, INT, row_count) \
	F(T, INT, indexed) \
	F(T, INT, indexing)
SHAPE(table_fresh, TABLE_FRESH);

enum err
table_refresh(struct ctx *c, struct data_table *t)
{
	struct table_fresh *now;

	TRY(db_find(c,
	    ROWS(table_fresh,
		"SELECT row_count, indexed, indexing FROM data_table"
		" WHERE no = ? AND shape_no = ?"),
	    ARGS(t->no, t->shape_no), &now));
	if (!now)
		return E_OK;
	t->row_count = now->row_count;
	t->indexed = now->indexed;
	t->indexing = now->indexing;
	return E_OK;
}

enum err
table_is_there(struct ctx *c, const struct artifact *a, const char *name, bool *out)
{
	struct data_table *t;

	TRY(table_find(c, a, name, &t));
	*out = t != NULL;
	return E_OK;
}

static enum err
table_absent(struct ctx *c, const char *name)
{
	return fail(c, E_NOT_FOUND, "There is no table %s, or you don't have access to it", name);
}

enum err
table_get_by(struct ctx *c, const struct artifact *a, const struct rowpolicy *policy,
    const char *name, struct table_for *out)
{
	struct data_table *t;

	*out = (struct table_for){ 0 };
	TRY(table_find(c, a, name, &t));
	if (!t)
		return table_absent(c, name);
	table_columns(t, &out->columns);
	out->read = rowpolicy_table(c, policy, name, &out->columns, POLICY_READ);
	out->write = rowpolicy_table(c, policy, name, &out->columns, POLICY_WRITE);
	if (out->read.verdict == VERDICT_NO && out->write.verdict == VERDICT_NO)
		return table_absent(c, name);
	out->a = a;
	out->t = t;
	return E_OK;
}

enum err
table_readable(struct ctx *c, const char *artifact_id, const struct rowpolicy *policy,
    const char *name, enum verdict *out)
{
	struct row_rule rule = rowpolicy_table(c, policy, name, NULL, POLICY_READ);
	struct cell_columns columns;
	struct data_table *t;

	if (rule.unknown) {
		TRY(table_find(c, &(struct artifact){ .id = artifact_id }, name, &t));
		if (t) {
			table_columns(t, &columns);
			rule = rowpolicy_table(c, policy, name, &columns, POLICY_READ);
		}
	}
	*out = rule.verdict;
	return E_OK;
}

enum err
table_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *name,
    struct table_for *out)
{
	struct rowpolicy policy;

	TRY(rowpolicy_read(c, a, who, &policy));
	return table_get_by(c, a, &policy, name, out);
}

/* Returns false if the caller may read no rows. Hides the numbers unless they may read all rows. */
static bool
table_is_shown(struct ctx *c, const struct rowpolicy *policy, struct data_table *t)
{
	struct cell_columns columns;
	enum verdict read;

	table_columns(t, &columns);
	read = rowpolicy_table(c, policy, t->name, &columns, POLICY_READ).verdict;
	if (read != VERDICT_YES) {
		/* The number of rows would include hidden ones. */
		t->row_count = t->size_bytes = 0;
		t->has.row_count = t->has.size_bytes = NULLED;
	}
	return read != VERDICT_NO;
}

enum err
table_all(struct ctx *c, const char *artifact_id, struct data_table_list *out)
{
	TRY(db_all(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table WHERE artifact_id = ? ORDER BY name"),
	    ARGS(artifact_id), out));
	for (size_t i = 0; i < out->n; i++)
		TRY(fields_read(c, &out->v[i]));
	return E_OK;
}

/* There are at most TABLES_MAX, so all are read. Neither the length of a part nor its cursor
 * reveals a hidden table. */
enum err
table_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *q, struct data_table_list *out, const char **next)
{
	struct rowpolicy policy;
	struct data_table *t;
	size_t n;

	*next = NULL;
	if (q->cursor && !table_name_valid(q->cursor))
		return fail_cursor(c);
	TRY(rowpolicy_read(c, a, who, &policy));
	TRY(table_all(c, a->id, out));
	t = out->v;
	n = out->n;
	out->n = 0;
	for (size_t i = 0; i < n && !*next; i++) {
		if (q->cursor && strcmp(t[i].name, q->cursor) <= 0)
			continue;
		if (!table_is_shown(c, &policy, &t[i]))
			continue;
		if ((int64_t)out->n == q->limit)
			*next = t[out->n - 1].name;
		else
			t[out->n++] = t[i];
	}
	return E_OK;
}

enum err
table_show(struct ctx *c, const struct artifact *a, const struct principal *who, const char *name,
    struct data_table **out)
{
	struct rowpolicy policy;

	TRY(table_find(c, a, name, out));
	if (!*out)
		return table_absent(c, name);
	TRY(rowpolicy_read(c, a, who, &policy));
	return table_is_shown(c, &policy, *out) ? E_OK : table_absent(c, name);
}

/* ---- changing columns ---- */

/* A change of a table's columns. */
struct redesign {
	struct ctx *c;
	const char *name;
	const struct data_table_new *in;
	const struct data_table *old; /* NULL: a new table */
	struct list columns;          /* the new columns */
	int64_t shape_no, dropped, carried;
	int64_t bare;  /* bits of slots whose column is dropped or new, so without an index */
	uint64_t used; /* bits of slots that aren't free */
	bool changed;
};

static enum err
names_check(struct ctx *c, const struct list *columns)
{
	const struct data_column *col = columns->v;

	for (size_t i = 0; i < columns->n; i++) {
		if (!column_name_valid(col[i].name))
			return fail(c, E_INVALID,
			    "columns[%zu].name: must contain only letters, digits and _, "
			    "and must not start with a digit",
			    i);
		for (size_t j = 0; j < i; j++)
			if (str_eq(col[i].name, col[j].name))
				return fail(c, E_INVALID,
				    "columns[%zu].name: %s is already the name of columns[%zu]", i,
				    col[i].name, j);
	}
	return E_OK;
}

static enum err
names_untaken(const struct redesign *d)
{
	const struct data_column *col = d->in->columns.v;

	for (size_t i = 0; i < d->in->columns.n; i++)
		if (str_in(col[i].name, COLUMN_NAMES_TAKEN) &&
		    !(d->old && table_column(d->old, col[i].name)))
			return fail(d->c, E_INVALID,
			    "columns[%zu].name: %s is reserved for lists of rows; choose another",
			    i, col[i].name);
	return E_OK;
}

/* Checks and marks columns that the new list lacks. */
static enum err
columns_drop(struct redesign *d)
{
	const struct data_table wanted = { .columns = d->in->columns };
	const struct data_column *old = d->old ? columns_of(d->old) : NULL;

	for (size_t i = 0; i < d->in->drop.n; i++)
		if (!d->old || !table_column(d->old, d->in->drop.v[i]))
			return fail(d->c, E_INVALID, "drop[%zu]: the table has no column %s", i,
			    d->in->drop.v[i]);
		else if (table_column(&wanted, d->in->drop.v[i]))
			return fail(d->c, E_INVALID, "drop[%zu]: %s is also in columns", i,
			    d->in->drop.v[i]);
	for (size_t i = 0; d->old && i < d->old->columns.n; i++) {
		if (table_column(&wanted, old[i].name))
			continue;
		if (!strs_have(&d->in->drop, old[i].name) && d->old->row_count)
			return fail(d->c, E_CONFLICT,
			    "columns: %s is missing, and %s may have values there; "
			    "to delete those values, add it to drop",
			    old[i].name, str_count(d->c->mem, d->old->row_count, "row"));
		d->dropped |= slot_bit(old[i].slot);
		d->bare |= slot_bit(old[i].slot);
		d->carried = carried_without(d->carried, old[i].slot);
		d->changed = true;
	}
	return E_OK;
}

static enum err
column_place(struct redesign *d, size_t i, struct data_column *col)
{
	const struct data_column *old = d->old ? table_column(d->old, col->name) : NULL;

	if (old && !str_eq(old->type, col->type) && d->old->row_count)
		return fail(d->c, E_CONFLICT,
		    "columns[%zu].type: %s is %s and has %s; "
		    "to change the type, add another column, fill it, and drop this one",
		    i, col->name, old->type, str_count(d->c->mem, d->old->row_count, "row"));
	d->changed |= !old || !str_eq(old->type, col->type) || old != columns_of(d->old) + i;
	col->since = old ? old->since : d->shape_no;
	if (old) {
		col->slot = old->slot;
		if (!str_eq(old->type, col->type))
			d->carried = carried_without(d->carried, col->slot);
		return E_OK;
	}
	for (col->slot = 0; col->slot < CELL_SLOTS; col->slot++)
		if (!(d->used >> col->slot & 1)) {
			d->used |= UINT64_C(1) << col->slot;
			d->bare |= slot_bit(col->slot);
			return E_OK;
		}
	return fail(d->c, E_CONFLICT,
	    "columns: the values of dropped columns are still being deleted; "
	    "try again in a minute");
}

static enum err
columns_place(struct redesign *d)
{
	struct data_column *col = mem_array(d->c->mem, struct data_column, d->in->columns.n);

	memcpy(col, d->in->columns.v, d->in->columns.n * sizeof *col);
	d->columns = (struct list){ col, d->in->columns.n };
	d->used = (uint64_t)d->dropped;
	for (size_t i = 0; d->old && i < d->old->columns.n; i++)
		d->used |= UINT64_C(1) << columns_of(d->old)[i].slot;
	for (size_t i = 0; i < d->columns.n; i++)
		TRY(column_place(d, i, &col[i]));
	return E_OK;
}

#define TABLES_COUNTED(F, T) F(T, INT, n)
SHAPE(tables_counted, TABLES_COUNTED);

static enum err
tables_room(struct ctx *c, const struct artifact *a)
{
	struct tables_counted *row;

	TRY(db_one(c,
	    ROWS(tables_counted, "SELECT COUNT(*) AS n FROM data_table WHERE artifact_id = ?"),
	    ARGS(a->id), &row));
	if (row->n < TABLES_MAX)
		return E_OK;
	c->details = mem_printf(
	    c->mem, "{\"used\":%lld,\"limit\":%d}", (long long)row->n, TABLES_MAX);
	return fail(c, E_STORAGE_FULL,
	    "the artifact already has %d tables, which is the maximum; "
	    "delete one first", TABLES_MAX);
}

static enum err
table_tell(struct ctx *c, enum happening of, const char *artifact_id, const char *name)
{
	return follow(
	    c, of, &(struct happened){ .artifact_id = artifact_id, .table = name });
}

static enum err
table_found_anew(struct ctx *c, int64_t no)
{
	return find_changed(c, FIND_TABLE, mem_printf(c->mem, "%lld", (long long)no));
}

/* Returns which columns of a new table have an index. */
static enum err
indexed_first(struct ctx *c, int64_t *out)
{
	bool late;

	TRY(table_entries_late(c, &late));
	*out = late ? 0 : -1;
	return E_OK;
}

static enum err
table_insert(struct redesign *d, const struct artifact *a)
{
	int64_t no, indexed;

	TRY(tables_room(d->c, a));
	TRY(indexed_first(d->c, &indexed));
	TRY(db_insert(d->c,
	    EXEC(
		"INSERT INTO data_table (artifact_id, name, fields, indexed, created_at,"
		" updated_at) VALUES (?, ?, ?, ?, ?, ?)"),
	    ARGS(a->id, d->name, fields_write(d->c, &d->columns), indexed, d->c->now, d->c->now),
	    &no));
	TRY(table_found_anew(d->c, no));
	return table_tell(d->c, TABLE_MADE, a->id, d->name);
}

/* A null entry of a new column for each row. Writers to the table wait, then find that its columns
 * changed. */
static enum err
columns_fill(struct redesign *d)
{
	const struct data_column *col = d->columns.v;

	for (size_t i = 0; i < d->columns.n; i++)
		if (col[i].since == d->shape_no)
			TRY(db_exec(d->c,
			    EXEC(
				"INSERT INTO data_cell (table_no, slot, k, row_id)"
				" SELECT table_no, ?, '', id FROM data_row WHERE table_no = ?"),
			    ARGS(col[i].slot, d->old->no), NULL));
	return E_OK;
}

static enum err
table_update(struct redesign *d, const struct artifact *a)
{
	bool late;

	if (!d->changed)
		return E_OK;
	TRY(table_entries_late(d->c, &late));
	if (!late) {
		d->bare = 0;
		TRY(columns_fill(d));
	}
	TRY(db_exec1(d->c,
	    EXEC(
		"UPDATE data_table SET fields = ?, shape_no = ?, change_no = change_no + 1,"
		" indexed = ?, indexing = ?, dropped = ?, carried = ?,"
		" carry_at = IF(?, REPEAT(CHAR(0), 16), carry_at),"
		" sweep_at = IF(?, ?, NULL), updated_at = ?"
		" WHERE no = ? AND artifact_id IS NOT NULL"),
	    ARGS(fields_write(d->c, &d->columns), d->shape_no, d->old->indexed & ~d->bare,
		d->old->indexing & ~d->bare, d->dropped, d->carried, d->carried != 0,
		d->dropped != 0, d->c->now, d->c->now, d->old->no)));
	return table_tell(d->c, TABLE_CHANGED, a->id, d->name);
}

/* Locks the row, so that neither columns nor number of rows change until the commit. */
static enum err
table_lock(struct ctx *c, const struct artifact *a, const char *name, struct data_table **out)
{
	TRY(db_find(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table"
		" WHERE artifact_id = ? AND name = ? FOR UPDATE"),
	    ARGS(a->id, name), out));
	return *out ? fields_read(c, *out) : E_OK;
}

#define TABLE_OF_NO \
	"SELECT " TABLE_COLUMNS " FROM data_table WHERE no = ? AND artifact_id IS NOT NULL"

enum err
table_of_no(struct ctx *c, int64_t no, bool lock, struct data_table **out)
{
	TRY(db_find(c,
	    lock ? ROWS(data_table, TABLE_OF_NO " FOR UPDATE") : ROWS(data_table, TABLE_OF_NO),
	    ARGS(no), out));
	return *out ? fields_read(c, *out) : E_OK;
}

enum err
table_put(struct ctx *c, const struct artifact *a, const char *name,
    const struct data_table_new *in, bool *made)
{
	struct redesign d = { .c = c, .name = name, .in = in };
	struct data_table *old;

	TRY(names_check(c, &in->columns));
	TRY(table_lock(c, a, name, &old));
	*made = !old;
	if (old && in->rows)
		return fail(c, E_CONFLICT,
		    "rows: the table %s already exists; "
		    "to add rows to it, use POST …/tables/%s/rows",
		    name, name);
	d.old = old;
	d.shape_no = old ? old->shape_no + 1 : 1;
	d.dropped = old ? old->dropped : 0;
	d.carried = old ? old->carried : 0;
	TRY(names_untaken(&d));
	TRY(columns_drop(&d));
	TRY(columns_place(&d));
	return old ? table_update(&d, a) : table_insert(&d, a);
}

enum err
table_delete(struct ctx *c, const struct artifact *a, const char *name)
{
	struct data_table *t;

	TRY(table_find(c, a, name, &t));
	if (t)
		TRY(table_of_no(c, t->no, true, &t));
	if (!t)
		return table_absent(c, name);
	TRY(table_tell(c, TABLE_CHANGED, a->id, name));
	TRY(db_exec1(c,
	    EXEC("UPDATE data_table SET artifact_id = NULL, sweep_at = ? WHERE no = ?"),
	    ARGS(c->now, t->no)));
	TRY(table_found_anew(c, t->no));
	return storage_add_data(c, a, -t->size_bytes);
}

/* ---- counters ---- */

static enum err
account_refused(
    struct ctx *c, const struct artifact *a, const struct data_table *t, int64_t rows)
{
	struct data_table *now;

	TRY(table_of_no(c, t->no, false, &now));
	/* A table that was replaced meanwhile has another number. */
	if (!now)
		TRY(table_find(c, a, t->name, &now));
	if (!now)
		return table_absent(c, t->name);
	if (now->no != t->no || now->shape_no != t->shape_no || now->carried != t->carried ||
	    now->indexed != t->indexed || now->indexing != t->indexing ||
	    now->watched != t->watched) {
		c->replay = true;
		return fail(c, E_UNAVAILABLE, "the table %s is being changed; try again", t->name);
	}
	c->details = mem_printf(
	    c->mem, "{\"used\":%lld,\"limit\":%d}", (long long)now->row_count, ROWS_MAX);
	return fail(c, E_STORAGE_FULL,
	    "the table %s has %s; adding %s would exceed the maximum of %s. Nothing was saved",
	    t->name, str_count(c->mem, now->row_count, "row"), str_number(c->mem, rows),
	    str_number(c->mem, ROWS_MAX));
}

enum err
table_account_with(struct ctx *c, const struct table_for *tf, struct sql *q, int64_t rows,
    int64_t bytes)
{
	const struct data_table *t = tf->t;
	enum err e;

	sql_add(q,
	    " UPDATE data_table"
	    " SET row_count = row_count + ?, size_bytes = size_bytes + ?,"
	    " change_no = change_no + 1, updated_at = ?"
	    " WHERE no = ? AND shape_no = ? AND carried = ? AND indexed = ? AND indexing = ?"
	    " AND watched = ?"
	    " AND artifact_id IS NOT NULL AND row_count + ? <= ?;"
	    " IF ROW_COUNT() = 0 THEN"
	    " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'CONFLICT'; END IF;",
	    ARGS(rows, bytes, c->now, t->no, t->shape_no, t->carried, t->indexed, t->indexing,
		t->watched, rows, rows > 0 ? ROWS_MAX : INT64_MAX));
	if (bytes)
		sql_add(q, STORAGE_ADDED, ARGS(tf->a->id, bytes, c->conf->storage_per_user));
	sql_add(q, " END", NOARGS);
	e = db_exec(c, BUILT_EXEC(q), sql_args(q), NULL);
	if (e == E_CONFLICT)
		return account_refused(c, tf->a, t, rows);
	TRY(storage_added_data(c, tf->a, bytes, e));
	return t->watched ? table_tell(c, TABLE_CHANGED, tf->a->id, t->name) : E_OK;
}

enum err
table_account(struct ctx *c, const struct table_for *tf, int64_t rows, int64_t bytes)
{
	struct sql q = SQL(c->mem);

	sql_add(&q, "BEGIN NOT ATOMIC", NOARGS);
	return table_account_with(c, tf, &q, rows, bytes);
}

/* ---- staged tables ---- */

/* seconds without progress until the runner deletes it */
enum { STAGE_S = 900 };

enum err
table_stage(struct ctx *c, const char *name, const struct data_table_new *in,
    struct data_table **out)
{
	struct redesign d = { .c = c, .name = name, .in = in, .shape_no = 1 };
	int64_t no, indexed;

	TRY(names_check(c, &in->columns));
	TRY(columns_place(&d));
	TRY(indexed_first(c, &indexed));
	TRY(db_insert(c,
	    EXEC(
		"INSERT INTO data_table"
		" (artifact_id, name, fields, indexed, sweep_at, created_at, updated_at)"
		" VALUES (NULL, ?, ?, ?, ?, ?, ?)"),
	    ARGS(name, fields_write(c, &d.columns), indexed, c->now + STAGE_S, c->now, c->now),
	    &no));
	*out = mem_new(c->mem, struct data_table);
	**out = (struct data_table){
		.no = no, .name = name, .columns = d.columns, .shape_no = 1, .indexed = indexed
	};
	return E_OK;
}

enum err
table_stage_account(struct ctx *c, struct data_table *t, int64_t rows, int64_t bytes)
{
	t->row_count += rows;
	t->size_bytes += bytes;
	return db_exec1(c,
	    EXEC(
		"UPDATE data_table SET row_count = ?, size_bytes = ?, sweep_at = ?"
		" WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(t->row_count, t->size_bytes, c->now + STAGE_S, t->no));
}

enum err
table_stage_drop(struct ctx *c, const struct data_table *t)
{
	return db_exec(c,
	    EXEC("UPDATE data_table SET sweep_at = ? WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(c->now, t->no), NULL);
}

#define TABLE_HOLDER(F, T) F(T, STR, id)
SHAPE(table_holder, TABLE_HOLDER);

enum err
table_stage_show(struct ctx *c, const struct artifact *a, const struct data_table *t,
    const struct data_table *was)
{
	struct table_holder *held;
	struct data_table *old;

	TRY(table_lock(c, a, t->name, &old));
	if (!old != !was || (old && (old->no != was->no || old->shape_no != was->shape_no)))
		return fail(c, E_CONFLICT,
		    "the table %s was changed while its rows were being read; "
		    "nothing was saved", t->name);
	if (!old) {
		/* Locks the artifact's row, so that the number of tables stays the same. */
		TRY(db_one(c,
		    ROWS(table_holder, "SELECT id FROM artifact WHERE id = ? FOR UPDATE"),
		    ARGS(a->id), &held));
		TRY(tables_room(c, a));
	} else {
		TRY(db_exec1(c,
		    EXEC("UPDATE data_table SET artifact_id = NULL, sweep_at = ? WHERE no = ?"),
		    ARGS(c->now, old->no)));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE data_table"
		" SET artifact_id = ?, sweep_at = NULL, created_at = ?, updated_at = ?"
		" WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(a->id, old ? old->created_at : c->now, c->now, t->no)));
	if (old)
		TRY(table_found_anew(c, old->no));
	TRY(table_found_anew(c, t->no));
	TRY(table_tell(c, TABLE_MADE, a->id, t->name));
	return storage_add_data(c, a, t->size_bytes - (old ? old->size_bytes : 0));
}

/* ---- search ---- */

#define TABLE_NO(F, T) F(T, INT, no)
SHAPE(table_no, TABLE_NO);

enum err
table_key(struct ctx *c, const struct artifact *a, const char *name, const char **key)
{
	struct table_no *row;

	TRY(db_one(c,
	    ROWS(table_no, "SELECT no FROM data_table WHERE artifact_id = ? AND name = ?"),
	    ARGS(a->id, name), &row));
	*key = mem_printf(c->mem, "%lld", (long long)row->no);
	return E_OK;
}

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, CAST(d.no AS CHAR)" FIND_HAPPENED
		 " JOIN data_table d ON d.artifact_id = a.id"),
	    ARGS(FIND_TABLE, FIND_HAPPENED_ARGS(h)), NULL);
}

FOLLOWS(table, { FINDERS_CHANGE, finders_change });

#define TABLE_FOUND(F, T) \
	FOUND(F, T) \
	RULED(F, T) \
	F(T, INT, row_count)
SHAPE(found_table, TABLE_FOUND);

static enum err
table_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_table_list rows;
	struct rowpolicy policy;
	enum verdict read;

	TRY(db_all(c,
	    ROWS(found_table,
		"SELECT t.id AS `key`, d.name AS id, d.name AS title,"
		" CONCAT('Table in ', a.name) AS subtitle,"
		" CONCAT('/a/', a.id, '/data/tables/', d.name) AS url, a.id AS artifact_id,"
		" a.workspace_id, a.owner_id = s.user_id AS own, d.updated_at, d.row_count, "
		RULED_COLUMNS " FROM " FIND_ASKED
		" STRAIGHT_JOIN data_table d ON d.no = CAST(t.id AS SIGNED)"
		" STRAIGHT_JOIN artifact a ON a.id = d.artifact_id" ROLE_TABLES("s.user_id")
		" WHERE " FIND_ARTIFACT_SHOWN " HAVING role IS NOT NULL"),
	    FIND_ARGS(asked), &rows));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct found_table *t = &rows.v[i];

		TRY(rowpolicy_read(c, RULED_ARTIFACT(t), asked->who, &policy));
		TRY(table_readable(c, t->artifact_id, &policy, t->title, &read));
		if (read == VERDICT_YES)
			t->subtitle = mem_printf(c->mem, "%s · %s", t->subtitle,
			    str_count(c->mem, t->row_count, "row"));
		if (read != VERDICT_NO)
			out->v[out->n++] = FOUND_OF(c, t);
	}
	return E_OK;
}

FINDS(table, FIND_TABLE, "datasets", DATA_READ, table_found,
    .text = ROWS(find_text,
	"SELECT t.id, " FIND_ARTIFACT_AUDIENCES " AS audiences, d.name FROM " ID_TABLE
	" STRAIGHT_JOIN data_table d ON d.no = CAST(t.id AS SIGNED)"
	" STRAIGHT_JOIN artifact a ON a.id = d.artifact_id AND a.owner_id IS NOT NULL"),
    .all = ROWS(find_text,
	"SELECT CAST(no AS CHAR) AS id FROM data_table WHERE no > CAST(? AS SIGNED)"
	" ORDER BY no LIMIT ?"));
