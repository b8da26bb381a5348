/* SPDX-License-Identifier: Apache-2.0 */
#include "base/textdiff.h"

#include "base/str.h"

SHAPE_DEFINE(text_line, TEXT_LINE);
SHAPE_DEFINE(diff_line, DIFF_LINE);
SHAPE_DEFINE(diff_pair, DIFF_PAIR);

enum {
	AROUND = 3,
	CELLS = 4 << 20 /* of the table of longest common subsequences */,
	ALIKE = 3 /* words are marked if a third of the line is equal */
};

struct lines {
	char **v;
	size_t n;
};

static struct lines
lines_of(void *owner, const char *text)
{
	struct lines out = { NULL, 1 };
	char *rest = mem_strdup(owner, text), *line;

	for (const char *p = text; *p; p++)
		out.n += *p == '\n';
	out.v = mem_array(owner, char *, out.n);
	out.n = 0;
	while ((line = str_split(&rest, '\n')))
		out.v[out.n++] = line;
	if (out.n && !*out.v[out.n - 1])
		out.n--;
	return out;
}

static void
line_add(struct diff_line_list *out, const char *sign, const char *line)
{
	out->v[out->n++] = (struct diff_line){ .sign = sign, .line = line };
}

/* Compares the lines between the common beginning and end. */
static void
middle_add(void *owner, const struct lines *a, const struct lines *b, size_t from, size_t a_to,
    size_t b_to, struct diff_line_list *out)
{
	size_t rows = a_to - from, columns = b_to - from, wide = columns + 1, i = 0, k = 0;
	bool compared = rows && columns && rows < CELLS / wide;
	uint16_t *best = mem_zalloc(owner, compared ? (rows + 1) * wide * sizeof *best : 1);

	for (size_t y = compared ? rows : 0; y-- > 0;)
		for (size_t x = columns; x-- > 0;) {
			uint16_t down = best[(y + 1) * wide + x], right = best[y * wide + x + 1];

			best[y * wide + x] = str_eq(a->v[from + y], b->v[from + x])
			    ? (uint16_t)(best[(y + 1) * wide + x + 1] + 1)
			    : down >= right ? down : right;
		}
	while (i < rows || k < columns) {
		bool same = compared && i < rows && k < columns &&
		    str_eq(a->v[from + i], b->v[from + k]);

		if (same) {
			line_add(out, "same", b->v[from + k]);
			i++, k++;
		} else if (i < rows && (k == columns || !compared ||
			       best[(i + 1) * wide + k] >= best[i * wide + k + 1])) {
			line_add(out, "gone", a->v[from + i++]);
		} else {
			line_add(out, "new", b->v[from + k++]);
		}
	}
	mem_free(best);
}

/* ---- words ---- */

/* True if no word continues across this place, and no character does. */
static bool
between_words(const char *s, size_t n, size_t at)
{
	const unsigned char *p = (const unsigned char *)s + at;

	return !at || at == n || (isascii(*p) && !isalnum(*p)) ||
	    (isascii(p[-1]) && !isalnum(p[-1]));
}

static void
words_of(void *owner, struct diff_line *line, size_t from, size_t to)
{
	line->head = mem_strndup(owner, line->line, from);
	line->said = to > from ? mem_strndup(owner, line->line + from, to - from) : NULL;
	line->tail = line->line + to;
}

/* Skips lines that have little in common, in which marks would not help. */
static void
words_mark(void *owner, struct diff_line *a, struct diff_line *b)
{
	size_t a_n = strlen(a->line), b_n = strlen(b->line), from = 0, end = 0;

	while (from < a_n && from < b_n && a->line[from] == b->line[from])
		from++;
	while (!between_words(a->line, a_n, from) || !between_words(b->line, b_n, from))
		from--;
	while (end < a_n - from && end < b_n - from &&
	    a->line[a_n - 1 - end] == b->line[b_n - 1 - end])
		end++;
	while (!between_words(a->line, a_n, a_n - end) || !between_words(b->line, b_n, b_n - end))
		end--;
	if ((from + end) * ALIKE < (a_n > b_n ? a_n : b_n))
		return;
	words_of(owner, a, from, a_n - end);
	words_of(owner, b, from, b_n - end);
}

static size_t
run_of(const struct diff_line_list *all, size_t i, const char *sign)
{
	size_t n = 0;

	while (i + n < all->n && str_eq(all->v[i + n].sign, sign))
		n++;
	return n;
}

/* ---- all of it ---- */

