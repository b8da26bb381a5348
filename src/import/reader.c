/* SPDX-License-Identifier: Apache-2.0 */
#include "import/reader.h"

#include "base/str.h"

/* ---- a record of CSV ---- */

static enum err
fields_cut(struct ctx *c, struct reader *r, char *p, char *stop, struct record *out)
{
	struct csv_value v;
	bool any = false;

	if (memchr(p, '\0', (size_t)(stop - p))) {
		out->wrong = "it has a NUL byte, which no text has";
		return E_OK;
	}
	if (!str_utf8_valid(p, (size_t)(stop - p))) {
		out->wrong = "it isn't valid UTF-8";
		return E_OK;
	}
	for (char *next = p; next <= stop; out->n++) {
		if (out->n == READ_COLUMNS) {
			out->wrong = "it has more values than a table can have columns";
			return E_OK;
		}
		next = csv_cut(next, stop, r->delimiter, r->quote, &v);
		out->v[out->n] = (struct given){ v.n        ? GIVEN_TEXT
			: v.quoted ? GIVEN_EMPTY
				   : GIVEN_NONE,
			v.s, v.n };
		any |= v.n || v.quoted;
	}
	if (!any)
		out->n = 0;
	else if (r->fields && out->n != r->fields)
		out->wrong = mem_printf(c->mem, "it has %zu %s instead of %zu", out->n,
		    out->n == 1 ? "value" : "values", r->fields);
	return E_OK;
}

/* Skips the rest of a line that is longer than a record may be. */
static enum err
line_skip(struct ctx *c, struct reader *r)
{
	struct text *t = &r->text;

	for (;;) {
		const char *p = t->buf + t->at, *end = t->buf + t->n, *next;
		size_t n = (size_t)(end - p), to = 0;

		while (to < n && p[to] != '\n' && p[to] != '\r')
			to++;
		if (to < n && (next = csv_line_over(p + to, end, t->end))) {
			t->at = (size_t)(next - t->buf);
			r->line++;
			return E_OK;
		}
		t->at += to;
		if (t->end)
			return E_OK;
		TRY(text_more(c, t));
	}
}

static enum err
csv_next(struct ctx *c, struct reader *r, struct record *out, bool *any)
{
	struct text *t = &r->text;
	const char *stop, *next;
	enum csv_end how;
	char *p;

	for (;;) {
		p = t->buf + t->at;
		if (t->end && (t->at == t->n || (t->at + 1 == t->n && *p == 0x1a)))
			return E_OK;
		how = t->at == t->n ? CSV_MORE
				    : csv_record(p, t->buf + t->n, r->delimiter, r->quote,
					  t->end, &stop, &next);
		if (how != CSV_MORE || t->end || t->n - t->at >= TEXT_RECORD)
			break;
		TRY(text_more(c, t));
	}
	*any = true;
	out->line = r->line;
	if (how == CSV_ENDS) {
		t->at = (size_t)(next - t->buf);
		for (const char *s = p; s < next; s++)
			r->line += *s == '\n' || (*s == '\r' && (s + 1 == next || s[1] != '\n'));
		return fields_cut(c, r, p, t->buf + (stop - t->buf), out);
	}
	out->wrong = how == CSV_BAD_QUOTE
	    ? "text follows a closing quote"
	    : how == CSV_OPEN_QUOTE || (r->quote && memchr(p, r->quote, t->n - t->at))
	    ? "a quote that opens here isn't closed"
	    : "it is longer than 1 MB";
	return line_skip(c, r);
}

/* ---- JSON ---- */

static const char *
value_wrong(struct ctx *c, const char *p, size_t n, struct json **out)
{
	size_t at;
	const char *why = json_wrong(c, p, n, out, &at);

	return why ? mem_printf(c->mem, "it isn't JSON: %s", why) : NULL;
}

static struct given
given_of(struct ctx *c, const struct json *v)
{
	const char *s;

	switch (json_kind(v)) {
	case J_NULL: return (struct given){ GIVEN_NONE, "null", 4 };
	case J_STR: s = json_str(v); return (struct given){ GIVEN_STRING, s, strlen(s) };
	case J_BOOL:
		s = json_true(v) ? "true" : "false";
		return (struct given){ GIVEN_BOOL, s, strlen(s) };
	default: s = json_text(c->mem, v);
	}
	return (struct given){ json_kind(v) == J_INT || json_kind(v) == J_NUM ? GIVEN_NUMBER
									       : GIVEN_TREE,
		s, strlen(s) };
}

struct members {
	struct ctx *c;
	struct reader *r;
	struct record *out;
	size_t i;
};

