/* SPDX-License-Identifier: Apache-2.0
 * The rows of a table in the browser, as a grid: to filter, sort, add to, change, delete from, and
 * to import and export as CSV. It works without a script: which row is being edited stands in its
 * address. What somebody may see and change is what the API would let them. */
#include "api/artifact_page.h"
#include "api/metric_page.h"
#include "api/table_page.h"
#include "api/tables.h"
#include "base/csv.h"
#include "base/num.h"
#include "base/str.h"
#include "domain/row.h"
#include "http/form.h"

enum { GRID_ROWS = 50, SHOWN_CHARS = 80 };

/* ---- to look at ---- */

#define GRID_HEAD(F, T) \
	F(T, STR,  name) \
	F(T, STR,  href) \
	F(T, WORD, sorted, .arg = "up|down") \
	F(T, BOOL, num) \
	F(T, BOOL, chosen, .doc = "In the filter")
SHAPE_DECLARE(grid_head, GRID_HEAD);
SHAPE_DEFINE(grid_head, GRID_HEAD);

#define GRID_CELL(F, T) \
	F(T, STR,  column) \
	F(T, STR,  text,  .doc = "The whole value") \
	F(T, STR,  shown, .doc = "Cut") \
	F(T, WORD, type,  .arg = COLUMN_TYPES) \
	F(T, WORD, value, .arg = "true|false", .doc = "Of a boolean") \
	F(T, BOOL, none) \
	F(T, BOOL, num) \
	F(T, BOOL, wide,  .doc = "Does not stand in one line") \
	F(T, STR,  wrong, .doc = "With what was typed")
SHAPE_DECLARE(grid_cell, GRID_CELL);
SHAPE_DEFINE(grid_cell, GRID_CELL);

#define GRID_ROW(F, T) \
	F(T, STR,  id) \
	F(T, BOOL, editing) \
	F(T, STR,  href, .doc = "The page with this row to be edited") \
	F(T, LIST, cells, .sub = &grid_cell_shape)
SHAPE_DECLARE(grid_row, GRID_ROW);
SHAPE_DEFINE(grid_row, GRID_ROW);

#define TABLE_PAGE(F, T) \
	ARTIFACT_PAGE(F, T) \
	F(T, WORD, part,      .arg = "document|tables|blobs") \
	F(T, STR,  table) \
	F(T, STR,  path) \
	F(T, STR,  count,     .doc = "\"1,204 rows\"") \
	F(T, LIST, heads,     .sub = &grid_head_shape) \
	F(T, LIST, rows,      .sub = &grid_row_shape) \
	F(T, LIST, blank,     .sub = &grid_cell_shape, .doc = "A new row's cells") \
	F(T, INT,  row_n) \
	F(T, BOOL, adding) \
	F(T, STR,  edited,    .doc = "Id of the row that is being edited") \
	F(T, STR,  seen,      .doc = "What that row was when the page was made") \
	F(T, WORD, op,        .arg = "eq|neq|lt|lte|gt|gte|prefix|null|notnull") \
	F(T, STR,  value) \
	F(T, BOOL, filtered) \
	F(T, BOOL, may_write) \
	F(T, STR,  add_href) \
	F(T, STR,  export_href) \
	F(T, STR,  here_href) \
	F(T, STR,  first) \
	F(T, STR,  next) \
	F(T, STR,  filter_wrong) \
	F(T, STR,  csv) \
	F(T, STR,  csv_wrong) \
	F(T, LIST, watches,   .sub = &watch_line_shape) \
	F(T, STR,  problem)
SHAPE_DECLARE(table_page, TABLE_PAGE);
SHAPE_DEFINE(table_page, TABLE_PAGE);

#define TABLE_PAGE_QUERY(F, T) \
	F(T, STR,  column, .hi = 64) \
	F(T, WORD, op,     .arg = "eq|neq|lt|lte|gt|gte|prefix|null|notnull") \
	F(T, STR,  value,  .hi = 1000) \
	F(T, STR,  order,  .hi = 65) \
	F(T, STR,  cursor, .hi = 2048) \
	F(T, STR,  edit,   .hi = 40) \
	F(T, BOOL, add) \
	F(T, STR,  done,   .hi = 40)
