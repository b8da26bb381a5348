/* SPDX-License-Identifier: Apache-2.0
 * Tables in the browser: their list, making one, deleting one. */
#include "data/table_page.h"

#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "data/intake.h"
#include "data/tablepolicy.h"
#include "http/req.h"

/* ---- the list ---- */

#define TABLES_PAGE(F, T) \
	F(T, LIST, tables,  .sub = &data_table_shape) \
	F(T, STR,  rules_odd, .doc = "Rules of its access_policy that don't fit") \
	F(T, STR,  csv_name, .doc = "Typed for a CSV that was refused") \
	F(T, INT,  csv_most, .doc = "How large a file may be")
SHAPE(tables_page, TABLES_PAGE);

enum err
table_page_rules(struct req *r, const char *table, const char **out)
{
	struct buf b = BUF(r->c->mem);
	struct strs odd = { 0 };
	const char *policy;

	*out = NULL;
	if (role_rank(r->art->role) < ROLE_EDITOR)
		return E_OK;
	TRY(rowpolicy_text(r->c, r->art, &policy));
	TRY(tablepolicy_warn(r->c, r->art->id, policy, table, &odd));
	for (size_t i = 0; i < odd.n; i++)
		buf_fmt(&b, "%s%s", i ? " " : "", odd.v[i]);
	*out = odd.n ? buf_done(&b) : NULL;
	return E_OK;
}

static enum err
h_tables_page(struct req *r)
{
	struct tables_page page = { .csv_most = INTAKE_FILE_BYTES };
	struct data_table_list tables;
	const char *more;

	TRY(table_list(
	    r->c, r->art, r->who, &(struct page_query){ .limit = TABLES_MAX }, &tables, &more));
	for (size_t i = 0; i < tables.n; i++)
		tables.v[i].column_names = table_column_names(r->c->mem, &tables.v[i]);
	page.tables = (struct list){ tables.v, tables.n };
	TRY(table_page_rules(r, NULL, &page.rules_odd));
	import_page_refused(r, &page.csv_name);
	return reply_page(r, 0, &page);
}

#define TABLE_FORM(F, T) \
	F(T, STR, name,    .flags = F_REQ, .lo = 1, .hi = 64) \
	F(T, STR, columns, .flags = F_REQ, .lo = 1, .hi = 5000)
SHAPE(table_form, TABLE_FORM);

/* "title, votes: integer" */
static enum err
columns_typed(struct ctx *c, const char *text, struct list *out)
{
	struct data_column *col = mem_array(c->mem, struct data_column, strlen(text) + 1);
	char *rest = mem_strdup(c->mem, text), *part;

	*out = (struct list){ col, 0 };
	while ((part = str_split(&rest, ','))) {
		char *type = part, *name = str_split(&type, ':');

		name += strspn(name, " ");
		type = type ? type + strspn(type, " ") : mem_strdup(c->mem, "text");
		name[strcspn(name, " ")] = type[strcspn(type, " ")] = '\0';
		if (!str_in(type, COLUMN_TYPES))
			return fail(c, E_INVALID,
			    "columns: there is no type %s; "
			    "use text, number, integer, boolean, timestamp or json",
			    type);
		if (*name)
			col[out->n++] = (struct data_column){ .name = name, .type = type };
	}
	if (!out->n || out->n > CELL_SLOTS)
		return fail(c, E_INVALID, "columns: a table must have 1 to %d columns", CELL_SLOTS);
	return E_OK;
}

const char *
table_page_path(const struct req *r, const char *table)
{
	return mem_printf(r->c->mem, "/a/%s/data/tables/%s", r->art->id, table);
}

enum err
table_page_name(struct req *r, const char *name)
{
	bool there;

	if (!table_name_valid(name))
		return fail(r->c, E_INVALID,
		    "name: a table's name can contain letters, digits, _ and -, "
		    "and must start with a letter or _");
	TRY(table_is_there(r->c, r->art, name, &there));
	return there ? fail(r->c, E_INVALID, "name: a table named %s already exists", name) : E_OK;
}

/* "columns[1].name: must …" is about the form's field, in which people count from one. */
static enum err
columns_refused(struct ctx *c, enum err e)
{
	static const char before[] = "columns[";
	const char *text = c->message, *after;
	int64_t n;

	if (e != E_INVALID || !str_starts(text, before) || !(after = strstr(text, "].name: ")))
		return e;
	text += sizeof before - 1;
	if (str_int(mem_strndup(c->mem, text, (size_t)(after - text)), &n))
		c->message = mem_printf(c->mem, "columns: column %lld %s", (long long)n + 1,
		    after + sizeof "].name: " - 1);
	return e;
}

static enum err
h_table_form(struct req *r)
{
	const struct table_form *in = r->in;
	struct data_table_new wanted = { 0 };
	bool made;

	TRY(table_page_name(r, in->name));
	TRY(columns_typed(r->c, in->columns, &wanted.columns));
	TRY(columns_refused(
	    r->c, table_put(r->c, r->art, in->name, &wanted, &made)));
	return reply_redirect(r, table_page_path(r, in->name));
}

/* ---- deleting the table ---- */

/* The page may not tell an editor how many there are. */
static const char *
rows_words(struct ctx *c, const struct data_table *t)
{
	return t->has.row_count == NULLED
	    ? "All its rows are"
	    : mem_printf(c->mem, "Its %s %s", str_count(c->mem, t->row_count, "row"),
		  t->row_count == 1 ? "is" : "are");
}

static enum err
table_find(struct req *r, struct shown *out)
{
	struct data_table *t;

	TRY(table_show(r->c, r->art, r->who, req_param(r, "table"), &t));
	return ASKED(r, out, .words = rows_words(r->c, t), .url = r->art->url);
}

#define GRID "/a/{art}/data/tables/{table}"
static const struct route table_page_routes[] = {
  { PAGE("/a/{art}/data/tables", ART_VIEW, tables, h_tables_page), .query = &tab_query_shape,
    .doc = "The tables of its data" },
  { FORM_PAGE("/a/{art}/data/tables", ART_EDIT, table_form, tables, h_table_form),
    .again = "/a/{art}/data/tables", .doc = "Create a table" },
  { POST, GRID "/delete", DOES("DELETE /v1/data/{art}/tables/{table}"),
    .ask = ASK("Delete the table {table}?",
	"{words} deleted too, and the page can no longer read them. "
	"This can't be undone; export the table first if you might need it.",
	"Delete table", GRID, .find = table_find, .url = "{url}", .who = ART_EDIT),
    .then = "/a/{art}/data/tables?done=gone", .doc = "Delete a table" },
};
ROUTES(table_page, "Pages: tables",
    "What people see of an artifact's tables in the browser.");
