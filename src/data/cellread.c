/* SPDX-License-Identifier: Apache-2.0 */
#include "data/cellread.h"

#include "base/instant.h"
#include "base/str.h"
#include "base/typed.h"
#include "base/unicode.h"

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

/* Returns the day of a date or of an instant, in the zone or UTC; NULL: it is neither. */
static const char *
day_read(void *owner, const char *text, const struct cell_reading *r)
{
	int year, month, day;
	struct typed_moment m;
	int64_t seconds;
	uint64_t nanos;
	struct bytes key;

	if (cell_date(owner, text, &key))
		return text;
	if (r->how->date_order && typed_moment_read(text, strlen(text), &m) && !m.has_time)
		return typed_moment_date(
			   &m, typed_order(r->how->date_order), &year, &month, &day)
		    ? mem_printf(owner, "%04d-%02d-%02d", year, month, day)
		    : NULL;
	if (!instant_read(text, &seconds, &nanos))
		return NULL;
	return str_day(owner, seconds + (r->zone ? zone_at(r->zone, seconds).offset : 0));
}

/* A time without an offset needs a zone; a day is its first second, there or in UTC. */
static const char *
time_read(void *owner, const char *text, const struct cell_reading *r)
{
	struct typed_moment m;
	struct bytes key;
	const char *out;

	if (cell_time(owner, text, &key))
		return text;
	if (!typed_moment_read(text, strlen(text), &m) ||
	    (m.has_time && !m.has_zone && !r->zone))
		return NULL;
	if (!m.has_time)
		m.hour = m.minute = m.second = 0, m.fraction_n = 0;
	/* A year that comes first leaves no doubt. */
	out = typed_time_text(owner, &m, typed_order(r->how->date_order), r->zone);
	return out ? out : typed_time_text(owner, &m, ORDER_YMD, r->zone);
}

/* ---- values ---- */

/* Writes a text for a column of that type. False if it can't be read so. */
static bool
text_convert(void *owner, enum cell_type to, const struct cell_reading *r, const char *text,
    struct buf *out)
{
	const char decimal = str_eq(r->how->decimal, "comma") ? ',' : '.', *read = text;
	struct typed_number number;

	switch (to) {
	case CELL_NUMBER:
	case CELL_INTEGER:
		if (!typed_number_read(text, decimal, true, &number))
			return false;
		buf_add(out, number.text, number.n);
		return true;
	case CELL_BOOLEAN:
		if (word_is(owner, text, &r->how->yes, TYPED_YES "|" TYPED_TRUE "|1"))
			buf_str(out, "true");
		else if (word_is(owner, text, &r->how->no, TYPED_NO "|" TYPED_FALSE "|0"))
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
