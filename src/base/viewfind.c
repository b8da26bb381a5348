/* SPDX-License-Identifier: Apache-2.0
 * Which rows of a table a page has. A text is found about as fast as the bytes are read: they are
 * searched for those two characters beside each other that are rarest at their start. */
#include "base/str.h"
#include "base/unicode.h"
#include "base/viewtable.h"

#include <string.h>

enum { SAMPLE = 64 << 10, FORMS = 2, PAIRS = 1 << 16, LANES = 16 };
typedef unsigned char lanes __attribute__((vector_size(LANES)));

/* ---- a text in the bytes ---- */

/* A character in lower case and in capitals. */
struct either {
	char form[FORMS][5];
	size_t n[FORMS];
};
/* The last byte of the anchor, and the first one of the character behind it. */
struct pair {
	unsigned char last[FORMS], first[FORMS];
	size_t apart; /* 0: the anchor is the only character, so first is the same as last */
};
struct finder {
	void *owner;
	const struct table *t;
	struct either *v;
	size_t n;
	size_t from, to, anchor; /* which part of v is searched for in the bytes */
	struct pair pair;
	bool cells; /* this part may be there without the text being in a value */
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

static struct pair
pair_of(const struct finder *f, size_t anchor)
{
	struct pair out = { .apart = anchor + 1 < f->to };

	for (int i = 0; i < FORMS; i++) {
		const struct either *e = &f->v[anchor], *behind = e + 1;

		out.last[i] = (unsigned char)e->form[i][e->n[i] - 1];
		out.first[i] = out.apart ? (unsigned char)*behind->form[i] : out.last[i];
	}
	return out;
}

/* Chooses by the start of the file which pair of the part is the rarest. */
static void
anchor_choose(struct finder *f)
{
	size_t n = f->t->n < SAMPLE ? f->t->n : SAMPLE, least = SIZE_MAX;
	const unsigned char *text = (const unsigned char *)f->t->text;
	uint32_t *count = mem_zalloc(f->owner, PAIRS * sizeof *count);

	for (size_t i = 1; i < n; i++)
		count[text[i - 1] << 8 | text[i]]++;
	for (size_t i = f->from; i < f->to && (i + 1 < f->to || i == f->from); i++) {
		struct pair p = pair_of(f, i);
		size_t all = 0;

		for (int k = 0; k < FORMS * FORMS; k++)
			all += count[p.last[k / FORMS] << 8 | p.first[k % FORMS]];
		if (all < least) {
			least = all;
			f->anchor = i;
			f->pair = p;
		}
	}
	mem_free(count);
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

/* q: valid UTF-8, one line, not empty. */
static struct finder *
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
either_matches(const struct either *e, const char *at, size_t left, bool back)
{
	for (int i = 0; i < FORMS; i++)
		if (e->n[i] <= left && !memcmp(back ? at - e->n[i] : at, e->form[i], e->n[i]))
			return e->n[i];
	return 0;
}

/* The anchor's last byte is at x. */
static bool
part_matches(const struct finder *f, size_t x, size_t to)
{
	const char *text = f->t->text;
	size_t at = x + 1, n = 1;

	for (size_t i = f->anchor + 1; n && i-- > f->from; at -= n)
		n = either_matches(&f->v[i], text + at, at, true);
	at = x + 1;
	for (size_t i = f->anchor + 1; n && i < f->to; i++, at += n)
		n = either_matches(&f->v[i], text + at, to - at, false);
	return n > 0;
}

static bool
pair_matches(const struct pair *p, const unsigned char *at)
{
	return (at[0] == p->last[0] || at[0] == p->last[1]) &&
	    (at[p->apart] == p->first[0] || at[p->apart] == p->first[1]);
}

/* Returns where the pair may be: at its first place, or less than LANES bytes before it. */
static size_t
pair_skip(const struct pair *p, const unsigned char *text, size_t x, size_t to)
{
	const lanes none = { 0 }, last[FORMS] = { none + p->last[0], none + p->last[1] },
		    first[FORMS] = { none + p->first[0], none + p->first[1] };

	for (; to - x > LANES; x += LANES) {
		lanes a, b;
		uint64_t fits[LANES / sizeof(uint64_t)];

		memcpy(&a, text + x, LANES);
		memcpy(&b, text + x + p->apart, LANES);
		a = (lanes)(((a == last[0]) | (a == last[1])) &
		    ((b == first[0]) | (b == first[1])));
		memcpy(fits, &a, LANES);
		if (fits[0] | fits[1])
			break;
	}
	return x;
}

/* Returns the first place in [from, to) where a record may have the text; `to` if none has. */
static size_t
finder_next(const struct finder *f, size_t from, size_t to)
{
	const unsigned char *text = (const unsigned char *)f->t->text;

	if (f->from == f->to)
		return from < to ? from : to;
	for (size_t x = from, end; x + f->pair.apart < to; x = end) {
		x = pair_skip(&f->pair, text, x, to);
		end = to - x > LANES ? x + LANES : to - f->pair.apart;
		for (; x < end; x++)
			if (pair_matches(&f->pair, text + x) && part_matches(f, x, to))
				return x;
	}
	return to;
}

static bool
value_has(const struct finder *f, const char *value)
{
	size_t left = strlen(value);

	for (; *value; value++, left--) {
		size_t i = 0, at = 0, n = 1;

		for (; i < f->n && n; i++, at += n)
			n = either_matches(&f->v[i], value + at, left - at, false);
		if (n && i == f->n)
			return true;
	}
	return false;
}

/* True if a value of the record, in which finder_next() found a place, has the text. */
static bool
finder_fits(const struct finder *f, const struct table_record *r)
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

/* ---- the rows ---- */

struct choice {
	const struct table *t;
	const struct table_side *side;
	const struct table_asked *asked;
	const char *places; /* behind the side's start */
	struct table_rows *out;
};

static struct table_place
place_of(const struct choice *p, size_t i)
{
	struct table_place out;

	memcpy(&out, p->places + i * sizeof out, sizeof out);
	return out;
}

static uint32_t
block_at(const struct choice *p, size_t i)
{
	uint32_t at;

	memcpy(&at, p->places + i * sizeof at, sizeof at);
	return at;
}

static void
rows_in_order(struct choice *p)
{
	size_t from = (size_t)(p->asked->page - 1) * VIEW_ROWS;
	struct table_record r;

	p->out->all = p->side->rows;
	if (from >= p->side->rows)
		return;
	if (p->side->sort) {
		for (size_t i = from; i < p->side->places && p->out->n < VIEW_ROWS; i++)
			p->out->v[p->out->n++] = place_of(p, i);
		return;
	}
	for (r.next = block_at(p, from / VIEW_ROWS);
	     p->out->n < VIEW_ROWS && from + p->out->n < p->side->rows &&
	     table_next(p->t, r.next, &r);
	     p->out->n++)
		p->out->v[p->out->n] = (struct table_place){ (uint32_t)r.at,
			(uint32_t)(from + p->out->n) };
}

/* Returns false if no more rows are counted. */
static bool
found_add(struct choice *p, struct table_place place)
{
	struct table_rows *s = p->out;

	if (s->all == TABLE_FOUND) {
		s->more = true;
		return false;
	}
	if (s->all++ / VIEW_ROWS == p->asked->page - 1)
		s->v[s->n++] = place;
	return true;
}

/* The block in which a place is: the last one that begins at or before it. */
static size_t
block_of(const struct choice *p, size_t x)
{
	size_t from = 0, to = p->side->places;

	while (to - from > 1) {
		size_t at = (from + to) / 2;

		if (block_at(p, at) <= x)
			from = at;
		else
			to = at;
	}
	return from;
}

static void
rows_found(struct choice *p, const struct finder *f)
{
	struct table_record r = { .next = p->t->first };
	uint32_t row = 0; /* behind r */
	size_t x, block;

	while (p->side->places && (x = finder_next(f, r.next, p->t->n)) < p->t->n) {
		block = block_of(p, x);
		if (block_at(p, block) > r.next) {
			r.next = block_at(p, block);
			row = (uint32_t)block * VIEW_ROWS;
		}
		do {
			if (row == p->side->rows || !table_next(p->t, r.next, &r))
				return;
			row++;
		} while (r.next <= x);
		if (finder_fits(f, &r) &&
		    !found_add(p, (struct table_place){ (uint32_t)r.at, row - 1 }))
			return;
	}
}

static void
rows_found_in_order(struct choice *p, const struct finder *f)
{
	for (size_t i = 0; i < p->side->places; i++) {
		struct table_place place = place_of(p, i);
		struct table_record r;

		if (!table_next(p->t, place.at, &r) || finder_next(f, r.at, r.stop) >= r.stop ||
		    !finder_fits(f, &r))
			continue;
		if (!found_add(p, place))
			return;
	}
}

void
table_rows_choose(void *owner, const struct table *t, const struct table_side *side,
    const struct table_asked *asked, struct table_rows *out)
{
	struct choice p = { t, side, asked, (const char *)(side + 1), out };

	*out = (struct table_rows){ .n = 0 };
	if (!*asked->q)
		rows_in_order(&p);
	else if (side->sort)
		rows_found_in_order(&p, finder_new(owner, t, asked->q));
	else
		rows_found(&p, finder_new(owner, t, asked->q));
}
