/* SPDX-License-Identifier: Apache-2.0 */
#include "search/near.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "search/fold.h"

#include <stdlib.h>

enum { ONE_FROM = 4, TWO_FROM = 8, HEAD = TWO_FROM - 1 };

struct spelled {
	uint32_t v[FOLD_LETTERS];
	size_t n;
	bool code; /* it contains a digit */
};

static struct spelled
spell(const char *word)
{
	struct spelled s = { .n = 0 };
	size_t left = strlen(word), n;

	for (; left && s.n < FOLD_LETTERS; word += n, left -= n) {
		n = str_utf8(word, left, &s.v[s.n]);
		if (!n)
			break;
		s.code |= s.v[s.n] >= '0' && s.v[s.n] <= '9';
		s.n++;
	}
	return s;
}

static unsigned
typos_most(const struct spelled *s)
{
	return s->code || s->n < ONE_FROM ? 0 : s->n < TWO_FROM ? 1 : 2;
}

struct forms {
	void *owner;
	struct strs out;
};

/* Adds the first n letters without those at a and b (n means none). */
static void
form_add(struct forms *f, const struct spelled *s, size_t n, size_t a, size_t b)
{
	struct buf form = BUF(f->owner);

	for (size_t i = 0; i < n; i++)
		if (i != a && i != b)
			buf_utf8(&form, s->v[i]);
	f->out.v[f->out.n++] = buf_done(&form);
}

static void
forms_without_one(struct forms *f, const struct spelled *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		form_add(f, s, n, i, n);
}

static void
forms_without_two(struct forms *f, const struct spelled *s)
{
	for (size_t i = 0; i < HEAD; i++)
		for (size_t k = i + 1; k < HEAD; k++)
			form_add(f, s, HEAD, i, k);
}

struct strs
near_kept(void *owner, const char *word)
{
	const struct spelled s = spell(word);
	struct forms f = { owner, { mem_array(owner, const char *, NEAR_FORMS), 0 } };
	unsigned most = typos_most(&s);

	if (most == 2) {
		forms_without_two(&f, &s);
	} else if (most == 1) {
		form_add(&f, &s, s.n, s.n, s.n);
		forms_without_one(&f, &s, s.n);
	}
	strs_sort_unique(&f.out);
	return f.out;
}

/* A typed word may have a letter too many or too few. So seven letters are also looked up like
 * eight, and eight like seven. */
struct strs
near_asked(void *owner, const char *word)
{
	const struct spelled s = spell(word);
	struct forms f = { owner, { mem_array(owner, const char *, NEAR_FORMS), 0 } };
	unsigned most = typos_most(&s);

	if (most == 1) {
		form_add(&f, &s, s.n, s.n, s.n);
		forms_without_one(&f, &s, s.n);
	}
	if (s.n == TWO_FROM)
		forms_without_one(&f, &s, HEAD);
	if (most && s.n >= HEAD)
		forms_without_two(&f, &s);
	strs_sort_unique(&f.out);
	return f.out;
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned
near_typos(const char *asked, const char *word, bool begun)
{
	const struct spelled a = spell(asked), b = spell(word);
	const unsigned most = least(typos_most(&a), typos_most(&b));
	unsigned rows[3][FOLD_LETTERS + 1] = { 0 }, n;

	if (a.n > b.n + most)
		return NEAR_NOT;
	for (size_t k = 0; k <= b.n; k++)
		rows[0][k] = (unsigned)k;
	/* Each row of Damerau-Levenshtein distances (swaps of neighbors count 1) follows from the
	 * two rows before it. */
	for (size_t i = 1; i <= a.n; i++) {
		unsigned *now = rows[i % 3];
		const unsigned *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t k = 1; k <= b.n; k++) {
			now[k] = last[k - 1] + (a.v[i - 1] != b.v[k - 1]);
			now[k] = least(now[k], least(last[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && a.v[i - 1] == b.v[k - 2] && a.v[i - 2] == b.v[k - 1])
				now[k] = least(now[k], before[k - 2] + 1);
		}
	}
	n = rows[a.n % 3][b.n];
	if (begun && a.n >= HEAD)
		for (size_t k = 0; k < b.n; k++)
			n = least(n, rows[a.n % 3][k]);
	return n <= most ? n : NEAR_NOT;
}
