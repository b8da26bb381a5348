/* SPDX-License-Identifier: Apache-2.0 */
#include "data/deleted.h"

#include "base/principal.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/storage.h"

SHAPE_DEFINE(data_deleted, DATA_DELETED);

#define DELETED_COLUMNS \
	"SELECT d.id, IF(d.slot IS NULL, 'table', 'column') AS kind," \
	" IF(d.slot IS NULL, d.name, t.name) AS `table`," \
	" d.column_name AS `column`, d.user_id AS `by.user_id`, " CHANGE_BY_NAME "," \
	" IF(d.slot IS NULL, t.row_count, NULL) AS row_count," \
	" IF(d.slot IS NULL, t.size_bytes, NULL) AS size_bytes," \
	" d.deleted_at, d.deleted_at + 2592000 AS until, d.table_no, d.slot" \
	" FROM data_deleted d JOIN data_table t ON t.no = d.table_no" \
	" LEFT JOIN user u ON u.id = d.user_id WHERE d.artifact_id = ?" \
	" AND (d.slot IS NULL OR t.artifact_id = d.artifact_id)"
_Static_assert(DELETED_S == 2592000, "as in DELETED_COLUMNS");

enum err
deleted_end(struct ctx *c, int64_t table_no)
{
	TRY(db_exec(c,
	    EXEC("DELETE v FROM data_deleted d JOIN data_view v ON v.artifact_id = d.artifact_id"
		 " AND v.table_name = d.name WHERE d.table_no = ? AND d.slot IS NULL"
		 " AND NOT EXISTS (SELECT 1 FROM data_table t"
		 " WHERE t.artifact_id = d.artifact_id AND t.name = d.name)"
		 " AND NOT EXISTS (SELECT 1 FROM data_chart ch WHERE ch.view_id = v.id)"
		 " AND NOT EXISTS (SELECT 1 FROM data_deleted o WHERE o.artifact_id = d.artifact_id"
		 " AND o.name = d.name AND o.table_no <> d.table_no)"),
	    ARGS(table_no), NULL));
	return db_exec(
	    c, EXEC("DELETE FROM data_deleted WHERE table_no = ?"), ARGS(table_no), NULL);
}

/* Has the runner delete it at the next opportunity. */
static enum err
deleted_release(struct ctx *c, const struct data_deleted *d)
{
	const bool column = d->has.slot == GIVEN;

	if (column)
		TRY(db_exec(
		    c, EXEC("DELETE FROM data_deleted WHERE id = ?"), ARGS(d->id), NULL));
	else
		TRY(deleted_end(c, d->table_no));
	return db_exec(c,
	    EXEC("UPDATE data_table SET sweep_at = ? WHERE no = ? AND (artifact_id IS NULL) = ?"),
	    ARGS(c->now, d->table_no, !column), NULL);
}

/* col NULL: the table itself. */
static enum err
deleted_add(struct ctx *c, const struct artifact *a, const struct data_table *t,
    const struct data_column *col)
{
	struct data_deleted_list old;

	TRY(db_all(c,
	    ROWS(data_deleted,
		"SELECT id, table_no, slot FROM data_deleted"
		" WHERE artifact_id = ? AND (slot IS NULL) = ?"
		" ORDER BY deleted_at DESC, id DESC LIMIT 100 OFFSET ?"),
	    ARGS(a->id, !col, DELETED_MOST - 1), &old));
	for (size_t i = 0; i < old.n; i++)
		TRY(deleted_release(c, &old.v[i]));
	return db_exec(c,
	    EXEC("INSERT INTO data_deleted (id, artifact_id, table_no, name, slot, column_name,"
		 " user_id, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "del_"), a->id, t->no, t->name,
		arg_opt(col ? GIVEN : NULLED, col ? col->slot : 0), col ? col->name : NULL,
		c->actor ? c->actor->user_id : NULL, c->now),
	    NULL);
}

