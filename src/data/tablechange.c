/* SPDX-License-Identifier: Apache-2.0
 * Makes tables and changes their columns. */
#include "base/str.h"
#include "core/storage.h"
#include "data/carried.h"
#include "data/deleted.h"
#include "data/rename.h"
#include "data/tablekey.h"
#include "db/build.h"

/* A change of a table's columns. */
struct redesign {
	struct ctx *c;
	const struct artifact *a;
	const char *name;
	const struct data_table_new *in;
	const struct data_table *old; /* NULL: a new table */
	struct list columns;          /* the new columns */
	struct list kept;             /* dropped columns that can come back */
	struct renames renames;
	int64_t shape_no, dropped, carried, key_slot;
	int64_t bare;  /* bits of slots whose column is dropped or new, so without an index */
	uint64_t used; /* bits of slots that aren't free */
	bool changed;
};

static const struct data_column *
columns_of(const struct data_table *t)
{
	return t->columns.v;
}

/* Returns the column of the old table that a new column is; NULL: it is new. */
static const struct data_column *
column_before(const struct redesign *d, const char *name)
{
	const char *from = renamed_from(&d->renames, name);

	if (!d->old || (!from && renamed_to(&d->renames, name)))
		return NULL;
	return table_column(d->old, from ? from : name);
}

/* Returns the name that a column of the old table has in the new one; NULL: it is dropped. */
static const char *
column_after(const struct redesign *d, const char *name)
{
	const struct data_table wanted = { .columns = d->in->columns };
	const char *to = renamed_to(&d->renames, name);

	if (!to && !renamed_from(&d->renames, name))
		to = name;
	return to && table_column(&wanted, to) ? to : NULL;
}

static enum err
renames_check(const struct redesign *d)
{
	const struct renames *r = &d->renames;
	const struct data_table wanted = { .columns = d->in->columns };

	for (size_t i = 0; i < r->n; i++) {
		const char *old = r->v[i].name, *to = r->v[i].value;

		if (!d->old || !table_column(d->old, old))
			return fail(
			    d->c, E_INVALID, "renames.%s: the table has no such column", old);
		if (!table_column(&wanted, to))
			return fail(d->c, E_INVALID, "renames.%s: columns has no %s", old, to);
		for (size_t k = 0; k < i; k++)
			if (str_eq(r->v[k].value, to))
				return fail(d->c, E_INVALID, "renames.%s: %s becomes %s, too", old,
				    r->v[k].name, to);
		if (!str_eq(old, to) && table_column(d->old, to) && !renamed_to(r, to) &&
		    !strs_have(&d->in->drop, to))
			return fail(d->c, E_INVALID,
			    "renames.%s: the table has a column %s, "
			    "which is neither renamed nor in drop", old, to);
	}
	return r->n ? table_columns_grown(d->c) : E_OK;
}

static enum err
names_check(const struct redesign *d)
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

/* Values of rows are kept for some time. */
static enum err
column_drop(struct redesign *d, const struct data_column *old)
{
	bool kept;

	d->bare |= slot_bit(old->slot);
	d->carried = carried_without(d->carried, old->slot);
	d->changed = true;
	TRY(table_columns_kept(d->c, &kept));
	if (kept && d->old->row_count)
		return deleted_put_column_away(
		    d->c, d->a, d->old, old, d->shape_no, &d->kept);
	d->dropped |= slot_bit(old->slot);
	return E_OK;
}

/* Checks and drops columns that the new list lacks. */
static enum err
columns_drop(struct redesign *d)
{
	const struct data_column *old = d->old ? columns_of(d->old) : NULL;

	for (size_t i = 0; i < d->in->drop.n; i++)
		if (!d->old || !table_column(d->old, d->in->drop.v[i]))
			return fail(d->c, E_INVALID, "drop[%zu]: the table has no column %s", i,
			    d->in->drop.v[i]);
		else if (column_after(d, d->in->drop.v[i]))
			return fail(d->c, E_INVALID, "drop[%zu]: %s is also in columns", i,
			    d->in->drop.v[i]);
	for (size_t i = 0; d->old && i < d->old->columns.n; i++) {
		if (column_after(d, old[i].name))
			continue;
		if (!strs_have(&d->in->drop, old[i].name) && d->old->row_count)
			return fail(d->c, E_CONFLICT,
			    "columns: %s is missing, and %s may have values there; "
			    "to delete those values, add it to drop",
			    old[i].name, str_count(d->c->mem, d->old->row_count, "row"));
		TRY(column_drop(d, &old[i]));
	}
	return E_OK;
}