SHAPE_DECLARE(table_page_query, TABLE_PAGE_QUERY);
SHAPE_DEFINE(table_page_query, TABLE_PAGE_QUERY);

/* What was typed, where it could not be kept. */
struct typed {
	const char *problem, *edit, *csv;
	const char *column, *wrong; /* whose value is refused, and why; else problem says it */
	bool add;
	const struct pair *values;
	size_t n;
};

static void
param_add(struct buf *b, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_fmt(b, "%c%s=", strchr(b->s, '?') ? '&' : '?', name);
	buf_form(b, value);
}

/* The grid as it is, but for order, cursor and which row is edited. */
static const char *
grid_href(struct req *r, const char *table, const char *order, const char *cursor,
    const char *edit)
{
	const struct table_page_query *q = r->route->query ? r->query : NULL;
	struct buf b = BUF(r->c->mem);

	buf_str(&b, table_page_path(r, table));
	if (q && q->column) {
		param_add(&b, "column", q->column);
		param_add(&b, "op", q->op);
		param_add(&b, "value", q->value);
	}
	param_add(&b, "order", order);
	param_add(&b, "cursor", cursor);
	param_add(&b, "edit", edit);
	return buf_done(&b);
}

static bool
is_numeric(const char *type)
{
	return str_in(type, "integer|number");
}

static void
heads_make(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    struct table_page *page)
{
	struct grid_head *head = mem_array(r->c->mem, struct grid_head, tf->t->columns.n);
	const struct data_column *col = tf->t->columns.v;

	for (size_t i = 0; i < tf->t->columns.n; i++) {
		const char *down = mem_printf(r->c->mem, "-%s", col[i].name);
		bool up = str_eq(q->order, col[i].name);

		head[i] = (struct grid_head){ .name = col[i].name,
			.num = is_numeric(col[i].type),
			.sorted = up ? "up" : str_eq(q->order, down) ? "down" : NULL,
			.chosen = str_eq(q->column, col[i].name),
			.href = grid_href(r, tf->t->name, up ? down : col[i].name, NULL, NULL) };
	}
	page->heads = (struct list){ head, tf->t->columns.n };
}

/* As people see it: a text as it is, all else as JSON; NULL for null. */
static const char *
value_text(struct ctx *c, const struct json *v)
{
	if (!v || json_kind(v) == J_NULL)
		return NULL;
	return json_kind(v) == J_STR ? json_str(v) : json_text(c->mem, v);
}

static struct grid_cell
cell_make(struct ctx *c, const struct data_column *col, const char *text)
{
	bool cut = text && str_chars(text) > SHOWN_CHARS;

	return (struct grid_cell){ .column = col->name,
		.type = col->type,
		.text = text ? text : "",
		.shown = cut ? mem_printf(c->mem, "%s…", str_cut(c->mem, text, SHOWN_CHARS))
			     : text,
		.value = text && str_in(text, "true|false") ? text : NULL,
		.none = !text,
		.num = is_numeric(col->type),
		.wide = cut || (text && strchr(text, '\n')) };
}

static const char *
typed_value(const struct typed *typed, const char *column)
{
	for (size_t i = 0; typed && i < typed->n; i++)
		if (str_starts(typed->values[i].name, "c.") &&
		    str_eq(typed->values[i].name + 2, column))
			return typed->values[i].value;
	return NULL;
}

/* doc NULL: of a new row. typed: shown instead of what is stored. */
static struct list
cells_make(struct ctx *c, const struct data_table *t, const struct data_row *row,
    const struct json *doc, const struct typed *typed)
{
	const struct data_column *col = t->columns.v;
	struct grid_cell *cell = mem_array(c->mem, struct grid_cell, t->columns.n);

	for (size_t i = 0; i < t->columns.n; i++) {
		const char *written = typed_value(typed, col[i].name);
		const char *text =
		    doc ? value_text(c, row_value(row, doc, &col[i])) : NULL;

		cell[i] = cell_make(c, &col[i], written ? written : text);
		if (typed && str_eq(typed->column, col[i].name))
			cell[i].wrong = typed->wrong;
	}
	return (struct list){ cell, t->columns.n };
}

