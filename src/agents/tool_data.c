/* SPDX-License-Identifier: Apache-2.0
 * Tools for pages' data: tables and the JSON document. */
#include "agents/tool.h"
#include "base/str.h"

enum { ROWS_SHOWN = 50, ROWS_A_CALL = 1000, CHANGES_A_CALL = 50 };

/* Encodes a text for a path or query. */
static const char *
encoded(struct call *k, const char *text)
{
	struct buf b = BUF(k->r->c->mem);

	buf_form(&b, text);
	return buf_done(&b);
}

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
	F(T, STR,  order,    .hi = 65, .doc = "A column; with - before it the other way round") \
	F(T, INT,  limit,    .lo = 1, .hi = 200) \
	F(T, STR,  cursor,   .hi = 2048)
SHAPE(query_in, QUERY_IN);

struct conditions {
	struct call *k;
	struct buf *uri;
	const char *wrong;
};

static int
condition_add(void *arg, const char *column, const struct json *value)
{
	struct conditions *w = arg;

	if (json_kind(value) != J_STR) {
		w->wrong = mem_strdup(w->k->r->c->mem, column);
		return 1;
	}
	buf_form(w->uri, column);
	buf_chr(w->uri, '=');
	buf_form(w->uri, json_str(value));
	buf_chr(w->uri, '&');
	return 0;
}

static enum err
where_add(struct call *k, const char *where, struct buf *uri)
{
	struct conditions w = { k, uri, NULL };
	struct json *tree;

	if (!where)
		return E_OK;
	TRY(json_parse(k->r->c, where, strlen(where), &tree));
	if (json_each(tree, condition_add, &w))
		return fail(k->r->c, E_INVALID, "where: %s must be a text such as \"eq.10\"",
		    str_cut(k->r->c->mem, w.wrong, 64));
	return E_OK;
}

