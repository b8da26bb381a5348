/* SPDX-License-Identifier: Apache-2.0
 * Tools for pages' data: tables and the JSON document. */
#include "agents/tool.h"
#include "base/id.h"
#include "base/str.h"

enum { ROWS_SHOWN = 50, ROWS_A_CALL = 1000, CHANGES_A_CALL = 50 };

/* ---- query_data ---- */

/* Some clients drop a server if an object of a tool names no member, or an array no items. */
#define ROW_KEY(F, T) F(T, STR, id, .doc = "Or a column")
SHAPE(row_key, ROW_KEY);

#define ROW_VALUES(F, T) F(T, STR, a_column, .doc = "Rather each by its name")
SHAPE(row_values, ROW_VALUES);

#define DOCUMENT_PART(F, T) F(T, STR, a_member, .doc = "Rather each by its name")
SHAPE(document_part, DOCUMENT_PART);

#define QUERY_IN(F, T) \
	F(T, STR,  artifact, .flags = F_REQ, .lo = 1, .hi = 2000) \
	F(T, STR,  table,    .lo = 1, .hi = 64, \
		.doc = "Absent: which tables there are, and the document") \
	F(T, JSON, where,    .arg = "object", .sub = &row_key_shape, .hi = 4000, \
		.doc = \
		"Column: condition, such as {\"votes\": \"gte.10\", \"state\": \"in.open,new\", " \
		"\"name\": \"prefix.An\", \"city\": \"eq.Oslo\"}; also neq lt lte gt is") \
	F(T, STR,  order,    .hi = 65, .doc = "A column; with - before it, descending") \
	F(T, INT,  limit,    .lo = 1, .hi = 200) \
	F(T, STR,  cursor,   .hi = 2048)
SHAPE(query_in, QUERY_IN);

struct conditions {
	struct ctx *c;
	struct pair *next;
};

static int
condition_add(void *arg, const char *column, const struct json *value)
{
	struct conditions *w = arg;

	if (json_kind(value) != J_STR)
		return (int)fail(w->c, E_INVALID, "where: %s must be a text such as \"eq.10\"",
		    str_cut(w->c->mem, column, 64));
	*w->next++ = (struct pair){ column, json_str(value) };
	return 0;
}

/* Lists tables and shows the document, which may be missing, or closed to the caller. */
static enum err
tell_overview(struct call *k, const char *id)
{
	struct buf text = BUF(k->r->c->mem);
	struct shaped all;

	TRY(tool_look(k, &all, "/v1/data/%s/tables", id));
	tool_tell(k, "tables", all);
	if (tool_ask(k,
		ASKS(GET, tool_uri(k, "/v1/data/%s/json", id), QUERY({ "or_null", "1" })), &all))
		return ctx_forgive(k->r->c);
	if (!shaped_has(all, "data"))
		return E_OK;
	shaped_write_field(&text, all, "data");
	if (text.n > TOOL_TEXT_CHARS / 2)
		tool_tell_text(k, "document", "too long to show; pages read it whole");
	else
		tool_tell_text(
		    k, "document", tool_quote(k, "visitors of the page", buf_done(&text)));
	return E_OK;
}

enum err
tool_table_unknown(struct call *k, enum err e, const char *id, const char *name)
{
	enum { NAMED = 20 };
	struct ctx *c = k->r->c;
	struct str_near near = STR_NEAR(name);
	struct buf all = BUF(c->mem);
	struct shaped tables;
	const char *message = c->message;

	if (e != E_NOT_FOUND)
		return e;
	ctx_forgive(c);
	TRY(tool_look(k, &tables, "/v1/data/%s/tables", id));
	for (size_t i = 0; i < tables.n; i++) {
		const char *existing = shaped_text(shaped_at(tables, i), "name");

		if (str_eq(existing, name))
			return fail(c, e, "%s", message);
		str_near_try(&near, existing);
		if (i < NAMED)
			buf_fmt(&all, "%s%s", i ? ", " : "", existing);
	}
	if (!all.n)
		return fail(c, E_NOT_FOUND, "table: the artifact has no tables");
	return near.word ? fail(c, E_NOT_FOUND,
			       "table: there is no %s; did you mean %s? There are: %s", name,
			       near.word, buf_done(&all))
			 : fail(c, E_NOT_FOUND, "table: there is no %s. There are: %s", name,
			       buf_done(&all));
}

