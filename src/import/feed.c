/* SPDX-License-Identifier: Apache-2.0 */
#include "import/feed.h"

#include "base/str.h"
#include "core/storage.h"
#include "data/tablestage.h"
#include "import/check.h"

/* Shorter than a run's lease and than nginx's timeout. */
enum { KEEP_SECONDS = 90, BATCH_BYTES = 1 << 20 };

/* ---- formats ---- */

static bool
format_of_type(const char *type, enum read_format *out)
{
	if (str_in(type, "text/csv|application/csv"))
		*out = READ_CSV;
	else if (str_in(type,
	    "application/x-ndjson|application/ndjson|application/jsonl|application/x-jsonlines|"
	    "application/json-lines"))
		*out = READ_NDJSON;
	else if (str_in(type, "application/json|text/json") || str_ends(type, "+json"))
		*out = READ_JSON;
	else
		return false;
	return true;
}

bool
feed_format_of(void *owner, const char *type, const char *url, enum read_format *out)
{
	char *bare = mem_strdup(owner, type ? type : "");
	const char *path;

	bare[strcspn(bare, "; \t")] = '\0';
	str_lower(bare);
	if (format_of_type(bare, out))
		return true;
	path = mem_strndup(owner, url, strcspn(url, "?#"));
	if (str_ends(path, ".csv"))
		*out = READ_CSV;
	else if (str_ends(path, ".ndjson") || str_ends(path, ".jsonl"))
		*out = READ_NDJSON;
	else if (str_ends(path, ".json"))
		*out = READ_JSON;
	else
		return false;
	return true;
}

/* ---- columns ---- */

static bool
too_many(void *arg)
{
	const struct look *l = arg;

	return l->rows > ROWS_MAX;
}

/* Returns the type of a new column. Dates stay texts, as a database's do. */
static const char *
new_type(struct ctx *c, const struct feed *f, size_t i)
{
	const bool json = f->source.format == READ_JSON || f->source.format == READ_NDJSON;
	struct guess g;

	if (f->known)
		return f->known[i].type;
	look_guess(c, &f->look->v[i], json, '.', &g);
	return g.ask_decimal || g.ask_order || g.ask_zone || g.type == CELL_DATE
	    ? "text"
	    : cell_type_word(g.type);
}

/* Writes what a person would set: all columns are taken, new ones with their types. */
static const char *
asked_text(struct ctx *c, const struct feed *f, const struct data_table *old)
{
	const struct import_column *col = f->planned.columns.v;
	struct buf b = BUF(c->mem);

	buf_str(&b, "{\"columns\":{");
	for (size_t i = 0; i < f->look->n; i++) {
		buf_fmt(&b, "%s\"%zu\":{\"take\":true", i ? "," : "", i);
		if (f->planned.columns.n && !(old && table_column(old, col[i].name)))
			buf_fmt(&b, ",\"type\":\"%s\"", new_type(c, f, i));
		buf_chr(&b, '}');
	}
	buf_str(&b, "}}");
	return buf_done(&b);
}

/* Plans twice, because only names tell which columns are new. */
static enum err
plan_set(struct ctx *c, struct feed *f, const struct data_table *old)
{
	struct import_question_list open = { 0 };
	struct import_column_list columns;

	f->planned = (struct import){ .mode = "replace", .table = f->table };
	f->planned.dialect = &f->dialect;
	for (int pass = 0; f->look->n && pass < 2; pass++) {
		f->dialect = (struct import_dialect){ .decimal = ".", .date_order = "ymd",
			.zone = "UTC" };
		f->planned.asked = asked_text(c, f, old);
		TRY(plan_make(c, &f->planned, old, &f->source, f->look, &f->dialect, &open,
		    &columns));
		f->planned.columns = (struct list){ columns.v, columns.n };
	}
	return E_OK;
}

enum err
feed_read(struct ctx *c, const char *text, size_t n, enum read_format format, struct feed **out)
{
	struct feed *f = *out = mem_new(c->mem, struct feed);
	struct reader *r = mem_new(c->mem, struct reader);
	const size_t start = n < TEXT_RECORD ? n : TEXT_RECORD;
	struct csv_look look = { .delimiter = ',' };
	bool whole;

	if (format == READ_CSV && (*text == '{' || str_starts(text, "[{")))
		return fail(
		    c, E_INVALID, "isn't CSV but JSON; jobs take it as format json or ndjson");
	if (format == READ_CSV)
		csv_look(text, start, start == n, '"', &look);
	*f = (struct feed){ .source = { .format = format, .encoding = "utf-8",
				.delimiter = look.delimiter, .quote = '"', .header = true,
				.file = { .n = (int64_t)n, .bytes = text } } };
	f->look = mem_new(c->mem, struct look);
	TRY(source_reader(c, &f->source, r));
	TRY(look_file(c, r, format == READ_CSV, &(struct until){ too_many, f->look }, f->look,
	    &whole));
	if (!whole || f->look->rows > ROWS_MAX)
		return fail(c, E_STORAGE_FULL, "has more than %s rows",
		    str_number(c->mem, ROWS_MAX));
	if (format == READ_CSV && f->look->first_wrong)
		return fail(c, E_INVALID, "line 1: %s", f->look->first_wrong);
	if (format == READ_CSV && !f->look->first_n)
		return fail(c, E_INVALID, "line 1: must name the columns");
	f->rows = f->look->rows;
	return plan_set(c, f, NULL);
}

