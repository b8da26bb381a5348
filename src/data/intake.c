/* SPDX-License-Identifier: Apache-2.0 */
#include "data/intake.h"

#include "base/charset.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"

enum { CSV_COLUMNS = CELL_SLOTS + 1 /* and a column of ids */ };

/* ---- formats ---- */

static bool
format_of_type(const char *type, enum intake_format *out)
{
	if (str_in(type, "text/csv|application/csv"))
		*out = INTAKE_CSV;
	else if (str_in(type,
	    "application/x-ndjson|application/ndjson|application/jsonl|application/x-jsonlines|"
	    "application/json-lines"))
		*out = INTAKE_NDJSON;
	else if (str_in(type, "application/json|text/json") || str_ends(type, "+json"))
		*out = INTAKE_JSON;
	else
		return false;
	return true;
}

static bool
format_of_path(const char *path, enum intake_format *out)
{
	if (str_ends(path, ".csv"))
		*out = INTAKE_CSV;
	else if (str_ends(path, ".ndjson") || str_ends(path, ".jsonl"))
		*out = INTAKE_NDJSON;
	else if (str_ends(path, ".json"))
		*out = INTAKE_JSON;
	else
		return false;
	return true;
}

bool
intake_format_of(void *owner, const char *type, const char *url, enum intake_format *out)
{
	char *bare = mem_strdup(owner, type ? type : "");

	bare[strcspn(bare, "; \t")] = '\0';
	for (char *p = bare; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return format_of_type(bare, out) ||
	    format_of_path(mem_strndup(owner, url, strcspn(url, "?#")), out);
}

/* ---- the rows of a text ---- */

/* A row within its text. */
struct intake_row {
	const char *text; /* JSON only */
	size_t n;         /* bytes of text, or number of fields */
	struct csv_field fields[CSV_COLUMNS];
};

static const char *
space_skip(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p) && *p)
		p++;
	return p;
}

static const char *
string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end ? p + 1 : end;
}

/* Finds the end of the value at p by brackets and quotes. json_parse() checks it later. */
static const char *
value_end(const char *p, const char *end)
{
	size_t depth = 0;

	while (p < end) {
		if (*p == '"') {
			p = string_end(p, end);
		} else if (*p == '[' || *p == '{') {
			depth++;
			p++;
		} else if (*p == ']' || *p == '}') {
			if (!depth)
				return p;
			depth--;
			p++;
		} else if (!depth && strchr(", \t\r\n", *p) && *p) {
			return p;
		} else {
			p++;
			continue;
		}
		if (!depth)
			return p;
	}
	return p;
}

static enum err
intake_cut_short(struct ctx *c)
{
	return fail(c, E_INVALID, "is cut off before the end of its rows, or isn't JSON");
}

/* Finds the array: the whole text, or the member "rows" of an object. */
static enum err
array_begin(struct ctx *c, struct intake_scan *s)
{
	const char *p = space_skip(s->p, s->end), *end = s->end;

	if (p < end && *p == '[') {
		s->p = p + 1;
		return E_OK;
	}
	while (p < end && (*p == '{' || *p == ',')) {
		const char *name = space_skip(p + 1, end);
		const char *after = name < end && *name == '"' ? string_end(name, end) : end;
		const char *value = space_skip(after, end);

		value = value < end && *value == ':' ? space_skip(value + 1, end) : end;
		if (value < end && *value == '[' && after - name == 6 &&
		    !memcmp(name, "\"rows\"", 6)) {
			s->p = value + 1;
			return E_OK;
		}
		p = value < end ? space_skip(value_end(value, end), end) : end;
	}
	return fail(c, E_INVALID,
	    "must be an array of rows, or an object whose member rows is one");
}

enum err
intake_begin(struct ctx *c, const struct intake *in, struct intake_scan *out)
{
	struct csv_field head[CSV_COLUMNS];
	size_t column_n;
	bool any;

	*out = (struct intake_scan){ .in = in, .p = in->text, .end = in->text + in->n };
	if (in->format == INTAKE_ROWS) {
		out->rest = in->file;
		out->p = out->end = out->piece = mem_array(c->mem, char, INTAKE_LINE_BYTES);
		return E_OK;
	}
	if (in->format == INTAKE_JSON)
		return array_begin(c, out);
	if (in->format == INTAKE_NDJSON)
		return E_OK;
	csv_file_begin(c, in->text, in->n, &in->file, &out->csv);
	return csv_file_next(c, &out->csv, head, CSV_COLUMNS, &column_n, &any);
}

