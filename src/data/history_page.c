/* SPDX-License-Identifier: Apache-2.0
 * The history of tables and rows, and deleted tables, in the browser. */
#include "base/instant.h"
#include "base/json.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/celltext.h"
#include "data/deleted.h"
#include "data/history.h"
#include "data/row_api.h"
#include "data/table_page.h"
#include "http/req.h"

enum { SHOWN_CHARS = 60 };

static const char *
value_shown(struct ctx *c, const struct json *value)
{
	const char *text = cell_shown(c, value);

	return text ? mem_printf(c->mem, "“%s”", str_cut(c->mem, text, SHOWN_CHARS))
		    : "no value";
}

struct differing {
	struct ctx *c;
	const struct json *before; /* NULL: none */
	struct buf out;
};

static int
difference_add(void *arg, const char *name, const struct json *value)
{
	struct differing *d = arg;
	const char *was, *is = value_shown(d->c, value);

	if (str_eq(name, "id") || (!d->before && json_kind(value) == J_NULL))
		return 0;
	was = d->before ? value_shown(d->c, json_get(d->before, name)) : NULL;
	if (was && str_eq(was, is))
		return 0;
	buf_fmt(&d->out, "%s%s: %s%s%s", d->out.n ? "; " : "", name, was ? was : "",
	    was ? " → " : "", is);
	return 0;
}

/* Says which values a change gave the row, or which a deleted row had. */
static enum err
change_say(struct ctx *c, struct row_change *change)
{
	struct json *before = NULL, *after;
	struct differing d = { .c = c, .out = BUF(c->mem) };
	const char *text = change->after ? change->after : change->before;

	if (change->before && change->after) {
		TRY(json_parse(c, change->before, strlen(change->before), &before));
		d.before = before;
	}
	TRY(json_parse(c, text, strlen(text), &after));
	json_each(after, difference_add, &d);
	change->told = buf_done(&d.out);
	return E_OK;
}

static enum err
changes_say(struct req *r, struct shown *out)
{
	struct row_change *change = out->rows.v;

	for (size_t i = 0; i < out->rows.n; i++)
		TRY(change_say(r->c, &change[i]));
	return E_OK;
}

/* ---- a table as it was ---- */

#define RESTORE_QUERY(F, T) \
	F(T, STR, at,   .hi = 40, .doc = "As a browser's field has it, in UTC, or Unix seconds") \
	F(T, STR, done, .hi = 40)
SHAPE(restore_query, RESTORE_QUERY);

#define TABLE_RESTORE_PAGE(F, T) \
	F(T, STR,  typed) \
	F(T, STR,  wrong) \
	F(T, TIME, since, .doc = "The history begins") \
	F(T, BOOL, tried) \
	F(T, TIME, at) \
	F(T, INT,  rows,  .doc = "That would change") \
	F(T, BOOL, large)
SHAPE(table_restore_page, TABLE_RESTORE_PAGE);

/* Reads "2026-11-21T14:05", with seconds or not, or Unix seconds. */
static bool
typed_time(struct ctx *c, const char *text, int64_t *at)
{
	const char *seconds = strlen(text) == strlen("2026-11-21T14:05") ? ":00" : "";
	uint64_t nanos;

	return str_int(text, at) ||
	    instant_read(mem_printf(c->mem, "%s%sZ", text, seconds), at, &nanos);
}

/* Counts what would change. What the service refuses stands beside the field. */
static enum err
restore_try(struct req *r, const struct table_for *tf, struct table_restore_page *page)
{
	struct went_back out;
	enum err e = history_restore(r->c, tf, page->at, true, &out);

	if (e == E_CONFLICT) {
		page->wrong = "The history doesn’t go back that far.";
		return ctx_forgive(r->c);
	}
	TRY(e);
	page->tried = true;
	page->rows = out.undone;
	page->large = out.undone > ROWS_AT_ONCE;
	return E_OK;
}