enum err
feed_read_rows(struct ctx *c, const struct span *file, size_t rows, const struct feed_known *known,
    size_t n, struct feed **out)
{
	struct feed *f = *out = mem_new(c->mem, struct feed);

	if (n > CELL_SLOTS)
		return fail(c, E_INVALID, "has more columns than a table can have, %d", CELL_SLOTS);
	*f = (struct feed){ .rows = (int64_t)rows, .known = known,
		.source = { .format = READ_ARRAYS, .encoding = "utf-8", .header = true,
		    .file = *file } };
	f->look = mem_new(c->mem, struct look);
	*f->look = (struct look){ .n = n, .rows = (int64_t)rows };
	for (size_t i = 0; i < n; i++)
		f->look->v[i].head = known[i].name;
	return plan_set(c, f, NULL);
}

const char *
feed_renamed(struct ctx *c, const struct feed *f)
{
	const struct import_column *col = f->planned.columns.v;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < f->planned.columns.n; i++)
		if (!str_eq(col[i].source, col[i].name))
			buf_fmt(&b, "%s%s is %s", b.n ? ", " : "",
			    *col[i].source ? str_cut(c->mem, col[i].source, TABLE_NAME_CHARS)
					   : "\"\"", col[i].name);
	return b.n ? b.s : NULL;
}

static const char *
columns_named(struct ctx *c, const char *const *names, size_t n, const char *one, const char *many)
{
	return mem_printf(c->mem, "%s %s", n == 1 ? one : many, str_some(c->mem, names, n));
}

/* Describes how the source's columns differ from the table's. */
static const char *
columns_changed(struct ctx *c, const struct feed *f, const struct data_table_new *now)
{
	const char *gone[CELL_SLOTS], *fresh[CELL_SLOTS], *changes = NULL;
	const struct data_column *was = f->old->columns.v, *is = now->columns.v;
	const struct import_column *col = f->planned.columns.v;
	size_t gone_n = 0, fresh_n = 0, had = f->old->columns.n;

	for (size_t i = 0; i < had; i++) {
		bool there = false;

		for (size_t k = 0; k < f->planned.columns.n && !there; k++)
			there = str_eq(col[k].name, was[i].name);
		if (!there)
			gone[gone_n++] = was[i].name;
	}
	for (size_t i = had; i < now->columns.n; i++)
		fresh[fresh_n++] = is[i].name;
	if (gone_n)
		changes = mem_printf(c->mem, "%s %s gone",
		    columns_named(c, gone, gone_n, "column", "columns"),
		    gone_n == 1 ? "is" : "are");
	if (!fresh_n)
		return changes;
	return mem_printf(c->mem, "%s%s%s", changes ? changes : "", changes ? "; " : "",
	    columns_named(c, fresh, fresh_n, "new column", "new columns"));
}

/* Fills `out` with the columns of the future table. *more: there are new ones. */
static enum err
columns_settle(struct ctx *c, struct feed *f, struct data_table_new *out, bool *more)
{
	size_t had = f->old ? f->old->columns.n : 0;

	TRY(plan_set(c, f, f->old));
	plan_columns(c, &f->planned, f->old, out);
	*more = out->columns.n > had;
	if (out->columns.n > CELL_SLOTS)
		return fail(c, E_INVALID, "would bring the table to %zu columns; the maximum is %d",
		    out->columns.n, CELL_SLOTS);
	if (f->known && f->old)
		f->changed = columns_changed(c, f, out);
	return out->columns.n
	    ? E_OK
	    : fail(c, E_INVALID, "has no rows, so there are no columns to create a table from");
}

/* ---- rows ---- */

/* Rows that are read in batches. */
struct feeding {
	struct ctx *c;         /* of the batch */
	struct feed *f;
	const struct data_table *t;
	struct reader reader;
	struct record rec;
	struct table_past *past;
	const char *why;       /* a value that doesn't fit */
	bool any;              /* more rows may follow */
	struct row_new rows[ROWS_AT_ONCE];
	int64_t lines[ROWS_AT_ONCE];
	size_t n;
};

