/* SPDX-License-Identifier: Apache-2.0 */
#include "base/textmerge.h"

#include "base/str.h"
#include "base/textdiff.h"

SHAPE_DEFINE(merge_hunk, MERGE_HUNK);

/* Lines from..to of a text. */
struct range {
	const struct text_lines *of;
	size_t from, to;
};
struct merging {
	void *owner;
	struct buf text;
	const char *yours_name, *theirs_name;
	struct merge_hunk_list *hunks;
	size_t room;
};

/* The bytes of a range, which are contiguous. */
static struct text_piece
range_text(const struct range *r)
{
	const struct text_piece *v = r->of->v;

	return r->to > r->from
	    ? (struct text_piece){ v[r->from].p,
		      (size_t)(v[r->to - 1].p + v[r->to - 1].n - v[r->from].p) }
	    : (struct text_piece){ "", 0 };
}

static bool
ranges_eq(const struct range *a, const struct range *b)
{
	struct text_piece x = range_text(a), y = range_text(b);

	return x.n == y.n && memcmp(x.p, y.p, x.n) == 0;
}

static void
range_add(struct buf *b, const struct range *r)
{
	struct text_piece text = range_text(r);

	buf_add(b, text.p, text.n);
}

static const char *
range_copy(void *owner, const struct range *r)
{
	struct text_piece text = range_text(r);

	return mem_strndup(owner, text.p, text.n);
}

/* A mark begins a line, also after a last line without an end. */
static void
mark_add(struct buf *b, const char *mark, const char *name)
{
	if (b->n && b->s[b->n - 1] != '\n')
		buf_chr(b, '\n');
	buf_fmt(b, "%s%s%s\n", mark, *name ? " " : "", name);
}

static void
conflict_add(struct merging *m, const struct range *base, const struct range *yours,
    const struct range *theirs)
{
	struct merge_hunk_list *all = m->hunks;

	if (all->n == m->room) {
		m->room = m->room ? 2 * m->room : 16;
		all->v = mem_grow(m->owner, all->v, m->room * sizeof *all->v);
	}
	all->v[all->n++] = (struct merge_hunk){ .line = (int64_t)yours->from + 1,
		.base = range_copy(m->owner, base),
		.yours = range_copy(m->owner, yours),
		.theirs = range_copy(m->owner, theirs) };
	mark_add(&m->text, "<<<<<<<", m->yours_name);
	range_add(&m->text, yours);
	mark_add(&m->text, "=======", "");
	range_add(&m->text, theirs);
	mark_add(&m->text, ">>>>>>>", m->theirs_name);
}

bool
text_merge(void *owner, const char *base, const char *yours, const char *theirs,
    const char *yours_name, const char *theirs_name, struct text_merged *out)
{
	struct text_lines lines[3] = { text_lines_split(owner, base),
		text_lines_split(owner, yours), text_lines_split(owner, theirs) };
	struct range b = { &lines[0], 0, 0 }, y = { &lines[1], 0, 0 }, t = { &lines[2], 0, 0 };
	struct merging m = { owner, BUF(owner), yours_name, theirs_name, &out->hunks, 0 };
	size_t n = lines[0].n, *in_yours = mem_array(owner, size_t, n + 1),
	       *in_theirs = mem_array(owner, size_t, n + 1);

	*out = (struct text_merged){ 0 };
	for (size_t i = 0; i < 3; i++)
		if (lines[i].n > MERGE_TEXT_LINES)
			return false;
	if (!text_match(owner, b.of, y.of, in_yours) || !text_match(owner, b.of, t.of, in_theirs))
		return false;
	in_yours[n] = lines[1].n;
	in_theirs[n] = lines[2].n;
	for (; b.to <= n; b.to++) {
		if (in_yours[b.to] == TEXT_UNMATCHED || in_theirs[b.to] == TEXT_UNMATCHED)
			continue;
		y.to = in_yours[b.to];
		t.to = in_theirs[b.to];
		/* Up to here are the lines before the next one that all three texts have. */
		if (ranges_eq(&y, &t) || ranges_eq(&t, &b))
			range_add(&m.text, &y);
		else if (ranges_eq(&y, &b))
			range_add(&m.text, &t);
		else
			conflict_add(&m, &b, &y, &t);
		if (b.to < n)
			buf_add(&m.text, lines[0].v[b.to].p, lines[0].v[b.to].n);
		b.from = b.to + 1;
		y.from = y.to + 1;
		t.from = t.to + 1;
	}
	out->text = buf_done(&m.text);
	out->n = m.text.n;
	return true;
}