static enum err
column_place(struct redesign *d, size_t i, struct data_column *col)
{
	const struct data_column *old = column_before(d, col->name);
	const bool other = old && !column_type_same(old, col);
	/* A dropped column that comes back. */
	const bool back = old && *old->name == '~';

	column_keep(old, col);
	if (other && d->old->row_count)
		return fail(d->c, E_CONFLICT,
		    "columns[%zu].type: %s is %s and has %s; "
		    "to change the type, use POST …/tables/%s/retype",
		    i, col->name, old->type, str_count(d->c->mem, d->old->row_count, "row"),
		    d->name);
	d->changed |= !old || !column_same(old, col) || old != columns_of(d->old) + i;
	col->since = old ? old->since : d->shape_no;
	/* Also in an emptied table: rows that an undo brings back have these names. */
	col->was = old ? old->was : (struct list){ 0 };
	if (back)
		column_renamed(d->c, old, d->shape_no, col);
	else if (old && !str_eq(old->name, col->name))
		TRY(column_rename(d->c, old, d->shape_no, col));
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
	if (d->kept.n)
		return fail(d->c, E_CONFLICT,
		    "columns: there is no room for %s beside %s that can come back; "
		    "to make room within a minute, send DELETE …/deleted/{id} for one of …/deleted",
		    col->name, str_count(d->c->mem, (int64_t)d->kept.n, "dropped column"));
	return fail(d->c, E_CONFLICT,
	    "columns: the values of dropped columns are still being deleted; "
	    "try again in a minute");
}

static enum err
columns_place(struct redesign *d)
{
	struct data_column *col = mem_array(d->c->mem, struct data_column, d->in->columns.n);
	const struct data_column *kept = d->kept.v;

	memcpy(col, d->in->columns.v, d->in->columns.n * sizeof *col);
	d->columns = (struct list){ col, d->in->columns.n };
	d->used = (uint64_t)d->dropped;
	for (size_t i = 0; d->old && i < d->old->columns.n; i++)
		d->used |= UINT64_C(1) << columns_of(d->old)[i].slot;
	for (size_t i = 0; i < d->kept.n; i++)
		d->used |= UINT64_C(1) << kept[i].slot;
	for (size_t i = 0; i < d->columns.n; i++)
		TRY(column_place(d, i, &col[i]));
	return E_OK;
}

/* Sets the slot of the key. */
static enum err
key_place(struct redesign *d)
{
	const struct data_table now = { .columns = d->columns };
	const struct data_column *col;
	const char *name = d->in->key;

	d->key_slot = -1;
	if (d->in->has.key == ABSENT && d->old && d->old->key)
		name = column_after(d, d->old->key);
	col = name ? table_column(&now, name) : NULL;
	if (col)
		d->key_slot = col->slot;
	d->changed |= d->old && d->key_slot != d->old->key_slot;
	if (d->in->has.key != GIVEN)
		return E_OK;
	if (!col)
		return fail(d->c, E_INVALID, "key: columns has no %s; they are %s", name,
		    table_column_names(d->c->mem, &now));
	if (str_eq(col->type, "json"))
		return fail(
		    d->c, E_INVALID, "key: %s is json; a key can have any other type", name);
	return d->old && d->key_slot == d->old->key_slot ? E_OK : table_columns_grown(d->c);
}

/* Records the keys of the rows that are there. */
static enum err
key_change(struct redesign *d, const struct principal *who)
{
	struct data_table now = *d->old;
	struct table_for tf;

	if (d->key_slot == d->old->key_slot)
		return E_OK;
	if (d->old->key_slot >= 0)
		TRY(db_exec(d->c, EXEC("DELETE FROM data_key WHERE table_no = ?"), ARGS(now.no),
		    NULL));
	if (d->key_slot < 0)
		return E_OK;
	TRY(table_get(d->c, d->a, who, d->name, &tf));
	now.columns = d->columns;
	now.key_slot = d->key_slot;
	tf.t = &now;
	return table_keys_fill(d->c, &tf);
}

/* ---- choices and links ---- */

