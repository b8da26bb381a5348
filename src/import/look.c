/* SPDX-License-Identifier: Apache-2.0 */
#include "import/look.h"

#include "base/str.h"

enum {
	DIFFERENT_ROOM = 8 << 20, /* hashes of all columns together: 64 MB */
	RECORDS_A_TURN = 1000,
	NEAR = 20 /* a note needs so many values that fit for each that doesn't */
};

/* ---- different values ---- */

static uint64_t
hash_of(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	h ^= h >> 32;
	return h ? h : 1;
}

static bool
hash_put(uint64_t *v, size_t room, uint64_t h)
{
	size_t at = (size_t)(h * 0x9e3779b97f4a7c15u) & (room - 1);

	while (v[at] && v[at] != h)
		at = (at + 1) & (room - 1);
	if (v[at] == h)
		return false;
	v[at] = h;
	return true;
}

static uint64_t *
hashes_grown(struct ctx *c, const struct different *d, size_t room)
{
	uint64_t *v = mem_array(c->mem, uint64_t, room);

	for (size_t i = 0; i < d->room; i++)
		if (d->v[i])
			hash_put(v, room, d->v[i]);
	mem_free(d->v);
	return v;
}

bool
different_new(struct ctx *c, struct different *d, const void *value, size_t n)
{
	if (d->n * 2 >= d->room) {
		size_t room = d->room ? d->room * 4 : 1024;

		d->v = hashes_grown(c, d, room);
		d->room = room;
	}
	if (!hash_put(d->v, d->room, hash_of(value, n)))
		return false;
	d->n++;
	return true;
}

static void
different_drop(struct look *l, struct different *d)
{
	l->different_room -= d->room;
	mem_free(d->v);
	*d = (struct different){ .lost = true };
}

/* Values are counted as long as there are few, or all differ. */
static void
different_add(
    struct ctx *c, struct look *l, struct different *d, int64_t before, const struct given *v)
{
	if (d->lost)
		return;
	if (d->n * 2 >= d->room) {
		size_t room = d->room ? d->room * 4 : 64;

		if (l->different_room + room > DIFFERENT_ROOM) {
			different_drop(l, d);
			return;
		}
		l->different_room += room - d->room;
		d->v = hashes_grown(c, d, room);
		d->room = room;
	}
	if (hash_put(d->v, d->room, hash_of(v->s, v->n)))
		d->n++;
	if (d->n > DIFFERENT_FEW && (int64_t)d->n <= before)
		different_drop(l, d);
}

int64_t
look_different(const struct column_seen *s)
{
	return s->all.lost ? -1 : (int64_t)s->all.n;
}

/* ---- one value ---- */

static void
sample_add(struct ctx *c, struct column_seen *s, const struct given *v)
{
	const char *cut;

	if (s->sample_n == LOOK_SAMPLES)
		return;
	cut = str_cut(c->mem, v->s, SAMPLE_CHARS);
	for (size_t i = 0; i < s->sample_n; i++)
		if (str_eq(s->samples[i], cut))
			return;
	s->samples[s->sample_n++] = cut;
}

static void
value_look(struct ctx *c, struct ctx *piece, struct look *l, struct column_seen *s,
    const struct given *v, int64_t line)
{
	unsigned bits;

	if (v->kind == GIVEN_NONE) {
		s->empty++;
		return;
	}
	if (v->kind == GIVEN_EMPTY) {
		s->blanks++;
		return;
	}
	bits = value_bits(piece->mem, v);
	different_add(c, l, &s->all, s->values + s->nulls, v);
	sample_add(c, s, v);
	for (unsigned i = 0; i < VALUE_BITS; i++)
		if (bits >> i & 1) {
			s->count[i]++;
			if (!s->with[i])
				s->with[i] = line;
		} else if (!s->without[i] && !(bits & MAY_NULL)) {
			s->without[i] = line;
		}
	if (bits & MAY_NULL)
		s->nulls++;
	else
		s->values++;
	if (bits & HAS_MARK) {
		s->point_only += !(bits & MAY_COMMA);
		s->comma_only += !(bits & MAY_POINT);
		s->either += (bits & MAY_POINT) && (bits & MAY_COMMA);
	}
	if (bits & (MAY_DMY | MAY_MDY)) {
		s->dmy_only += !(bits & MAY_MDY);
		s->mdy_only += !(bits & MAY_DMY);
		s->day_either += (bits & MAY_DMY) && (bits & MAY_MDY);
	}
	s->local |= (bits & MAY_TIME) && !(bits & HAS_ZONE);
}

