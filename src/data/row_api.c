/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/tables/{table}/rows. Source: data/README.md. */
#include "data/row_api.h"

#include "base/str.h"
#include "core/artifact.h"
#include "data/rowchange.h"
#include "data/rowlink.h"
#include "data/tableview.h"
#include "http/quota.h"
#include "http/share.h"

#define ROWS_PATH "/v1/data/{art}/tables/{table}/rows"

#define ROW_QUERY(F, T) \
	F(T, STR, order,  .hi = ORDER_CHARS, \
		.doc = "Up to three columns, or id; a leading - reverses the order. " \
		       "By default by id, oldest first. Several columns order at most 200,000 " \
		       "rows, unless few match the conditions") \
	ROW_WHERE(F, T) \
	ROW_VIEW(F, T) \
	F(T, STR, expand, .hi = 2048, \
		.doc = "Columns of links, separated by commas: each row also has COLUMN$, " \
		       "the first text column of the linked row, null if you can't read it. " \
		       "In a table with a column expand, write $expand") \
	PAGE_FIELDS(F, T, CURSOR_MOST)
SHAPE(row_query, ROW_QUERY);

#define ROW_CHANGE_QUERY(F, T) \
	F(T, STR, all, .hi = 2048, \
		.doc = "1: every row; otherwise a condition is required", .eg = "\"1\"") \
	F(T, STR, all_matching, .hi = 2048, \
		.doc = "1: all rows that match, not only 1,000. If there are more, an operation " \
		       "does it, and the reply has status 202", .eg = "\"1\"") \
	ROW_WHERE(F, T)
SHAPE(row_change_query, ROW_CHANGE_QUERY);

#define ROWS_NEW(F, T) \
	F(T, JSON, rows, .flags = F_REQ, .arg = "array", \
		.doc = "1 to 1,000 objects with a member for each column to set", \
		.eg = "[{\"title\":\"Hello\"}]")
SHAPE(rows_new, ROWS_NEW);

#define ROWS_MADE(F, T) \
	F(T, STRS, ids, .item = K_ID, .arg = "row_", \
		.doc = "IDs of the new rows, in the order they were sent")
SHAPE(rows_made, ROWS_MADE);

#define ROWS_PAGE(F, T) \
	F(T, JSON, rows,        .arg = "array", \
		.doc = "Objects with id and a member for each column") \
	F(T, STR,  next_cursor, .flags = F_NUL, \
		.doc = "null at the end. Where few of many rows match, a page can have fewer " \
		       "rows than limit, even none, and more can follow")
SHAPE(rows_page, ROWS_PAGE);

#define ONE_ROW(F, T) \
	F(T, JSON, row, .flags = F_NUL, .arg = "object", \
		.doc = "id, and a member for each column; null only with or_null")
SHAPE(one_row, ONE_ROW);

#define ONE_ROW_QUERY(F, T) \
	F(T, BOOL, or_null, \
		.doc = "1: if there is no such row, get null with status 200 instead of a 404")
SHAPE(one_row_query, ONE_ROW_QUERY);

#define ROWS_MORE(F, T) \
	F(T, BOOL, more,      .doc = "More rows may match: send the request again") \
	F(T, ID,   batch_id,  .flags = F_NUL, .arg = "bat_", .doc = "For undo") \
	F(T, OBJ,  operation, .flags = F_OPT, .sub = &operation_shape, \
		.doc = "Only with status 202: it changes the rows in pieces")
#define ROWS_GONE(F, T) \
	F(T, INT,  deleted) \
	ROWS_MORE(F, T)
SHAPE(rows_gone, ROWS_GONE);

#define ROWS_CHANGED(F, T) \
	F(T, INT,  changed, .doc = "Rows that had other values") \
	ROWS_MORE(F, T)
SHAPE(rows_changed, ROWS_CHANGED);

enum err
table_for_get(struct req *r, struct table_for *out)
{
	return table_get(r->c, r->art, r->who, req_param(r, "table"), out);
}

/* ---- parameters ---- */

static bool
param_set(const struct yielding *v, size_t n, const struct pair *p)
{
	for (size_t i = 0; *p->name == '$' && i < n; i++)
		if (str_eq(v[i].name, p->name + 1)) {
			*v[i].value = *p->value ? p->value : NULL;
			return true;
		}
	return false;
}

enum err
rows_asked(struct req *r, const struct table_for *tf, const struct yielding *v, size_t n,
    struct where_asked *out)
{
	struct pair *pairs = mem_array(r->c->mem, struct pair, r->more_n + n);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (*v[i].value && table_column(tf->t, v[i].name)) {
			pairs[kept++] = (struct pair){ v[i].name, *v[i].value };
			*v[i].value = NULL;
		}
	for (size_t i = 0; i < r->more_n; i++) {
		if (param_set(v, n, &r->more[i]))
			continue;
		if (*r->more[i].name == '$')
			return fail(r->c, E_INVALID, "%s: there is no such parameter",
			    r->more[i].name);
		pairs[kept++] = r->more[i];
	}
	*out = (struct where_asked){ .filters = pairs, .n = kept };
	return E_OK;
}

