/* SPDX-License-Identifier: Apache-2.0
 * Changes or deletes all rows that match, in the browser: the page counts them, its form acts. */
#include "base/json.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/celltext.h"
#include "data/condition.h"
#include "data/row_api.h"
#include "data/rowchange.h"
#include "data/table_page.h"
#include "http/form.h"
#include "http/quota.h"

/* The query of the page, which counts rows, and the body of its form. */
#define BULK_FORM(F, T) \
	F(T, STR,  where,  .hi = WHERE_CHARS) \
	F(T, STR,  column, .hi = TABLE_NAME_CHARS) \
	F(T, STR,  value,  .hi = 16384, .doc = "As it is typed; empty: no value") \
	F(T, BOOL, gone,   .doc = "Delete the rows")
SHAPE(bulk_form, BULK_FORM);

#define TABLE_BULK_PAGE(F, T) \
	F(T, STR,  grid,    .doc = "The address of the rows") \
	F(T, STR,  other,   .doc = "That of this page, to delete or to change instead") \
	F(T, LIST, columns, .sub = &data_column_shape) \
	F(T, LIST, conditions, .sub = &typed_condition_shape) \
	F(T, STR,  dates_zone, .doc = "If a condition depends on the day") \
	F(T, BOOL, nested,  .doc = "There are conditions that words don't say") \
	F(T, BOOL, tried) \
	F(T, INT,  rows,    .doc = "That would change") \
	F(T, BOOL, large,   .doc = "They are written later") \
	F(T, STR,  wrong,   .doc = "Why the value is refused") \
	F(T, STR,  denied,  .doc = "Why nothing can be changed")
SHAPE(table_bulk_page, TABLE_BULK_PAGE);

/* Returns {"column": value}; NULL if the rows are to be deleted. */
static enum err
values_make(struct req *r, const struct table_for *tf, const struct bulk_form *f, struct json **out)
{
	const struct data_column *col = f->column ? table_column(tf->t, f->column) : NULL;
	struct buf b = BUF(r->c->mem);

	*out = NULL;
	if (f->gone)
		return E_OK;
	if (!col)
		return fail(r->c, E_INVALID, "column: the table has no column %s",
		    f->column ? f->column : "of that name");
	buf_fmt(&b, "{\"%s\":", col->name);
	cell_typed(r->c, &b, col->type, f->value ? f->value : "");
	buf_chr(&b, '}');
	return json_parse(r->c, b.s, b.n, out);
}

static enum err
reader_zone(struct req *r, const char *where, const char **zone)
{
	return conditions_zone(r->c, r->who ? r->who->user_id : NULL, where, zone);
}

/* Counts the rows that would change. A refusal is said on the page. */
static enum err
rows_try(struct req *r, const struct table_for *tf, const struct bulk_form *f,
    struct table_bulk_page *page)
{
	struct row_find what = { .asked = { .where = f->where, .zone = page->dates_zone } };
	struct json *values;
	int64_t denied = 0;
	enum err e = values_make(r, tf, f, &values);

	if (!e)
		e = rows_change_count(r->c, tf, &what, values, &page->rows, &denied);
	if (e == E_INVALID || e == E_DENIED) {
		const char *why = f->column ? why_of(r->c->message, f->column) : NULL;

		page->wrong = why ? form_sentence(r->c->mem, why) : NULL;
		page->denied = why ? NULL : form_sentence(r->c->mem, r->c->message);
		return ctx_forgive(r->c);
	}
	TRY(e);
	if (denied)
		page->denied = mem_printf(r->c->mem,
		    "You can see %s of them but not change %s, so none would be changed.",
		    str_count(r->c->mem, denied, "row"), denied == 1 ? "it" : "them");
	page->tried = true;
	page->large = page->rows > ROWS_AT_ONCE;
	return E_OK;
}

static enum err
h_bulk_page(struct req *r)
{
	const struct bulk_form *f = r->query;
	const char *table = req_param(r, "table");
	struct table_bulk_page page = { 0 };
	struct typed_condition_list rows;
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(reader_zone(r, f->where, &page.dates_zone));
	page.columns = tf.t->columns;
	page.nested = !conditions_read(r->c, tf.t, f->where, &rows);
	page.conditions = (struct list){ rows.v, rows.n };
	page.grid = table_page_where(r, table, "", f->where);
	page.other =
	    table_page_where(r, table, f->gone ? "/bulk" : "/bulk?gone=1", f->where);
	if (f->column || f->gone)
		TRY(rows_try(r, &tf, f, &page));
	return reply_page(r, 0, &page);
}

static enum err
h_bulk_form(struct req *r)
{
	const struct bulk_form *f = r->in;
	struct row_find what = { .asked = { .where = f->where } };
	struct operation *later;
	struct table_for tf;
	struct json *values;
	const char *more;
	int64_t n;

	TRY(table_for_get(r, &tf));
	TRY(reader_zone(r, f->where, &what.asked.zone));
	TRY(values_make(r, &tf, f, &values));
	TRY(rows_change_all(r->c, &tf, &what, values, &later));
	if (!later)
		TRY(rows_change(r->c, &tf, &what, values, &n, &more));
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s/history?done=%s", table_page_path(r, req_param(r, "table")),
		later ? "changing_rows" : "changed_rows"));
}

#define GRID "/a/{art}/data/tables/{table}"
static const struct route bulk_page_routes[] = {
  { PAGE(GRID "/bulk", ART_VIEW, table_bulk, h_bulk_page), .slow = true,
    .query = &bulk_form_shape, .title = "Many rows of {table}",
    .doc = "Many rows of a table, and what a change would do" },
  { FORM(GRID "/bulk", ART_VIEW, bulk_form, h_bulk_form), .again = GRID "/bulk",
    .limit = LIM_DATA, .slow = true, .doc = "Change or delete all rows that match" },
};
ROUTES(bulk_page, "Pages: many rows",
    "One value for all rows that match, in the browser.");