enum err
deleted_put_away(struct ctx *c, const struct artifact *a, const struct data_table *t, bool keep)
{
	if (keep)
		TRY(deleted_add(c, a, t, NULL));
	return db_exec1(c,
	    EXEC("UPDATE data_table SET artifact_id = NULL, sweep_at = ? WHERE no = ?"),
	    ARGS(c->now + (keep ? DELETED_S : 0), t->no));
}

/* ---- dropped columns ---- */

enum err
deleted_put_column_away(struct ctx *c, const struct artifact *a, const struct data_table *t,
    const struct data_column *col, int64_t shape_no, struct list *kept)
{
	struct data_column *all = mem_array(c->mem, struct data_column, kept->n + 1);
	struct data_column *last = &all[kept->n];

	if (kept->n)
		memcpy(all, kept->v, kept->n * sizeof *all);
	*last = *col;
	last->name = mem_printf(c->mem, "~%lld", (long long)col->slot);
	last->keyed = col->slot == t->key_slot;
	column_renamed(c, col, shape_no, last);
	*kept = (struct list){ all, kept->n + 1 };
	return deleted_add(c, a, t, col);
}

enum err
deleted_columns_move(struct ctx *c, int64_t from_no, int64_t to_no)
{
	return db_exec(c,
	    EXEC("UPDATE data_deleted SET table_no = ? WHERE table_no = ? AND slot IS NOT NULL"),
	    ARGS(to_no, from_no), NULL);
}

enum err
deleted_columns_end(struct ctx *c, struct data_table *t, bool *ended)
{
	struct data_column *col = t->kept.v;
	struct data_deleted_list live;
	int64_t bits = 0, gone = 0;
	size_t n = 0;

	TRY(db_all(c,
	    ROWS(data_deleted,
		"SELECT slot FROM data_deleted WHERE table_no = ? AND slot IS NOT NULL"
		" AND deleted_at > ?"),
	    ARGS(t->no, c->now - DELETED_S), &live));
	for (size_t i = 0; i < live.n; i++)
		bits |= slot_bit(live.v[i].slot);
	for (size_t i = 0; i < t->kept.n; i++)
		if (bits & slot_bit(col[i].slot))
			col[n++] = col[i];
		else
			gone |= slot_bit(col[i].slot);
	t->kept.n = n;
	*ended = gone != 0;
	if (!gone)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("DELETE FROM data_deleted WHERE table_no = ? AND slot IS NOT NULL"
		 " AND deleted_at <= ?"),
	    ARGS(t->no, c->now - DELETED_S), NULL));
	/* A writer that read the table before is refused at its end, because of the shape
	 * (table_account()). */
	return db_exec1(c,
	    EXEC("UPDATE data_table SET kept = ?, dropped = ?, shape_no = shape_no + 1,"
		 " change_no = change_no + 1 WHERE no = ?"),
	    ARGS(t->kept.n ? columns_write(c, &t->kept) : NULL, t->dropped | gone, t->no));
}

static enum err
column_bring_back(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct data_deleted *d, const char *name)
{
	struct data_table_new in = { .back = d->slot + 1 };
	const struct data_column *kept;
	struct data_column *col;
	struct data_table *t;
	bool made;

	TRY(table_lock(c, a, d->table, &t));
	kept = t ? column_of_slot(&t->kept, d->slot) : NULL;
	if (!kept)
		return table_absent(c, d->table);
	if (!column_name_valid(name))
		return fail(c, E_INVALID,
		    "name: must contain only letters, digits and _, "
		    "and must not start with a digit");
	if (table_column(t, name))
		return fail(c, E_CONFLICT,
		    "name: there is another column %s now; send another name", name);
	col = mem_array(c->mem, struct data_column, t->columns.n + 1);
	memcpy(col, t->columns.v, t->columns.n * sizeof *col);
	col[t->columns.n] = *kept;
	col[t->columns.n].name = name;
	in.columns = (struct list){ col, t->columns.n + 1 };
	in.renames = mem_printf(c->mem, "{\"%s\":\"%s\"}", kept->name, name);
	if (kept->keyed && !t->key) {
		in.key = name;
		in.has.key = GIVEN;
	}
	return table_put(c, a, who, d->table, &in, &made);
}

