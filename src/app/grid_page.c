/* SPDX-License-Identifier: Apache-2.0
 * The rows of a table as a grid in the browser, to filter, sort, add, change, delete, and export.
 * It works without a script: its address says which rows are shown and which one is being edited,
 * and forms lead back to their place. A user sees and changes the same rows as by the API. */
#include "base/id.h"
#include "base/str.h"
#include "catalog/entry.h"
#include "core/artifact_top_page.h"
#include "core/find.h"
#include "core/rights.h"
#include "data/celltext.h"
#include "data/columnlook.h"
#include "data/condition.h"
#include "data/orderlook.h"
#include "data/past.h"
#include "data/row_api.h"
#include "data/rowlead.h"
#include "data/summary.h"
#include "data/table_page.h"
#include "data/tablepolicy.h"
#include "http/form.h"
#include "http/quota.h"
#include "http/share.h"
#include "watch/watch.h"

enum { GRID_ROWS = 50, SHOWN_CHARS = 80 };

/* ---- the grid ---- */

#define GRID_HEAD(F, T) \
	F(T, STR,  name) \
	F(T, STR,  means,  .doc = "What the catalog says of it; NULL: nothing") \
	F(T, STR,  href,   .doc = "The rows in its order") \
	F(T, STR,  also,   .doc = "In its order, too") \
	F(T, WORD, sorted, .arg = "up|down") \
	F(T, BOOL, leads,  .doc = "The order begins with it") \
	F(T, INT,  rank,   .doc = "In an order of several columns; 0: it is no part of one") \
	F(T, WORD, type,   .arg = COLUMN_TYPES) \
	F(T, INT,  width,  .doc = "Pixels; 0: as its values need") \
	F(T, STR,  total,  .doc = "A figure of all rows that match") \
	F(T, STR,  total_of, .doc = "What it is") \
	F(T, BOOL, hidden)
SHAPE(grid_head, GRID_HEAD);

#define GRID_CELL(F, T) \
	F(T, STR,  column) \
	F(T, STR,  text) \
	F(T, WORD, type,  .arg = COLUMN_TYPES) \
	F(T, STRS, choices) \
	F(T, BOOL, none) \
	F(T, BOOL, hidden) \
	F(T, BOOL, wide,  .doc = "Does not stand in one line") \
	F(T, STR,  wrong, .doc = "With what was typed")
SHAPE(grid_cell, GRID_CELL);

#define GRID_ROW(F, T) \
	F(T, STR,  id) \
	F(T, STR,  seen,  .doc = "What it was when the page was made, for its form") \
	F(T, LIST, cells, .sub = &grid_cell_shape)
SHAPE(grid_row, GRID_ROW);

#define TABLE_PAGE(F, T) \
	F(T, INT,  total,     .doc = "Of its rows, if counted") \
	F(T, BOOL, counted) \
	F(T, STR,  matches,   .doc = "How many rows the filter finds, in words") \
	F(T, LIST, heads,     .sub = &grid_head_shape) \
	F(T, LIST, rows,      .sub = &grid_row_shape) \
	F(T, LIST, blank,     .sub = &grid_cell_shape, .doc = "A new row's cells") \
	F(T, BOOL, adding) \
	F(T, STR,  edited,    .doc = "Id of the row that is being edited") \
	F(T, STR,  seen,      .doc = "What that row was when the page was made") \
	F(T, STR,  near,      .doc = "Id of the row beside it") \
	F(T, BOOL, brought,   .doc = "The first row is shown for being edited or saved") \
	F(T, BOOL, may_write) \
	F(T, BOOL, keyed,     .doc = "Cells can be edited in place, if there is a script") \
	F(T, STR,  change_at,  .doc = "here_href, ready for another parameter") \
	F(T, STR,  bulk_at,   .doc = "Where all rows that match are changed") \
	F(T, STR,  export_to, .doc = "The address up to the format") \
	F(T, STR,  here_href) \
	F(T, STR,  first) \
	F(T, STR,  next) \
	F(T, LIST, conditions, .sub = &typed_condition_shape, .doc = "The last may be blank") \
	F(T, INT,  conditions_n, .doc = "Without the blank one") \
	F(T, LIST, comparisons,  .sub = &condition_group_shape) \
	F(T, BOOL, nested,    .doc = "The conditions don't fit into the form") \
	F(T, BOOL, room,      .doc = "For another condition") \
	F(T, BOOL, open,      .doc = "The form is shown") \
	F(T, STR,  dates_zone, .doc = "If a condition depends on the day") \
	F(T, BOOL, changed,   .doc = "The page shows something else than its view") \
	F(T, STR,  plain,     .doc = "The address without conditions") \
	F(T, STR,  where_now) \
	F(T, STR,  order_now) \
	F(T, LIST, sorts,     .sub = &look_order_shape, .doc = "Of the form") \
	F(T, INT,  sorts_n,   .doc = "Without the blank ones") \
	F(T, STR,  columns_now) \
	F(T, STR,  widths_now) \
	F(T, STR,  totals_now) \
	F(T, LIST, looks,     .sub = &look_column_shape) \
	F(T, INT,  looks_n,   .doc = "Those that are shown") \
	F(T, INT,  grid_width, .doc = "Pixels, if a column has a width") \
	F(T, BOOL, totals_there) \
	F(T, STR,  totals_wrong) \
	F(T, LIST, views,     .sub = &data_view_shape) \
	F(T, OBJ,  shown_view, .sub = &data_view_shape, .doc = "NULL: none") \
	F(T, BOOL, may_drop,  .doc = "They may change and delete it") \
	F(T, LIST, watches,   .sub = &metric_watch_shape) \
	F(T, STR,  rules_odd, .doc = "Rules of the access_policy that don't fit the table") \
	F(T, STR,  list_wrong, .doc = "Why the page doesn't show what its address asks for") \
	F(T, BOOL, refused,    .doc = "It doesn't, and shows all rows")
