/* SPDX-License-Identifier: Apache-2.0 */
#include "base/viewtable.h"

#include "base/csv.h"
#include "base/str.h"
#include "base/typed.h"
#include "base/unicode.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES = 1 << 20, LOOK_BYTES = 256 << 10, NUMBER_BYTES = 63 };
static const char magic[8] = "table-1";

/* ---- records ---- */

static const char *
line_end(const char *p, const char *end)
{
	while (p < end && *p != '\n' && *p != '\r')
		p++;
	return p;
}

bool
table_next(const struct table *t, size_t at, struct table_record *out)
{
	const char *p = t->text + at, *end = t->text + t->n, *limit, *stop, *next;

	while (p < end && (*p == '\n' || *p == '\r'))
		p++;
	if (p >= end || (p + 1 == end && *p == 0x1a))
		return false;
	limit = end - p > RECORD_BYTES ? p + RECORD_BYTES : end;
	out->plain = csv_record(p, limit, t->delimiter, '"', limit == end, &stop, &next) !=
	    CSV_ENDS;
	if (out->plain) {
		stop = line_end(p, end);
		next = stop < end ? csv_line_over(stop, end, true) : end;
	}
	out->at = (size_t)(p - t->text);
	out->stop = (size_t)(stop - t->text);
	out->next = (size_t)(next - t->text);
	return true;
}

static bool
has_quotes(const struct table *t, const struct table_record *r)
{
	return !r->plain && memchr(t->text + r->at, '"', r->stop - r->at);
}

size_t
table_value_count(const struct table *t, const struct table_record *r)
{
	const char *p = t->text + r->at, *stop = t->text + r->stop;
	size_t n = 1;

	if (has_quotes(t, r))
		return csv_values(p, stop, t->delimiter, '"');
	for (; p < stop; p++)
		n += *p == t->delimiter;
	return n;
}

void
table_cut(void *owner, const struct table *t, const struct table_record *r, struct view_row *out)
{
	char *p = mem_strndup(owner, t->text + r->at, r->stop - r->at);
	const char *stop = p + (r->stop - r->at);

	out->n = out->all = 0;
	while (p <= stop) {
		struct csv_value v;

		p = csv_cut(p, stop, t->delimiter, r->plain ? '\0' : '"', &v);
		if (out->all++ < VIEW_COLUMNS)
			out->v[out->n++] = v.s;
	}
}

bool
table_open(void *owner, const struct view_source *s, struct table *out)
{
	size_t n = s->n < LOOK_BYTES ? s->n : LOOK_BYTES;
	struct csv_look look = { .delimiter = '\t' };
	struct table_record first;

	if (!str_in(view_kind_said(owner, s->name), "TSV|Workbook"))
		csv_look(s->text, n, n == s->n, '"', &look);
	*out = (struct table){ .text = s->text, .n = s->n, .delimiter = look.delimiter };
	if (look.told)
		out->first = (size_t)(line_end(s->text, s->text + n) - s->text);
	if (!table_next(out, out->first, &first))
		return false;
	out->head.v = mem_array(owner, const char *, VIEW_COLUMNS);
	table_cut(owner, out, &first, &out->head);
	out->first = first.next;
	return true;
}

bool
table_is_number(const char *s)
{
	size_t digits = 0;

	for (s += *s == '-' || *s == '+'; *s; s++) {
		digits += *s >= '0' && *s <= '9';
		if (!strchr("0123456789.,%eE-+ ", *s))
			return false;
	}
	return digits > 0;
}

/* ---- the order of a column ---- */

struct key {
	const char *s;
	double number;
	uint32_t n;
	struct table_place place;
};
struct order {
	bool numbers, down;
};

/* Returns a value of a record, without a NUL behind it. */
static struct csv_value
value_find(void *owner, const struct table *t, const struct table_record *r, size_t column)
{
	const char *p = t->text + r->at, *stop = t->text + r->stop, *end;
	struct csv_value v = { "", 0, false };
	char *copy, *at;

	if (!has_quotes(t, r)) {
		for (; column && p; column--)
			p = (p = memchr(p, t->delimiter, (size_t)(stop - p))) ? p + 1 : NULL;
		end = p ? memchr(p, t->delimiter, (size_t)(stop - p)) : NULL;
		return p ? (struct csv_value){ p, (size_t)((end ? end : stop) - p), false } : v;
	}
	copy = at = mem_strndup(owner, p, (size_t)(stop - p));
	stop = copy + (stop - p);
	for (size_t i = 0; i <= column; i++) {
		if (at > stop)
			v.n = 0;
		else
			at = csv_cut(at, stop, t->delimiter, '"', &v);
	}
	v.s = mem_strndup(owner, v.s, v.n);
	mem_free(copy);
	return v;
}

/* Replaces a text with letters beyond ASCII by its form without marks and case. */
static void
key_fold(void *owner, struct key *k)
{
	enum { FOLDED = 400 };
	size_t n = k->n < FOLDED ? k->n : FOLDED, i = 0;

	while (i < n && (unsigned char)k->s[i] < 0x80)
		i++;
	if (i == n)
		return;
	while (n < k->n && n && ((unsigned char)k->s[n] & 0xc0) == 0x80)
		n--;
	k->s = unicode_unmarked(owner, mem_strndup(owner, k->s, n));
	k->n = (uint32_t)strlen(k->s);
}