/* ---- lists and restoring ---- */

enum err
deleted_list(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct data_deleted_list *out, const char **next)
{
	size_t first = 0;

	*next = NULL;
	TRY(db_all(c,
	    ROWS(data_deleted, DELETED_COLUMNS " AND d.deleted_at > ?"
		" ORDER BY d.deleted_at DESC, d.id DESC"),
	    ARGS(a->id, c->now - DELETED_S), out));
	if (q->cursor && !str_starts(q->cursor, "del_"))
		return fail_cursor(c);
	while (q->cursor && first < out->n && !str_eq(out->v[first++].id, q->cursor))
		continue;
	out->v += first;
	out->n -= first;
	if ((int64_t)out->n > q->limit) {
		out->n = (size_t)q->limit;
		*next = out->v[out->n - 1].id;
	}
	return E_OK;
}

/* Shows the table again. Entries of columns without an index go next. */
static enum err
table_bring_back(struct ctx *c, const struct artifact *a, const struct data_deleted *d,
    const char *name)
{
	bool taken;

	if (!table_name_valid(name))
		return fail(c, E_INVALID,
		    "name: must contain only letters, digits, _ and -, and must not start with a "
		    "digit");
	TRY(table_is_there(c, a, name, &taken));
	if (taken)
		return fail(c, E_CONFLICT,
		    "name: there is another table %s now; send another name", name);
	TRY(tables_room(c, a));
	TRY(db_exec1(c,
	    EXEC("UPDATE data_table SET artifact_id = ?, name = ?, sweep_at = ?, updated_at = ?,"
		 " change_no = change_no + 1"
		 " WHERE no = ? AND artifact_id IS NULL AND sweep_at > ?"),
	    ARGS(a->id, name, c->now, c->now, d->table_no, c->now)));
	TRY(table_found_anew(c, d->table_no));
	TRY(table_tell(c, TABLE_MADE, a->id, name));
	return storage_add_data(c, a, d->size_bytes);
}

static enum err
deleted_find(
    struct ctx *c, const struct artifact *a, const char *id, struct data_deleted **out)
{
	TRY(db_find(c,
	    ROWS(data_deleted, DELETED_COLUMNS " AND d.deleted_at > ? AND d.id = ? FOR UPDATE"),
	    ARGS(a->id, c->now - DELETED_S, id), out));
	return *out
	    ? E_OK
	    : fail(c, E_NOT_FOUND,
		  "There is nothing deleted with the id %s, or you don't have access to it", id);
}

enum err
deleted_restore(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const char *name, const char **out)
{
	struct data_deleted *d;

	TRY(deleted_find(c, a, id, &d));
	TRY(db_exec(c, EXEC("DELETE FROM data_deleted WHERE id = ?"), ARGS(d->id), NULL));
	*out = d->table;
	if (d->has.slot == GIVEN)
		return column_bring_back(c, a, who, d, name ? name : d->column);
	*out = name ? name : d->table;
	return table_bring_back(c, a, d, *out);
}

enum err
deleted_forget(struct ctx *c, const struct artifact *a, const char *id)
{
	struct data_deleted *d;

	TRY(deleted_find(c, a, id, &d));
	return deleted_release(c, d);
}

PURGES(deleted,
    STMT("UPDATE data_deleted d JOIN data_table t ON t.no = d.table_no SET t.sweep_at = 0"
	 " WHERE d.artifact_id = ? AND d.slot IS NULL AND t.sweep_at > 0 LIMIT ?"),
    ROWS_OF(data_deleted));
