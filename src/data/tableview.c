/* SPDX-License-Identifier: Apache-2.0 */
#include "data/tableview.h"

#include "base/id.h"
#include "base/principal.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/follow.h"
#include "core/rights.h"
#include "data/rename.h"
#include "data/rowlead.h"

SHAPE_DEFINE(data_view, DATA_VIEW);
SHAPE_DEFINE(data_view_new, DATA_VIEW_NEW);

/* ---- reading ---- */

#define VIEW_COLUMNS \
	"id, name, IF(user_id IS NULL, 'shared', 'private') AS scope, where_json AS `where`," \
	" sorted AS `order`, column_names AS `columns`, widths, totals, group_column AS `group`," \
	" created_at, updated_at, user_id"

static const char *
user_of(const struct principal *who)
{
	return who ? who->user_id : NULL;
}

enum err
tableview_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct data_view_list *out)
{
	return db_all(c,
	    ROWS(data_view,
		"SELECT " VIEW_COLUMNS " FROM data_view WHERE artifact_id = ? AND table_name = ?"
		" AND whose IN ('', COALESCE(?, '')) ORDER BY id"),
	    ARGS(a->id, table, user_of(who)), out);
}

enum err
tableview_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const char *id, struct data_view **out)
{
	TRY(db_find(c,
	    ROWS(data_view,
		"SELECT " VIEW_COLUMNS " FROM data_view WHERE id = ? AND artifact_id = ?"
		" AND table_name = ? AND whose IN ('', COALESCE(?, ''))"),
	    ARGS(id, a->id, table, user_of(who)), out));
	return *out ? E_OK
		    : fail(c, E_NOT_FOUND,
			  "There is no view %s of the table %s, or you don't have access to it",
			  id, table);
}

/* ---- checks ---- */

struct naming {
	struct ctx *c;
	const struct data_table *t;
};

static enum err
column_find(const struct naming *n, const char *at, const char *name,
    const struct data_column **out)
{
	*out = table_column(n->t, name);
	return *out ? E_OK
		    : fail(n->c, E_INVALID,
			  "%s: the table %s has no column %s; its columns are %s", at, n->t->name,
			  str_cut(n->c->mem, name, TABLE_NAME_CHARS),
			  table_column_names(n->c->mem, n->t));
}

static int
width_check(void *arg, const char *name, const struct json *value)
{
	const struct naming *n = arg;
	const struct data_column *col;

	TRY(column_find(n, "widths", name, &col));
	if (json_kind(value) == J_INT && json_int(value) >= VIEW_WIDTH_LEAST &&
	    json_int(value) <= VIEW_WIDTH_MOST)
		return 0;
	return (int)fail(n->c, E_INVALID, "widths.%s: must be a whole number from %d to %d", name,
	    VIEW_WIDTH_LEAST, VIEW_WIDTH_MOST);
}

bool
view_total_fits(const struct data_column *col, const char *figure)
{
	return str_in(figure, VIEW_TOTALS) && !str_eq(col->type, "json") &&
	    (!str_in(figure, "sum|avg|median") || str_in(col->type, "number|integer"));
}

static int
total_check(void *arg, const char *name, const struct json *value)
{
	const struct naming *n = arg;
	const struct data_column *col;
	const char *figure = json_kind(value) == J_STR ? json_str(value) : "";

	TRY(column_find(n, "totals", name, &col));
	if (!str_in(figure, VIEW_TOTALS))
		return (int)fail(n->c, E_INVALID,
		    "totals.%s: must be one of sum, avg, min, max, median, distinct, empty", name);
	if (!view_total_fits(col, figure))
		return (int)fail(n->c, E_INVALID, "totals.%s: a column of type %s has no %s", name,
		    col->type, figure);
	return 0;
}

static enum err
members_check(struct naming *n, const char *text,
    int (*check)(void *arg, const char *name, const struct json *value))
{
	struct json *tree;

	if (!text)
		return E_OK;
	TRY(json_parse(n->c, text, strlen(text), &tree));
	return (enum err)json_each(tree, check, n);
}

/* Checks conditions and order. */
static enum err
rows_check(struct ctx *c, const struct table_for *tf, const char *where, const char *order)
{
	const struct row_find what = { .asked = { .where = where }, .order = order, .limit = 10 };

	return finding_begin(c, tf, &what, mem_new(c->mem, struct finding_rows));
}