static void
record_look(struct ctx *c, struct ctx *piece, struct look *l, const struct given *v, size_t n,
    int64_t line)
{
	l->rows++;
	if (n > l->n)
		l->n = n;
	for (size_t i = 0; i < l->n; i++)
		if (i < n)
			value_look(c, piece, l, &l->v[i], &v[i], line);
		else
			l->v[i].empty++;
}

void
look_first(struct ctx *c, struct look *l)
{
	if (l->first_n)
		record_look(c, c, l, l->first, l->first_n, l->first_line);
}

static void
first_keep(struct ctx *c, struct look *l, const struct record *rec)
{
	l->first_n = l->n = rec->n;
	l->first_line = rec->line;
	l->first_wrong = rec->wrong ? mem_strdup(c->mem, rec->wrong) : NULL;
	for (size_t i = 0; i < rec->n; i++) {
		l->first[i] = rec->v[i];
		l->first[i].s = mem_strndup(c->mem, rec->v[i].s, rec->v[i].n);
	}
}

static enum err
records_look(struct ctx *c, struct ctx *piece, struct reader *r, bool head, struct look *l,
    struct record *rec, bool *any)
{
	*any = true;
	for (int i = 0; i < RECORDS_A_TURN; i++) {
		size_t had = r->head_n;

		TRY(reader_next(piece, r, rec, any));
		if (!*any)
			return E_OK;
		/* A member that appears late was missing in the rows before. */
		for (; had < r->head_n; had++)
			l->v[had].empty = l->rows;
		if (rec->wrong && (l->first_line || !head)) {
			l->first_line = l->first_line ? l->first_line : rec->line;
			continue;
		}
		if (!rec->n && !rec->wrong) {
			l->blank++;
		} else if (head && !l->first_line) {
			first_keep(c, l, rec);
			r->fields = rec->n;
		} else {
			record_look(c, piece, l, rec->v, rec->n, rec->line);
		}
	}
	return E_OK;
}

enum err
look_file(struct ctx *c, struct reader *r, bool head, const struct until *until,
    struct look *out, bool *whole)
{
	struct record *rec = mem_new(c->mem, struct record);
	const bool members = r->format == READ_JSON || r->format == READ_NDJSON;
	bool any = true;

	*out = (struct look){ 0 };
	*whole = false;
	while (any) {
		struct ctx *piece;

		if (until->stop(until->arg))
			return E_OK;
		piece = ctx_begin(c->conf, c->db);
		TRY(ctx_join(c, piece, records_look(c, piece, r, head, out, rec, &any)));
	}
	/* A row {} has a field, but no column. */
	if (members && !r->head_n)
		out->n = 0;
	for (size_t i = 0; i < out->n; i++)
		out->v[i].head = members ? r->heads[i]
		    : i < out->first_n && out->first[i].kind != GIVEN_NONE ? out->first[i].s
									    : "";
	*whole = true;
	return E_OK;
}

/* ---- types ---- */

static int
bit_no(unsigned bit)
{
	return __builtin_ctz(bit);
}

int64_t
look_count(const struct column_seen *s, unsigned bit)
{
	return s->count[bit_no(bit)];
}

static bool
all_are(const struct column_seen *s, unsigned bit)
{
	return s->values && look_count(s, bit) == s->values;
}

char
look_decimal(const struct column_seen *s)
{
	return s->point_only && !s->comma_only ? '.' : s->comma_only && !s->point_only ? ',' : 0;
}

void
look_reading(struct ctx *c, const struct column_seen *s, enum cell_type type, char hint,
    struct guess *out)
{
	char mark = look_decimal(s);

	if (type == CELL_NUMBER || type == CELL_INTEGER) {
		out->ask_decimal = s->either && !s->point_only && !s->comma_only;
		out->decimal = mark ? mark
		    : out->ask_decimal ? hint
		    : s->comma_only > s->point_only ? ',' : '.';
		if (mark == ',')
			out->note = "A comma is the decimal mark";
		else if (mark && s->either)
			out->note = "A point is the decimal mark";
	}
	if (type != CELL_DATE && type != CELL_TIMESTAMP)
		return;
	out->order = s->dmy_only + s->mdy_only + s->day_either == 0 ? ORDER_YMD
	    : s->mdy_only > s->dmy_only				      ? ORDER_MDY
								      : ORDER_DMY;
	out->ask_order = out->order != ORDER_YMD && !s->dmy_only && !s->mdy_only;
	if (out->order != ORDER_YMD && !out->ask_order)
		out->note = mem_printf(c->mem, "Read as %s",
		    out->order == ORDER_DMY ? "day, month, year" : "month, day, year");
	out->ask_zone = type == CELL_TIMESTAMP && s->local;
}