SHAPE(table_page, TABLE_PAGE);

/* The query of the page, and the body of its forms. The first fields say what is shown; where,
 * widths and totals are "none" if those of the view don't count. An address of an earlier release
 * has a condition as column, op, and value. */
#define TABLE_PAGE_QUERY(F, T) \
	F(T, STR,  where,  .hi = WHERE_CHARS) \
	F(T, STR,  order,  .hi = ORDER_CHARS) \
	F(T, STR,  columns, .hi = 4500) \
	F(T, STR,  widths, .hi = 6000) \
	F(T, STR,  totals, .hi = 6000) \
	F(T, STR,  cursor, .hi = CURSOR_MOST) \
	F(T, STR,  view,   .hi = 40) \
	F(T, BOOL, look,   .doc = "Of the form that says what is shown") \
	F(T, BOOL, more,   .doc = "It shows a blank condition") \
	F(T, INT,  drop,   .doc = "The number of a condition that it leaves out") \
	F(T, STR,  column, .hi = 64) \
	F(T, STR,  op,     .hi = 40) \
	F(T, STR,  value,  .hi = 1000) \
	F(T, STR,  edit,   .hi = 40) \
	F(T, BOOL, add) \
	F(T, STR,  row,    .hi = 40, .doc = "Id of one that was saved") \
	F(T, STR,  batch,  .hi = 40, .doc = "Id of the change, for Undo") \
	F(T, STR,  done,   .hi = 40) \
	F(T, STR,  seen,   .hi = 40, .doc = "Of forms: what the row was") \
	F(T, STR,  near,   .hi = 40, .doc = "Of forms: the row beside it")
SHAPE(table_page_query, TABLE_PAGE_QUERY);

/* Typed values that couldn't be stored. */
struct typed {
	const char *edit;           /* id of the row typed into; NULL if add: a new row */
	const char *column, *wrong; /* the column whose value was refused, and the reason */
	bool add;
	struct pair values[PAIRS];
	size_t n;
};

static void
param_add(struct buf *b, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_fmt(b, "%c%s=", strchr(b->s, '?') ? '&' : '?', name);
	buf_form(b, value);
}

/* The grid's address without order and cursor. */
static const char *
grid_href(struct req *r, const char *table, const struct table_page_query *q, const char *order,
    const char *cursor)
{
	struct buf b = BUF(r->c->mem);

	buf_str(&b, table_page_path(r, table));
	param_add(&b, "view", q->view);
	param_add(&b, "where", q->where);
	param_add(&b, "columns", q->columns);
	param_add(&b, "widths", q->widths);
	param_add(&b, "totals", q->totals);
	param_add(&b, "order", order);
	param_add(&b, "cursor", cursor);
	return buf_done(&b);
}

