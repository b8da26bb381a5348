/* SPDX-License-Identifier: Apache-2.0
 * Another type for a column in the browser: what would be lost, then the change. */
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/retype.h"
#include "data/table_page.h"
#include "http/req.h"

/* The query of the page, which shows what would happen, and the body of its form. */
#define RETYPE_FORM(F, T) \
	F(T, STR,  column,     .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS) \
	F(T, WORD, type,       .arg = COLUMN_TYPES) \
	F(T, STR,  to,         .hi = TABLE_NAME_CHARS) \
	F(T, WORD, decimal,    .arg = "point|comma") \
	F(T, WORD, date_order, .arg = "ymd|dmy|mdy") \
	F(T, STR,  zone,       .hi = 64) \
	F(T, BOOL, lose,       .doc = "Values that don't fit become null")
SHAPE(retype_form, RETYPE_FORM);

#define RETYPE_PAGE(F, T) \
	F(T, OBJ,  column, .sub = &data_column_shape) \
	F(T, STRS, types) \
	F(T, STR,  wrong,  .doc = "Why it can't be tried") \
	F(T, OBJ,  report, .sub = &retyped_shape, .doc = "What would happen; NULL: not tried") \
	F(T, BOOL, large,  .doc = "The rows are written later")
SHAPE(retype_page, RETYPE_PAGE);

static struct retype_new *
asked_make(struct ctx *c, const struct retype_form *f)
{
	struct retype_new *out = mem_new(c->mem, struct retype_new);
	struct cell_read *read = mem_new(c->mem, struct cell_read);

	*read = (struct cell_read){ .decimal = f->decimal,
		.date_order = f->date_order,
		.zone = f->zone && *f->zone ? f->zone : NULL };
	*out = (struct retype_new){ .column = f->column, .type = f->type,
		.to = f->to && *f->to && str_eq(f->type, "link") ? f->to : NULL, .read = read,
		.misfits = f->lose ? "null" : "refuse" };
	return out;
}

static enum err
type_try(struct req *r, const struct retype_form *f, struct retype_page *page)
{
	struct retyped *report = mem_zalloc(r->c->mem, sizeof *report);
	enum err e = retype_try(r->c, r->art, r->who, req_param(r, "table"),
	    asked_make(r->c, f), report);

	if (e == E_INVALID) {
		page->wrong = r->c->message;
		return ctx_forgive(r->c);
	}
	TRY(e);
	page->report = report;
	page->large = report->fits + report->empty + report->misfits > ROWS_AT_ONCE;
	return E_OK;
}

static enum err
h_retype_page(struct req *r)
{
	const struct retype_form *f = r->query;
	struct retype_page page = { .types = strs_split(r->c->mem, COLUMN_TYPES, '|') };
	struct data_column *col;
	struct data_table *t;

	TRY(table_show(r->c, r->art, r->who, req_param(r, "table"), &t));
	TRY(table_page_column(r, t, f->column, &col));
	page.column = col;
	if (f->type)
		TRY(type_try(r, f, &page));
	return reply_page(r, 0, &page);
}

static enum err
p_retype_form(struct req *r)
{
	const struct retype_form *f = r->in;
	struct retype_new *in = asked_make(r->c, f);

	if (!f->type)
		return fail(r->c, E_INVALID, "type: choose one");
	TRY(retype_try(
	    r->c, r->art, r->who, req_param(r, "table"), in, mem_new(r->c->mem, struct retyped)));
	r->prepared = in;
	return E_OK;
}

static enum err
h_retype_form(struct req *r)
{
	struct retyped out = { 0 };
	const char *table = req_param(r, "table");

	TRY(retype_do(r->c, r->art, r->who, table, r->prepared, &out));
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s/columns?done=%s", table_page_path(r, table),
		out.operation ? "retyping" : "retyped"));
}

#define RETYPE "/a/{art}/data/tables/{table}/retype"
static const struct route retype_page_routes[] = {
  { PAGE(RETYPE, ART_EDIT, retype, h_retype_page), .slow = true, .query = &retype_form_shape,
    .title = "Another type", .doc = "Another type for a column, and what would be lost" },
  { FORM(RETYPE, ART_EDIT, retype_form, h_retype_form), .slow = true, .prepare = p_retype_form,
    .again = RETYPE, .doc = "Give a column another type" },
};
ROUTES(retype_page, "Pages: another type", "Another type for a column in the browser.");
