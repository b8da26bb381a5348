/* SPDX-License-Identifier: Apache-2.0
 * The bytes are searched for that character of the text that is rarest at their start. */
#include "base/viewfind.h"

#include "base/str.h"
#include "base/unicode.h"

#include <string.h>

enum { SAMPLE = 64 << 10, FORMS = 2 };

/* A character in lower case and in capitals. */
struct either {
	char form[FORMS][5];
	size_t n[FORMS];
};
struct finder {
	void *owner;
	const struct table *t;
	struct either *v;
	size_t n;
	size_t from, to, anchor; /* which part of v is searched for in the bytes */
	bool same;               /* its forms end alike */
	bool cells;              /* this part may be there without the text being in a value */
	size_t next[FORMS];      /* where the anchor's last bytes are */
};

static void
either_make(uint32_t ch, struct either *out)
{
	const uint32_t forms[FORMS] = { unicode_lower(ch), unicode_upper(ch) };

	for (int i = 0; i < FORMS; i++) {
		struct buf b = { NULL, out->form[i], 0, SIZE_MAX };

		buf_utf8(&b, forms[i]);
		out->n[i] = b.n;
	}
}

static char
last_byte(const struct either *e, int form)
{
	return e->form[form][e->n[form] - 1];
}

static void
anchor_choose(struct finder *f)
{
	size_t count[256] = { 0 }, n = f->t->n < SAMPLE ? f->t->n : SAMPLE, least = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
		count[(unsigned char)f->t->text[i]]++;
	for (size_t i = f->from; i < f->to; i++) {
		size_t all = count[(unsigned char)last_byte(&f->v[i], 0)] +
		    count[(unsigned char)last_byte(&f->v[i], 1)];

		if (all < least) {
			least = all;
			f->anchor = i;
		}
	}
	f->same = f->from < f->to &&
	    last_byte(&f->v[f->anchor], 0) == last_byte(&f->v[f->anchor], 1);
}

/* A quote is doubled in some values, so the longest part without one is searched for. */
static void
part_choose(struct finder *f)
{
	for (size_t i = 0, from = 0; i <= f->n; i++) {
		if (i < f->n && *f->v[i].form[0] != '"')
			continue;
		if (i - from > f->to - f->from) {
			f->from = from;
			f->to = i;
		}
		from = i + 1;
	}
	f->cells = f->to - f->from < f->n;
	for (size_t i = 0; i < f->n; i++)
		f->cells |= *f->v[i].form[0] == f->t->delimiter;
}

struct finder *
finder_new(void *owner, const struct table *t, const char *q)
{
	struct finder *f = mem_new(owner, struct finder);
	uint32_t ch;

	f->owner = owner;
	f->t = t;
	f->v = mem_array(owner, struct either, strlen(q) + 1);
	for (size_t n; *q && (n = str_utf8(q, strlen(q), &ch)); q += n)
		either_make(ch, &f->v[f->n++]);
	part_choose(f);
	anchor_choose(f);
	return f;
}

/* Returns the length of the form that the bytes begin with, or end with if `back`; 0 if none. */
static size_t
either_is(const struct either *e, const char *at, size_t left, bool back)
{
	for (int i = 0; i < FORMS; i++)
		if (e->n[i] <= left && !memcmp(back ? at - e->n[i] : at, e->form[i], e->n[i]))
			return e->n[i];
	return 0;
}

/* The anchor's last byte is at x. */
static bool
part_is(const struct finder *f, size_t x, size_t to)
{
	const char *text = f->t->text;
	size_t at = x + 1, n = 1;

	for (size_t i = f->anchor + 1; n && i-- > f->from; at -= n)
		n = either_is(&f->v[i], text + at, at, true);
	at = x + 1;
	for (size_t i = f->anchor + 1; n && i < f->to; i++, at += n)
		n = either_is(&f->v[i], text + at, to - at, false);
	return n > 0;
}

size_t
finder_next(struct finder *f, size_t from, size_t to)
{
	const char *text = f->t->text, *found;

	if (f->from == f->to)
		return from < to ? from : to;
	for (size_t x;; from = x + 1) {
		for (int i = 0; i < FORMS; i++) {
			if (f->next[i] >= from && f->next[i])
				continue;
			found = from < to && !(i && f->same)
			    ? memchr(text + from, last_byte(&f->v[f->anchor], i), to - from)
			    : NULL;
			f->next[i] = found ? (size_t)(found - text) : to;
		}
		x = f->next[0] < f->next[1] ? f->next[0] : f->next[1];
		if (x >= to)
			return to;
		if (part_is(f, x, to))
			return x;
	}
}

static bool
value_has(const struct finder *f, const char *value)
{
	size_t left = strlen(value);

	for (; *value; value++, left--) {
		size_t i = 0, at = 0, n = 1;

		for (; i < f->n && n; i++, at += n)
			n = either_is(&f->v[i], value + at, left - at, false);
		if (n && i == f->n)
			return true;
	}
	return false;
}

bool
finder_fits(struct finder *f, const struct table_record *r)
{
	void *mine;
	struct view_row row;
	bool fits = false;

	if (!f->cells)
		return true;
	mine = mem_zalloc(f->owner, 0);
	row.v = mem_array(mine, const char *, VIEW_COLUMNS);
	table_cut(mine, f->t, r, &row);
	for (size_t i = 0; i < row.n && !fits; i++)
		fits = value_has(f, row.v[i]);
	mem_free(mine);
	return fits;
}

bool
finder_in(struct finder *f, const struct table_record *r)
{
	f->next[0] = f->next[1] = 0;
	return finder_next(f, r->at, r->stop) < r->stop && finder_fits(f, r);
}