static enum err
heads_make(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    struct table_page *page)
{
	struct grid_head *head = mem_array(r->c->mem, struct grid_head, tf->t->columns.n);
	const struct data_column *col = tf->t->columns.v;
	struct catalog_column_list told = { 0 };
	struct look_order_list orders;

	orders_read(r->c, page->order_now, &orders);
	if (r->art->has_catalog)
		TRY(catalog_column_descriptions(r->c, r->art, tf->t->name, r->who, &told));

	for (size_t i = 0; i < tf->t->columns.n; i++) {
		const char *down = mem_printf(r->c->mem, "-%s", col[i].name);
		const struct look_order *by = orders_find(&orders, col[i].name);
		bool up = str_eq(page->order_now, col[i].name);

		head[i] = (struct grid_head){ .name = col[i].name,
			.type = col[i].type,
			.hidden = col[i].hidden,
			.sorted = by ? by->down ? "down" : "up" : NULL,
			.leads = by && by->no == 1,
			.rank = by && orders.n > 1 ? by->no : 0,
			.href = grid_href(r, tf->t->name, q, up ? down : col[i].name, NULL),
			.also = grid_href(r, tf->t->name, q,
			    orders_with(r->c, &orders, col[i].name), NULL) };
		for (size_t k = 0; k < told.n && !head[i].means; k++)
			if (str_eq(told.v[k].name, col[i].name))
				head[i].means = told.v[k].description;
	}
	page->heads = (struct list){ head, tf->t->columns.n };
	return E_OK;
}

static const char *
typed_value(const struct pair *values, size_t n, const char *column)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(values[i].name, "c.") && str_eq(values[i].name + 2, column))
			return values[i].value;
	return NULL;
}

/* Makes the cells of a row; doc is NULL for a new one. typed replaces the stored values. */
static struct list
cells_make(struct ctx *c, const struct data_table *t, const struct data_row *row,
    const struct json *doc, const struct typed *typed)
{
	const struct data_column *col = t->columns.v;
	struct grid_cell *cell = mem_array(c->mem, struct grid_cell, t->columns.n);

	for (size_t i = 0; i < t->columns.n; i++) {
		const char *written =
		    typed ? typed_value(typed->values, typed->n, col[i].name) : NULL;
		const char *text =
		    doc ? cell_shown(c, row_value(row, doc, &col[i])) : NULL;

		text = written ? written : text;
		cell[i] = (struct grid_cell){ .column = col[i].name,
			.type = col[i].type,
			.hidden = col[i].hidden,
			.choices = col[i].choices,
			.text = text ? text : "",
			.none = !text,
			.wide = text && (str_chars(text) > SHOWN_CHARS || strchr(text, '\n')) };
		if (typed && str_eq(typed->column, col[i].name))
			cell[i].wrong = typed->wrong;
	}
	return (struct list){ cell, t->columns.n };
}

/* own: the table with its columns in their own order. */
static enum err
rows_make(struct req *r, const struct table_for *tf, const struct data_table *own,
    const struct typed *typed, const struct data_row_list *rows, struct table_page *page)
{
	struct grid_row *line = mem_array(r->c->mem, struct grid_row, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++) {
		const struct data_row *row = &rows->v[i];
		const char *id = line[i].id = row_id_of_hex(r->c, row->id);
		bool editing = str_eq(id, page->edited);
		struct json *doc;

		TRY(json_parse(r->c, row->doc, strlen(row->doc), &doc));
		line[i].cells = cells_make(r->c, tf->t, row, doc, editing ? typed : NULL);
		line[i].seen = page->may_write ? row_digest(r->c, own, row) : NULL;
		if (editing) {
			page->seen = line[i].seen;
			page->near = i ? line[i - 1].id : NULL;
		}
	}
	if (!page->seen)
		page->edited = NULL;
	page->rows = (struct list){ line, rows->n };
	return E_OK;
}

static enum err
matches_count(struct req *r, const struct table_for *tf, const struct row_find *what,
    const char **out)
{
	enum { MATCHES_MOST = 1000 };
	struct row_find all = { .asked = what->asked, .limit = MATCHES_MOST };
	int64_t n;
	bool more;

	TRY(rows_count(r->c, tf, &all, &n, &more));
	*out = mem_printf(r->c->mem, "%s%s match%s",
	    !more		   ? ""
		: n < MATCHES_MOST ? "At least "
				   : "More than ",
	    str_count(r->c->mem, n, "row"), n == 1 && !more ? "es" : "");
	return E_OK;
}

