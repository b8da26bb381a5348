/* SPDX-License-Identifier: Apache-2.0 */
#include "data/csvcell.h"

#include "base/num.h"
#include "base/str.h"

enum { DIGITS_SURE = 15 /* decimal digits that a double keeps */ };

static const char *
bool_of(const char *text)
{
	return str_in(text, "true|TRUE|True") ? "true"
	    : str_in(text, "false|FALSE|False") ? "false"
					       : NULL;
}

static bool
is_number(void *owner, const char *text)
{
	size_t n = strlen(text);
	struct bytes key;

	return n && num_span(text, n) == n && cell_number(owner, text, &key);
}

/* Matches "1.234.567" and "1234". Returns where ",5" would follow, or NULL if it is no number. */
static const char *
grouped_end(const char *text)
{
	const char *p = text + (*text == '-');
	size_t digits = strspn(p, "0123456789"), first = digits;

	if (!first || (*p == '0' && (first > 1 || p[1] == '.')))
		return NULL;
	for (p += digits; *p == '.'; p += 1 + digits) {
		digits = strspn(p + 1, "0123456789");
		if (digits != 3 || first > 3)
			return NULL;
	}
	return p;
}

static bool
has_comma(const char *text)
{
	const char *p = grouped_end(text);

	return p && *p == ',' && p[1] && !p[1 + strspn(p + 1, "0123456789")];
}

/* text: a number in JSON's syntax. */
static unsigned
number_seen(void *owner, const char *text)
{
	const char *e = strpbrk(text, "eE");

	if (!text[strcspn(text, ".eE")])
		return strlen(text) - (*text == '-') <= DIGITS_SURE ? SEEN_WHOLE : SEEN_TEXT;
	if (!is_number(owner, text))
		return SEEN_TEXT;
	return e && !strchr(text, '.') && isdigit((unsigned char)e[1]) ? SEEN_EITHER : SEEN_POINT;
}

unsigned
csvcell_seen(void *owner, const struct csv_field *f, char separator)
{
	size_t n = strlen(f->text);
	const char *end;
	struct bytes key;

	if (cell_time(owner, f->text, &key))
		return SEEN_TIME;
	if (f->quoted)
		return SEEN_TEXT;
	if (bool_of(f->text))
		return SEEN_BOOL;
	if (separator == ';' && strchr(f->text, '.') && (end = grouped_end(f->text)) && !*end)
		return SEEN_EITHER;
	if (n && num_span(f->text, n) == n)
		return number_seen(owner, f->text);
	return separator == ';' && has_comma(f->text) ? SEEN_COMMA : SEEN_TEXT;
}

enum cell_type
csvcell_type(unsigned seen)
{
	if (seen == SEEN_BOOL)
		return CELL_BOOLEAN;
	if (seen == SEEN_TIME)
		return CELL_TIMESTAMP;
	if (seen == SEEN_WHOLE)
		return CELL_INTEGER;
	if (!seen || seen & (SEEN_TEXT | SEEN_TIME | SEEN_BOOL) ||
	    !(seen & SEEN_POINT) == !(seen & SEEN_COMMA))
		return CELL_TEXT;
	return CELL_NUMBER;
}

/* Replaces the decimal comma by a point and removes points between thousands. */
static const char *
number_of(struct ctx *c, unsigned seen, const char *text)
{
	struct buf b = BUF(c->mem);

	if (!(seen & SEEN_COMMA) || !grouped_end(text))
		return text;
	for (; *text; text++)
		if (*text != '.')
			buf_chr(&b, *text == ',' ? '.' : *text);
	return buf_done(&b);
}

void
csvcell_write(struct ctx *c, struct buf *b, enum cell_type type, unsigned seen,
    const struct csv_field *f)
{
	const char *bare = NULL;
	struct json *tree;

	if (type == CELL_NUMBER || type == CELL_INTEGER)
		bare = number_of(c, seen, f->text);
	if (bare && !is_number(c->mem, bare))
		bare = NULL;
	if (type == CELL_BOOLEAN)
		bare = bool_of(f->text);
	if (type == CELL_JSON && json_parse(c, f->text, strlen(f->text), &tree) == E_OK)
		bare = f->text;
	if (bare)
		buf_str(b, bare);
	else if (!*f->text && type != CELL_TEXT)
		buf_str(b, "null");
	else
		buf_json(b, f->text);
}