/* Members are mostly in the same order, so search from place i. */
static int
member_put(void *arg, const char *name, const struct json *value)
{
	struct members *m = arg;
	struct reader *r = m->r;
	size_t at = 0;

	while (at < r->head_n && !str_eq(r->heads[(m->i + at) % r->head_n], name))
		at++;
	if (at < r->head_n)
		at = (m->i + at) % r->head_n;
	else if (r->head_n == READ_COLUMNS)
		return (int)fail(m->c, E_INVALID,
		    "the file has more columns than a table can have, %d", CELL_SLOTS);
	else
		r->heads[at = r->head_n++] = mem_strdup(r->owner, name);
	m->i = at + 1;
	while (m->out->n <= at)
		m->out->v[m->out->n++] = (struct given){ GIVEN_NONE, "", 0 };
	m->out->v[at] = given_of(m->c, value);
	return 0;
}

static enum err
object_read(struct ctx *c, struct reader *r, const char *p, size_t n, struct record *out)
{
	struct members m = { .c = c, .r = r, .out = out };
	struct json *tree;

	out->wrong = value_wrong(c, p, n, &tree);
	if (out->wrong)
		return E_OK;
	if (json_kind(tree) != J_OBJ) {
		out->wrong = "it isn't an object";
		return E_OK;
	}
	TRY((enum err)json_each(tree, member_put, &m));
	/* A row may have no members; a blank line is no row. */
	while (out->n < (r->head_n ? r->head_n : 1))
		out->v[out->n++] = (struct given){ GIVEN_NONE, "", 0 };
	return E_OK;
}

/* A row of a database: [value, …]. */
static enum err
array_read(struct ctx *c, const char *p, size_t n, struct record *out)
{
	struct json *tree;

	out->wrong = value_wrong(c, p, n, &tree);
	out->n = out->wrong ? 0 : json_len(tree);
	if (out->n > READ_COLUMNS)
		return fail(c, E_INVALID, "a row has more values than a table can have columns");
	for (size_t i = 0; i < out->n; i++)
		out->v[i] = given_of(c, json_at(tree, i));
	return E_OK;
}

/* A row of a converted workbook: [line, value, …]; {"e":"#N/A"} is an error. Its texts may be
 * numbers. */
static enum err
sheet_row_read(struct ctx *c, const char *p, size_t n, struct record *out)
{
	struct json *tree;

	TRY(json_parse(c, p, n, &tree));
	out->line = json_int(json_at(tree, 0));
	out->n = json_len(tree) - 1;
	if (out->n > READ_COLUMNS) {
		out->wrong = "it has more values than a table can have columns";
		out->n = 0;
	}
	for (size_t i = 0; i < out->n; i++) {
		const struct json *v = json_at(tree, i + 1);

		out->v[i] = given_of(c, v);
		if (json_kind(v) == J_STR)
			out->v[i].kind = out->v[i].n ? GIVEN_TEXT : GIVEN_EMPTY;
		else if (json_kind(v) == J_OBJ)
			out->v[i] = (struct given){ GIVEN_ERROR, json_word(v, "e"),
				json_len(json_get(v, "e")) };
	}
	return E_OK;
}

static enum err
line_next(struct ctx *c, struct reader *r, struct record *out, bool *any)
{
	struct text *t = &r->text;
	char *p, *stop;

	for (;;) {
		p = t->buf + t->at;
		stop = memchr(p, '\n', t->n - t->at);
		if (!stop && !t->end && t->n - t->at < TEXT_RECORD) {
			TRY(text_more(c, t));
			continue;
		}
		if (!stop && t->at == t->n)
			return E_OK;
		out->line = r->line;
		if (!stop && !t->end) {
			*any = true;
			out->wrong = "it is longer than 1 MB";
			return line_skip(c, r);
		}
		stop = stop ? stop : t->buf + t->n;
		t->at = (size_t)(stop - t->buf) + (stop < t->buf + t->n);
		r->line++;
		*any = true;
		if (strspn(p, " \t\r") >= (size_t)(stop - p))
			return E_OK;
		return r->format == READ_ROWS ? sheet_row_read(c, p, (size_t)(stop - p), out)
		    : r->format == READ_ARRAYS ? array_read(c, p, (size_t)(stop - p), out)
					       : object_read(c, r, p, (size_t)(stop - p), out);
	}
}

static size_t
space_after(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && strchr(" \t\r\n", p[i]) && p[i])
		i++;
	return i;
}