/* If a condition is invalid, the page says so and shows all rows. */
static enum err
rows_for_page(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    struct table_page *page, struct data_row_list *rows, const char **next)
{
	const struct typed_condition_list conditions = { page->conditions.v,
		(size_t)page->conditions_n };
	struct row_find what = { .asked = { .where = page->where_now, .zone = page->dates_zone },
		.order = page->order_now, .cursor = q->cursor, .limit = GRID_ROWS };
	enum err e = page->list_wrong ? E_INVALID : rows_list(r, tf, &what, rows, next);

	if (!e && page->where_now)
		return matches_count(r, tf, &what, &page->matches);
	if (e != E_INVALID)
		return e;
	page->open = conditions_blame(r->c, &conditions, r->c->message);
	if (!page->open && !page->list_wrong)
		page->list_wrong = r->c->message;
	page->refused = true;
	ctx_again(r->c);
	return rows_list(r, tf, &(struct row_find){ .limit = GRID_ROWS }, rows, next);
}

/* Shows a row that is being edited, or was just saved, first if it isn't among the shown rows. */
static enum err
row_bring(struct req *r, const struct table_for *tf, const char *id, struct data_row_list *rows,
    bool *brought)
{
	struct data_row *all, *row;
	enum err e;

	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(row_id_of_hex(r->c, rows->v[i].id), id))
			return E_OK;
	e = id ? row_get(r->c, tf, id, &row) : E_NOT_FOUND;
	if (e)
		return e == E_NOT_FOUND ? ctx_forgive(r->c) : e;
	all = mem_array(r->c->mem, struct data_row, rows->n + 1);
	all[0] = *row;
	if (rows->n)
		memcpy(all + 1, rows->v, rows->n * sizeof *all);
	*rows = (struct data_row_list){ all, rows->n + 1 };
	*brought = true;
	return E_OK;
}

static void
links_make(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    const char *next, struct table_page *page)
{
	const struct look_column_list looks = { page->looks.v, page->looks.n };
	const char *name = tf->t->name;
	struct buf b = BUF(r->c->mem);

	page->here_href = grid_href(r, name, q, q->order, q->cursor);
	page->change_at = mem_printf(r->c->mem, "%s%c", page->here_href,
	    strchr(page->here_href, '?') ? '&' : '?');
	page->next = next ? grid_href(r, name, q, q->order, next) : NULL;
	page->first = q->cursor ? grid_href(r, name, q, q->order, NULL) : NULL;
	buf_fmt(&b, "/v1/data/%s/tables/%s/export", r->art->id, name);
	if (!page->refused) {
		param_add(&b, "order", page->order_now);
		param_add(&b, "$where", page->where_now);
		param_add(&b, "$zone", page->dates_zone);
	}
	/* Columns are named if some aren't shown, or the order is another. */
	if (page->columns_now || page->looks_n < (int64_t)looks.n)
		param_add(&b, "$columns", look_names(r->c, &looks));
	buf_fmt(&b, "%cformat=", strchr(b.s, '?') ? '&' : '?');
	page->export_to = buf_done(&b);
	page->bulk_at = table_page_where(r, name, "/bulk", page->where_now);
}

/* Finds the views, and the one that the address names. */
static enum err
views_make(struct req *r, const struct table_page_query *q, struct table_page *page)
{
	struct data_view_list views;
	const struct data_view *view;

	TRY(tableview_list(r->c, r->art, r->who, req_param(r, "table"), &views));
	page->views = (struct list){ views.v, views.n };
	for (size_t i = 0; i < views.n; i++)
		if (str_eq(views.v[i].id, q->view))
			page->shown_view = &views.v[i];
	view = page->shown_view;
	if (q->view && !view)
		page->list_wrong = mem_printf(r->c->mem,
		    "There is no view %s of the table %s, or you don't have access to it", q->view,
		    req_param(r, "table"));
	page->may_drop = view &&
	    (!str_eq(view->scope, "shared") || role_rank(r->art->role) >= ROLE_EDITOR);
	return E_OK;
}

/* ---- what is shown ---- */

