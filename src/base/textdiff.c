/* SPDX-License-Identifier: Apache-2.0 */
#include "base/textdiff.h"

#include "base/json.h"
#include "base/str.h"

SHAPE_DEFINE(text_line, TEXT_LINE);
SHAPE_DEFINE(diff_line, DIFF_LINE);
SHAPE_DEFINE(diff_pair, DIFF_PAIR);

enum { AROUND = 3, ALIKE = 3 /* words are marked if a third of the line is equal */ };

/* ---- equal lines ---- */

/* The lines between the common beginning and end of both texts. */
struct middle {
	const struct text_piece *a, *b;
	ptrdiff_t a_n, b_n, most;
	int32_t *reach; /* for each diagonal, from -most - 1: how far into a the best path leads */
};

static bool
piece_eq(const struct text_piece *a, const struct text_piece *b)
{
	return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* The diagonal from which a path of `edits` edits comes to diagonal k: the one above, or below. */
static ptrdiff_t
came_from(int32_t below, int32_t above, ptrdiff_t k, ptrdiff_t edits)
{
	return k == -edits || (k != edits && below < above) ? k + 1 : k - 1;
}

/* Extends all paths by one edit. Returns true if one reaches the end of both. */
static bool
paths_extend(const struct middle *m, ptrdiff_t edits)
{
	int32_t *reach = m->reach + m->most + 1;

	for (ptrdiff_t k = -edits; k <= edits; k += 2) {
		ptrdiff_t from = came_from(reach[k - 1], reach[k + 1], k, edits);
		ptrdiff_t x = reach[from] + (from < k), y = x - k;

		while (x < m->a_n && y < m->b_n && piece_eq(&m->a[x], &m->b[y]))
			x++, y++;
		reach[k] = (int32_t)x;
		if (x >= m->a_n && y >= m->b_n)
			return true;
	}
	return false;
}

/* Walks back along the path that was found. */
static void
path_note(
    const struct middle *m, int32_t *const *copies, ptrdiff_t edits, size_t first, size_t *match)
{
	ptrdiff_t x = m->a_n, y = m->b_n;

	for (; edits >= 0; edits--) {
		ptrdiff_t k = x - y, at = (k + edits) / 2, from, x_to = 0, y_to = 0;
		const int32_t *reach = copies[edits];

		if (edits) {
			from = came_from(reach[at], reach[at + 1], k, edits);
			x_to = reach[at + (from > k)];
			y_to = x_to - from;
		}
		while (x > x_to && y > y_to)
			match[(size_t)--x] = first + (size_t)--y;
		x = x_to;
		y = y_to;
	}
}

static bool
middle_match(void *owner, struct middle *m, size_t first, size_t *match)
{
	int32_t **copies;
	bool found = false;

	m->most = m->a_n + m->b_n < TEXT_EDITS ? m->a_n + m->b_n : TEXT_EDITS;
	m->reach = mem_array(owner, int32_t, (size_t)(2 * m->most + 3));
	copies = mem_array(m->reach, int32_t *, (size_t)m->most + 1);
	for (ptrdiff_t d = 0; d <= m->most && !found; d++) {
		/* Copies every second diagonal, from -d - 1 on, which paths_extend() reads. */
		copies[d] = mem_array(m->reach, int32_t, (size_t)d + 2);
		for (ptrdiff_t i = 0; i < d + 2; i++)
			copies[d][i] = m->reach[m->most - d + 2 * i];
		found = paths_extend(m, d);
		if (found)
			path_note(m, copies, d, first, match);
	}
	mem_free(m->reach);
	return found;
}

bool
text_match(void *owner, const struct text_lines *a, const struct text_lines *b, size_t *match)
{
	size_t from = 0, end = 0;
	struct middle m;

	for (size_t i = 0; i < a->n; i++)
		match[i] = TEXT_UNMATCHED;
	for (; from < a->n && from < b->n && piece_eq(&a->v[from], &b->v[from]); from++)
		match[from] = from;
	for (; end < a->n - from && end < b->n - from &&
	    piece_eq(&a->v[a->n - 1 - end], &b->v[b->n - 1 - end]); end++)
		match[a->n - 1 - end] = b->n - 1 - end;
	m = (struct middle){ .a = a->v + from, .b = b->v + from,
		.a_n = (ptrdiff_t)(a->n - from - end), .b_n = (ptrdiff_t)(b->n - from - end) };
	return !m.a_n || !m.b_n || middle_match(owner, &m, from, match + from);
}

/* ---- lines ---- */

struct text_lines
text_lines_split(void *owner, const char *text)
{
	struct text_lines out = { NULL, 1 };
	const char *end;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		out.n++;
	out.v = mem_array(owner, struct text_piece, out.n);
	out.n = 0;
	for (; *text; text = end) {
		end = strchr(text, '\n');
		end = end ? end + 1 : text + strlen(text);
		out.v[out.n++] = (struct text_piece){ text, (size_t)(end - text) };
	}
	return out;
}

/* The lines of a text, without their ends, each followed by a NUL. */
static struct text_lines
lines_of(void *owner, const char *text)
{
	char *copy = mem_strdup(owner, text);
	struct text_lines out = text_lines_split(owner, copy);

	for (size_t i = 0; i < out.n; i++) {
		struct text_piece *line = &out.v[i];

		line->n -= line->p[line->n - 1] == '\n';
		copy[(size_t)(line->p - copy) + line->n] = '\0';
	}
	return out;
}

static void
line_add(struct diff_line_list *out, const char *sign, size_t was, size_t now, const char *line)
{
	out->v[out->n++] = (struct diff_line){
		.sign = sign, .was_no = (int64_t)was, .now_no = (int64_t)now, .line = line
	};
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
	struct text_lines a = lines_of(owner, before), b = lines_of(owner, after);
	size_t *match = mem_array(owner, size_t, a.n + 1), at = 0;

	*out = (struct diff_line_list){ mem_array(owner, struct diff_line, a.n + b.n + 1), 0 };
	text_match(owner, &a, &b, match);
	match[a.n] = b.n;
	for (size_t i = 0; i <= a.n; i++) {
		if (match[i] == TEXT_UNMATCHED) {
			line_add(out, "gone", i + 1, 0, a.v[i].p);
			continue;
		}
		for (; at < match[i]; at++)
			line_add(out, "new", 0, at + 1, b.v[at].p);
		if (i < a.n) {
			line_add(out, "same", i + 1, at + 1, b.v[at].p);
			at++;
		}
	}
	mem_free(match);
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

struct list
text_lines_around(void *owner, const char *text, int64_t line, int64_t *first)
{
	struct text_lines all = lines_of(owner, text);
	size_t at = (size_t)line, from, to;
	struct text_line *shown;

	*first = 0;
	if (line < 1 || at > all.n)
		return (struct list){ 0 };
	from = at > LINES_AROUND ? at - LINES_AROUND : 1;
	to = at + LINES_AROUND < all.n ? at + LINES_AROUND : all.n;
	shown = mem_array(owner, struct text_line, to - from + 1);
	for (size_t i = from; i <= to; i++)
		shown[i - from] = (struct text_line){ all.v[i - 1].p, i == at, { 0 } };
	*first = (int64_t)from;
	return (struct list){ shown, to - from + 1 };
}

struct list
text_mistake(struct ctx *c, const char *text, int64_t *line, int64_t *first)
{
	struct list lines;
	struct json *where;

	*line = *first = 0;
	if (!c->details || json_parse(c, c->details, strlen(c->details), &where))
		return (struct list){ 0 };
	*line = json_int(json_get(where, "line"));
	lines = text_lines_around(c->mem, text, *line, first);
	*line = lines.n ? *line : 0;
	return lines;
}
