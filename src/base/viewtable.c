/* SPDX-License-Identifier: Apache-2.0
 * The first rows of CSV and TSV. */
#include "base/str.h"
#include "base/viewdraw.h"

#include <string.h>

enum { CELL_CHARS = 1000 };

struct csv {
	void *owner;
	const char *at, *end;
	char delimiter;
};

/* Returns the delimiter that the first line has most of outside of quotes; a comma if none. */
static char
delimiter_find(const struct view_source *s)
{
	static const char set[] = ",;\t|";
	size_t count[sizeof set] = { 0 }, best = 0;
	bool quoted = false;

	if (str_in(view_kind_said(NULL, s->name), "TSV"))
		return '\t';
	for (size_t i = 0; i < s->n && (quoted || s->text[i] != '\n'); i++) {
		const char *at = strchr(set, s->text[i]);

		if (s->text[i] == '"')
			quoted = !quoted;
		else if (at && *at && !quoted)
			count[at - set]++;
	}
	for (size_t i = 1; i < sizeof set - 1; i++)
		best = count[i] > count[best] ? i : best;
	return set[best];
}

/* Reads a value that begins with a quote, up to its end or the file's. */
static void
quoted_read(struct csv *f, struct buf *b)
{
	for (f->at++; f->at < f->end; f->at++) {
		if (*f->at != '"') {
			buf_chr(b, *f->at);
		} else if (f->at + 1 < f->end && f->at[1] == '"') {
			buf_chr(b, *f->at++);
		} else {
			f->at++;
			return;
		}
	}
}

static const char *
value_read(struct csv *f)
{
	struct buf b = BUF(f->owner);
	const char *from;

	if (f->at < f->end && *f->at == '"')
		quoted_read(f, &b);
	for (from = f->at; f->at < f->end && *f->at != f->delimiter && *f->at != '\n';)
		f->at++;
	buf_add(&b, from, (size_t)(f->at - from));
	if (b.n && b.s[b.n - 1] == '\r' && (f->at == f->end || *f->at == '\n'))
		b.s[--b.n] = '\0';
	return str_cut(f->owner, buf_done(&b), CELL_CHARS);
}

/* Returns false at the end. out->v has room for VIEW_COLUMNS. */
static bool
row_read(struct csv *f, struct view_row *out)
{
	out->n = out->all = 0;
	if (f->at == f->end)
		return false;
	for (;;) {
		const char *value = value_read(f);

		if (out->all++ < VIEW_COLUMNS)
			out->v[out->n++] = value;
		if (f->at == f->end || *f->at++ == '\n')
			return true;
	}
}

static bool
is_number(const char *s)
{
	size_t digits = 0;

	for (s += *s == '-' || *s == '+'; *s; s++) {
		digits += *s >= '0' && *s <= '9';
		if (!strchr("0123456789.,%eE-+ ", *s))
			return false;
	}
	return digits > 0;
}

/* numbers: which columns have nothing else. */
static void
row_write(
    struct buf *b, const struct view_row *r, int64_t line, const bool *numbers, const char *tag)
{
	buf_fmt(b, "<tr><%s class=\"num soft\">%lld</%s>", tag, (long long)line, tag);
	for (size_t i = 0; i < r->n; i++) {
		buf_fmt(b, "<%s%s>", tag, numbers[i] ? " class=\"num\"" : "");
		buf_html(b, r->v[i]);
		buf_fmt(b, "</%s>", tag);
	}
	buf_str(b, "</tr>\n");
}

static void
head_write(struct buf *b, const struct view_row *r, const bool *numbers)
{
	buf_str(b, "<thead><tr><th scope=\"col\" class=\"num soft\">Row</th>");
	for (size_t i = 0; i < r->n; i++) {
		buf_fmt(b, "<th scope=\"col\"%s>", numbers[i] ? " class=\"num\"" : "");
		buf_html(b, *r->v[i] ? r->v[i] : "–");
		buf_str(b, "</th>");
	}
	buf_str(b, "</tr></thead>\n<tbody>\n");
}