/* Returns a view's conditions as the form would write them. */
static const char *
view_where(struct ctx *c, const struct data_table *t, const struct data_view *view)
{
	struct typed_condition_list rows;

	if (!view || !view->where)
		return NULL;
	return conditions_read(c, t, view->where, &rows) ? conditions_json(c, t, &rows, 0)
							 : view->where;
}

/* Returns the parameter of an address for these conditions: NULL if the view has them. */
static const char *
where_param(
    struct ctx *c, const struct data_table *t, const struct data_view *view, const char *where)
{
	const char *base = view_where(c, t, view);

	return str_eq(where, base) ? NULL : where ? where : "none";
}

/* Returns the parameter of an address for a text, of which the view has `base`. */
static const char *
look_param(const char *text, const char *base)
{
	return str_eq(text, base) ? NULL : text ? text : "none";
}

/* Sets the parameters of an address for these columns. */
static void
look_params(struct ctx *c, const struct data_table *t, const struct data_view *view,
    const struct look_column_list *all, struct table_page_query *q)
{
	const struct look base = look_of_view(c, view), now = look_text(c, t, all);
	struct look_column_list own;

	q->widths = look_param(now.widths, base.widths);
	q->totals = look_param(now.totals, base.totals);
	q->columns = now.columns;
	if (str_eq(now.columns, base.columns))
		q->columns = NULL;
	else if (!now.columns) {
		/* The table's own are named where the view has others. */
		look_read(c, t, &(struct look){ 0 }, &own);
		q->columns = look_names(c, &own);
	}
}

/* Finds the columns, which the address has or its view, and those of the table for the grid. */
static void
columns_make(struct req *r, struct table_for *tf, const struct table_page_query *q,
    const struct data_view *view, struct table_page *page)
{
	struct look look = look_of_view(r->c, view), now;
	struct look_column_list all;

	look.columns = q->columns ? q->columns : look.columns;
	look.widths = q->widths ? q->widths : look.widths;
	look.totals = q->totals ? q->totals : look.totals;
	look_read(r->c, tf->t, &look, &all);
	now = look_text(r->c, tf->t, &all);
	page->columns_now = now.columns;
	page->widths_now = now.widths;
	page->totals_now = now.totals;
	page->looks = (struct list){ all.v, all.n };
	for (size_t i = 0; i < all.n; i++)
		page->looks_n += all.v[i].place > 0;
	page->changed |= view && (q->columns || q->widths || q->totals);
	tf->t = look_table(r->c, tf->t, &all);
}

enum { COLUMN_WIDTH = 160, ACTS_WIDTH = 56 };

/* Sets widths, unless a row is being edited, whose fields need their room. */
static void
widths_set(struct table_page *page)
{
	const struct look_column *look = page->looks.v;
	struct grid_head *head = page->heads.v;

	if (!page->widths_now || page->edited || page->adding)
		return;
	for (size_t i = 0; i < page->heads.n; i++) {
		head[i].width = look[i].width;
		if (look[i].place)
			page->grid_width += look[i].width ? look[i].width : COLUMN_WIDTH;
	}
	page->grid_width += page->may_write ? ACTS_WIDTH : 0;
}

/* Computes up to SUMMARY_MEASURES of the figures, from the head of that number on, and returns in
 * *at the next. */
static enum err
totals_add(struct req *r, const struct table_for *tf, struct table_page *page, size_t *at)
{
	const struct look_column *look = page->looks.v;
	struct grid_head *head = page->heads.v, *of[SUMMARY_MEASURES];
	struct buf b = BUF(r->c->mem);
	struct summary_asked asked = {
		.asked = { .where = page->where_now, .zone = page->dates_zone }, .limit = 1
	};
	struct summary out = { 0 };
	const struct json *values;
	struct json *tree;
	bool slow = false;
	size_t n = 0;

	for (; *at < page->heads.n && n < SUMMARY_MEASURES; ++*at) {
		if (!look[*at].place || !look[*at].total)
			continue;
		head[*at].total_of = total_words(look[*at].total);
		buf_fmt(&b, "%s%s.%s", n ? "," : "", look[*at].total, look[*at].name);
		of[n++] = &head[*at];
	}
	if (!n)
		return E_OK;
	asked.measure = buf_done(&b);
	TRY(summary_make(r->c, tf, &asked, &slow, &out));
	if (slow) {
		TRY(share_slow(r));
		TRY(summary_make(r->c, tf, &asked, NULL, &out));
	}
	TRY(json_parse(r->c, out.groups, strlen(out.groups), &tree));
	values = json_get(json_at(tree, 0), "values");
	for (size_t i = 0; i < n; i++)
		of[i]->total = cell_shown(r->c, json_at(values, i));
	page->totals_there = true;
	return E_OK;
}

