/* SPDX-License-Identifier: Apache-2.0
 * Tables in the browser: their list, making one, deleting one. */
#include "data/table_page.h"

#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/celltext.h"
#include "data/tablepolicy.h"

/* ---- the list ---- */

#define TABLES_PAGE(F, T) \
	F(T, LIST, tables,  .sub = &data_table_shape) \
	F(T, STR,  rules_odd, .doc = "Rules of its access_policy that don't fit")
SHAPE(tables_page, TABLES_PAGE);

static enum err
h_tables_page(struct req *r)
{
	struct tables_page page = { .rules_odd = NULL };
	struct data_table_list tables;
	const char *more;

	TRY(table_list(
	    r->c, r->art, r->who, &(struct page_query){ .limit = TABLES_MAX }, &tables, &more));
	for (size_t i = 0; i < tables.n; i++)
		tables.v[i].column_names = table_column_names(r->c->mem, &tables.v[i]);
	page.tables = (struct list){ tables.v, tables.n };
	TRY(tablepolicy_said(r->c, r->art, NULL, &page.rules_odd));
	return reply_page(r, 0, &page);
}

#define TABLE_FORM(F, T) \
	F(T, STR, name,    .flags = F_REQ, .lo = 1, .hi = 64) \
	F(T, STR, columns, .flags = F_REQ, .lo = 1, .hi = 5000)
SHAPE(table_form, TABLE_FORM);

const char *
table_page_path(const struct req *r, const char *table)
{
	return mem_printf(r->c->mem, "/a/%s/data/tables/%s", r->art->id, table);
}

const char *
table_page_where(const struct req *r, const char *table, const char *rest, const char *where)
{
	struct buf b = BUF(r->c->mem);

	buf_fmt(&b, "%s%s", table_page_path(r, table), rest);
	if (where) {
		buf_fmt(&b, "%cwhere=", strchr(rest, '?') ? '&' : '?');
		buf_form(&b, where);
	}
	return buf_done(&b);
}

enum err
table_page_column(
    struct req *r, struct data_table *t, const char *name, struct data_column **out)
{
	struct data_column *col = t->columns.v;

	for (size_t i = 0; i < t->columns.n; i++)
		if (str_eq(col[i].name, name)) {
			*out = &col[i];
			return E_OK;
		}
	return fail(r->c, E_NOT_FOUND, "The table %s has no column %s", t->name, name);
}

static enum err
h_table_form(struct req *r)
{
	const struct table_form *in = r->in;
	struct data_table_new wanted = { 0 };
	bool made;

	TRY(table_name_check(r->c, r->art, in->name));
	TRY(columns_typed(r->c, in->columns, &wanted.columns));
	TRY(columns_refused(
	    r->c, table_put(r->c, r->art, r->who, in->name, &wanted, &made)));
	return reply_redirect(r, table_page_path(r, in->name));
}

/* ---- deleting the table ---- */

static enum err
table_find(struct req *r, struct shown *out)
{
	struct data_table *t;

	TRY(table_show(r->c, r->art, r->who, req_param(r, "table"), &t));
	/* The page may not tell an editor how many there are. */
	return ASKED(r, out, .url = r->art->url,
	    .words = t->has.row_count == NULLED
		? "All its rows are"
		: mem_printf(r->c->mem, "Its %s %s", str_count(r->c->mem, t->row_count, "row"),
		      t->row_count == 1 ? "is" : "are"));
}

#define GRID "/a/{art}/data/tables/{table}"
static const struct route table_page_routes[] = {
  { PAGE("/a/{art}/data/tables", ART_VIEW, tables, h_tables_page), .query = &tab_query_shape,
    .title = "Tables", .doc = "The tables of its data" },
  { FORM_PAGE("/a/{art}/data/tables", ART_EDIT, table_form, tables, h_table_form),
    .again = "/a/{art}/data/tables", .title = "Tables", .doc = "Create a table" },
  { POST, GRID "/delete", DOES("DELETE /v1/data/{art}/tables/{table}"),
    .ask = ASK("Delete the table {table}?",
	"{words} deleted too, and the page can no longer read them. "
	"It can come back for 30 days, from the page Deleted.",
	"Delete table", GRID, .find = table_find, .url = "{url}", .who = ART_EDIT),
    .then = "/a/{art}/data/tables?done=gone", .doc = "Delete a table" },
};
ROUTES(table_page, "Pages: tables",
    "What people see of an artifact's tables in the browser.");