/* Blank lines aren't rows. */
static bool
is_blank(const struct view_row *r)
{
	return r->all == 1 && !*r->v[0];
}

static void
row_count(struct view_rows *out, const struct view_row *r)
{
	out->ragged |= r->all != out->head.all;
	out->wide |= r->all > VIEW_COLUMNS;
	for (size_t i = 0; i < r->n && out->all < VIEW_ROWS; i++)
		if (*r->v[i] && !is_number(r->v[i]))
			out->numbers[i] = false;
	out->all++;
}

static struct view_row
row_new(void *owner)
{
	return (struct view_row){ .v = mem_array(owner, const char *, VIEW_COLUMNS) };
}

static struct view_row
row_kept(void *owner, const struct view_row *r)
{
	struct view_row kept = *r;

	kept.v = mem_dup(owner, r->v, (r->n + 1) * sizeof *r->v);
	return kept;
}

/* Of a file that is longer than what was read of it, the last row may be a part of one. */
bool
view_rows_read(void *owner, const struct view_source *s, struct view_rows *out)
{
	struct csv f = { owner, s->text, s->text + s->n, delimiter_find(s) };
	struct view_row r = row_new(owner);

	*out = (struct view_rows){ .head = row_new(owner), .whole = !s->cut };
	out->v = mem_array(owner, struct view_row, VIEW_ROWS);
	out->numbers = mem_array(owner, bool, VIEW_COLUMNS);
	memset(out->numbers, true, VIEW_COLUMNS * sizeof *out->numbers);
	while (row_read(&f, &out->head) && is_blank(&out->head))
		;
	if (!out->head.n)
		return false;
	for (;;) {
		f.owner = out->all < VIEW_ROWS ? owner : mem_zalloc(owner, 0);
		if (!row_read(&f, &r))
			break;
		if (!is_blank(&r) && (out->whole || f.at < f.end)) {
			if (out->all < VIEW_ROWS)
				out->v[out->n++] = row_kept(owner, &r);
			row_count(out, &r);
		}
		if (f.owner != owner)
			mem_free(f.owner);
	}
	return true;
}

static void
rows_note(struct buf *b, const struct view_rows *r)
{
	void *owner = b->owner;

	if (r->n < r->all || !r->whole)
		buf_fmt(b, "<p class=\"soft\">These are the first %s%s. Download the file to have "
			   "all.</p>\n",
		    str_count(owner, (int64_t)r->n, "row"),
		    r->whole
			? mem_printf(owner, " of %s", str_number(owner, (int64_t)r->all))
			: "");
	if (r->ragged)
		buf_str(b, "<p class=\"soft\">Some rows have more or fewer values than the first "
			   "line.</p>\n");
	if (r->wide)
		buf_fmt(b, "<p class=\"soft\">Only the first %s columns are shown.</p>\n",
		    str_number(owner, VIEW_COLUMNS));
}

bool
view_table(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	struct view_rows all, *r = &all;
	struct buf *b = &out->html;
	const char *rows;

	if (!view_rows_read(c->mem, s, r))
		return false;
	rows = r->whole ? str_count(c->mem, (int64_t)r->all, "row") : "many rows";
	view_begin_file(b, s,
	    mem_printf(c->mem, "%s, %s, %s", str_amount(c->mem, s->size), rows,
		str_count(c->mem, (int64_t)r->head.all, "column")),
	    false);
	buf_str(b, "<main>");
	rows_note(b, r);
	buf_str(b, "<div class=\"scroll\" tabindex=\"0\"><table>");
	head_write(b, &r->head, r->numbers);
	for (size_t i = 0; i < r->n; i++)
		row_write(b, &r->v[i], (int64_t)i + 1, r->numbers, "td");
	buf_str(b, "</tbody></table></div></main>");
	view_end(b);
	return true;
}