/* A figure that can't be computed costs the page only the figures. */
static enum err
totals_make(struct req *r, const struct table_for *tf, struct table_page *page)
{
	enum err e = E_OK;

	for (size_t at = 0; !e && page->totals_now && at < page->heads.n;)
		e = totals_add(r, tf, page, &at);
	if (e != E_INVALID)
		return e;
	page->totals_there = false;
	page->totals_wrong = r->c->message;
	ctx_again(r->c);
	return E_OK;
}

static const char *
where_of(const struct table_page_query *q, const struct data_view *view)
{
	return !q->where	     ? view ? view->where : NULL
	    : str_eq(q->where, "none") ? NULL
				     : q->where;
}

/* Finds the conditions and the order, which the address has or its view, and fills the form. */
static void
look_make(struct req *r, const struct data_table *t, const struct table_page_query *q,
    const struct data_view *view, struct table_page *page)
{
	struct table_page_query without = *q;
	struct typed_condition_list rows;
	struct look_order_list orders;

	page->where_now = where_of(q, view);
	page->order_now = q->order ? q->order : view ? view->order : NULL;
	orders_read(r->c, page->order_now, &orders);
	page->sorts = (struct list){ orders.v, ORDERS_MOST };
	page->sorts_n = (int64_t)orders.n;
	page->nested = !conditions_read(r->c, t, page->where_now, &rows);
	if (rows.n)
		page->where_now = conditions_json(r->c, t, &rows, 0);
	for (size_t i = 0; i < rows.n; i++) {
		without.where = where_param(
		    r->c, t, view, conditions_json(r->c, t, &rows, rows.v[i].no));
		rows.v[i].without = grid_href(r, t->name, &without, q->order, NULL);
	}
	without.where = where_param(r->c, t, view, NULL);
	page->plain = grid_href(r, t->name, &without, q->order, NULL);
	page->conditions_n = (int64_t)rows.n;
	page->room = rows.n < CONDITIONS_SHOWN;
	if (page->room && (q->more || !rows.n)) {
		rows.v[rows.n] = (struct typed_condition){ .no = (int64_t)rows.n + 1,
			.first = !rows.n, .column = "", .op = "", .value = "", .to = "" };
		rows.n++;
	}
	page->conditions = (struct list){ rows.v, rows.n };
	page->comparisons = condition_groups(r->c);
	page->changed = view &&
	    (!str_eq(page->where_now, view_where(r->c, t, view)) ||
		!str_eq(page->order_now, view->order));
}

/* Adds the condition of an address of an earlier release to those of the page. */
static const char *
where_with_old(struct ctx *c, const struct table_page_query *q, const struct data_view *view)
{
	const char *where = where_of(q, view), *op = q->op ? q->op : "eq";
	const bool state = str_in(op, "null|notnull");
	struct buf b = BUF(c->mem);

	if (where)
		buf_fmt(&b, "{\"and\":[%s,", where);
	buf_jsons(&b,
	    (const char *[]){ q->column, state ? "is" : op,
		state		? op
		    : q->value ? q->value
			       : "" },
	    3);
	buf_str(&b, where ? "]}" : "");
	return buf_done(&b);
}

/* Returns the order as an address has it: NULL if the view has it. id is the one of a table. */
static const char *
order_param(const struct table_page_query *in, const char *typed, const struct data_view *view)
{
	const char *base = view ? view->order : NULL;

	if (!in->look || in->order)
		return in->order;
	return str_eq(typed, base) ? NULL : typed ? typed : "id";
}