static void
misfit_name(void *arg, const struct record *rec, int column, const struct given *v,
    const char *why)
{
	struct feeding *g = arg;
	const struct import_column *col = g->f->planned.columns.v;
	void *mem = g->c->mem;

	if (g->why)
		return;
	g->why = mem_printf(mem, "%s %s%s%s: %s%s%s%s",
	    g->f->source.format == READ_CSV || g->f->source.format == READ_NDJSON ? "line"
									       : "row",
	    str_number(mem, rec->line),
	    column >= 0 ? ", " : "", column >= 0 ? col[column].name : "", v ? "“" : "",
	    v ? str_cut(mem, v->s, 80) : "", v ? "” " : "", why);
}

static enum err
feeding_begin(struct ctx *c, struct feed *f, const struct data_table *t, struct table_past *past,
    struct feeding **out)
{
	struct feeding *g = *out = mem_zalloc(c->mem, sizeof *g);

	g->c = c;
	g->f = f;
	g->t = t;
	g->past = past;
	g->any = true;
	if (t)
		TRY(plan_read(c, &f->planned, t, &f->plan));
	TRY(source_reader(c, &f->source, &g->reader));
	TRY(header_skip(c, &f->source, &g->reader));
	g->reader.fields = 0;
	return E_OK;
}

/* Reads the next record with values. A line of CSV may have fewer values than there are columns. */
static enum err
record_next(struct feeding *g)
{
	do {
		TRY(reader_next(g->c, &g->reader, &g->rec, &g->any));
	} while (g->any && !g->rec.n && !g->rec.wrong);
	if (g->any && !g->rec.wrong && g->f->source.format == READ_CSV &&
	    g->rec.n > g->f->planned.columns.n)
		g->rec.wrong = mem_printf(g->c->mem,
		    "it has more values than the first line has column names; put quotes around "
		    "values that have a %s", delimiter_word(g->f->source.delimiter));
	return E_OK;
}

static enum err
batch_read(struct feeding *g)
{
	const struct misfit_sink sink = { misfit_name, g };
	size_t bytes = 0;

	for (g->n = 0; g->n < ROWS_AT_ONCE && bytes < BATCH_BYTES; g->n++) {
		struct row_new *row = &g->rows[g->n];

		TRY(record_next(g));
		if (!g->any)
			return E_OK;
		*row = (struct row_new){ .rev = 0 };
		if (!plan_row(g->c, &g->f->plan, g->t, &g->rec, false, &sink, row))
			return fail(g->c, E_INVALID, "%s", g->why);
		past_next_id(g->past, row->id);
		g->lines[g->n] = g->rec.line;
		bytes += strlen(row->doc);
	}
	return E_OK;
}

static enum err
time_check(const struct ctx *c, struct ctx *piece)
{
	return piece->now - c->now > KEEP_SECONDS
	    ? fail(piece, E_INVALID, "storing the rows takes longer than %d seconds",
		  KEEP_SECONDS)
	    : E_OK;
}

/* ---- a staged table ---- */

static enum err
batch_stage(struct feeding *g, const struct artifact *a)
{
	const struct table_for tf = {
		.a = a, .t = g->f->staged, WRITES_ANY
	};
	int64_t bytes = 0;

	TRY(batch_read(g));
	TRY(db_begin(g->c));
	if (g->n)
		TRY(rows_load_made(g->c, &tf, g->rows, g->n, g->lines, &bytes));
	TRY(table_stage_account(g->c, g->f->staged, (int64_t)g->n, bytes));
	return db_commit(g->c);
}

static enum err
stage_fill(struct ctx *c, const struct artifact *a, struct feed *f)
{
	struct table_past past = { 0 }; /* recorded when the table is shown */
	struct feeding *g;

	TRY(feeding_begin(c, f, f->staged, &past, &g));
	while (g->any) {
		struct ctx *piece = g->c = ctx_begin(c->conf, c->db);
		enum err e = batch_stage(g, a);

		if (e)
			db_rollback(piece);
		else
			e = time_check(c, piece);
		TRY(ctx_join(c, piece, e));
		if (f->between)
			f->between(f->arg);
		/* Stops early if the artifact has no room. */
		TRY(storage_room(c, a->id, NULL, NULL, f->staged->size_bytes -
		    (f->old ? f->old->size_bytes : 0)));
	}
	f->rows = f->staged->row_count;
	return E_OK;
}

enum err
feed_stage(struct ctx *c, const struct artifact *a, const char *table, bool replace,
    struct feed *f)
{
	struct data_table_new columns;
	struct table_for tf;
	enum err e = table_get(c, a, NULL, table, &tf);
	bool more;

