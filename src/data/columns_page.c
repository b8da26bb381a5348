/* SPDX-License-Identifier: Apache-2.0
 * Columns of a table in the browser: the key, and to add, change, and delete one. Each form is one
 * PUT of the API. */
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/celltext.h"
#include "data/table.h"
#include "data/table_page.h"
#include "http/req.h"

#define TYPE_CHOICE(F, T) \
	F(T, STR,  word) \
	F(T, STR,  title) \
	F(T, BOOL, chosen)
SHAPE(type_choice, TYPE_CHOICE);

#define COLUMN_SHOWN(F, T) \
	F(T, STR,  name) \
	F(T, STR,  means, .doc = "Its type in words") \
	F(T, STR,  detail, .doc = "Its choices, or the table of a link") \
	F(T, BOOL, hidden) \
	F(T, BOOL, is_key)
SHAPE(column_shown, COLUMN_SHOWN);

#define COLUMNS_PAGE(F, T) \
	F(T, STR,  table) \
	F(T, STR,  done) \
	F(T, LIST, columns, .sub = &column_shown_shape) \
	F(T, LIST, types,   .sub = &type_choice_shape) \
	F(T, LIST, tables,  .sub = &type_choice_shape) \
	F(T, BOOL, has_key)
SHAPE(columns_page, COLUMNS_PAGE);

#define COLUMN_PAGE(F, T) \
	F(T, STR,  table) \
	F(T, STR,  done) \
	F(T, STR,  column) \
	F(T, STR,  means) \
	F(T, INT,  place) \
	F(T, INT,  places) \
	F(T, BOOL, hidden) \
	F(T, STRS, choices) \
	F(T, BOOL, ruled, .doc = "There is an access_policy")
SHAPE(column_page, COLUMN_PAGE);

#define COLUMN_QUERY(F, T) \
	F(T, STR, column, .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS) \
	F(T, STR, done,   .hi = 40)
SHAPE(column_query, COLUMN_QUERY);

static struct list
types_make(struct ctx *c, const char *chosen)
{
	char *rest = mem_strdup(c->mem, COLUMN_TYPES), *word;
	struct type_choice *v = mem_array(c->mem, struct type_choice, CELL_SLOTS);
	size_t n = 0;

	while ((word = str_split(&rest, '|')))
		v[n++] = (struct type_choice){
			.word = word, .title = cell_type_title(word), .chosen = str_eq(word, chosen)
		};
	return (struct list){ v, n };
}

static enum err
tables_make(struct req *r, const char *chosen, struct list *out)
{
	struct data_table_list all;
	struct type_choice *v;

	TRY(table_all(r->c, r->art->id, &all));
	v = mem_array(r->c->mem, struct type_choice, all.n + 1);
	for (size_t i = 0; i < all.n; i++)
		v[i] = (struct type_choice){
			.word = all.v[i].name, .chosen = str_eq(all.v[i].name, chosen)
		};
	*out = (struct list){ v, all.n };
	return E_OK;
}

static enum err
table_read(struct req *r, struct data_table **out)
{
	return table_show(r->c, r->art, r->who, req_param(r, "table"), out);
}

static enum err
h_columns_page(struct req *r)
{
	struct columns_page page = {
		.table = req_param(r, "table"), .done = artifact_page_done(r)
	};
	const struct data_column *col;
	struct column_shown *v;
	struct data_table *t;

	TRY(table_read(r, &t));
	TRY(tables_make(r, NULL, &page.tables));
	col = t->columns.v;
	v = mem_array(r->c->mem, struct column_shown, t->columns.n + 1);
	for (size_t i = 0; i < t->columns.n; i++)
		v[i] = (struct column_shown){ .name = col[i].name,
			.means = cell_type_title(col[i].type),
			.detail = col[i].to ? col[i].to
			    : col[i].choices.n
			    ? str_some(r->c->mem, col[i].choices.v, col[i].choices.n)
			    : NULL,
			.hidden = col[i].hidden,
			.is_key = str_eq(t->key, col[i].name) };
	page.columns = (struct list){ v, t->columns.n };
	page.types = types_make(r->c, "text");
	page.has_key = t->key != NULL;
	return reply_page(r, 0, &page);
}

static enum err
column_find(struct req *r, const struct data_table *t, const char *name,
    const struct data_column **out)
{
	*out = table_column(t, name);
	return *out ? E_OK
		    : fail(r->c, E_NOT_FOUND, "The table %s has no column %s", t->name, name);
}