static enum err
h_restore_page(struct req *r)
{
	const struct restore_query *q = r->query;
	struct table_restore_page page = { .at = r->c->now };
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	page.since = tf.t->history_since;
	if (q->at && !typed_time(r->c, q->at, &page.at))
		page.wrong = "Choose a day and a time.";
	page.typed = mem_strndup(
	    r->c->mem, str_rfc3339(r->c->mem, page.at), strlen("2026-11-21T14:05:00"));
	if (q->at && !page.wrong)
		TRY(restore_try(r, &tf, &page));
	return reply_page(r, 0, &page);
}

/* Finds what is to be deleted for good. One that can't come back anymore has no name. */
static enum err
deleted_name(struct req *r, struct shown *out)
{
	const struct page_query all = { .limit = 2 * DELETED_MOST };
	const char *next, *name = "it";
	struct data_deleted_list rows;

	TRY(deleted_list(r->c, r->art, &all, &rows, &next));
	for (size_t i = 0; i < rows.n; i++)
		if (str_eq(rows.v[i].id, req_param(r, "del")))
			name = rows.v[i].column
			    ? mem_printf(r->c->mem, "the column %s of %s", rows.v[i].column,
				  rows.v[i].table)
			    : mem_printf(r->c->mem, "the table %s", rows.v[i].table);
	return ASKED(r, out, .name = name);
}

#define GRID "/a/{art}/data/tables/{table}"
#define API "/v1/data/{art}/tables/{table}"
#define OPERATIONS "/v1/data/{art}/operations"
static const struct route history_page_routes[] = {
  { SHOWN_PAGE(GRID "/history", ART_VIEW, "table_history"), .query = &tab_query_shape,
    .shows = SHOWS({ "batches", "GET " API "/history?limit=50" },
	{ "work", "GET " OPERATIONS "?table={table}&open=1&limit=5" },
	{ "last", "GET " OPERATIONS "?table={table}&limit=1" }),
    .title = "History of {table}", .doc = "Who changed a table's rows, and Undo" },
  { POST, GRID "/undo", DOES("POST " API "/undo"), .then = GRID "/history?done=undone",
    .again = GRID "/history", .doc = "Undo a batch of changes" },
  { SHOWN_PAGE(GRID "/rows/{row}/history", ART_VIEW, "row_history"), .query = &tab_query_shape,
    .shows = SHOWS({ "changes", "GET " API "/rows/{row}/history?limit=50", changes_say }),
    .title = "History of a row", .doc = "Who changed a row, and its earlier values" },
  { POST, GRID "/rows/{row}/restore", DOES("POST " API "/rows/{row}/restore"),
    .then = GRID "?row={row}&done=saved#{row}", .again = GRID "/rows/{row}/history",
    .doc = "Make a row what it was before a change" },
  { PAGE(GRID "/restore", ART_EDIT, table_restore, h_restore_page), .slow = true,
    .query = &restore_query_shape, .title = "Restore {table}",
    .doc = "A table as it was at a time, and what would change" },
  { POST, GRID "/restore", DOES("POST " API "/restore"), .then = GRID "/history?done=went_back",
    .again = GRID "/restore", .doc = "Make a table's rows again what they were at a time" },
  { SHOWN_PAGE("/a/{art}/data/deleted", DATA_EDIT, "deleted"), .query = &tab_query_shape,
    .shows = SHOWS({ "deleted", "GET /v1/data/{art}/deleted" }),
    .title = "Deleted data", .doc = "Its deleted tables and columns" },
  { POST, "/a/{art}/data/deleted/{del}/restore",
    DOES("POST /v1/data/{art}/deleted/{del}/restore"),
    .then = "/a/{art}/data/tables/{name}?done=is_back", .again = "/a/{art}/data/deleted",
    .doc = "Bring a deleted table or column back" },
  { POST, "/a/{art}/data/deleted/{del}/forget", DOES("DELETE /v1/data/{art}/deleted/{del}"),
    .ask = ASK("Delete {name} for good?", "It can’t come back afterwards.", "Delete for good",
	"/a/{art}/data/deleted", .find = deleted_name, .who = ART_EDIT),
    .then = "/a/{art}/data/deleted?done=gone", .doc = "Delete it for good" },
};
ROUTES(history_page, "Pages: history",
    "Changes of an artifact's tables, and what was deleted, in the browser.");
