/* SPDX-License-Identifier: Apache-2.0
 * Columns of a table in the browser: the key, and to add, change, and delete one. Each form is one
 * PUT of the API. */
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/table.h"
#include "data/table_page.h"
#include "http/req.h"

#define COLUMNS_PAGE(F, T) F(T, STRS, types)
SHAPE(columns_page, COLUMNS_PAGE);

#define COLUMN_PAGE(F, T) \
	F(T, OBJ,  table,  .sub = &data_table_shape) \
	F(T, OBJ,  column, .sub = &data_column_shape) \
	F(T, INT,  place) \
	F(T, BOOL, ruled,  .doc = "There is an access_policy")
SHAPE(column_page, COLUMN_PAGE);

/* The query of a column's page, and the body of the form that deletes the column. */
#define COLUMN_QUERY(F, T) \
	F(T, STR, column, .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS) \
	F(T, STR, done,   .hi = 40)
SHAPE(column_query, COLUMN_QUERY);

/* Finds the tables that a link can lead to. */
static enum err
tables_find(struct req *r, struct shown *out)
{
	struct data_table_list all;

	TRY(table_all(r->c, r->art->id, &all));
	out->rows = (struct list){ all.v, all.n };
	return E_OK;
}

static enum err
h_columns_page(struct req *r)
{
	return reply_page(
	    r, 0, &(struct columns_page){ strs_split(r->c->mem, COLUMN_TYPES, '|'), { 0 } });
}

static enum err
table_read(struct req *r, struct data_table **out)
{
	return table_show(r->c, r->art, r->who, req_param(r, "table"), out);
}

static enum err
h_column_page(struct req *r)
{
	const struct column_query *q = r->query;
	struct column_page page = { .ruled = r->art->has.access_policy == ABSENT ||
		    r->art->access_policy };
	struct data_column *col;
	struct data_table *t;

	TRY(table_read(r, &t));
	TRY(table_page_column(r, t, q->column, &col));
	page.table = t;
	page.column = col;
	page.place = col - (struct data_column *)t->columns.v + 1;
	return reply_page(r, 0, &page);
}

/* ---- changes ---- */

/* Returns a PUT that would change nothing, with room for another column. */
static enum err
change_begin(struct req *r, struct data_table **t, struct data_table_new *out)
{
	struct data_column *col;

	TRY(table_read(r, t));
	col = mem_array(r->c->mem, struct data_column, (*t)->columns.n + 1);
	memcpy(col, (*t)->columns.v, (*t)->columns.n * sizeof *col);
	*out = (struct data_table_new){ .columns = { col, (*t)->columns.n } };
	return E_OK;
}

/* Saves it, and continues at the list of columns. */
static enum err
change_end(struct req *r, const struct data_table_new *in)
{
	bool made;

	TRY(table_put(r->c, r->art, r->who, req_param(r, "table"), in, &made));
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s/columns?done=saved",
		table_page_path(r, req_param(r, "table"))));
}

/* Refuses a name that a column can't have, or that another one has. */
static enum err
name_check(struct req *r, const struct data_table *t, const char *name)
{
	if (!column_name_valid(name))
		return fail(r->c, E_INVALID,
		    "name: must contain only letters, digits and _, "
		    "and must not start with a digit");
	return table_column(t, name)
	    ? fail(r->c, E_INVALID, "name: the table has a column %s", name)
	    : E_OK;
}

static void
choices_set(struct ctx *c, struct data_column *col, const char *lines)
{
	if (!str_eq(col->type, "choice"))
		return;
	col->choices = strs_split(c->mem, lines ? str_lines(c->mem, lines) : NULL, '\n');
	col->has.choices = GIVEN;
}

#define COLUMN_NEW(F, T) \
	F(T, STR,  name,    .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS) \
	F(T, WORD, type,    .flags = F_REQ, .arg = COLUMN_TYPES) \
	F(T, STR,  choices, .flags = F_LONG, .hi = 7000) \
	F(T, STR,  to,      .hi = TABLE_NAME_CHARS)
SHAPE(column_new, COLUMN_NEW);

static enum err
h_column_add(struct req *r)
{
	const struct column_new *in = r->in;
	struct data_table_new put;
	struct data_column *col;
	struct data_table *t;

	TRY(change_begin(r, &t, &put));
	if (t->columns.n == CELL_SLOTS)
		return fail(r->c, E_CONFLICT, "a table can have %d columns", CELL_SLOTS);
	TRY(name_check(r, t, in->name));
	col = put.columns.v;
	col += put.columns.n++;
	*col = (struct data_column){ .name = in->name, .type = in->type };
	choices_set(r->c, col, in->choices);
	if (str_eq(in->type, "link"))
		col->to = in->to;
	return change_end(r, &put);
}