static enum err
element_next(struct ctx *c, struct intake_scan *s, struct intake_row *row, bool *any)
{
	const char *p = space_skip(s->p, s->end);

	*any = false;
	if (p < s->end && *p == ']')
		return E_OK;
	if (s->row && (p >= s->end || *p != ','))
		return intake_cut_short(c);
	row->text = p = space_skip(p + (s->row > 0), s->end);
	s->p = value_end(p, s->end);
	if (s->p == p || s->p == s->end)
		return intake_cut_short(c);
	row->n = (size_t)(s->p - p);
	*any = true;
	return E_OK;
}

static void
line_next(struct intake_scan *s, struct intake_row *row, bool *any)
{
	for (*any = false; s->p < s->end && !*any;) {
		const char *stop = memchr(s->p, '\n', (size_t)(s->end - s->p));

		stop = stop ? stop : s->end;
		row->text = s->p;
		row->n = (size_t)(stop - s->p);
		*any = space_skip(s->p, stop) < stop;
		s->p = stop + (stop < s->end);
	}
}

/* Reads a line of the file, in pieces. */
static enum err
array_next(struct ctx *c, struct intake_scan *s, struct intake_row *row, bool *any)
{
	size_t left = (size_t)(s->end - s->p), more = INTAKE_LINE_BYTES - left;

	if (!memchr(s->p, '\n', left) && s->rest.n) {
		memmove(s->piece, s->p, left);
		if ((int64_t)more > s->rest.n)
			more = (size_t)s->rest.n;
		TRY(span_read(c, &s->rest, s->piece + left, more));
		s->rest = span_after(s->rest, (int64_t)more);
		s->p = s->piece;
		s->end = s->piece + left + more;
	}
	line_next(s, row, any);
	return E_OK;
}

static enum err
record_next(struct ctx *c, struct intake_scan *s, struct intake_row *row, bool *any)
{
	do {
		TRY(csv_file_next(c, &s->csv, row->fields, CSV_COLUMNS, &row->n, any));
		if (row->n > s->in->column_n)
			return fail(c, E_INVALID,
			    "line %zu: it has more values than the first line has column names; "
			    "put quotes around values that have a %s",
			    s->csv.line, csv_separator_name(s->in->separator));
	} while (*any && !row->n);
	return E_OK;
}

static enum err
intake_next(struct ctx *c, struct intake_scan *s, struct intake_row *row, bool *any)
{
	if (s->in->format == INTAKE_JSON)
		TRY(element_next(c, s, row, any));
	else if (s->in->format == INTAKE_NDJSON)
		line_next(s, row, any);
	else if (s->in->format == INTAKE_ROWS)
		TRY(array_next(c, s, row, any));
	else
		TRY(record_next(c, s, row, any));
	s->row += *any;
	return E_OK;
}

static enum err
object_read(struct ctx *c, const struct intake_scan *s, const struct intake_row *row,
    struct json **out)
{
	if (json_parse(c, row->text, row->n, out))
		return fail(c, E_INVALID, "row %zu: %s", s->row, ctx_why(c));
	return json_kind(*out) == J_OBJ
	    ? E_OK
	    : fail(c, E_INVALID, "row %zu: must be an object", s->row);
}

/* ---- names ---- */

static bool
intake_name_taken(const struct intake *in, const char *name)
{
	for (size_t i = 0; i < in->column_n; i++)
		if (str_eq(in->columns[i].name, name))
			return true;
	return false;
}

static const char *
intake_name_free(struct ctx *c, const struct intake *in, const char *first, bool is_free)
{
	const char *name = first;

	for (int again = 2; !is_free || intake_name_taken(in, name); again++) {
		name = mem_printf(c->mem, "%s_%d", first, again);
		is_free = true;
	}
	return name;
}