static enum err
h_column_page(struct req *r)
{
	const struct column_query *q = r->query;
	struct column_page page = { .table = req_param(r, "table"), .column = q->column };
	const struct data_column *col;
	struct data_table *t;

	TRY(table_read(r, &t));
	TRY(column_find(r, t, q->column, &col));
	page.done = artifact_page_done(r);
	page.means = cell_type_title(col->type);
	page.place = col - (const struct data_column *)t->columns.v + 1;
	page.places = (int64_t)t->columns.n;
	page.hidden = col->hidden;
	page.choices = col->choices;
	page.ruled = r->art->has.access_policy != ABSENT ? r->art->access_policy != NULL : true;
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

/* Reads texts of choices, one a line. */
static struct strs
lines_read(struct ctx *c, const char *text)
{
	char *rest = mem_strdup(c->mem, text ? str_lines(c->mem, text) : NULL), *line;
	struct strs out = { 0 };

	while (rest && (line = str_split(&rest, '\n')))
		if (*line)
			strs_add(c->mem, &out, line);
	return out;
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
	if (table_column(t, in->name))
		return fail(r->c, E_INVALID, "name: the table has a column %s", in->name);
	if (!column_name_valid(in->name))
		return fail(r->c, E_INVALID,
		    "name: must contain only letters, digits and _, "
		    "and must not start with a digit");
	col = put.columns.v;
	col += put.columns.n++;
	*col = (struct data_column){ .name = in->name, .type = in->type };
	if (str_eq(in->type, "choice")) {
		col->choices = lines_read(r->c, in->choices);
		col->has.choices = GIVEN;
	}
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
	const struct data_column *old;
	struct data_table_new put;
	struct data_column *col;
	struct data_table *t;
	size_t at;

	TRY(change_begin(r, &t, &put));
	TRY(column_find(r, t, in->column, &old));
	if (!column_name_valid(in->name))
		return fail(r->c, E_INVALID,
		    "name: must contain only letters, digits and _, "
		    "and must not start with a digit");
	if (!str_eq(in->name, in->column) && table_column(t, in->name))
		return fail(r->c, E_INVALID, "name: the table has a column %s", in->name);
	at = (size_t)(old - (const struct data_column *)t->columns.v);
	col = (struct data_column *)put.columns.v + at;
	col->name = in->name;
	col->hidden = in->hidden;
	col->has.hidden = GIVEN;
	if (str_eq(col->type, "choice")) {
		col->choices = lines_read(r->c, in->choices);
		col->has.choices = GIVEN;
	}
	if (!str_eq(in->name, in->column))
		put.renames = mem_printf(
		    r->c->mem, "{\"%s\":\"%s\"}", in->column, in->name);
	put.policy = in->rewrite ? "rewrite" : NULL;
	column_move(&put, at, in->place);
	return change_end(r, &put);
}

#define COLUMN_DROP(F, T) F(T, STR, column, .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS)
SHAPE(column_drop, COLUMN_DROP);

static enum err
h_column_drop(struct req *r)
{
	const struct column_drop *in = r->in;
	const struct data_column *old;
	struct data_table_new put;
	struct data_table *t;

	TRY(change_begin(r, &t, &put));
	TRY(column_find(r, t, in->column, &old));
	column_move(&put, (size_t)(old - (const struct data_column *)t->columns.v), CELL_SLOTS);
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
    .doc = "Columns of a table, and its key" },
  { FORM(COLUMNS "/add", ART_EDIT, column_new, h_column_add), .again = COLUMNS,
    .doc = "Add a column" },
  { FORM(COLUMNS "/key", ART_EDIT, key_edit, h_key_save), .slow = true, .again = COLUMNS,
    .doc = "Choose the column whose values must differ" },
  { PAGE("/a/{art}/data/tables/{table}/column", ART_EDIT, column, h_column_page),
    .query = &column_query_shape, .doc = "A column of a table" },
  { FORM("/a/{art}/data/tables/{table}/column", ART_EDIT, column_edit, h_column_save),
    .slow = true, .again = "/a/{art}/data/tables/{table}/column",
    .doc = "Rename, move, or hide a column, or change its choices" },
  { FORM("/a/{art}/data/tables/{table}/column/drop", ART_EDIT, column_drop, h_column_drop),
    .again = "/a/{art}/data/tables/{table}/column",
    .doc = "Delete a column with its values" },
};
ROUTES(columns_page, "Pages: columns", "Columns of tables in the browser.");
