/* SPDX-License-Identifier: Apache-2.0 */
#include "search/fold.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"

#include <stdlib.h>

struct folding {
	void *owner;
	const struct letter *v;
	struct words out;
	size_t run, most;
};

static void
word_add(struct folding *f, enum word_kind kind, size_t from, size_t end)
{
	struct buf text = BUF(f->owner);
	size_t letters = end - from < FOLD_LETTERS ? end - from : FOLD_LETTERS;

	if (f->out.n == f->most)
		return;
	for (size_t i = from; i < from + letters; i++)
		buf_utf8(&text, f->v[i].ch);
	f->out.v[f->out.n++] = (struct word){ buf_done(&text), letters, kind, f->run,
		f->v[from].from, f->v[end - 1].to };
}

/* A part begins at a capital or between letters and digits: "reportQ3", "XMLFile". */
static bool
part_begins(const struct letter *v, size_t i, size_t end)
{
	bool digit = v[i].kind == LETTER_DIGIT, capital = v[i].kind == LETTER_CAPITAL;

	if (digit != (v[i - 1].kind == LETTER_DIGIT))
		return true;
	return capital &&
	    (v[i - 1].kind == LETTER_PLAIN || (i + 1 < end && v[i + 1].kind == LETTER_PLAIN));
}

static void
word_with_parts(struct folding *f, size_t from, size_t end)
{
	size_t at = from;

	word_add(f, WORD_WHOLE, from, end);
	for (size_t i = from + 1; i < end; i++)
		if (part_begins(f->v, i, end)) {
			word_add(f, WORD_PART, at, i);
			at = i;
		}
	if (at > from)
		word_add(f, WORD_PART, at, end);
}

/* Returns the end of the character at i with the combining marks after it. */
static size_t
unit_end(const struct letter *v, size_t i, size_t end)
{
	for (i++; i < end && v[i].kind == LETTER_MARK;)
		i++;
	return i;
}

static void
word_of_pairs(struct folding *f, size_t from, size_t end)
{
	size_t next = unit_end(f->v, from, end);

	for (; next < end; next = unit_end(f->v, from, end)) {
		word_add(f, WORD_PAIR, from, unit_end(f->v, next, end));
		from = next;
	}
	word_add(f, WORD_TAIL, from, end);
}

static bool
is_dense(const struct letter *l)
{
	return l->kind == LETTER_DENSE || l->kind == LETTER_MARK;
}

struct words
fold(void *owner, const char *text, size_t most)
{
	struct folding f = { .owner = owner, .most = most };
	void *mine = mem_root("letters");
	struct letter *all;
	size_t n = unicode_letters(mine, text, &all), end;

	f.v = all;
	f.out.v = mem_array(owner, struct word, most);
	for (size_t i = 0; i < n && f.out.n < most; i = end) {
		bool dense = is_dense(&all[i]);

		end = i + 1;
		if (all[i].kind == LETTER_NONE)
			continue;
		while (end < n && all[end].kind != LETTER_NONE && is_dense(&all[end]) == dense)
			end++;
		(dense ? word_of_pairs : word_with_parts)(&f, i, end);
		f.run++;
	}
	mem_free(mine);
	return f.out;
}

void
strs_sort_unique(struct strs *all)
{
	size_t n = 0;

	if (all->n)
		qsort(all->v, all->n, sizeof *all->v, str_order);
	for (size_t i = 0; i < all->n; i++)
		if (!n || !str_eq(all->v[n - 1], all->v[i]))
			all->v[n++] = all->v[i];
	all->n = n;
}