/* What a row was, so that a change of somebody else meanwhile is noticed. */
static const char *
row_seen(struct ctx *c, const struct data_table *t, const struct data_row *row)
{
	uint8_t digest[SHA256_BYTES];
	const char *text = row_text(c, t, row);

	crypto_sha256(text, strlen(text), digest);
	return crypto_hex(c->mem, digest, 8);
}

static enum err
rows_make(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    const struct typed *typed, const struct data_row_list *rows, struct table_page *page)
{
	const char *edit = typed && typed->edit ? typed->edit : q->edit;
	struct grid_row *line = mem_array(r->c->mem, struct grid_row, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++) {
		const char *id = row_id_of_hex(r->c, rows->v[i].id);
		bool editing = page->may_write && str_eq(id, edit);
		struct json *doc;

		TRY(json_parse(r->c, rows->v[i].doc, strlen(rows->v[i].doc), &doc));
		line[i] = (struct grid_row){ .id = id,
			.editing = editing,
			.href = grid_href(r, tf->t->name, q->order, q->cursor, id),
			.cells = cells_make(
			    r->c, tf->t, &rows->v[i], doc, editing ? typed : NULL) };
		if (!editing)
			continue;
		page->edited = id;
		page->seen = row_seen(r->c, tf->t, &rows->v[i]);
	}
	page->rows = (struct list){ line, rows->n };
	page->row_n = (int64_t)rows->n;
	return E_OK;
}

static struct pair
filter_pair(struct ctx *c, const struct table_page_query *q)
{
	const char *op = q->op ? q->op : "eq", *value = q->value ? q->value : "";

	return (struct pair){ q->column,
		str_in(op, "null|notnull") ? mem_printf(c->mem, "is.%s", op)
					   : mem_printf(c->mem, "%s.%s", op, value) };
}

/* "votes: must be …" after "votes: "; NULL: it is about something else. */
static const char *
after_name(const char *why, const char *name)
{
	size_t n = strlen(name);

	return str_starts(why, name) && str_starts(why + n, ": ") ? why + n + 2 : NULL;
}

/* A condition that is none is told, and all rows are shown. */
static enum err
rows_for_page(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    struct table_page *page, struct data_row_list *rows, const char **next)
{
	struct pair filter = filter_pair(r->c, q);
	struct row_find what = { &filter, q->column != NULL, q->order, q->cursor, GRID_ROWS };
	enum err e = rows_find(r->c, tf, &what, rows, next);

	page->filtered = q->column != NULL;
	if (e != E_INVALID)
		return e;
	page->filter_wrong = q->column ? after_name(r->c->message, q->column) : NULL;
	if (!page->filter_wrong)
		page->problem = r->c->message;
	ctx_again(r->c);
	return rows_find(r->c, tf, &(struct row_find){ .limit = GRID_ROWS }, rows, next);
}

static const char *
count_words(struct ctx *c, const struct table_for *tf, bool filtered)
{
	int64_t n = tf->t->row_count;

	if (tf->read.verdict != VERDICT_YES)
		return "The rows you can see";
	return mem_printf(
	    c->mem, "%s%s", str_count(c->mem, n, "row"), filtered ? " in total" : "");
}

static void
links_make(struct req *r, const struct table_for *tf, const struct table_page_query *q,
    const char *next, struct table_page *page)
{
	const char *name = tf->t->name;
	struct pair filter = filter_pair(r->c, q);
	struct buf b = BUF(r->c->mem);

	page->here_href = grid_href(r, name, q->order, q->cursor, NULL);
	page->add_href = mem_printf(r->c->mem, "%s%cadd=1#add-row", page->here_href,
	    strchr(page->here_href, '?') ? '&' : '?');
	page->next = next ? grid_href(r, name, q->order, next, NULL) : NULL;
	page->first = q->cursor ? grid_href(r, name, q->order, NULL, NULL) : NULL;
	buf_fmt(&b, "/v1/data/%s/tables/%s/export?format=csv", r->art->id, name);
	param_add(&b, "order", q->order);
	if (q->column && !page->problem && !page->filter_wrong)
		param_add(&b, filter.name, filter.value);
	page->export_href = buf_done(&b);
}