static enum err
choices_check(struct ctx *c, size_t i, const struct data_column *col)
{
	const struct strs *all = &col->choices;

	if (!all->n || all->n > CHOICES_MAX)
		return fail(c, E_INVALID,
		    "columns[%zu].choices: is required for a choice: 1 to %d texts", i,
		    CHOICES_MAX);
	for (size_t k = 0; k < all->n; k++) {
		if (!*all->v[k] || str_chars(all->v[k]) > CHOICE_CHARS)
			return fail(c, E_INVALID,
			    "columns[%zu].choices[%zu]: must have 1 to %d characters", i, k,
			    CHOICE_CHARS);
		for (size_t j = 0; j < k; j++)
			if (str_eq(all->v[k], all->v[j]))
				return fail(c, E_INVALID,
				    "columns[%zu].choices[%zu]: %s is already choices[%zu]", i, k,
				    all->v[k], j);
	}
	return E_OK;
}

#define CHOICE_USED(F, T) F(T, INT, n)
SHAPE(choice_used, CHOICE_USED);

/* Refuses to remove a choice that rows have. */
static enum err
choice_unused(struct ctx *c, size_t i, const struct data_table *t, const struct data_column *old,
    const char *choice)
{
	struct sql q = SQL(c->mem);
	struct choice_used *row;

	sql_add(&q, "SELECT COUNT(*) AS n FROM data_row r WHERE r.table_no = ? AND ", ARGS(t->no));
	sql_pick(&q, CELL_R_NAMES, (size_t)old->slot);
	sql_add(&q, " = ?", ARGS(cell_text(c->mem, choice)));
	TRY(db_one(c, BUILT(choice_used, &q), sql_args(&q), &row));
	if (!row->n)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"rows\":%lld}", (long long)row->n);
	return fail(c, E_CONFLICT, "columns[%zu].choices: %s is missing, and %s %s it", i, choice,
	    str_count(c->mem, row->n, "row"), row->n == 1 ? "has" : "have");
}

static enum err
choices_removed(struct ctx *c, size_t i, const struct data_table *t,
    const struct data_column *old, const struct data_column *col)
{
	for (size_t k = 0; t->row_count && k < old->choices.n; k++)
		if (!strs_have(&col->choices, old->choices.v[k]))
			TRY(choice_unused(c, i, t, old, old->choices.v[k]));
	return E_OK;
}

static enum err
link_check(struct ctx *c, const struct artifact *a, const char *table, size_t i,
    const struct data_column *old, const struct data_column *col)
{
	bool there = col->to && (str_eq(col->to, table) || (old && str_eq(old->to, col->to)));

	if (!col->to)
		return fail(c, E_INVALID, "columns[%zu].to: is required for a link: a table", i);
	if (!there)
		TRY(table_is_there(c, a, col->to, &there));
	return there ? E_OK
		     : fail(c, E_INVALID,
			   "columns[%zu].to: the artifact has no table %s", i, col->to);
}

/* Checks what belongs to types: choices and tables of links. */
static enum err
columns_check(const struct redesign *d)
{
	const struct data_column *col = d->columns.v;
	struct ctx *c = d->c;

	for (size_t i = 0; i < d->columns.n; i++) {
		const struct data_column *old = column_before(d, col[i].name);
		bool choice = str_eq(col[i].type, "choice"), link = str_eq(col[i].type, "link");

		if (col[i].has.choices == GIVEN && !choice)
			return fail(c, E_INVALID, "columns[%zu].choices: are only for a choice", i);
		if (col[i].to && !link)
			return fail(c, E_INVALID, "columns[%zu].to: is only for a link", i);
		if (str_in(col[i].type, "date|choice|link") && !old)
			TRY(table_columns_grown(c));
		if (choice)
			TRY(choices_check(c, i, &col[i]));
		if (choice && old && str_eq(old->type, "choice"))
			TRY(choices_removed(c, i, d->old, old, &col[i]));
		if (link)
			TRY(link_check(c, d->a, d->name, i, old, &col[i]));
	}
	return E_OK;
}

/* ---- the change ---- */

static enum err
table_insert(struct redesign *d)
{
	int64_t no, indexed;

	TRY(tables_room(d->c, d->a));
	TRY(table_indexed_first(d->c, &indexed));
	TRY(db_insert(d->c,
	    EXEC(
		"INSERT INTO data_table (artifact_id, name, fields, indexed, key_slot,"
		" created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(d->a->id, d->name, columns_write(d->c, &d->columns), indexed, d->key_slot,
		d->c->now, d->c->now),
	    &no));
	TRY(table_found_anew(d->c, no));
	return table_tell(d->c, TABLE_MADE, d->a->id, d->name);
}