static enum err
intake_column_add(struct ctx *c, struct intake *in, const char *head)
{
	bool ids = in->who && str_eq(head, "id");
	const char *name =
	    ids ? NULL : intake_name_free(c, in, column_name_of(c->mem, head), true);

	if (in->column_n == CELL_SLOTS + (size_t)(in->who != NULL))
		return fail(c, E_INVALID, "has more columns than a table can have, %d", CELL_SLOTS);
	in->columns[in->column_n++] = (struct intake_column){
		.head = mem_strdup(c->mem, head), .name = name, .ids = ids
	};
	return E_OK;
}

/* Call it after the last row. A column "id" with other values than row ids gets a name. */
static void
intake_columns_end(struct ctx *c, struct intake *in)
{
	for (struct intake_column *k = in->columns; k < in->columns + in->column_n; k++) {
		if (!k->name && !k->ids)
			k->name = intake_name_free(c, in, k->head, false);
		if (in->format == INTAKE_CSV)
			k->type = csvcell_type(k->seen);
	}
}

const char *
intake_renamed(struct ctx *c, const struct intake *in)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < in->column_n; i++) {
		const char *head = in->columns[i].head, *name = in->columns[i].name;

		if (name && !str_eq(name, head))
			buf_fmt(&b, "%s%s is %s", b.n ? ", " : "",
			    *head ? str_cut(c->mem, head, TABLE_NAME_CHARS) : "\"\"", name);
	}
	return b.n ? b.s : NULL;
}

/* Members are mostly in the same order, so search from place i. */
static struct intake_column *
intake_column_find(struct intake *in, size_t i, const char *head)
{
	for (size_t k = 0; k < in->column_n; k++) {
		struct intake_column *col = &in->columns[(i + k) % in->column_n];

		if (str_eq(col->head, head))
			return col;
	}
	return NULL;
}

/* ---- types ---- */

static enum cell_type
type_of_json(struct ctx *c, const struct json *value)
{
	struct bytes key;

	switch (json_kind(value)) {
	case J_BOOL: return CELL_BOOLEAN;
	case J_INT: return CELL_INTEGER;
	case J_NUM: return cell_of(c->mem, CELL_NUMBER, value, &key) ? CELL_JSON : CELL_NUMBER;
	case J_STR:
		return cell_time(c->mem, json_str(value), &key) ? CELL_TIMESTAMP : CELL_TEXT;
	default: return CELL_JSON;
	}
}

static bool
types_are(enum cell_type a, enum cell_type b, enum cell_type one, enum cell_type other)
{
	return (a == one || a == other) && (b == one || b == other);
}

/* Combines the types of two values. Types that don't combine become `mixed`. */
static void
type_join(struct intake_column *col, enum cell_type type, enum cell_type mixed)
{
	if (!col->known)
		col->type = type;
	else if (types_are(col->type, type, CELL_INTEGER, CELL_NUMBER))
		col->type = col->type == type ? type : CELL_NUMBER;
	else if (types_are(col->type, type, CELL_TEXT, CELL_TIMESTAMP))
		col->type = col->type == type ? type : CELL_TEXT;
	else if (col->type != type)
		col->type = mixed;
	col->known = true;
}

struct member_look {
	struct ctx *c, *piece; /* c: memory that stays; piece: memory for one row */
	struct intake *in;
	size_t i;
	enum err e;
};

static int
member_look(void *arg, const char *name, const struct json *value)
{
	struct member_look *l = arg;
	struct intake_column *col = intake_column_find(l->in, l->i++, name);

	if (!col) {
		l->e = intake_column_add(l->c, l->in, name);
		if (l->e)
			return 1;
		col = &l->in->columns[l->in->column_n - 1];
	}
	if (json_kind(value) != J_NULL)
		type_join(col, type_of_json(l->piece, value), CELL_JSON);
	return 0;
}

static enum err
row_look(struct ctx *c, struct ctx *piece, struct intake *in, const struct intake_scan *s,
    const struct intake_row *row)
{
	struct member_look l = { .c = c, .piece = piece, .in = in };
	struct json *tree;

	if (in->format != INTAKE_CSV) {
		TRY(object_read(piece, s, row, &tree));
		json_each(tree, member_look, &l);
		return l.e;
	}
	for (size_t i = 0; i < row->n; i++) {
		struct intake_column *k = &in->columns[i];

		if (!row->fields[i].text)
			continue;
		k->seen |= csvcell_seen(piece->mem, &row->fields[i], in->separator);
		k->ids = k->ids && id_valid(row->fields[i].text, "row_");
	}
	return E_OK;
}

