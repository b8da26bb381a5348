/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/notediff.h"

#include "base/str.h"

SHAPE_DEFINE(diff_line, DIFF_LINE);

enum { AROUND = 3, CELLS = 4 << 20 /* of the table of the longest common lines */ };

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

/* What begins and ends both texts is not compared. */
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

static bool
near_change(const struct diff_line_list *all, size_t i)
{
	size_t from = i < AROUND ? 0 : i - AROUND, to = i + AROUND;

	for (size_t k = from; k <= to && k < all->n; k++)
		if (!str_eq(all->v[k].sign, "same"))
			return true;
	return false;
}

static void
fold_same(void *owner, const struct diff_line_list *all, struct diff_line_list *out)
{
	*out = (struct diff_line_list){ mem_array(owner, struct diff_line, all->n + 1), 0 };
	for (size_t i = 0; i < all->n; i++) {
		struct diff_line *last = out->n ? &out->v[out->n - 1] : NULL;

		if (near_change(all, i)) {
			out->v[out->n++] = all->v[i];
			continue;
		}
		if (!last || !str_eq(last->sign, "skip")) {
			last = &out->v[out->n++];
			last->sign = "skip";
		}
		last->skipped++;
	}
}

void
note_diff(void *owner, const char *before, const char *after, struct diff_line_list *out)
{
	struct lines a = lines_of(owner, before), b = lines_of(owner, after);
	struct diff_line_list all = { mem_array(owner, struct diff_line, a.n + b.n + 1), 0 };
	size_t from = 0, end = 0;

	while (from < a.n && from < b.n && str_eq(a.v[from], b.v[from]))
		line_add(&all, "same", b.v[from++]);
	while (end < a.n - from && end < b.n - from &&
	    str_eq(a.v[a.n - 1 - end], b.v[b.n - 1 - end]))
		end++;
	middle_add(owner, &a, &b, from, a.n - end, b.n - end, &all);
	for (; end; end--)
		line_add(&all, "same", b.v[b.n - end]);
	fold_same(owner, &all, out);
}
