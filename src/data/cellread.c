/* SPDX-License-Identifier: Apache-2.0 */
#include "data/cellread.h"

#include "base/instant.h"
#include "base/num.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/zone.h"

SHAPE_DEFINE(cell_read, CELL_READ);

enum err
cell_reading_make(struct ctx *c, const struct cell_read *how, struct cell_reading *out)
{
	static const struct cell_read usual;

	*out = (struct cell_reading){ .how = how ? how : &usual };
	if (!out->how->zone)
		return E_OK;
	out->zone = zone_find(out->how->zone);
	return out->zone
	    ? E_OK
	    : fail(c, E_INVALID, "read.zone: there is no time zone %s", out->how->zone);
}

/* ---- numbers ---- */

static size_t
digits(const char *p)
{
	return strspn(p, "0123456789");
}

/* Returns the length of what may stand between thousands; 0: nothing. */
static size_t
group_mark(const char *p, bool comma)
{
	static const char *const marks[] = { " ", "'", "\u00a0", "\u202f", "\u2019" };

	if (*p == (comma ? '.' : ','))
		return 1;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(p, marks[i]))
			return strlen(marks[i]);
	return 0;
}

/* Reads "1.234.567,5" or "1,234,567.5", with zeros before. False if it is no number. */
static bool
number_read(const char *text, bool comma, struct buf *out)
{
	enum { GROUP = 3 };
	const char *p = text + (*text == '-' || *text == '+');
	size_t first = digits(p), from, mark;
	struct buf whole = BUF(out->owner);

	if (!first)
		return false;
	buf_add(&whole, p, first);
	for (p += first; (mark = group_mark(p, comma)) && first <= GROUP; p += mark + GROUP) {
		if (digits(p + mark) != GROUP)
			return false;
		buf_add(&whole, p + mark, GROUP);
	}
	buf_str(out, *text == '-' ? "-" : "");
	from = strspn(buf_done(&whole), "0");
	buf_str(out, whole.s + (from == whole.n ? from - 1 : from));
	if (*p == (comma ? ',' : '.')) {
		buf_fmt(out, ".%.*s", (int)digits(p + 1), p + 1);
		if (!digits(p + 1))
			return false;
		p += 1 + digits(p + 1);
	}
	buf_str(out, p);
	return num_span(out->s, out->n) == out->n;
}

/* ---- yes and no ---- */

static bool
word_is(void *owner, const char *text, const struct strs *words, const char *usual)
{
	const char *folded = unicode_casefold_nfkc(owner, text);

	if (!words->n)
		return str_in(folded, usual);
	for (size_t i = 0; i < words->n; i++)
		if (str_eq(unicode_casefold_nfkc(owner, words->v[i]), folded))
			return true;
	return false;
}

/* ---- dates and times ---- */

/* Reads "3.4.2026", "03/04/2026", or "2026-4-3". */
static const char *
date_ordered(void *owner, const char *text, const char *order)
{
	enum { YEAR_CHARS = 4 };
	int part[3], used = 0;
	char a, b;

	if (!order || text[strspn(text, "0123456789./-")] || *text == '-' ||
	    sscanf(text, "%4d%c%4d%c%4d%n", &part[0], &a, &part[1], &b, &part[2], &used) != 5 ||
	    text[used] || a != b || isdigit((unsigned char)a))
		return NULL;
	if (digits(*order == 'y' ? text : strrchr(text, a) + 1) != YEAR_CHARS)
		return NULL;
	return *order == 'y' ? mem_printf(owner, "%04d-%02d-%02d", part[0], part[1], part[2])
	    : *order == 'd'  ? mem_printf(owner, "%04d-%02d-%02d", part[2], part[1], part[0])
			     : mem_printf(owner, "%04d-%02d-%02d", part[2], part[0], part[1]);
}

static int64_t
zone_offset(const struct zone *zone, int64_t at)
{
	return zone ? zone_at(zone, at).offset : 0;
}