/* Each call reads ROWS_AT_ONCE rows, in memory that the caller frees. */
static enum err
rows_look(struct ctx *c, struct ctx *piece, struct intake *in, struct intake_scan *s, bool *any)
{
	struct intake_row row;

	*any = true;
	for (int i = 0; i < ROWS_AT_ONCE; i++) {
		TRY(intake_next(piece, s, &row, any));
		if (!*any)
			return E_OK;
		if (++in->rows > ROWS_MAX)
			return fail(c, E_STORAGE_FULL, "has more than %s rows",
			    str_number(c->mem, ROWS_MAX));
		TRY(row_look(c, piece, in, s, &row));
	}
	return E_OK;
}

/* Copies a piece's error to the whole. */
static enum err
piece_end(struct ctx *c, struct ctx *piece, enum err e)
{
	if (e && !c->err)
		e = piece->message ? fail(c, e, "%s", piece->message)
				   : fail_here(c, "%s", ctx_why(piece));
	if (e) {
		c->err = e;
		c->replay |= piece->replay;
	}
	ctx_end(piece);
	return e;
}

static enum err
head_look(struct ctx *c, struct intake *in)
{
	struct csv_field head[CSV_COLUMNS];
	struct csv_file f;
	size_t n;
	bool any;

	csv_file_begin(c, in->text, in->n, &in->file, &f);
	TRY(csv_file_next(c, &f, head, CSV_COLUMNS, &n, &any));
	if (!n)
		return fail(c, E_INVALID, "line 1: must name the columns");
	in->separator = f.scan.separator;
	for (size_t i = 0; i < n; i++)
		TRY(intake_column_add(c, in, head[i].text ? head[i].text : ""));
	return E_OK;
}

/* Ignores the text after the array and other members of the object. */
static enum err
intake_look(struct ctx *c, struct intake *in)
{
	struct intake_scan s;
	bool any = true;

	if (in->format == INTAKE_CSV)
		TRY(head_look(c, in));
	TRY(intake_begin(c, in, &s));
	while (any) {
		struct ctx *piece = ctx_begin(c->conf, c->db);

		TRY(piece_end(c, piece, rows_look(c, piece, in, &s, &any)));
	}
	intake_columns_end(c, in);
	return E_OK;
}

enum err
intake_read(struct ctx *c, const char *text, size_t n, enum intake_format format,
    struct intake **out)
{
	*out = mem_new(c->mem, struct intake);
	text = unicode_text(c->mem, text, &n);
	**out = (struct intake){ .format = format, .text = text, .n = n };
	return intake_look(c, *out);
}

enum err
intake_read_file(struct ctx *c, const struct principal *who, const struct span *file,
    struct intake **out)
{
	struct intake *in = *out = mem_new(c->mem, struct intake);
	size_t n = (size_t)file->n;
	const char *text;
	char *bytes;

	*in = (struct intake){ .format = INTAKE_CSV, .file = *file, .who = who };
	if (file->n <= INTAKE_CONVERT_BYTES) {
		bytes = mem_array(c->mem, char, n + 1);
		TRY(span_read(c, file, bytes, n));
		text = charset_text(c->mem, bytes, &n, &in->charset);
		if (text && in->charset) {
			in->text = text;
			in->n = n;
		} else {
			mem_free(bytes);
		}
	}
	return intake_look(c, in);
}

enum err
intake_read_rows(struct ctx *c, const struct span *file, size_t rows,
    const struct intake_known *known, size_t n, struct intake **out)
{
	struct intake *in = *out = mem_new(c->mem, struct intake);

	*in = (struct intake){ .format = INTAKE_ROWS, .file = *file, .rows = rows };
	for (size_t i = 0; i < n; i++) {
		TRY(intake_column_add(c, in, known[i].name));
		in->columns[i].type = known[i].type;
		in->columns[i].known = true;
	}
	return E_OK;
}

/* ---- rows for the table ---- */