/* Returns the length of the value at p by its brackets and quotes; 0 if it isn't complete. */
static size_t
value_length(const char *p, size_t n, bool last)
{
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"') {
			for (i++; i < n && p[i] != '"'; i++)
				i += p[i] == '\\';
			if (i >= n)
				return 0;
		} else if (p[i] == '[' || p[i] == '{') {
			depth++;
			continue;
		} else if (p[i] == ']' || p[i] == '}') {
			if (!depth)
				return i;
			depth--;
		} else if (!depth && strchr(",: \t\r\n", p[i]) && p[i]) {
			return i;
		} else {
			continue;
		}
		if (!depth)
			return i + 1;
	}
	return last && !depth ? n : 0;
}

/* Skips white space, and has the whole next value unread, or all that is left. */
static enum err
value_ready(struct ctx *c, struct reader *r, size_t *length)
{
	struct text *t = &r->text;

	for (;;) {
		t->at += space_after(t->buf + t->at, t->n - t->at);
		*length = value_length(t->buf + t->at, t->n - t->at, t->end);
		if (*length || t->end)
			return E_OK;
		if (t->at < t->n && strchr("],}:", t->buf[t->at]) && t->buf[t->at])
			return E_OK;
		if (t->n - t->at >= TEXT_RECORD)
			return fail(c, E_INVALID,
			    "a value of the JSON file is longer than 1 MB; "
			    "send the rows as an array of objects");
		TRY(text_more(c, t));
	}
}

static bool
next_is(struct reader *r, char ch)
{
	struct text *t = &r->text;

	if (t->at == t->n || t->buf[t->at] != ch)
		return false;
	t->at++;
	return true;
}

static enum err
cut_short(struct ctx *c)
{
	return fail(c, E_INVALID, "the file is cut off before the end of its rows, or isn't JSON");
}

/* Finds the array: the whole file, or the member "rows" of an object. */
static enum err
array_begin(struct ctx *c, struct reader *r)
{
	struct text *t = &r->text;
	size_t n = 0;

	r->begun = true;
	while (!t->end && t->n - t->at < TEXT_RECORD / 2)
		TRY(text_more(c, t));
	t->at += space_after(t->buf + t->at, t->n - t->at);
	if (next_is(r, '['))
		return E_OK;
	if (!next_is(r, '{'))
		return fail(c, E_INVALID,
		    "the file must be an array of rows, or an object whose member rows is one");
	do {
		bool rows;

		TRY(value_ready(c, r, &n));
		rows = n == 6 && !memcmp(t->buf + t->at, "\"rows\"", 6);
		t->at += n;
		TRY(value_ready(c, r, &n));
		if (!n && !next_is(r, ':'))
			return cut_short(c);
		t->at += space_after(t->buf + t->at, t->n - t->at);
		if (rows && next_is(r, '['))
			return E_OK;
		TRY(value_ready(c, r, &n));
		t->at += n;
		TRY(value_ready(c, r, &n));
	} while (next_is(r, ','));
	return fail(c, E_INVALID, "the file is an object without a list of rows in \"rows\"");
}

static enum err
element_next(struct ctx *c, struct reader *r, struct record *out, bool *any)
{
	struct text *t = &r->text;
	size_t n;

	if (!r->begun)
		TRY(array_begin(c, r));
	TRY(value_ready(c, r, &n));
	if (r->closed || next_is(r, ']')) {
		r->closed = true;
		return E_OK;
	}
	if (r->element && !next_is(r, ','))
		return cut_short(c);
	TRY(value_ready(c, r, &n));
	if (!n)
		return cut_short(c);
	*any = true;
	out->line = ++r->element;
	t->at += n;
	return object_read(c, r, t->buf + t->at - n, n, out);
}

/* ---- all formats ---- */

enum err
reader_begin(struct ctx *c, const struct span *file, enum read_format format,
    const char *encoding, char delimiter, char quote, struct reader *out)
{
	struct csv_look look;

	*out = (struct reader){ .format = format, .delimiter = delimiter, .quote = quote,
		.line = 1, .owner = c->mem };
	TRY(text_begin(c, file, encoding, &out->text));
	if (format != READ_CSV)
		return E_OK;
	TRY(text_more(c, &out->text));
	csv_look(out->text.buf, out->text.n, out->text.end, quote, &look);
	if (look.told)
		TRY(line_skip(c, out));
	return E_OK;
}

enum err
reader_next(struct ctx *c, struct reader *r, struct record *out, bool *any)
{
	out->n = 0;
	out->wrong = NULL;
	*any = false;
	switch (r->format) {
	case READ_CSV: return csv_next(c, r, out, any);
	case READ_JSON: return element_next(c, r, out, any);
	default: return line_next(c, r, out, any);
	}
}