static enum err
t_query(struct call *k, const void *arg)
{
	const struct query_in *in = arg;
	const struct json *where = json_get_as(k->args, "where", J_OBJ);
	struct pair *query = mem_array(k->r->c->mem, struct pair, json_len(where) + 3);
	struct conditions w = { k->r->c, query };
	struct tool_list rows;
	const char *id, *uri;
	enum err e;

	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	if (!in->table)
		return tell_overview(k, id);
	uri = tool_uri(
	    k, "/v1/data/%s/tables/%s/rows", id, form_encoded(k->r->c->mem, in->table));
	if (where && json_each(where, condition_add, &w))
		return k->r->c->err;
	*w.next++ = (struct pair){ "order", in->order };
	*w.next = (struct pair){ "cursor", in->cursor };
	e = tool_ask_list(k, in->limit ? in->limit : ROWS_SHOWN, ASKS(GET, uri, .query = query),
	    "rows", &rows);
	TRY(tool_table_unknown(k, e, id, in->table));
	tool_tell_text(k, "rows", tool_quote(k, "whoever can write to the table", rows.text));
	tool_tell_text(k, "next_cursor", rows.cursor);
	return E_OK;
}

/* ---- write_data ---- */

#define COLUMN_IN(F, T) \
	F(T, STR,  name, .flags = F_REQ, .lo = 1, .hi = 64) \
	F(T, WORD, type, .flags = F_REQ, \
		.arg = "text|number|integer|boolean|timestamp|json|date|choice|link") \
	F(T, STRS, choices, .item_lo = 1, .item_hi = 64, .hi = 100, .doc = "Of a choice") \
	F(T, STR,  to, .lo = 1, .hi = 64, .doc = "Of a link: the table")
SHAPE(column_in, COLUMN_IN);

#define WRITE_IN(F, T) \
	F(T, STR,  artifact,      .flags = F_REQ, .lo = 1, .hi = 2000) \
	F(T, STR,  table,         .lo = 1, .hi = 64) \
	F(T, LIST, columns,       .sub = &column_in_shape, .hi = 64, \
		.doc = "All columns of the table: makes it, or adds those that it lacks") \
	F(T, JSON, insert,        .arg = "array", .sub = &row_values_shape, .hi = 512 << 10, \
		.doc = "Rows, as objects") \
	F(T, JSON, change,        .arg = "array", .sub = &row_key_shape, .hi = 512 << 10, \
		.doc = "Rows by their id, with the columns to change") \
	F(T, STRS, remove,        .flags = F_ONE, .hi = CHANGES_A_CALL, .doc = "Ids of rows") \
	F(T, STR,  undo,          .lo = 1, .hi = 40, \
		.doc = "A batch_id of the table's history: undoes it") \
	F(T, JSON, document,      .arg = "object", .sub = &document_part_shape, .hi = 512 << 10, \
		.doc = "Not a table: members to change in the JSON document; null removes one") \
	F(T, STR,  operation_key, .lo = 1, .hi = 200)
SHAPE(write_in, WRITE_IN);

static enum err
document_write(struct call *k, const char *id)
{
	const struct json *document = json_get(k->args, "document");
	const char *uri = tool_uri(k, "/v1/data/%s/json", id);
	enum err e = tool_ask(k, ASKS(PATCH, uri, .body = document), NULL);

	if (e == E_NOT_FOUND) {
		ctx_forgive(k->r->c);
		e = tool_ask(k, ASKS(PUT, uri, .body = document), NULL);
	}
	TRY(e);
	tool_tell_text(k, "document", "saved");
	return E_OK;
}

static enum err
columns_write(struct call *k, const struct write_in *in, const char *path)
{
	const struct column_in *columns = in->columns.v;
	struct json *body = json_new(k->r->c, NULL, NULL), *all = json_new_list(k->r->c);
	struct shaped table;

	for (size_t i = 0; i < in->columns.n; i++) {
		struct json *one = json_new(k->r->c, "name", columns[i].name, "type",
		    columns[i].type, "to", columns[i].to, NULL);

		if (columns[i].choices.n)
			json_set(one, "choices",
			    json_get(json_at(json_get(k->args, "columns"), i), "choices"));
		json_push(all, one);
	}
	json_set(body, "columns", all);
	TRY(tool_ask(k, ASKS(PUT, path, .body = body), &table));
	if (!in->insert) /* its row_count is of before */
		tool_tell(k, "table", table);
	return E_OK;
}

static int
but_id(void *arg, const char *key, const struct json *value)
{
	if (!str_eq(key, "id"))
		json_set(arg, key, value);
	return 0;
}

static const char *
row_uri(struct call *k, const char *table, const char *id)
{
	return tool_uri(k, "%s/rows/%s", table, form_encoded(k->r->c->mem, id));
}

/* Refuses the id of a row that none can have. */
static enum err
row_id_check(struct call *k, const char *argument, size_t i, const char *id)
{
	return id_valid(id, "row_")
	    ? E_OK
	    : fail(k->r->c, E_INVALID,
		  "%s[%zu]: a row's id is row_ with 26 characters behind it, not \"%s\"; "
		  "query_data shows them",
		  argument, i, str_cut(k->r->c->mem, id, 64));
}