/* Lists tables and shows the document, which may be missing, or closed to the caller. */
static enum err
tell_overview(struct call *k, const char *id)
{
	const struct json *reply;
	struct buf text = BUF(k->r->c->mem);

	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/data/%s/tables", id));
	tool_tell(k, "tables", json_get(reply, "tables"));
	if (tool_ask(k, GET, NULL, NULL, &reply, "/v1/data/%s/json?or_null=1", id))
		return ctx_forgive(k->r->c);
	if (json_kind(json_get(reply, "data")) == J_NULL)
		return E_OK;
	json_lean(&text, json_get(reply, "data"));
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
	const struct json *reply, *tables;
	struct buf all = BUF(c->mem);
	const char *message = c->message;

	if (e != E_NOT_FOUND)
		return e;
	ctx_forgive(c);
	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/data/%s/tables", id));
	tables = json_get(reply, "tables");
	for (size_t i = 0; i < json_len(tables); i++) {
		const char *there = json_word(json_at(tables, i), "name");

		if (str_eq(there, name))
			return fail(c, e, "%s", message);
		str_near_try(&near, there);
		if (i < NAMED)
			buf_fmt(&all, "%s%s", i ? ", " : "", there);
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
	struct buf uri = BUF(k->r->c->mem), rows = BUF(k->r->c->mem);
	const struct json *reply;
	const char *id;
	enum err e;

	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	if (!in->table)
		return tell_overview(k, id);
	buf_fmt(&uri, "/v1/data/%s/tables/%s/rows?", id, encoded(k, in->table));
	TRY(where_add(k, in->where, &uri));
	if (in->order)
		buf_fmt(&uri, "order=%s&", encoded(k, in->order));
	if (in->cursor)
		buf_fmt(&uri, "cursor=%s&", encoded(k, in->cursor));
	e = tool_ask_list(k, in->limit ? in->limit : ROWS_SHOWN, &reply, buf_done(&uri));
	TRY(tool_table_unknown(k, e, id, in->table));
	json_lean(&rows, json_get(reply, "rows"));
	tool_tell_text(k, "rows", tool_quote(k, "whoever can write to the table", buf_done(&rows)));
	tool_tell(k, "next_cursor", json_get(reply, "next_cursor"));
	return E_OK;
}

/* ---- write_data ---- */

#define COLUMN_IN(F, T) \
	F(T, STR,  name, .flags = F_REQ, .lo = 1, .hi = 64) \
	F(T, WORD, type, .flags = F_REQ, .arg = "text|number|integer|boolean|timestamp|json")
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
	F(T, JSON, document,      .arg = "object", .sub = &document_part_shape, .hi = 512 << 10, \
		.doc = "Not a table: members to change in the JSON document; null removes one") \
	F(T, STR,  operation_key, .lo = 1, .hi = 200)
SHAPE(write_in, WRITE_IN);

static enum err
document_write(struct call *k, const struct write_in *in, const char *id)
{
	const struct json *reply;
	enum err e = tool_ask(k, PATCH, in->document, NULL, &reply, "/v1/data/%s/json", id);

	if (e == E_NOT_FOUND) {
		ctx_forgive(k->r->c);
		e = tool_ask(k, PUT, in->document, NULL, &reply, "/v1/data/%s/json", id);
	}
	TRY(e);
	tool_tell_text(k, "document", "saved");
	return E_OK;
}

static enum err
columns_write(struct call *k, const struct write_in *in, const char *path)
{
	const struct column_in *columns = in->columns.v;
	struct buf b = BUF(k->r->c->mem);
	const struct json *reply;

	buf_str(&b, "{\"columns\":[");
	for (size_t i = 0; i < in->columns.n; i++) {
		buf_str(&b, i ? ",{\"name\":" : "{\"name\":");
		buf_json(&b, columns[i].name);
		buf_fmt(&b, ",\"type\":\"%s\"}", columns[i].type);
	}
	buf_str(&b, "]}");
	TRY(tool_ask(k, PUT, buf_done(&b), NULL, &reply, "%s", path));
	if (!in->insert) /* its row_count is of before */
		tool_tell(k, "table", json_get(reply, "table"));
	return E_OK;
}

static int
but_id(void *arg, const char *key, const struct json *value)
{
	struct buf *b = arg;

	if (str_eq(key, "id"))
		return 0;
	buf_str(b, b->n > 1 ? "," : "");
	buf_json(b, key);
	buf_chr(b, ':');
	json_into(b, value);
	return 0;
}

/* Changes each row by itself. A failure says which rows are changed already. */
static enum err
rows_change(struct call *k, const char *path, const struct json *rows)
{
	size_t n = json_len(rows);
	const struct json *reply;

	if (n > CHANGES_A_CALL)
		return fail(k->r->c, E_INVALID, "change: at most %d rows at once", CHANGES_A_CALL);
	for (size_t i = 0; i < n; i++) {
		const struct json *row = json_at(rows, i);
		const char *id = json_kind(row) == J_OBJ ? json_word(row, "id") : NULL;
		struct buf b = BUF(k->r->c->mem);
		enum err e;

		if (!id)
			return fail(k->r->c, E_INVALID, "change[%zu]: must have the row's id", i);
		buf_chr(&b, '{');
		json_each(row, but_id, &b);
		buf_chr(&b, '}');
		e = tool_ask(
		    k, PATCH, buf_done(&b), NULL, &reply, "%s/rows/%s", path, encoded(k, id));
		if (e)
			return fail(k->r->c, e, "change[%zu]: %s; those before it are changed", i,
			    k->r->c->message);
	}
	tool_tell_int(k, "changed", (int64_t)n);
	return E_OK;
}

static enum err
rows_remove(struct call *k, const char *path, const struct strs *ids)
{
	const struct json *reply;
	bool there = false;

	for (size_t i = 0; i < ids->n; i++) {
		enum err e = tool_ask(
		    k, DELETE, NULL, NULL, &reply, "%s/rows/%s", path, encoded(k, ids->v[i]));

		if (e && e != E_NOT_FOUND)
			return fail(k->r->c, e, "remove[%zu]: %s; those before it are gone", i,
			    k->r->c->message);
		there |= !e;
		ctx_forgive(k->r->c);
	}
	/* A row that doesn't exist is removed; a table that doesn't exist is an error. */
	if (!there)
		TRY(tool_ask(k, GET, NULL, NULL, &reply, "%s", path));
	tool_tell_int(k, "removed", (int64_t)ids->n);
	return E_OK;
}

static enum err
rows_write(struct call *k, const struct write_in *in, const char *path)
{
	const struct json *reply;
	struct json *rows;

	if (in->insert) {
		TRY(tool_ask(k, POST, mem_printf(k->r->c->mem, "{\"rows\":%s}", in->insert),
		    in->operation_key, &reply, "%s/rows", path));
		tool_tell_all(k, reply);
	}
	if (in->change) {
		TRY(json_parse(k->r->c, in->change, strlen(in->change), &rows));
		TRY(rows_change(k, path, rows));
	}
	return in->remove.n ? rows_remove(k, path, &in->remove) : E_OK;
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
		return document_write(k, in, id);
	path = mem_printf(k->r->c->mem, "/v1/data/%s/tables/%s", id, encoded(k, in->table));
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
	    "document. Pages read both at /v1/data/self/… of their own host.",
	    &write_in_shape, DATA_WRITE, DATA_READ, .destroys = true, .call = t_write },
	{ NULL },
};