static bool
are_numbers(const struct column_seen *s, char hint, bool *whole)
{
	char mark = look_decimal(s);
	bool comma = (mark ? mark : hint) == ',';

	*whole = all_are(s, comma ? MAY_COMMA_WHOLE : MAY_POINT_WHOLE) || all_are(s, MAY_WHOLE);
	return all_are(s, comma ? MAY_COMMA : MAY_POINT);
}

static bool
are_moments(const struct column_seen *s, unsigned kind)
{
	return all_are(s, kind) &&
	    (all_are(s, MAY_YMD) || all_are(s, MAY_DMY) || all_are(s, MAY_MDY));
}

static bool
are_bools(const struct column_seen *s)
{
	return s->values && look_count(s, MAY_YES) + look_count(s, MAY_NO) == s->values &&
	    (all_are(s, MAY_BOOL) || (look_count(s, MAY_YES) && look_count(s, MAY_NO)));
}

/* If nearly all values are of a type, says so, with the first line that isn't. */
static const char *
near_miss(struct ctx *c, const struct column_seen *s)
{
	static const struct {
		unsigned bit;
		const char *words;
	} kinds[] = { { MAY_WHOLE, "whole numbers" }, { MAY_POINT, "numbers" },
		{ MAY_COMMA, "numbers" }, { MAY_DATE, "dates" }, { MAY_TIME, "times" } };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int64_t fit = look_count(s, kinds[i].bit), not = s->values - fit;

		if (fit && not > 0 && fit >= not * NEAR)
			return not == 1
			    ? mem_printf(c->mem, "Text: all but line %s are %s",
				  str_number(c->mem, s->without[bit_no(kinds[i].bit)]),
				  kinds[i].words)
			    : mem_printf(c->mem, "Text: all but %s are %s, first in line %s",
				  str_count(c->mem, not, "value"), kinds[i].words,
				  str_number(c->mem, s->without[bit_no(kinds[i].bit)]));
	}
	return NULL;
}

void
look_guess(struct ctx *c, const struct column_seen *s, bool json, char hint, struct guess *out)
{
	bool whole;

	*out = (struct guess){ .type = CELL_TEXT, .decimal = '.' };
	if (look_count(s, IS_CODE)) {
		if (look_count(s, MAY_POINT) + look_count(s, IS_CODE) == s->values)
			out->note = mem_printf(c->mem,
			    "Text, because of line %s: a leading 0 or +, or more than 18 digits",
			    str_number(c->mem, s->with[bit_no(IS_CODE)]));
	} else if (are_numbers(s, hint, &whole))
		out->type = whole ? CELL_INTEGER : CELL_NUMBER;
	else if (are_moments(s, MAY_DATE))
		out->type = CELL_DATE;
	else if (are_moments(s, MAY_TIME))
		out->type = CELL_TIMESTAMP;
	else if (are_bools(s))
		out->type = CELL_BOOLEAN;
	else if (all_are(s, MAY_JSON) || (json && s->values && !all_are(s, IS_STRING)))
		out->type = CELL_JSON;
	else if (s->values)
		out->note = near_miss(c, s);
	look_reading(c, s, out->type, hint, out);
	if (out->type == CELL_BOOLEAN && !all_are(s, MAY_BOOL))
		out->note = "yes, ja, oui, sí are true; no, nein, non are false";
}

/* ---- the header ---- */

/* Returns whether nearly all values are numbers, codes, dates, or words for yes and no. */
static bool
mostly_typed(const struct column_seen *s)
{
	int64_t point = look_count(s, MAY_POINT), comma = look_count(s, MAY_COMMA);
	int64_t typed = (point > comma ? point : comma) + look_count(s, IS_CODE) +
	    look_count(s, MAY_DATE) + look_count(s, MAY_TIME) + look_count(s, MAY_JSON);

	return s->values && (typed * 10 >= s->values * 9 || are_bools(s));
}

/* The first line has names if nearly all other values of a column have a type that its value there
 * hasn't. It has values if it has one of such a type. */
enum head_line
look_header(struct ctx *c, const struct look *l)
{
	bool typed = false;

	for (size_t i = 0; i < l->first_n; i++) {
		const struct given *v = &l->first[i];
		unsigned bits = v->kind == GIVEN_NONE ? 0 : value_bits(c->mem, v);

		bits &= ~(unsigned)(MAY_NULL | IS_STRING | IS_ROW);
		if (!are_bools(&l->v[i]))
			bits &= ~(unsigned)(MAY_YES | MAY_NO);
		if (!bits && mostly_typed(&l->v[i]))
			return HEADER_YES;
		typed |= (bits & (MAY_POINT | MAY_COMMA | MAY_DATE | MAY_TIME)) != 0;
	}
	return typed ? HEADER_NO : HEADER_EITHER;
}