/* Returns the day of a date or of an instant, in the zone or UTC; NULL: it is neither. */
static const char *
day_read(void *owner, const char *text, const struct cell_reading *r)
{
	const char *ordered = date_ordered(owner, text, r->how->date_order);
	int64_t seconds;
	uint64_t nanos;
	struct bytes key;

	if (cell_date(owner, text, &key))
		return text;
	if (ordered)
		return ordered;
	return instant_read(text, &seconds, &nanos)
	    ? str_day(owner, seconds + zone_offset(r->zone, seconds))
	    : NULL;
}

/* Adds the zone's offset to a day and a time of day. NULL: no zone is given, or it is no time. */
static const char *
local_read(void *owner, const char *day, const char *time, const struct cell_reading *r)
{
	enum { MINUTE_S = 60, HOUR_S = 3600, WITHOUT_SECONDS = 5 };
	const char *with = mem_printf(owner, "%sT%s%s", day, time,
	    strlen(time) == WITHOUT_SECONDS ? ":00" : "");
	int64_t local, offset;
	uint64_t nanos;

	if (!r->zone || !instant_read(mem_printf(owner, "%sZ", with), &local, &nanos))
		return NULL;
	offset = zone_offset(r->zone, local);
	offset = zone_offset(r->zone, local - offset);
	return mem_printf(owner, "%s%c%02d:%02d", with, offset < 0 ? '-' : '+',
	    (int)(llabs(offset) / HOUR_S), (int)(llabs(offset) % HOUR_S / MINUTE_S));
}

static const char *
time_read(void *owner, const char *text, const struct cell_reading *r)
{
	struct bytes key;
	size_t n = strcspn(text, " T");
	const char *day;

	if (cell_time(owner, text, &key))
		return text;
	day = day_read(owner, mem_strndup(owner, text, n), r);
	if (!day)
		return NULL;
	if (text[n])
		return local_read(owner, day, text + n + 1, r);
	return r->zone ? local_read(owner, day, "00:00:00", r)
		       : mem_printf(owner, "%sT00:00:00Z", day);
}

/* ---- values ---- */

/* Writes a text for a column of that type. False if it can't be read so. */
static bool
text_convert(void *owner, enum cell_type to, const struct cell_reading *r, const char *text,
    struct buf *out)
{
	const char *read = text;

	switch (to) {
	case CELL_NUMBER:
	case CELL_INTEGER: return number_read(text, str_eq(r->how->decimal, "comma"), out);
	case CELL_BOOLEAN:
		if (word_is(owner, text, &r->how->yes, "yes|ja|oui|sí|true|1"))
			buf_str(out, "true");
		else if (word_is(owner, text, &r->how->no, "no|nein|non|false|0"))
			buf_str(out, "false");
		else
			return false;
		return true;
	case CELL_DATE: read = day_read(owner, text, r); break;
	case CELL_TIMESTAMP: read = time_read(owner, text, r); break;
	default: break;
	}
	if (read)
		buf_json(out, read);
	return read != NULL;
}

static const char *
trimmed(void *owner, const char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	for (n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
		;
	return mem_strndup(owner, text, n);
}

bool
cell_convert(struct ctx *c, const struct cell_column *to, const struct cell_reading *r,
    const struct json *v, struct buf *out, bool *empty)
{
	const bool any = to->type == CELL_TEXT || to->type == CELL_JSON;
	const char *text = json_kind(v) == J_STR ? json_str(v) : json_text(c->mem, v);
	struct bytes key;
	struct json *tree;

	text = any ? text : trimmed(c->mem, text);
	*empty = json_kind(v) == J_NULL || (!*text && !any);
	if (*empty)
		buf_str(out, "null");
	else if (to->type == CELL_JSON)
		json_into(out, v);
	else if (to->type == CELL_TEXT)
		buf_json(out, text);
	else if (!text_convert(c->mem, to->type, r, text, out))
		return false;
	if (json_parse(c, out->s, out->n, &tree) == E_OK)
		return !cell_of_column(c->mem, to, tree, &key);
	ctx_forgive(c);
	return false;
}