static enum err
grid_reply(struct req *r, const char *table, const struct typed *typed)
{
	static const struct table_page_query none;
	const struct table_page_query *q =
	    r->route->query == &table_page_query_shape ? r->query : &none;
	struct table_page page = { ARTIFACT_PAGE_OF(r, "data"), .part = "tables" };
	struct data_row_list rows;
	struct table_for tf;
	const char *next;

	TRY(table_get(r->c, r->art, r->who, table, &tf));
	page.may_write = tf.write.verdict != VERDICT_NO;
	TRY(rows_for_page(r, &tf, q, &page, &rows, &next));
	heads_make(r, &tf, q, &page);
	TRY(rows_make(r, &tf, q, typed, &rows, &page));
	links_make(r, &tf, q, next, &page);
	page.table = table;
	page.path = table_page_path(r, table);
	page.count = count_words(r->c, &tf, page.filtered);
	page.op = q->op;
	page.value = q->value;
	page.adding = page.may_write && (typed ? typed->add : q->add);
	page.blank = cells_make(r->c, tf.t, NULL, NULL, page.adding ? typed : NULL);
	TRY(metric_page_watches(r, table, &page.watches));
	if (typed) {
		page.problem = typed->csv ? NULL : typed->problem;
		page.csv = typed->csv;
		page.csv_wrong = typed->csv ? typed->problem : NULL;
	}
	return reply_page(r, typed ? 400 : 0, &page);
}

static enum err
h_table_page(struct req *r)
{
	return grid_reply(r, req_param(r, "table"), NULL);
}

/* ---- changes ---- */

/* "rows[3].votes: must be …" as people count; of one row alone its number says nothing. */
static const char *
row_problem(struct ctx *c, bool one)
{
	const char *text = c->message ? c->message : "", *after;
	int64_t n;

	if (!str_starts(text, "rows[") || !(after = strchr(text, ']')) ||
	    !str_int(mem_strndup(c->mem, text + 5, (size_t)(after - text - 5)), &n))
		return text;
	after += 1 + strspn(after + 1, ".: ");
	return one ? after : mem_printf(c->mem, "Row %lld: %s", (long long)n + 1, after);
}

/* What is wrong with one of the values stands beside it. */
static void
typed_blame(struct req *r, struct typed *typed)
{
	for (size_t i = 0; i < typed->n; i++) {
		const char *name = typed->values[i].name, *why;

		if (!str_starts(name, "c.") || !(why = after_name(typed->problem, name + 2)))
			continue;
		typed->column = name + 2;
		typed->wrong = form_sentence(r->c->mem, why);
		typed->problem = NULL;
		return;
	}
}

static enum err
grid_refuse(struct req *r, enum err e, struct typed typed)
{
	if (!table_page_tells(e))
		return e;
	typed.problem = mem_strdup(r->c->mem, row_problem(r->c, typed.add));
	typed.values = r->more;
	typed.n = r->more_n;
	if (typed.add || typed.edit)
		typed_blame(r, &typed);
	ctx_again(r->c);
	return grid_reply(r, req_param(r, "table"), &typed);
}

/* Browsers send line ends as \r\n. */
static const char *
typed_lines(struct ctx *c, const char *text)
{
	struct buf b = BUF(c->mem);

	for (; *text; text++)
		if (*text != '\r')
			buf_chr(&b, *text);
	return buf_done(&b);
}

/* An empty field is no value. What does not fit becomes a text, which is refused with the column's
 * name. */
static void
typed_json(struct ctx *c, struct buf *b, const char *type, const char *text)
{
	size_t n = strlen(text);
	struct json *tree;
	bool as_is = (is_numeric(type) && num_span(text, n) == n) ||
	    (str_eq(type, "boolean") && str_in(text, "true|false")) ||
	    (str_eq(type, "json") && json_parse(c, text, n, &tree) == E_OK);

	ctx_forgive(c);
	if (!n)
		buf_str(b, "null");
	else if (as_is)
		buf_str(b, text);
	else
		buf_json(b, text);
}