/* Redirects from the address of the form, or of an earlier release, to that of what it says. */
static enum err
look_go(struct req *r, const struct data_table *t, const struct table_page_query *in,
    const struct data_view *view)
{
	struct table_page_query q = *in;
	struct typed_condition_list rows;
	struct look_column_list looks;
	struct buf b = BUF(r->c->mem);

	if (in->look) {
		conditions_typed(r->c, t, r->more, r->more_n, in->drop, &rows);
		look_typed(r->c, t, r->more, r->more_n, &looks);
		look_params(r->c, t, view, &looks, &q);
	} else
		conditions_read(r->c, t, where_with_old(r->c, in, view), &rows);
	/* The form has `where` itself if it can't show the conditions. */
	if (!in->look || !in->where)
		q.where = where_param(r->c, t, view, conditions_json(r->c, t, &rows, 0));
	buf_str(&b, grid_href(r, t->name, &q,
	    order_param(in, orders_typed(r->c, r->more, r->more_n), view), NULL));
	param_add(&b, "edit", in->edit);
	param_add(&b, "more", in->more ? "1" : NULL);
	buf_str(&b, in->more ? "#view" : "");
	return reply_redirect(r, buf_done(&b));
}

static enum err
grid_reply(struct req *r, const struct typed *typed)
{
	const struct table_page_query *q = r->query;
	const struct data_view *view;
	struct table_page page = { 0 };
	const struct data_table *own;
	struct data_row_list rows;
	struct table_for tf;
	const char *next;

	TRY(table_get(r->c, r->art, r->who, req_param(r, "table"), &tf));
	TRY(views_make(r, q, &page));
	view = page.shown_view;
	if (r->method == GET && !typed && (q->look || q->column))
		return look_go(r, tf.t, q, view);
	page.may_write = table_may_write(&tf);
	page.edited = !page.may_write ? NULL : typed ? typed->edit : q->edit;
	page.adding = page.may_write && (typed ? typed->add : q->add);
	page.keyed = page.may_write && !page.edited && !page.adding;
	look_make(r, tf.t, q, view, &page);
	TRY(conditions_zone(
	    r->c, r->who ? r->who->user_id : NULL, page.where_now, &page.dates_zone));
	TRY(rows_for_page(r, &tf, q, &page, &rows, &next));
	page.open |= q->more;
	TRY(row_bring(r, &tf, page.edited ? page.edited : q->row, &rows, &page.brought));
	own = tf.t;
	columns_make(r, &tf, q, view, &page);
	TRY(heads_make(r, &tf, q, &page));
	TRY(rows_make(r, &tf, own, typed, &rows, &page));
	widths_set(&page);
	if (!page.refused)
		TRY(totals_make(r, &tf, &page));
	links_make(r, &tf, q, next, &page);
	page.counted = tf.read.verdict == VERDICT_YES;
	page.total = tf.t->row_count;
	page.blank = cells_make(r->c, tf.t, NULL, NULL, page.adding ? typed : NULL);
	TRY(tablepolicy_said(r->c, r->art, req_param(r, "table"), &page.rules_odd));
	TRY(watches_said(r->c, r->art, r->who, req_param(r, "table"), &page.watches));
	return reply_page(r, 0, &page);
}

/* ---- changes ---- */

/* Returns the typed columns as an object; for an existing row only the changed ones. */
static enum err
typed_values(struct req *r, const struct data_table *t, const struct list *before,
    struct json **out)
{
	const struct data_column *col = t->columns.v;
	const struct grid_cell *old = before ? before->v : NULL;
	struct buf b = BUF(r->c->mem);

	buf_chr(&b, '{');
	for (size_t i = 0; i < t->columns.n; i++) {
		const char *text = typed_value(r->more, r->more_n, col[i].name);

		if (!text)
			continue;
		text = str_lines(r->c->mem, text);
		if (old && str_eq(text, str_lines(r->c->mem, old[i].text)))
			continue;
		buf_fmt(&b, "%s\"%s\":", b.n > 1 ? "," : "", col[i].name);
		cell_typed(r->c, &b, col[i].type, text);
	}
	buf_chr(&b, '}');
	return json_parse(r->c, b.s, b.n, out);
}

/* Redirects to the page of the form, at a row. */
static enum err
back_to_grid(struct req *r, const struct table_for *tf, const char *done, const char *saved,
    const char *at)
{
	const struct table_page_query *in = r->in;
	struct buf b = BUF(r->c->mem);

	buf_str(&b, grid_href(r, req_param(r, "table"), in, in->order, in->cursor));
	param_add(&b, "done", done);
	param_add(&b, "row", saved);
	if (tf->past->begun)
		param_add(&b, "batch", id_text(r->c->mem, "bat_", tf->past->batch));
	if (at) {
		buf_chr(&b, '#');
		buf_url(&b, at);
	}
	return reply_redirect(r, buf_done(&b));
}

