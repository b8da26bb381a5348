/* SPDX-License-Identifier: Apache-2.0
 * The rows of a table as a file: what a list of the same query shows. */
#include "base/str.h"
#include "core/artifact.h"
#include "data/row_api.h"
#include "data/rowcsv.h"
#include "data/rowxlsx.h"
#include "data/tableview.h"
#include "http/quota.h"
#include "http/share.h"

#include <unistd.h>

#define ROW_EXPORT_QUERY(F, T) \
	F(T, STR,  order,  .hi = ORDER_CHARS) \
	ROW_WHERE(F, T) \
	ROW_VIEW(F, T) \
	F(T, STR,  columns, .hi = 4500, \
		.doc = "Columns separated by commas, in their order; by default the view's, or " \
		       "all. " \
		       "The id always comes first", .eg = "\"title\"") \
	F(T, WORD, format, .arg = "csv|ndjson|json|xlsx", .def = "csv", \
		.doc = "ndjson: one JSON object per line; json: an array of them; xlsx: an Excel " \
		       "workbook of at most 200,000 rows, with times in UTC. What a spreadsheet " \
		       "would round, such as numbers of more than 15 digits, is text")
SHAPE(row_export_query, ROW_EXPORT_QUERY);

enum export_format { EXPORT_CSV, EXPORT_NDJSON, EXPORT_JSON, EXPORT_XLSX };
static const struct {
	const char *word, *mime;
} export_formats[] = {
	[EXPORT_CSV] = { "csv", "text/csv; charset=utf-8" },
	[EXPORT_NDJSON] = { "ndjson", "application/x-ndjson" },
	[EXPORT_JSON] = { "json", "application/json" },
	[EXPORT_XLSX] = { "xlsx",
	    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
};

struct export {
	struct table_for tf;
	struct data_table t; /* of tf; its indexes are read again for each part */
	struct data_table shown; /* with the columns to export */
	struct row_find what;
	enum export_format format;
	int64_t rows;
	struct workbook *book; /* of EXPORT_XLSX */
	int file; /* the complete workbook */
};

static enum err
sheet_full(struct ctx *c)
{
	return fail(c, E_INVALID,
	    "format: A workbook takes at most %s. Export more as CSV, or choose some of them by "
	    "conditions",
	    str_count(c->mem, ROWXLSX_MOST, "row"));
}

/* Exports one part, in a context of its own: writes its rows, or puts them into the workbook. */
static enum err
export_part(struct req *r, struct export *x, struct ctx *c, const char **next)
{
	struct data_row_list rows;
	struct buf b = BUF(c->mem);

	if (x->format == EXPORT_XLSX && req_left(r))
		return fail(c, E_UNAVAILABLE, "the client is gone");
	TRY(table_refresh(c, &x->t));
	TRY(rows_find(c, &x->tf, &x->what, &rows, next));
	if (x->format == EXPORT_XLSX && x->rows + (int64_t)rows.n > ROWXLSX_MOST)
		return sheet_full(c);
	for (size_t i = 0; i < rows.n; i++, x->rows++)
		if (x->format == EXPORT_XLSX)
			TRY(rowxlsx_row(c, x->book, &x->shown, &rows.v[i]));
		else if (x->format == EXPORT_CSV)
			rowcsv_row(c, &b, &x->shown, &rows.v[i]);
		else if (x->format == EXPORT_JSON)
			buf_fmt(&b, "%s%s", x->rows ? ",\n" : "",
			    row_text(c, &x->shown, &rows.v[i]));
		else
			buf_fmt(&b, "%s\n", row_text(c, &x->shown, &rows.v[i]));
	return b.n ? req_write(r, b.s, b.n) : E_OK;
}

static enum err
export_parts(struct req *r, struct export *x)
{
	char cursor[CURSOR_MOST];
	enum err e = E_OK;

	for (bool more = true; more && !e;) {
		struct ctx *c = ctx_begin(r->c->conf, r->c->db);
		const char *next = NULL;

		e = export_part(r, x, c, &next);
		more = next != NULL;
		if (more)
			snprintf(cursor, sizeof cursor, "%s", next);
		x->what.cursor = cursor;
		ctx_join(r->c, c, e);
	}
	return e;
}

static enum err
export_write(struct req *r, void *arg)
{
	struct export *x = arg;
	struct buf head = BUF(r->c->mem);
	enum err e;

	rowcsv_head(&head, &x->shown);
	if (x->format == EXPORT_CSV)
		TRY(req_write(r, head.s, head.n));
	if (x->format == EXPORT_JSON)
		TRY(req_write(r, "[", 1));
	e = export_parts(r, x);
	return !e && x->format == EXPORT_JSON ? req_write(r, "]\n", 2) : e;
}

/* Sends the workbook. */
static enum err
export_send(struct req *r, void *arg)
{
	struct export *x = arg;
	char piece[64 << 10];
	ssize_t n;

	for (off_t at = 0; (n = pread(x->file, piece, sizeof piece, at)) > 0; at += n)
		TRY(req_write(r, piece, (size_t)n));
	return n ? fail_here(r->c, "a workbook can't be read") : E_OK;
}

static enum err
workbook_make(struct req *r, struct export *x, void *mine)
{
	TRY(workbook_begin(r->c, mine, x->t.name, &x->book));
	TRY(rowxlsx_head(r->c, x->book, &x->shown));
	TRY(export_parts(r, x));
	return workbook_end(r->c, x->book, r->c->mem, &x->file);
}

/* A workbook is complete before its first byte is sent, so one that is too large is refused. */
static enum err
export_workbook(struct req *r, struct export *x)
{
	const struct where_asked *asked = &x->what.asked;
	/* All rows of the table are asked for, and the caller may read each. */
	const bool whole = x->tf.read.verdict == VERDICT_YES && !asked->n && !asked->where &&
	    !asked->view;
	void *mine = mem_zalloc(r->c->mem, 0);
	enum err e;

	if (whole && x->t.row_count > ROWXLSX_MOST)
		return sheet_full(r->c);
	if (r->head)
		return E_OK;
	TRY(share_stream(r));
	e = workbook_make(r, x, mine);
	mem_free(mine);
	return e;
}

/* Chooses columns. A row is then written anew, because no row has the shape -1. */
static enum err
export_columns(struct req *r, struct export *x, const char *names)
{
	struct data_column *v = mem_array(r->c->mem, struct data_column, CELL_SLOTS);
	char *rest = mem_strdup(r->c->mem, names), *name;
	size_t n = 0;

	x->shown = x->t;
	while ((name = str_split(&rest, ','))) {
		const struct data_column *col = table_column(&x->t, name);

		if (!col || n == CELL_SLOTS)
			return fail(r->c, E_INVALID,
			    "columns: the table %s has no column %s; its columns are %s",
			    x->t.name, name, table_column_names(r->c->mem, &x->t));
		v[n++] = *col;
	}
	if (!names)
		return E_OK;
	x->shown.shape_no = -1;
	x->shown.columns = (struct list){ v, n };
	return E_OK;
}

static enum err
h_rows_export(struct req *r)
{
	enum { ROWS_A_PART = 500 };
	struct row_export_query q = *(const struct row_export_query *)r->query;
	const struct yielding params[] = { { "where", &q.where }, { "zone", &q.zone },
		{ "columns", &q.columns }, { "view", &q.view } };
	struct export *x = mem_new(r->c->mem, struct export);
	struct data_row_list first;
	const char *next;
	bool whole;

	TRY(table_for_get(r, &x->tf));
	x->t = *x->tf.t;
	x->tf.t = &x->t;
	while (!str_eq(q.format, export_formats[x->format].word))
		x->format++;
	x->what = (struct row_find){ .order = q.order, .limit = 1, .whole = &whole };
	TRY(rows_asked(r, &x->tf, params, 4, &x->what.asked));
	x->what.asked.where = q.where;
	x->what.asked.zone = q.zone;
	TRY(tableview_use(
	    r->c, &x->tf, r->who, q.view, &x->what.asked, &x->what.order, &q.columns));
	TRY(export_columns(r, x, q.columns));
	/* Errors in the query must be found before the head is sent. */
	TRY(rows_find(r->c, &x->tf, &x->what, &first, &next));
	x->what.limit = ROWS_A_PART;
	x->what.whole = NULL;
	if (x->format == EXPORT_XLSX)
		TRY(export_workbook(r, x));
	return reply_stream(r, export_formats[x->format].mime,
	    mem_printf(r->c->mem, "%s.%s", x->tf.t->name, q.format),
	    x->format == EXPORT_XLSX ? export_send : export_write, x);
}

static const struct route rowexport_routes[] = {
  { GET,    "/v1/data/{art}/tables/{table}/export", ART_READ,
    TAKES_NOTHING,   GIVES_STREAM,          h_rows_export,
    .slow = true, .scope = DATA_READ, .limit = LIM_DATA, .content = true,
    .query = &row_export_query_shape, .open_query = true,
    .doc = "Export all rows that match as CSV, JSON, JSON lines, or XLSX, "
	   "with the same conditions as the list of rows" },
};
ROUTES(rowexport, "Exports",
    "The rows of a table as a file, with the conditions, the order, and the rules of its lists.");