static enum err
view_check(struct ctx *c, const struct table_for *tf, const struct data_view_new *in)
{
	struct naming n = { c, tf->t };
	const struct data_column *col;

	TRY(rows_check(c, tf, in->where, in->order));
	for (size_t i = 0; i < in->columns.n; i++)
		TRY(column_find(&n, mem_printf(c->mem, "columns[%zu]", i), in->columns.v[i], &col));
	TRY(members_check(&n, in->widths, width_check));
	TRY(members_check(&n, in->totals, total_check));
	if (!in->group)
		return E_OK;
	TRY(column_find(&n, "group", in->group, &col));
	return str_eq(col->type, "json")
	    ? fail(c, E_INVALID, "group: %s is of type json, which has no groups", in->group)
	    : E_OK;
}

static enum err
share_check(struct ctx *c, const struct artifact *a, bool shared)
{
	return !shared || role_rank(a->role) >= ROLE_EDITOR
	    ? E_OK
	    : fail(c, E_DENIED, "scope: only editors and the owner can make and change views for "
				"everyone; private makes one for you");
}

/* ---- changes ---- */

static const char *
columns_json(struct ctx *c, const struct data_view_new *in)
{
	struct buf b = BUF(c->mem);

	if (in->has.columns != GIVEN)
		return NULL;
	buf_jsons(&b, in->columns.v, in->columns.n);
	return buf_done(&b);
}

/* Locks the table, so that a concurrent change of its columns ends, and reads its columns. A view
 * that is made during a renaming would otherwise have the old names. */
static enum err
columns_lock(struct ctx *c, const struct table_for *tf, struct table_for *now)
{
	struct data_table *t;

	TRY(table_lock(c, tf->a, tf->t->name, &t));
	if (!t)
		return table_absent(c, tf->t->name);
	*now = *tf;
	now->t = t;
	table_columns(t, &now->columns);
	return E_OK;
}

static enum err
name_refused(struct ctx *c, enum err e, const char *name)
{
	if (e != E_CONFLICT)
		return e;
	ctx_forgive(c);
	return fail(c, E_CONFLICT, "name: there is a view %s already", name);
}

enum err
tableview_add(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const struct data_view_new *in, const char **id)
{
	const bool shared = str_eq(in->scope, "shared");
	const char *whose = shared ? NULL : who->user_id;
	struct table_for now;
	int64_t made;
	enum err e;

	TRY(share_check(c, tf->a, shared));
	TRY(columns_lock(c, tf, &now));
	TRY(view_check(c, &now, in));
	*id = id_new(c->mem, "viw_");
	e = db_exec(c,
	    EXEC("INSERT INTO data_view (id, artifact_id, table_name, name, user_id, where_json,"
		 " sorted, column_names, widths, totals, group_column, created_at, updated_at)"
		 " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM"
		 " (SELECT COUNT(*) AS n FROM data_view WHERE artifact_id = ? AND table_name = ?"
		 " AND whose = COALESCE(?, '')) v WHERE v.n < ?"),
	    ARGS(*id, tf->a->id, now.t->name, in->name, whose, in->where, in->order,
		columns_json(c, in), in->widths, in->totals, in->group, c->now, c->now, tf->a->id,
		now.t->name, whose, (int64_t)VIEWS_MOST),
	    &made);
	TRY(name_refused(c, e, in->name));
	return made ? E_OK
		    : fail(c, E_LIMIT_REACHED,
			  "the table %s has %d %s views, the maximum; delete one first",
			  now.t->name, VIEWS_MOST, shared ? "shared" : "private");
}

#define VIEW_USED(F, T) F(T, BOOL, used)
SHAPE(view_used, VIEW_USED);

/* E_CONFLICT: a chart uses the view. The caller has locked the table. */
static enum err
unused_check(struct ctx *c, const char *id)
{
	struct view_used *row;

	TRY(db_one(c,
	    ROWS(view_used,
		"SELECT EXISTS (SELECT 1 FROM data_chart WHERE view_id = ?) AS used"),
	    ARGS(id), &row));
	return row->used
	    ? fail(c, E_CONFLICT,
		  "a chart shows the rows of the view %s; change or delete the chart first", id)
	    : E_OK;
}