	if (e && e != E_NOT_FOUND)
		return e;
	if (e)
		ctx_again(c);
	f->table = table;
	f->old = e ? NULL : mem_dup(c->mem, tf.t, sizeof *tf.t);
	TRY(columns_settle(c, f, &columns, &more));
	if (f->old && !replace && f->old->row_count + f->rows > ROWS_MAX)
		return fail(c, E_STORAGE_FULL,
		    "the table %s has %s; %s more would exceed the limit of %s", f->table,
		    str_count(c->mem, f->old->row_count, "row"), str_number(c->mem, f->rows),
		    str_number(c->mem, ROWS_MAX));
	if (f->old && !replace)
		return E_OK;
	TRY(table_stage(c, table, &columns, &f->staged));
	e = stage_fill(c, a, f);
	if (e) {
		struct ctx *again = ctx_begin(c->conf, c->db);

		(void)table_stage_drop(again, f->staged);
		ctx_end(again);
	}
	return e;
}

/* ---- rows for an existing table ---- */

enum err
feed_keep(struct ctx *c, const struct artifact *a, struct feed *f)
{
	int64_t rows = 0, bytes = 0;
	struct data_table_new columns;
	struct table_for tf;
	struct feeding *g;
	bool more, made;

	if (f->staged)
		return table_stage_show(c, a, f->staged, f->old, false);
	TRY(table_get(c, a, NULL, f->table, &tf));
	/* A copy, because the columns may have changed since. */
	f->old = mem_dup(c->mem, tf.t, sizeof *tf.t);
	TRY(columns_settle(c, f, &columns, &more));
	if (more) {
		TRY(table_put(c, a, NULL, f->table, &columns, &made));
		TRY(table_get(c, a, NULL, f->table, &tf));
	}
	tf.add = ANY_ROW;
	tf.limits = (struct row_limits){ 0 };
	tf.policy = NULL;
	tf.past->via = "job";
	TRY(feeding_begin(c, f, tf.t, tf.past, &g));
	while (g->any) {
		struct ctx *piece = g->c = ctx_begin(c->conf, c->db);
		enum err e = batch_read(g);

		if (!e && g->n)
			e = rows_load_made(piece, &tf, g->rows, g->n, g->lines, &bytes);
		e = e ? e : time_check(c, piece);
		c->replay |= piece->replay;
		TRY(ctx_join(c, piece, e));
		rows += (int64_t)g->n;
	}
	f->rows = rows;
	return rows ? table_account(c, &tf, rows, bytes) : E_OK;
}

/* ---- a document ---- */

/* Writes a value as the source has it; text of CSV as its column's type. */
static void
value_write(struct feeding *g, struct buf *b, const struct import_column *col,
    const struct given *v)
{
	const struct reading how = { .decimal = col->decimal ? *col->decimal : '.' };
	struct value out;

	if (v->kind == GIVEN_NONE)
		buf_str(b, "null");
	else if (g->f->source.format != READ_CSV && v->kind != GIVEN_STRING)
		buf_str(b, v->s);
	else if (g->f->source.format != READ_CSV ||
	    value_read(g->c, cell_type_of(col->type), &how, v, &out))
		buf_json(b, v->s);
	else
		buf_str(b, out.json);
}

/* Leaves out a member that is missing; null is written. */
static void
row_write(struct feeding *g, struct buf *b)
{
	const struct import_column *col = g->f->planned.columns.v;
	bool any = false;

	for (size_t i = 0; i < g->rec.n && i < g->f->planned.columns.n; i++) {
		const struct given *v = &g->rec.v[i];

		if (v->kind == GIVEN_NONE && !v->n)
			continue;
		buf_fmt(b, "%s\"%s\":", any ? "," : "{", col[i].name);
		value_write(g, b, &col[i], v);
		any = true;
	}
	buf_str(b, any ? "}" : "{}");
}

static enum err
rows_write(struct feeding *g, struct buf *b)
{
	for (int i = 0; i < ROWS_AT_ONCE && g->any; i++) {
		TRY(record_next(g));
		if (!g->any)
			return E_OK;
		if (g->rec.wrong) {
			misfit_name(g, &g->rec, -1, NULL, g->rec.wrong);
			return fail(g->c, E_INVALID, "%s", g->why);
		}
		buf_str(b, b->n > 1 ? "," : "");
		row_write(g, b);
	}
	return E_OK;
}

enum err
feed_json(struct ctx *c, struct feed *f, const char **out)
{
	struct buf b = BUF(c->mem);
	struct feeding *g;

	TRY(feeding_begin(c, f, NULL, NULL, &g));
	buf_chr(&b, '[');
	while (g->any) {
		struct ctx *piece = g->c = ctx_begin(c->conf, c->db);

		TRY(ctx_join(c, piece, rows_write(g, &b)));
	}
	buf_chr(&b, ']');
	*out = buf_done(&b);
	return E_OK;
}