/* Inserts a null entry of each new column for each row. Writers to the table wait, then find that
 * its columns changed. */
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
table_update(struct redesign *d, const struct principal *who)
{
	bool late;

	if (!d->changed)
		return E_OK;
	TRY(table_entries_late(d->c, &late));
	if (!late) {
		d->bare = 0;
		TRY(columns_fill(d));
	}
	/* Rules, watches, and alerts follow. */
	if (d->renames.n) {
		TRY(renames_policy(d->c, d->a, d->name, &d->renames, d->in->policy != NULL));
		TRY(follow(d->c, COLUMNS_RENAMED,
		    &(struct happened){ .artifact_id = d->a->id, .table = d->name,
			.renames = d->renames.json }));
	}
	TRY(key_change(d, who));
	TRY(db_exec1(d->c,
	    EXEC(
		"UPDATE data_table SET fields = ?, shape_no = ?, change_no = change_no + 1,"
		" indexed = ?, indexing = ?, dropped = ?, kept = ?, carried = ?, key_slot = ?,"
		" carry_at = IF(?, REPEAT(CHAR(0), 16), carry_at),"
		" sweep_at = IF(?, ?, NULL), updated_at = ?"
		" WHERE no = ? AND artifact_id IS NOT NULL"),
	    ARGS(columns_write(d->c, &d->columns), d->shape_no, d->old->indexed & ~d->bare,
		d->old->indexing & ~d->bare, d->dropped,
		d->kept.n ? columns_write(d->c, &d->kept) : NULL, d->carried, d->key_slot,
		d->carried != 0, d->dropped != 0 || d->kept.n, d->c->now, d->c->now,
		d->old->no)));
	return table_tell(d->c, TABLE_CHANGED, d->a->id, d->name);
}

/* Puts the dropped column that comes back into the table's columns, under its hidden name. */
static void
column_join(struct redesign *d, struct data_table *old, int64_t slot)
{
	const struct data_column *kept = d->kept.v;
	struct data_column *all =
	    mem_array(d->c->mem, struct data_column, old->columns.n + d->kept.n);
	struct data_column *rest = mem_array(d->c->mem, struct data_column, d->kept.n);
	size_t n = 0;

	memcpy(all, old->columns.v, old->columns.n * sizeof *all);
	for (size_t i = 0; i < d->kept.n; i++)
		if (kept[i].slot == slot)
			all[old->columns.n++] = kept[i];
		else
			rest[n++] = kept[i];
	old->columns.v = all;
	d->kept = (struct list){ rest, n };
}

enum err
table_put(struct ctx *c, const struct artifact *a, const struct principal *who, const char *name,
    const struct data_table_new *in, bool *made)
{
	struct redesign d = { .c = c, .a = a, .name = name, .in = in };
	struct data_table *old;

	TRY(columns_names_check(c, &in->columns));
	TRY(table_lock(c, a, name, &old));
	*made = !old;
	if (old && old->held_by)
		return table_held(c, old);
	if (old && in->rows)
		return fail(c, E_CONFLICT,
		    "rows: the table %s already exists; "
		    "to add rows to it, use POST …/tables/%s/rows",
		    name, name);
	d.old = old;
	d.shape_no = old ? old->shape_no + 1 : 1;
	d.dropped = old ? old->dropped : 0;
	d.carried = old ? old->carried : 0;
	d.kept = old ? old->kept : (struct list){ 0 };
	if (old && in->back)
		column_join(&d, old, in->back - 1);
	TRY(renames_read(c, in->renames, &d.renames));
	TRY(renames_check(&d));
	TRY(names_check(&d));
	TRY(columns_drop(&d));
	TRY(columns_place(&d));
	TRY(columns_check(&d));
	TRY(key_place(&d));
	return old ? table_update(&d, who) : table_insert(&d);
}

enum err
table_delete(struct ctx *c, const struct artifact *a, const char *name)
{
	struct data_table *t;

	TRY(table_named(c, a, name, &t));
	if (t)
		TRY(table_of_no(c, t->no, true, &t));
	if (!t)
		return table_absent(c, name);
	TRY(table_tell(c, TABLE_CHANGED, a->id, name));
	TRY(deleted_put_away(c, a, t, true));
	TRY(table_found_anew(c, t->no));
	return storage_add_data(c, a, -t->size_bytes);
}