/* The columns that were typed in, as an object; of a row that is there, those that differ. */
static enum err
typed_values(struct req *r, const struct data_table *t, const struct list *before,
    struct json **out)
{
	const struct typed typed = { .values = r->more, .n = r->more_n };
	const struct data_column *col = t->columns.v;
	const struct grid_cell *old = before ? before->v : NULL;
	struct buf b = BUF(r->c->mem);

	buf_chr(&b, '{');
	for (size_t i = 0; i < t->columns.n; i++) {
		const char *text = typed_value(&typed, col[i].name);

		if (!text)
			continue;
		text = typed_lines(r->c, text);
		if (old && str_eq(text, typed_lines(r->c, old[i].text)))
			continue;
		buf_fmt(&b, "%s\"%s\":", b.n > 1 ? "," : "", col[i].name);
		typed_json(r->c, &b, col[i].type, text);
	}
	buf_chr(&b, '}');
	return json_parse(r->c, b.s, b.n, out);
}

static enum err
page_table_get(struct req *r, struct table_for *tf)
{
	return table_get(r->c, r->art, r->who, req_param(r, "table"), tf);
}

static enum err
back_to_grid(struct req *r)
{
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s?done=saved", table_page_path(r, req_param(r, "table"))));
}

#define GRID_FORM(F, T) F(T, STR, seen, .hi = 40)
SHAPE_DECLARE(grid_form, GRID_FORM);
SHAPE_DEFINE(grid_form, GRID_FORM);

static enum err
row_add(struct req *r)
{
	struct table_for tf;
	struct json *values, *rows;
	struct strs ids;
	const char *text;

	TRY(page_table_get(r, &tf));
	TRY(typed_values(r, tf.t, NULL, &values));
	text = mem_printf(r->c->mem, "[%s]", json_text(r->c->mem, values));
	TRY(json_parse(r->c, text, strlen(text), &rows));
	return rows_insert(r->c, &tf, rows, &ids);
}

static enum err
h_row_add(struct req *r)
{
	enum err e = row_add(r);

	return e ? grid_refuse(r, e, (struct typed){ .add = true }) : back_to_grid(r);
}

static enum err
row_held(struct req *r, struct table_for *tf, struct data_row **row)
{
	const struct grid_form *in = r->in;

	TRY(page_table_get(r, tf));
	TRY(row_lock(r->c, tf, req_param(r, "row"), row));
	if (in->seen && !str_eq(in->seen, row_seen(r->c, tf->t, *row)))
		return fail(r->c, E_CONFLICT,
		    "Not saved: someone else changed this row in the meantime. Open it again to see the current values.");
	return E_OK;
}

static enum err
row_save(struct req *r)
{
	struct json *doc, *values;
	struct table_for tf;
	struct data_row *row;
	struct list before;

	TRY(row_held(r, &tf, &row));
	TRY(json_parse(r->c, row->doc, strlen(row->doc), &doc));
	before = cells_make(r->c, tf.t, row, doc, NULL);
	TRY(typed_values(r, tf.t, &before, &values));
	return row_patch(r->c, &tf, values, row);
}

static enum err
h_row_save(struct req *r)
{
	enum err e = row_save(r);

	return e ? grid_refuse(r, e, (struct typed){ .edit = req_param(r, "row") })
		 : back_to_grid(r);
}

static enum err
row_remove(struct req *r)
{
	struct table_for tf;
	struct data_row *row;

	TRY(row_held(r, &tf, &row));
	return row_delete(r->c, &tf, row);
}

static enum err
h_row_remove(struct req *r)
{
	enum err e = row_remove(r);

	return e ? grid_refuse(r, e, (struct typed){ 0 }) : back_to_grid(r);
}

#define IMPORT_FORM(F, T) F(T, STR, csv, .flags = F_REQ)
SHAPE_DECLARE(import_form, IMPORT_FORM);
SHAPE_DEFINE(import_form, IMPORT_FORM);