/* ---- lists ---- */

enum err
rows_list(struct req *r, const struct table_for *tf, const struct row_find *what,
    struct data_row_list *out, const char **next)
{
	struct row_find quick = *what;
	bool whole = false;

	if (r->method == GET)
		quick.whole = &whole;
	TRY(rows_find(r->c, tf, &quick, out, next));
	if (!whole)
		return E_OK;
	TRY(share_slow(r));
	return rows_find(r->c, tf, what, out, next);
}

static enum err
h_rows(struct req *r)
{
	struct row_query q = *(const struct row_query *)r->query;
	const struct yielding params[] = { { "where", &q.where }, { "zone", &q.zone },
		{ "expand", &q.expand }, { "view", &q.view } };
	struct row_find what = { .order = q.order, .cursor = q.cursor, .limit = q.limit };
	struct rows_page page = { 0 };
	struct buf b = BUF(r->c->mem);
	struct data_row_list rows;
	struct expanded expanded;
	struct strs columns = { 0 };
	struct table_for tf;
	char *expand, *part;

	TRY(table_for_get(r, &tf));
	TRY(rows_asked(r, &tf, params, 4, &what.asked));
	what.asked.where = q.where;
	what.asked.zone = q.zone;
	TRY(tableview_use(r->c, &tf, r->who, q.view, &what.asked, &what.order, NULL));
	expand = mem_strdup(r->c->mem, q.expand);
	while (expand && (part = str_split(&expand, ',')) && columns.n < CELL_SLOTS)
		strs_add(r->c->mem, &columns, part);
	TRY(rows_list(r, &tf, &what, &rows, &page.next_cursor));
	TRY(expand_begin(r->c, &tf, &columns, &rows, &expanded));
	for (size_t i = 0; i < rows.n; i++) {
		buf_chr(&b, i ? ',' : '[');
		buf_str(&b, expand_row(&expanded, &rows.v[i], i));
	}
	buf_str(&b, rows.n ? "]" : "[]");
	page.rows = buf_done(&b);
	if (page.next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, page.next_cursor, "cursor"));
	return reply_flat(r, &page);
}

/* ---- changes ---- */

static enum err
h_rows_insert(struct req *r)
{
	struct table_for tf;
	struct rows_made out = { 0 };

	TRY(table_for_get(r, &tf));
	TRY(rows_insert(r->c, &tf, json_get(r->json, "rows"), &out.ids));
	if (out.ids.n == 1)
		reply_header(r, "Location", "/v1/data/%s/tables/%s/rows/%s", r->art->id,
		    tf.t->name, out.ids.v[0]);
	return reply_flat(r, &out);
}

/* *all: all that match. */
static enum err
change_conditions(struct req *r, const struct table_for *tf, struct row_find *out, bool *all)
{
	struct row_change_query q = *(const struct row_change_query *)r->query;
	const struct yielding params[] = { { "where", &q.where }, { "zone", &q.zone },
		{ "all", &q.all }, { "all_matching", &q.all_matching } };

	*out = (struct row_find){ 0 };
	TRY(rows_asked(r, tf, params, 4, &out->asked));
	out->asked.where = q.where;
	out->asked.zone = q.zone;
	*all = q.all_matching && str_in(q.all_matching, "1|true");
	if (q.all && !str_in(q.all, "1|true|0|false"))
		return fail(r->c, E_INVALID, "all: must be 1, or absent");
	return out->asked.n || q.where || (q.all && str_in(q.all, "1|true"))
	    ? E_OK
	    : fail(r->c, E_INVALID,
		  "the query has no condition such as status=eq.done; "
		  "to %s every row, add all=1",
		  r->method == DELETE ? "delete" : "change");
}

/* Changes rows, or (values NULL) deletes them. */
static enum err
many_change(struct req *r, const struct json *values, int64_t *n, bool *more,
    const char **batch_id, struct operation **operation)
{
	struct table_for tf;
	struct row_find what;
	const char *next = NULL;
	bool all;

	TRY(table_for_get(r, &tf));
	TRY(change_conditions(r, &tf, &what, &all));
	if (all)
		TRY(rows_change_all(r->c, &tf, &what, values, operation));
	if (!*operation)
		TRY(rows_change(r->c, &tf, &what, values, n, &next));
	*more = next || *operation;
	*batch_id = tf.past->begun ? id_text(r->c->mem, "bat_", tf.past->batch) : NULL;
	return E_OK;
}

static enum err
h_rows_delete(struct req *r)
{
	struct rows_gone out = { 0 };
	struct operation *op = NULL;

	TRY(many_change(r, NULL, &out.deleted, &out.more, &out.batch_id, &op));
	out.operation = op;
	TRY(reply_flat(r, &out));
	if (op)
		reply_status(r, 202);
	return E_OK;
}