enum err
tableview_put(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const char *id, const struct data_view_new *in)
{
	struct data_view *old;
	struct table_for now;
	bool was, shared;

	TRY(columns_lock(c, tf, &now));
	TRY(tableview_get(c, tf->a, who, now.t->name, id, &old));
	was = str_eq(old->scope, "shared");
	shared = in->scope ? str_eq(in->scope, "shared") : was;
	TRY(share_check(c, tf->a, was || shared));
	TRY(view_check(c, &now, in));
	if (was && !shared)
		TRY(unused_check(c, id));
	return name_refused(c,
	    db_exec1(c,
		EXEC("UPDATE data_view SET name = ?, user_id = ?, where_json = ?, sorted = ?,"
		     " column_names = ?, widths = ?, totals = ?, group_column = ?, updated_at = ?"
		     " WHERE id = ? AND artifact_id = ?"),
		ARGS(in->name, shared ? NULL : who->user_id, in->where, in->order,
		    columns_json(c, in), in->widths, in->totals, in->group, c->now, id,
		    tf->a->id)),
	    in->name);
}

enum err
tableview_delete(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const char *id)
{
	struct data_view *old;
	struct data_table *t;

	/* A request that makes a chart locks the table, too. */
	TRY(table_lock(c, a, table, &t));
	TRY(tableview_get(c, a, who, table, id, &old));
	TRY(share_check(c, a, str_eq(old->scope, "shared")));
	TRY(unused_check(c, id));
	return db_exec1(c, EXEC("DELETE FROM data_view WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id));
}

/* ---- use ---- */

/* Returns the names of columns that are still there, with commas between them. */
static const char *
columns_left(struct ctx *c, const struct data_table *t, const char *names)
{
	struct json *all;
	struct strs left = { 0 };

	if (!names || json_parse(c, names, strlen(names), &all)) {
		ctx_forgive(c);
		return NULL;
	}
	for (size_t i = 0; i < json_len(all); i++)
		if (table_column(t, json_str(json_at(all, i))))
			strs_add(c->mem, &left, json_str(json_at(all, i)));
	return left.n ? strs_join(c->mem, &left, ",") : NULL;
}

enum err
tableview_use(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const char *id, struct where_asked *asked, const char **order, const char **columns)
{
	struct data_view *v;
	const char *why;
	enum err e;

	if (!id)
		return E_OK;
	TRY(tableview_get(c, tf->a, who, tf->t->name, id, &v));
	e = rows_check(c, tf, v->where, v->order);
	if (e == E_INVALID) {
		why = mem_strdup(c->mem, c->message);
		ctx_forgive(c);
		return fail(c, E_CONFLICT,
		    "the view %s doesn't fit the table %s any longer: %s", v->name, tf->t->name,
		    why);
	}
	TRY(e);
	asked->view = v->where;
	if (order && !*order)
		*order = v->order;
	if (columns && !*columns)
		*columns = columns_left(c, tf->t, v->columns);
	return E_OK;
}

/* ---- what happens elsewhere ---- */

static enum err
columns_renamed(struct ctx *c, const struct happened *h)
{
	const char *where, *columns, *widths, *totals, *group;
	struct data_view_list all;
	struct renames renames;

	TRY(renames_read(c, h->renames, &renames));
	TRY(db_all(c,
	    ROWS(data_view,
		"SELECT " VIEW_COLUMNS " FROM data_view WHERE artifact_id = ? AND table_name = ?"
		" FOR UPDATE"),
	    ARGS(h->artifact_id, h->table), &all));
	for (size_t i = 0; i < all.n; i++) {
		const struct data_view *v = &all.v[i];

		TRY(renames_where(c, &renames, v->where, &where));
		TRY(renames_names(c, &renames, v->columns, &columns));
		TRY(renames_members(c, &renames, v->widths, &widths));
		TRY(renames_members(c, &renames, v->totals, &totals));
		group = v->group ? renamed_to(&renames, v->group) : NULL;
		TRY(db_exec(c,
		    EXEC("UPDATE data_view SET where_json = ?, sorted = ?, column_names = ?,"
			 " widths = ?, totals = ?, group_column = ? WHERE id = ?"),
		    ARGS(where, renames_order(c, &renames, v->order), columns, widths, totals,
			group ? group : v->group, v->id),
		    NULL));
	}
	return E_OK;
}

USERS(USER_EITHER(data_view, user_id))
FOLLOWS(tableview, { COLUMNS_RENAMED, columns_renamed }, USERS_FOLLOW);
PURGES(tableview, ROWS_OF(data_view));