/* Fails because of row i; done: what is true of the rows before it. */
static enum err
row_fail(struct call *k, enum err e, const char *argument, size_t i, const char *done)
{
	return i ? fail(k->r->c, e, "%s[%zu]: %s; those before it are %s", argument, i,
		       k->r->c->message, done)
		 : fail(k->r->c, e, "%s[0]: %s; no row is %s", argument, k->r->c->message, done);
}

/* Changes each row by itself. A failure says which rows are changed already. */
static enum err
rows_change(struct call *k, const char *path, const struct json *rows)
{
	size_t n = json_len(rows);

	if (n > CHANGES_A_CALL)
		return fail(k->r->c, E_INVALID, "change: at most %d rows at once", CHANGES_A_CALL);
	for (size_t i = 0; i < n; i++) {
		const struct json *row = json_at(rows, i);
		const char *id = json_kind(row) == J_OBJ ? json_word(row, "id") : NULL;

		if (!id)
			return fail(k->r->c, E_INVALID, "change[%zu]: must have the row's id", i);
		TRY(row_id_check(k, "change", i, id));
	}
	for (size_t i = 0; i < n; i++) {
		const struct json *row = json_at(rows, i);
		struct json *body = json_new(k->r->c, NULL, NULL);
		enum err e;

		json_each(row, but_id, body);
		e = tool_ask(k,
		    ASKS(PATCH, row_uri(k, path, json_word(row, "id")), .body = body), NULL);
		if (e)
			return row_fail(k, e, "change", i, "changed");
	}
	tool_tell_int(k, "changed", (int64_t)n);
	return E_OK;
}

static enum err
rows_remove(struct call *k, const char *path, const struct strs *ids)
{
	size_t missing = 0;

	for (size_t i = 0; i < ids->n; i++)
		TRY(row_id_check(k, "remove", i, ids->v[i]));
	for (size_t i = 0; i < ids->n; i++) {
		enum err e = tool_ask(k, ASKS(DELETE, row_uri(k, path, ids->v[i])), NULL);

		if (e && e != E_NOT_FOUND)
			return row_fail(k, e, "remove", i, "removed");
		missing += e != E_OK;
		ctx_forgive(k->r->c);
	}
	/* A row that doesn't exist is removed; a table that doesn't exist is an error. */
	if (missing == ids->n)
		TRY(tool_ask(k, ASKS(GET, path), NULL));
	tool_tell_int(k, "removed", (int64_t)ids->n);
	if (missing)
		tool_tell_int(k, "of_them_were_gone", (int64_t)missing);
	return E_OK;
}

static enum err
rows_write(struct call *k, const struct write_in *in, const char *path)
{
	struct json *body = json_new(k->r->c, NULL, NULL);
	struct shaped undone;

	if (in->insert) {
		json_set(body, "rows", json_get(k->args, "insert"));
		TRY(tool_ask_all(k,
		    ASKS(POST, tool_uri(k, "%s/rows", path), .body = body,
			.key = in->operation_key)));
	}
	if (in->change)
		TRY(rows_change(k, path, json_get(k->args, "change")));
	if (in->remove.n)
		TRY(rows_remove(k, path, &in->remove));
	if (!in->undo)
		return E_OK;
	TRY(tool_ask(k,
	    ASKS(POST, tool_uri(k, "%s/undo", path),
		.body = json_new(k->r->c, "batch_id", in->undo, NULL)),
	    &undone));
	tool_tell(k, "undo", undone);
	return E_OK;
}

static enum err
t_write(struct call *k, const void *arg)
{
	const struct write_in *in = arg;
	const char *id, *path;

	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	if (!in->table == !in->document)
		return fail(k->r->c, E_INVALID, "table: name either a table or document");
	if (in->document)
		return document_write(k, id);
	path = tool_uri(k, "/v1/data/%s/tables/%s", id, form_encoded(k->r->c->mem, in->table));
	if (in->columns.n)
		TRY(columns_write(k, in, path));
	return tool_table_unknown(k, rows_write(k, in, path), id, in->table);
}

const struct tool tools_data[] = {
	{ "query_data", "Read data",
	    "Reads the rows of an artifact's table by conditions, or tells which tables there are, "
	    "with their columns, and shows the JSON document.",
	    &query_in_shape, DATA_READ, .reads = true, .call = t_query },
	{ "write_data", "Change data",
	    "Makes a table, adds, changes and removes its rows, or changes members of the JSON "
	    "document. Pages read both at /v1/data/self/… of their own host. Files: "
	    "find_actions import.",
	    &write_in_shape, DATA_WRITE, DATA_READ, .destroys = true, .call = t_write },
	{ NULL },
};