static bool
keys_are_numbers(struct key *keys, size_t n, char decimal)
{
	struct typed_number v;
	char text[NUMBER_BYTES + 1];

	for (size_t i = 0; i < n; i++) {
		struct key *k = &keys[i];

		if (k->n > NUMBER_BYTES)
			return false;
		memcpy(text, k->s, k->n);
		text[k->n] = '\0';
		if (k->n && !typed_number_read(text, decimal, true, &v))
			return false;
		k->number = k->n ? strtod(v.text, NULL) : 0;
	}
	return true;
}

static int
by_key(const void *one, const void *other, void *arg)
{
	const struct key *a = one, *b = other;
	const struct order *o = arg;
	uint32_t n = a->n < b->n ? a->n : b->n;
	int way;

	if (!a->n != !b->n)
		return a->n ? -1 : 1;
	way = o->numbers ? (a->number > b->number) - (a->number < b->number)
			 : strncasecmp(a->s, b->s, n);
	if (!way && !o->numbers)
		way = (a->n > b->n) - (a->n < b->n);
	if (way)
		return o->down ? -way : way;
	return a->place.row < b->place.row ? -1 : 1;
}

static void
order_write(void *owner, const struct table *t, size_t rows, int64_t sort, struct buf *out)
{
	struct order o = { .down = sort < 0 };
	struct key *keys = mem_array(owner, struct key, rows + 1);
	size_t column = (size_t)llabs(sort) - 1, n = 0, at = t->first;

	for (struct table_record r; n < rows && table_next(t, at, &r); at = r.next, n++) {
		struct csv_value v = value_find(owner, t, &r, column);

		keys[n] = (struct key){ v.s, 0, (uint32_t)v.n,
			{ (uint32_t)r.at, (uint32_t)n } };
	}
	o.numbers = keys_are_numbers(keys, n, '.') || keys_are_numbers(keys, n, ',');
	for (size_t i = 0; i < n && !o.numbers; i++)
		key_fold(owner, &keys[i]);
	qsort_r(keys, n, sizeof *keys, by_key, &o);
	for (size_t i = 0; i < n; i++)
		buf_add(out, &keys[i].place, sizeof keys[i].place);
}

/* ---- sides ---- */

enum err
table_side_make(struct ctx *c, const struct view_source *s, int64_t sort, struct buf *out)
{
	struct table_side side;
	struct buf places = BUF(c->mem);
	struct table t;

	memset(&side, 0, sizeof side);
	memcpy(side.magic, magic, sizeof magic);
	side.n = s->n;
	side.as_is = !s->charset;
	side.sort = (int32_t)sort;
	if (!table_open(c->mem, s, &t))
		return fail(c, E_INVALID, "The file has no rows");
	if (sort && (size_t)llabs(sort) > t.head.n)
		return fail(c, E_INVALID, "There is no column %lld; the table has %zu",
		    (long long)llabs(sort), t.head.n);
	for (struct table_record r = { .next = t.first }; table_next(&t, r.next, &r);) {
		uint32_t at = (uint32_t)r.at;
		size_t values = table_value_count(&t, &r);

		/* A file that is cut may end within its last row. */
		if (s->cut && r.next == t.n)
			break;
		if (side.rows++ % VIEW_ROWS == 0)
			buf_add(&places, &at, sizeof at);
		side.ragged |= values != t.head.all;
		side.wide |= values > VIEW_COLUMNS;
	}
	side.wide |= t.head.all > VIEW_COLUMNS;
	if (sort && side.rows > TABLE_SORTED)
		return fail(c, E_INVALID, "Tables of more than %s can't be sorted here",
		    str_count(c->mem, TABLE_SORTED, "row"));
	side.places = sort ? side.rows : (uint32_t)(places.n / sizeof(uint32_t));
	buf_add(out, &side, sizeof side);
	if (sort)
		order_write(c->mem, &t, side.rows, sort, out);
	else
		buf_add(out, buf_done(&places), places.n);
	return E_OK;
}

const struct table_side *
table_side_of(const char *bytes, size_t n)
{
	const struct table_side *s = (const void *)bytes;

	if (n < sizeof *s || memcmp(s->magic, magic, sizeof magic) != 0 ||
	    n - sizeof *s !=
		s->places * (s->sort ? sizeof(struct table_place) : sizeof(uint32_t)))
		return NULL;
	return s;
}

/* ---- the first rows, as data ---- */

bool
view_rows_read(void *owner, const struct view_source *s, struct view_rows *out)
{
	struct table t;

	*out = (struct view_rows){ .whole = !s->cut };
	out->v = mem_array(owner, struct view_row, VIEW_ROWS);
	out->numbers = mem_array(owner, bool, VIEW_COLUMNS);
	memset(out->numbers, true, VIEW_COLUMNS * sizeof *out->numbers);
	if (!table_open(owner, s, &t))
		return false;
	out->head = t.head;
	for (struct table_record r = { .next = t.first }; table_next(&t, r.next, &r);) {
		struct view_row *row = out->n < VIEW_ROWS ? &out->v[out->n] : NULL;
		size_t values;

		if (s->cut && r.next == t.n)
			break;
		if (row) {
			row->v = mem_array(owner, const char *, VIEW_COLUMNS);
			table_cut(owner, &t, &r, row);
			out->n++;
		}
		values = table_value_count(&t, &r);
		out->ragged |= values != out->head.all;
		out->wide |= values > VIEW_COLUMNS;
		for (size_t i = 0; row && i < row->n; i++)
			if (*row->v[i] && !table_is_number(row->v[i]))
				out->numbers[i] = false;
		out->all++;
	}
	return true;
}