static void
member_name(struct buf *b, bool first, const char *name)
{
	buf_str(b, first ? "{\"" : ",\"");
	buf_str(b, name);
	buf_str(b, "\":");
}

struct member_write {
	struct buf *b;
	struct intake_scan *s;
	size_t i;
};

static int
member_put(void *arg, const char *name, const struct json *value)
{
	struct member_write *w = arg;
	/* intake_column_find() changes nothing here, so the cast is safe. */
	struct intake *in = (struct intake *)(uintptr_t)w->s->in;
	const struct intake_column *col = intake_column_find(in, w->i, name);

	member_name(w->b, w->i++ == 0, col->name);
	json_into(w->b, value);
	return 0;
}

/* Copies the values without parsing them. */
static void
array_put(const struct intake_scan *s, struct buf *b, const struct intake_row *row)
{
	const char *p = row->text + 1, *end = row->text + row->n;
	bool any = false;

	for (size_t i = 0; i < s->in->column_n && p < end; i++) {
		const char *stop = value_end(p, end);
		size_t n = (size_t)(stop - p);

		if (n != 4 || memcmp(p, "null", 4) != 0) {
			member_name(b, !any, s->in->columns[i].name);
			buf_add(b, p, n);
			any = true;
		}
		p = stop + 1;
	}
	buf_str(b, any ? "}" : "{}");
}

static enum err
row_put(struct ctx *c, struct intake_scan *s, struct buf *b, const struct intake_row *row)
{
	struct member_write w = { .b = b, .s = s };
	struct json *tree;

	if (s->in->format == INTAKE_ROWS) {
		array_put(s, b, row);
		return E_OK;
	}
	if (s->in->format != INTAKE_CSV) {
		TRY(object_read(c, s, row, &tree));
		json_each(tree, member_put, &w);
		buf_str(b, w.i ? "}" : "{}");
		return E_OK;
	}
	for (size_t i = 0; i < row->n; i++) {
		const struct intake_column *col = &s->in->columns[i];

		if (!row->fields[i].text || !col->name)
			continue;
		member_name(b, w.i++ == 0, col->name);
		csvcell_write(c, b, col->type, col->seen, &row->fields[i]);
	}
	buf_str(b, w.i ? "}" : "{}");
	return E_OK;
}

enum err
intake_batch(struct ctx *c, struct intake_scan *s, const char **array, size_t *n)
{
	struct buf b = BUF(c->mem);
	struct intake_row row;
	bool any = true;

	for (*n = 0; *n < ROWS_AT_ONCE && b.n < INTAKE_BATCH_BYTES; ++*n) {
		TRY(intake_next(c, s, &row, &any));
		if (!any)
			break;
		s->places[*n] = s->in->format == INTAKE_CSV ? s->csv.line : s->row;
		buf_chr(&b, *n ? ',' : '[');
		TRY(row_put(c, s, &b, &row));
	}
	buf_str(&b, *n ? "]" : "[]");
	*array = b.s;
	return E_OK;
}

enum err
intake_json(struct ctx *c, const struct intake *in, const char **out)
{
	struct buf b = BUF(c->mem);
	struct intake_scan s;
	size_t n = 1;

	TRY(intake_begin(c, in, &s));
	buf_chr(&b, '[');
	while (n) {
		const char *array;

		TRY(intake_batch(c, &s, &array, &n));
		if (n && b.n > 1)
			buf_chr(&b, ',');
		buf_add(&b, array + 1, strlen(array) - 2);
	}
	buf_chr(&b, ']');
	*out = b.s;
	return E_OK;
}

enum { TOLD_CHARS = 600 };

const char *
intake_told(struct ctx *c, const struct intake *in)
{
	const char *renamed = intake_renamed(c, in), *also = "";

	if (in->separator != ',')
		also = mem_printf(c->mem, " The file’s separator is a %s.",
		    csv_separator_name(in->separator));
	if (in->charset)
		also = mem_printf(c->mem, "%s It was read as %s.", also, in->charset);
	if (renamed)
		also = mem_printf(c->mem, "%s Column names changed: %s.", also,
		    str_cut(c->mem, renamed, TOLD_CHARS));
	return mem_printf(c->mem, "Imported %s.%s",
	    str_count(c->mem, (int64_t)in->rows, "row"), also);
}