static enum err
h_row_add(struct req *r)
{
	struct table_for tf;
	struct json *values, *rows;
	struct strs ids;
	const char *text;

	TRY(table_for_get(r, &tf));
	TRY(typed_values(r, tf.t, NULL, &values));
	text = mem_printf(r->c->mem, "[%s]", json_text(r->c->mem, values));
	TRY(json_parse(r->c, text, strlen(text), &rows));
	TRY(rows_insert(r->c, &tf, rows, &ids));
	return back_to_grid(r, &tf, "saved", ids.v[0], ids.v[0]);
}

static enum err
row_held(struct req *r, struct table_for *tf, struct data_row **row)
{
	const struct table_page_query *in = r->in;

	TRY(table_for_get(r, tf));
	TRY(row_lock(r->c, tf, req_param(r, "row"), row));
	if (in->seen && !str_eq(in->seen, row_digest(r->c, tf->t, *row)))
		return fail(r->c, E_CONFLICT,
		    "Not saved: someone else changed this row in the meantime. "
		    "Open it again to see the current values.");
	return E_OK;
}

static enum err
h_row_save(struct req *r)
{
	struct json *doc, *values;
	struct table_for tf;
	struct data_row *row;
	struct list before;

	TRY(row_held(r, &tf, &row));
	TRY(json_parse(r->c, row->doc, strlen(row->doc), &doc));
	before = cells_make(r->c, tf.t, row, doc, NULL);
	TRY(typed_values(r, tf.t, &before, &values));
	TRY(row_patch(r->c, &tf, values, row));
	return back_to_grid(r, &tf, "saved", req_param(r, "row"), req_param(r, "row"));
}

static enum err
h_row_remove(struct req *r)
{
	const struct table_page_query *in = r->in;
	struct table_for tf;
	struct data_row *row;

	TRY(row_held(r, &tf, &row));
	TRY(row_delete(r->c, &tf, row));
	return back_to_grid(r, &tf, "gone", NULL, in->near ? in->near : "rows");
}

/* ---- the page, also with a refused form ---- */

/* Shows the error beside its field, or above the page. */
static void
typed_blame(struct req *r, struct typed *typed)
{
	/* The message is "rows[0].votes: must be …", but the form has one row. */
	if (str_starts(r->refused.why, "rows[0]")) {
		r->refused.why += strlen("rows[0]");
		r->refused.why += strspn(r->refused.why, ".: ");
	}
	for (size_t i = 0; i < typed->n; i++) {
		const char *name = typed->values[i].name, *why;

		if (!str_starts(name, "c.") || !(why = why_of(r->refused.why, name + 2)))
			continue;
		typed->column = name + 2;
		typed->wrong = form_sentence(r->c->mem, why);
		r->refused.row = NULL;
		return;
	}
}

static enum err
h_table_page(struct req *r)
{
	const struct route *form = r->refused.row;
	struct typed *typed;

	if (!form || form->body.shape != &table_page_query_shape)
		return grid_reply(r, NULL);
	typed = mem_new(r->c->mem, struct typed);
	*typed = (struct typed){ .add = form->handler == h_row_add };
	typed->edit = form->handler == h_row_save ? req_param(r, "row") : NULL;
	typed->n = req_form_pairs(r, typed->values);
	typed_blame(r, typed);
	return grid_reply(r, typed);
}

#define GRID "/a/{art}/data/tables/{table}"
static const struct route grid_page_routes[] = {
  { PAGE(GRID, ART_VIEW, table, h_table_page), .query = &table_page_query_shape,
    .open_query = true, .opened = FIND_TABLE, .title = "{table}", .doc = "Rows of a table" },
  { FORM(GRID "/rows", ART_VIEW, table_page_query, h_row_add), .again = GRID, .limit = LIM_DATA,
    .open_query = true, .doc = "Add a row" },
  { FORM(GRID "/rows/{row}", ART_VIEW, table_page_query, h_row_save), .again = GRID,
    .limit = LIM_DATA, .open_query = true, .doc = "Change a row" },
  { FORM(GRID "/rows/{row}/delete", ART_VIEW, table_page_query, h_row_remove), .again = GRID,
    .limit = LIM_DATA, .open_query = true, .doc = "Delete a row" },
};
ROUTES(grid_page, "Pages: rows",
    "What people see of a table's rows in the browser.");