void
text_diff(void *owner, const char *before, const char *after, struct diff_line_list *out)
{
	struct lines a = lines_of(owner, before), b = lines_of(owner, after);
	size_t from = 0, end = 0;

	*out = (struct diff_line_list){ mem_array(owner, struct diff_line, a.n + b.n + 1), 0 };
	while (from < a.n && from < b.n && str_eq(a.v[from], b.v[from]))
		line_add(out, "same", b.v[from++]);
	while (end < a.n - from && end < b.n - from &&
	    str_eq(a.v[a.n - 1 - end], b.v[b.n - 1 - end]))
		end++;
	middle_add(owner, &a, &b, from, a.n - end, b.n - end, out);
	for (; end; end--)
		line_add(out, "same", b.v[b.n - end]);
	for (size_t i = 0, gone, fresh; i < out->n; i += gone + fresh + !(gone + fresh)) {
		gone = run_of(out, i, "gone");
		fresh = run_of(out, i + gone, "new");
		for (size_t k = 0; k < gone && k < fresh; k++)
			words_mark(owner, &out->v[i + k], &out->v[i + gone + k]);
	}
}

static bool
near_change(const struct diff_line_list *all, size_t i)
{
	size_t from = i < AROUND ? 0 : i - AROUND, to = i + AROUND;

	for (size_t k = from; k <= to && k < all->n; k++)
		if (!str_eq(all->v[k].sign, "same"))
			return true;
	return false;
}

void
text_diff_fold(void *owner, const struct diff_line_list *all, struct diff_line_list *out)
{
	bool differs = false;

	*out = (struct diff_line_list){ mem_array(owner, struct diff_line, all->n + 1), 0 };
	for (size_t i = 0; i < all->n; i++) {
		struct diff_line *last = out->n ? &out->v[out->n - 1] : NULL;

		differs = differs || !str_eq(all->v[i].sign, "same");
		/* A note about a single skipped line takes as much space as the line. */
		if (near_change(all, i) ||
		    ((!i || near_change(all, i - 1)) &&
			(i + 1 == all->n || near_change(all, i + 1)))) {
			out->v[out->n++] = all->v[i];
			continue;
		}
		if (!last || !str_eq(last->sign, "skip")) {
			last = &out->v[out->n++];
			last->sign = "skip";
		}
		last->skipped++;
	}
	out->n = differs ? out->n : 0;
}

void
text_diff_pairs(void *owner, const struct diff_line_list *lines, struct diff_pair_list *out)
{
	*out = (struct diff_pair_list){ mem_array(owner, struct diff_pair, lines->n + 1), 0 };
	for (size_t i = 0; i < lines->n;) {
		size_t gone = run_of(lines, i, "gone"), fresh = run_of(lines, i + gone, "new");
		struct diff_line *v = &lines->v[i];

		if (!gone && !fresh) {
			bool skip = str_eq(v->sign, "skip");

			out->v[out->n++] = (struct diff_pair){ skip ? "skip" : "same",
				skip ? NULL : v, skip ? NULL : v, v->skipped, { 0 } };
			i++;
			continue;
		}
		for (size_t k = 0; k < gone || k < fresh; k++)
			out->v[out->n++] = (struct diff_pair){ "other", k < gone ? v + k : NULL,
				k < fresh ? v + gone + k : NULL, 0, { 0 } };
		i += gone + fresh;
	}
}

/* ---- one line ---- */

enum { LINES_AROUND = 2 };

static struct list
lines_of_text(void *owner, const char *text)
{
	struct text_line *line;
	size_t n = 1, i = 0;
	char *rest = mem_strdup(owner, text);

	for (const char *p = text; *p; p++)
		n += *p == '\n';
	line = mem_array(owner, struct text_line, n + 1);
	for (char *one; (one = str_split(&rest, '\n'));)
		line[i++].text = one;
	i -= i && !*line[i - 1].text;
	return (struct list){ line, i };
}

struct list
text_lines_around(void *owner, const char *text, int64_t line, int64_t *first)
{
	struct list all = lines_of_text(owner, text);
	struct text_line *one = all.v;
	size_t at = (size_t)line, to;

	*first = 0;
	if (line < 1 || at > all.n)
		return (struct list){ 0 };
	one[at - 1].marked = true;
	*first = line > LINES_AROUND ? line - LINES_AROUND : 1;
	to = at + LINES_AROUND < all.n ? at + LINES_AROUND : all.n;
	return (struct list){ one + *first - 1, to - (size_t)*first + 1 };
}
