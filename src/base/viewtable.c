/* SPDX-License-Identifier: Apache-2.0
 * The first rows of CSV and TSV. */
#include "base/str.h"
#include "base/viewdraw.h"

#include <string.h>

enum { COLUMNS = 1000, CELL_CHARS = 1000 };

struct csv {
	void *owner;
	const char *at, *end;
	char delimiter;
};
struct row {
	const char *v[COLUMNS];
	size_t n;    /* of v */
	size_t all;  /* as the file has them */
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

/* Returns false at the end. */
static bool
row_read(struct csv *f, struct row *out)
{
	out->n = out->all = 0;
	if (f->at == f->end)
		return false;
	for (;;) {
		const char *value = value_read(f);

		if (out->all++ < COLUMNS)
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
row_write(struct buf *b, const struct row *r, int64_t line, const bool *numbers, const char *tag)
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
head_write(struct buf *b, const struct row *r, const bool *numbers)
{
	buf_str(b, "<thead><tr><th scope=\"col\" class=\"num soft\">Row</th>");
	for (size_t i = 0; i < r->n; i++) {
		buf_fmt(b, "<th scope=\"col\"%s>", numbers[i] ? " class=\"num\"" : "");
		buf_html(b, *r->v[i] ? r->v[i] : "–");
		buf_str(b, "</th>");
	}
	buf_str(b, "</tr></thead>\n<tbody>\n");
}

struct rows {
	struct row *head, *v;
	size_t n, all;
	bool whole; /* all is how many there are */
	bool ragged, wide;
	bool numbers[COLUMNS];
};

/* Blank lines aren't rows. */
static bool
is_blank(const struct row *r)
{
	return r->all == 1 && !*r->v[0];
}

static void
row_count(struct rows *out, const struct row *r)
{
	out->ragged |= r->all != out->head->all;
	out->wide |= r->all > COLUMNS;
	for (size_t i = 0; i < r->n && out->all < VIEW_ROWS; i++)
		if (*r->v[i] && !is_number(r->v[i]))
			out->numbers[i] = false;
	out->all++;
}

/* Of a file that is longer than what was read of it, the last row may be a part of one. */
static bool
rows_read(struct csv *f, struct rows *out, bool whole)
{
	void *owner = f->owner;
	struct row *r = mem_new(owner, struct row);

	out->head = mem_new(owner, struct row);
	out->v = mem_array(owner, struct row, VIEW_ROWS);
	out->whole = whole;
	memset(out->numbers, true, sizeof out->numbers);
	while (row_read(f, out->head) && is_blank(out->head))
		;
	if (!out->head->n)
		return false;
	for (;;) {
		f->owner = out->all < VIEW_ROWS ? owner : mem_zalloc(owner, 0);
		if (!row_read(f, r))
			break;
		if (!is_blank(r) && (whole || f->at < f->end)) {
			if (out->all < VIEW_ROWS)
				out->v[out->n++] = *r;
			row_count(out, r);
		}
		if (f->owner != owner)
			mem_free(f->owner);
	}
	return true;
}

static void
rows_note(struct buf *b, const struct rows *r)
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
		    str_number(owner, COLUMNS));
}

bool
view_table(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	struct csv f = { c->mem, s->text, s->text + s->n, delimiter_find(s) };
	struct rows *r = mem_new(c->mem, struct rows);
	struct buf *b = &out->html;
	const char *rows;

	if (!rows_read(&f, r, !s->cut))
		return false;
	rows = r->whole ? str_count(c->mem, (int64_t)r->all, "row") : "many rows";
	view_begin_file(b, s,
	    mem_printf(c->mem, "%s, %s, %s", str_amount(c->mem, s->size), rows,
		str_count(c->mem, (int64_t)r->head->all, "column")),
	    false);
	buf_str(b, "<main>");
	rows_note(b, r);
	buf_str(b, "<div class=\"scroll\" tabindex=\"0\"><table>");
	head_write(b, r->head, r->numbers);
	for (size_t i = 0; i < r->n; i++)
		row_write(b, &r->v[i], (int64_t)i + 1, r->numbers, "td");
	buf_str(b, "</tbody></table></div></main>");
	view_end(b);
	return true;
}