static enum err
h_rows_patch(struct req *r)
{
	struct rows_changed out = { 0 };
	struct operation *op = NULL;

	TRY(many_change(r, r->json, &out.changed, &out.more, &out.batch_id, &op));
	out.operation = op;
	TRY(reply_flat(r, &out));
	if (op)
		reply_status(r, 202);
	return E_OK;
}

static enum err
row_reply(struct req *r, const struct table_for *tf, const struct data_row *row)
{
	return reply_flat(r, &(struct one_row){ .row = row_text(r->c, tf->t, row) });
}

static enum err
h_row(struct req *r)
{
	const struct one_row_query *q = r->query;
	struct table_for tf;
	struct data_row *row;
	enum err e;

	TRY(table_for_get(r, &tf));
	e = row_get(r->c, &tf, req_param(r, "row"), &row);
	if (e == E_NOT_FOUND && q->or_null) {
		ctx_forgive(r->c);
		return reply_flat(r, &(struct one_row){ 0 });
	}
	TRY(e);
	return row_reply(r, &tf, row);
}

static enum err
row_for_change(struct req *r, struct table_for *tf, struct data_row **row)
{
	TRY(table_for_get(r, tf));
	TRY(row_lock(r->c, tf, req_param(r, "row"), row));
	/* The body of a GET. */
	return req_if_match_body(r,
	    mem_printf(r->c->mem, "{\"success\":true,\"row\":%s}",
		row_text(r->c, tf->t, *row)));
}

static enum err
h_row_patch(struct req *r)
{
	struct table_for tf;
	struct data_row *row;

	TRY(row_for_change(r, &tf, &row));
	TRY(row_patch(r->c, &tf, r->in, row));
	return row_reply(r, &tf, row);
}

static enum err
h_row_delete(struct req *r)
{
	struct table_for tf;
	struct data_row *row;

	TRY(row_for_change(r, &tf, &row));
	TRY(row_delete(r->c, &tf, row));
	return reply_none(r);
}

static const struct route row_routes[] = {
/* method  path                                    who body             reply
 * handler */
  { GET,    ROWS_PATH,                              ART_READ,
    TAKES_NOTHING,   GIVES_FLAT(rows_page), h_rows,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &row_query_shape,
    .open_query = true,
    .doc = "List rows; each column can be a condition: "
	   "votes=gte.10, status=in.open,new, name=prefix.An, note=contains.tea, due=within.today "
	   "(eq neq lt lte gt gte in nin is prefix between contains ncontains within)" },
  { POST,   ROWS_PATH,                              DATA_CHANGE,
    TAKES(rows_new), GIVES_FLAT(rows_made), h_rows_insert,
    .scope = DATA_WRITE, .limit = LIM_DATA, .success = 201, .max_body = BODY_ROWS, .content = true,
    .doc = "Add rows, all of them or none",
    .did = "Added rows to" },
  { PATCH,  ROWS_PATH,                              DATA_CHANGE,
    TAKES_OBJECT,    GIVES_FLAT(rows_changed), h_rows_patch,
    .slow = true, .goes_on = true, .scope = DATA_WRITE, .limit = LIM_DATA,
    .query = &row_change_query_shape, .open_query = true, .content = true,
    .doc = "Set the columns in the body of the rows that match, up to 1,000 at once. "
	   "Rows that have these values already don't count",
    .did = "Changed rows of" },
  { DELETE, ROWS_PATH,                              DATA_CHANGE,
    TAKES_NOTHING,   GIVES_FLAT(rows_gone), h_rows_delete,
    .slow = true, .goes_on = true, .scope = DATA_WRITE, .limit = LIM_DATA,
    .query = &row_change_query_shape, .open_query = true, .content = true,
    .doc = "Delete the rows that match, up to 1,000 at once",
    .did = "Deleted rows of" },
  { GET,    ROWS_PATH "/{row}",                     ART_READ,
    TAKES_NOTHING,   GIVES_FLAT(one_row),   h_row,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &one_row_query_shape,
    .doc = "Get one row" },
  { PATCH,  ROWS_PATH "/{row}",                     DATA_CHANGE,
    TAKES_OBJECT,    GIVES_FLAT(one_row),   h_row_patch,
    .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .doc = "Change the columns of a row that are in the body",
    .did = "Changed a row of" },
  { DELETE, ROWS_PATH "/{row}",                     DATA_CHANGE,
    TAKES_NOTHING,   GIVES_NOTHING,         h_row_delete,
    .scope = DATA_WRITE, .limit = LIM_DATA, .content = true, .doc = "Delete one row",
    .did = "Deleted a row of" },
};
ROUTES(row, "Rows",
    "Rows of a table: add up to 1,000 at once, list them by any column, change and delete them. "
    "Rules in the access_policy limit which rows someone can see and change.");