/* The first line names the columns; an id, as an export has it, is left out. */
static enum err
import_heads(struct ctx *c, const struct data_table *t, struct csv_scan *s,
    const struct data_column **columns, size_t *n)
{
	struct csv_field fields[CELL_SLOTS + 1];

	if (!csv_record(s, fields, CELL_SLOTS + 1, n))
		return fail(c, E_INVALID, "Line %zu: %s", s->line, s->why);
	for (size_t i = 0; i < *n; i++) {
		const char *name = fields[i].text ? fields[i].text : "";

		columns[i] = table_column(t, name);
		if (!columns[i] && !str_eq(name, "id"))
			return fail(c, E_INVALID,
			    "Line 1 must name columns of the table, separated by commas: %s. It has %s",
			    table_column_names(c->mem, t), *name ? name : "nothing");
	}
	return E_OK;
}

static void
import_row(struct ctx *c, struct buf *b, const struct data_column **columns,
    const struct csv_field *fields, size_t n)
{
	bool first = true;

	buf_str(b, b->n ? ",{" : "[{");
	for (size_t i = 0; i < n; i++) {
		if (!columns[i] || !fields[i].text)
			continue;
		buf_fmt(b, "%s\"%s\":", first ? "" : ",", columns[i]->name);
		if (*fields[i].text)
			typed_json(c, b, columns[i]->type, fields[i].text);
		else
			buf_str(b, "\"\"");
		first = false;
	}
	buf_chr(b, '}');
}

static enum err
import_json(struct ctx *c, const struct data_table *t, const char *text, struct json **out)
{
	struct csv_scan s = csv_begin(mem_strdup(c->mem, text), strlen(text));
	const struct data_column *columns[CELL_SLOTS + 1];
	struct csv_field fields[CELL_SLOTS + 1];
	struct buf b = BUF(c->mem);
	size_t width, n;

	TRY(import_heads(c, t, &s, columns, &width));
	while (s.p < s.end) {
		size_t line = s.line;

		if (!csv_record(&s, fields, CELL_SLOTS + 1, &n))
			return fail(c, E_INVALID, "Line %zu: %s", s.line, s.why);
		if (n > width)
			return fail(c, E_INVALID,
			    "Line %zu: has more values than the first line has names", line);
		if (n)
			import_row(c, &b, columns, fields, n);
	}
	buf_str(&b, b.n ? "]" : "[]");
	return json_parse(c, b.s, b.n, out);
}

static enum err
rows_import(struct req *r, const char *text)
{
	struct table_for tf;
	struct json *rows;
	struct strs ids;

	TRY(page_table_get(r, &tf));
	TRY(import_json(r->c, tf.t, text, &rows));
	return rows_insert(r->c, &tf, rows, &ids);
}

static enum err
h_rows_import(struct req *r)
{
	const struct import_form *in = r->in;
	enum err e = rows_import(r, in->csv);

	return e ? grid_refuse(r, e, (struct typed){ .csv = in->csv }) : back_to_grid(r);
}

#define GRID "/a/{art}/data/tables/{table}"
static const struct route grid_page_routes[] = {
/*  method  path                       who       body                      reply               handler */
  { GET,  GRID,                       ART_VIEW, TAKES_NOTHING,            GIVES_PAGE(table),   h_table_page,
    .query = &table_page_query_shape, .doc = "Rows of a table" },
  { POST, GRID "/rows",               ART_VIEW, TAKES_FORM(grid_form),    GIVES_PAGE(table),   h_row_add,
    .again = GRID, .limit = LIM_DATA, .open_query = true, .doc = "Add a row" },
  { POST, GRID "/rows/{row}",         ART_VIEW, TAKES_FORM(grid_form),    GIVES_PAGE(table),   h_row_save,
    .again = GRID, .limit = LIM_DATA, .open_query = true, .doc = "Change a row" },
  { POST, GRID "/rows/{row}/delete",  ART_VIEW, TAKES_FORM(grid_form),    GIVES_PAGE(table),   h_row_remove,
    .again = GRID, .limit = LIM_DATA, .open_query = true, .doc = "Delete a row" },
  { POST, GRID "/import",             ART_VIEW, TAKES_FORM(import_form),  GIVES_PAGE(table),   h_rows_import,
    .again = GRID, .limit = LIM_DATA, .doc = "Add rows from CSV" },
};
const struct route_list grid_page_routes_list = ROUTES("Pages: rows", grid_page_routes,
    "What people see of a table's rows in the browser.");