#define COLUMN_EDIT(F, T) \
	F(T, STR,  column,  .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS) \
	F(T, STR,  name,    .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS) \
	F(T, INT,  place,   .lo = 1, .hi = CELL_SLOTS) \
	F(T, STR,  choices, .flags = F_LONG, .hi = 7000) \
	F(T, BOOL, hidden) \
	F(T, BOOL, rewrite)
SHAPE(column_edit, COLUMN_EDIT);

/* Moves a column to a place, counted from 1. */
static void
column_move(struct data_table_new *put, size_t from, int64_t place)
{
	struct data_column *col = put->columns.v, moved = col[from];
	size_t to = place < 1 ? from : (size_t)place - 1;

	to = to < put->columns.n ? to : put->columns.n - 1;
	if (to < from)
		memmove(col + to + 1, col + to, (from - to) * sizeof *col);
	else
		memmove(col + from, col + from + 1, (to - from) * sizeof *col);
	col[to] = moved;
}

static enum err
h_column_save(struct req *r)
{
	const struct column_edit *in = r->in;
	struct data_table_new put;
	struct data_column *old, *col;
	struct data_table *t;
	size_t at;

	TRY(change_begin(r, &t, &put));
	TRY(table_page_column(r, t, in->column, &old));
	if (!str_eq(in->name, in->column))
		TRY(name_check(r, t, in->name));
	at = (size_t)(old - (struct data_column *)t->columns.v);
	col = (struct data_column *)put.columns.v + at;
	col->name = in->name;
	col->hidden = in->hidden;
	col->has.hidden = GIVEN;
	choices_set(r->c, col, in->choices);
	if (!str_eq(in->name, in->column))
		put.renames = mem_printf(
		    r->c->mem, "{\"%s\":\"%s\"}", in->column, in->name);
	put.policy = in->rewrite ? "rewrite" : NULL;
	column_move(&put, at, in->place);
	return change_end(r, &put);
}

static enum err
h_column_drop(struct req *r)
{
	const struct column_query *in = r->in;
	struct data_table_new put;
	struct data_column *old;
	struct data_table *t;

	TRY(change_begin(r, &t, &put));
	TRY(table_page_column(r, t, in->column, &old));
	column_move(&put, (size_t)(old - (struct data_column *)t->columns.v), CELL_SLOTS);
	put.columns.n--;
	strs_add(r->c->mem, &put.drop, in->column);
	return put.columns.n
	    ? change_end(r, &put)
	    : fail(r->c, E_CONFLICT, "a table must have a column; delete the table instead");
}

#define KEY_EDIT(F, T) F(T, STR, key, .flags = F_NUL, .hi = TABLE_NAME_CHARS)
SHAPE(key_edit, KEY_EDIT);

static enum err
h_key_save(struct req *r)
{
	const struct key_edit *in = r->in;
	struct data_table_new put;
	struct data_table *t;

	TRY(change_begin(r, &t, &put));
	put.key = in->key && *in->key ? in->key : NULL;
	put.has.key = put.key ? GIVEN : NULLED;
	return change_end(r, &put);
}

#define COLUMNS "/a/{art}/data/tables/{table}/columns"
static const struct route columns_page_routes[] = {
  { PAGE(COLUMNS, ART_EDIT, columns, h_columns_page), .query = &tab_query_shape,
    .shows = SHOWS({ "table", "GET /v1/data/{art}/tables/{table}" },
	{ "tables", .find = tables_find, .rows_of = &data_table_shape }),
    .title = "Columns of {table}", .doc = "Columns of a table, and its key" },
  { FORM(COLUMNS "/add", ART_EDIT, column_new, h_column_add), .again = COLUMNS,
    .doc = "Add a column" },
  { FORM(COLUMNS "/key", ART_EDIT, key_edit, h_key_save), .slow = true, .again = COLUMNS,
    .doc = "Choose the column whose values must differ" },
  { PAGE("/a/{art}/data/tables/{table}/column", ART_EDIT, column, h_column_page),
    .query = &column_query_shape, .title = "Column of {table}", .doc = "A column of a table" },
  { FORM("/a/{art}/data/tables/{table}/column", ART_EDIT, column_edit, h_column_save),
    .slow = true, .again = "/a/{art}/data/tables/{table}/column",
    .doc = "Rename, move, or hide a column, or change its choices" },
  { FORM("/a/{art}/data/tables/{table}/column/drop", ART_EDIT, column_query, h_column_drop),
    .again = "/a/{art}/data/tables/{table}/column",
    .doc = "Delete a column with its values" },
};
ROUTES(columns_page, "Pages: columns", "Columns of tables in the browser.");
