/* SPDX-License-Identifier: Apache-2.0 */
#include "import/value.h"

#include "base/buf.h"
#include "base/civil.h"
#include "base/id.h"
#include "base/str.h"

#include <strings.h>

enum { CODE_DIGITS = 18, NUMBER_CHARS = 120, TIME_CHARS = 64, WORD_CHARS = 12 };

/* ---- words ---- */

static const char yes_words[] = "yes|ja|oui|s\u00ed|si", no_words[] = "no|nein|non";
static const char true_words[] = "true|wahr|vrai|verdadero|vero",
		  false_words[] = "false|falsch|faux|falso";

static bool
word_in(const struct given *v, const char *words)
{
	char low[WORD_CHARS + 1];

	if (v->n > WORD_CHARS)
		return false;
	for (size_t i = 0; i <= v->n; i++)
		low[i] = v->s[i] >= 'A' && v->s[i] <= 'Z' ? (char)(v->s[i] + 32) : v->s[i];
	if (v->n == 3 && !memcmp(low, "s\xc3\x8d", 3))
		return strstr(words, "s\u00ed") != NULL;
	return str_in(low, words);
}

/* ---- numbers ---- */

/* Returns the bytes of a space or apostrophe between groups of digits at p. */
static size_t
group_mark(const char *p)
{
	static const char *const marks[] = { " ", "'", "\u00a0", "\u202f", "\u2009", "\u2019" };

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(p, marks[i]))
			return strlen(marks[i]);
	return 0;
}

static size_t
digits_at(const char *p)
{
	size_t n = 0;

	while (p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

struct number {
	char text[NUMBER_CHARS]; /* as JSON has it */
	size_t n;
	bool fraction, mark, exponent;
};

static bool
number_add(struct number *out, const char *p, size_t n)
{
	if (out->n + n >= sizeof out->text)
		return false;
	memcpy(out->text + out->n, p, n);
	out->n += n;
	out->text[out->n] = '\0';
	return true;
}

/* Reads the digits before the decimal mark: 1260, or in groups of three such as 1,260. */
static bool
number_whole(const char **at, char decimal, struct number *out)
{
	const char *p = *at, *mark;
	size_t n = digits_at(p), between;

	if (!n) {
		*at = p;
		return *p == decimal && number_add(out, "0", 1);
	}
	if ((*p == '0' && n > 1) || !number_add(out, p, n))
		return false;
	mark = p + n;
	between = *mark == (decimal == '.' ? ',' : '.') ? 1 : group_mark(mark);
	p += n;
	if (between && n <= 3 && digits_at(p + between) == 3 && **at != '0')
		while (!strncmp(p, mark, between) && digits_at(p + between) == 3) {
			out->mark |= *mark == ',' || *mark == '.';
			if (!number_add(out, p + between, 3))
				return false;
			p += between + 3;
		}
	*at = p;
	return true;
}

/* An exponent needs a sign or a fraction before it, because 1E5 is mostly a code. */
static bool
number_read(const struct given *v, char decimal, struct number *out)
{
	const char *p = v->s;
	size_t n;

	out->n = 0;
	out->fraction = out->mark = out->exponent = false;
	if (*p == '-' || str_starts(p, "\u2212")) {
		number_add(out, "-", 1);
		p += *p == '-' ? 1 : 3;
	}
	if (!number_whole(&p, decimal, out))
		return false;
	if (*p == decimal) {
		n = digits_at(p + 1);
		if (!n || !number_add(out, ".", 1) || !number_add(out, p + 1, n))
			return false;
		out->fraction = out->mark = true;
		p += 1 + n;
	}
	if ((*p == 'e' || *p == 'E') && (out->fraction || p[1] == '+' || p[1] == '-')) {
		n = p[1] == '+' || p[1] == '-' ? 2 : 1;
		if (!digits_at(p + n) || digits_at(p + n) > 4 ||
		    !number_add(out, p, n + digits_at(p + n)))
			return false;
		p += n + digits_at(p + n);
		out->exponent = true;
	}
	return !*p;
}

static unsigned
number_bits(const struct given *v)
{
	struct number point, comma;
	const char *p = v->s + (*v->s == '-' || *v->s == '+');
	size_t n = digits_at(p);
	unsigned bits = 0;

	if (n && ((*p == '0' && n > 1 && !p[n]) || *v->s == '+' ||
	    (n > CODE_DIGITS && !p[n])))
		return IS_CODE;
	if (n && !p[n])
		return MAY_WHOLE | MAY_POINT | MAY_COMMA | MAY_POINT_WHOLE | MAY_COMMA_WHOLE;
	if (number_read(v, '.', &point))
		bits |= MAY_POINT | (point.mark ? HAS_MARK : 0) |
		    (!point.fraction && !point.exponent && point.n <= CODE_DIGITS
			    ? MAY_POINT_WHOLE : 0);
	if (number_read(v, ',', &comma))
		bits |= MAY_COMMA | (comma.mark ? HAS_MARK : 0) |
		    (!comma.fraction && !comma.exponent && comma.n <= CODE_DIGITS
			    ? MAY_COMMA_WHOLE : 0);
	return bits;
}

/* ---- dates and times ---- */

struct moment {
	int part[3];        /* numbers of the date as they stand */
	size_t chars[3];
	bool has_time, has_zone;
	int hour, minute, second;
	const char *fraction; /* of fraction_n digits */
	size_t fraction_n;
	const char *zone;   /* the text of the offset */
};

/* Reads a number of 1 to `most` digits. */
static bool
part_read(const char **p, size_t most, int *out, size_t *chars)
{
	*chars = digits_at(*p);
	*out = 0;
	if (!*chars || *chars > most)
		return false;
	for (size_t i = 0; i < *chars; i++)
		*out = *out * 10 + *(*p)++ - '0';
	return true;
}

static bool
offset_fits(const char *p)
{
	if ((*p == 'Z' || *p == 'z') && !p[1])
		return true;
	return (*p == '+' || *p == '-') && digits_at(p + 1) == 2 && p[3] == ':' &&
	    digits_at(p + 4) == 2 && !p[6];
}

/* Reads "14:30", "14:30:05.25", "2:30 PM", and what follows. */
static bool
clock_read(const char *p, struct moment *m)
{
	size_t n;
	bool twelve;

	m->second = 0;
	m->fraction_n = 0;
	if (!part_read(&p, 2, &m->hour, &n) || *p++ != ':' ||
	    !part_read(&p, 2, &m->minute, &n) || n != 2)
		return false;
	if (*p == ':') {
		p++;
		if (!part_read(&p, 2, &m->second, &n) || n != 2)
			return false;
		if (*p == '.' || *p == ',') {
			m->fraction = p + 1;
			m->fraction_n = digits_at(p + 1);
			if (!m->fraction_n || m->fraction_n > 9)
				return false;
			p += 1 + m->fraction_n;
		}
	}
	twelve = !strncasecmp(p + (*p == ' '), "am", 2) || !strncasecmp(p + (*p == ' '), "pm", 2);
	if (twelve) {
		p += *p == ' ';
		if (m->hour < 1 || m->hour > 12)
			return false;
		m->hour = m->hour % 12 + (*p == 'p' || *p == 'P' ? 12 : 0);
		p += 2;
	}
	p += *p == ' ' && p[1];
	m->has_zone = *p != '\0';
	m->zone = p;
	return m->hour < 24 && m->minute < 60 && m->second < 60 && (!*p || offset_fits(p));
}

static bool
moment_read(const struct given *v, struct moment *m)
{
	const char *p = v->s;
	char between;

	if (v->n > TIME_CHARS || v->n < 8 || !part_read(&p, 4, &m->part[0], &m->chars[0]))
		return false;
	between = *p;
	if (!between || !strchr("-/.", between))
		return false;
	p++;
	if (!part_read(&p, 2, &m->part[1], &m->chars[1]) || *p++ != between ||
	    !part_read(&p, 4, &m->part[2], &m->chars[2]))
		return false;
	m->has_time = *p != '\0';
	m->has_zone = false;
	return !*p || ((*p == ' ' || *p == 'T' || *p == 't') && clock_read(p + 1, m));
}

/* Returns whether the numbers are a date in that order. */
static bool
moment_date(const struct moment *m, enum date_order order, int *year, int *month, int *day)
{
	static const int places[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 2, 0, 1 } };
	const int *at = places[order];

	*year = m->part[at[0]];
	*month = m->part[at[1]];
	*day = m->part[at[2]];
	return m->chars[at[0]] == 4 && m->chars[at[1]] <= 2 && m->chars[at[2]] <= 2 &&
	    civil_valid(*year, *month, *day);
}

static unsigned
moment_bits(const struct given *v)
{
	struct moment m;
	unsigned bits = 0;
	int y, mo, d;

	if (!moment_read(v, &m))
		return 0;
	for (int order = ORDER_YMD; order <= ORDER_MDY; order++)
		if (moment_date(&m, (enum date_order)order, &y, &mo, &d))
			bits |= (unsigned)MAY_YMD << order;
	if (!bits)
		return 0;
	return bits | (m.has_time ? MAY_TIME : MAY_DATE) | (m.has_zone ? HAS_ZONE : 0);
}

/* Returns the offset of a local time, which may occur twice (the first counts) or never (the one
 * before the change counts). */
static int64_t
zone_offset(const struct zone *z, int64_t local)
{
	struct zone_span at;

	if (!z)
		return 0;
	at = zone_at(z, local - zone_at(z, local).offset);
	if (local - at.before < at.begin)
		return at.before;
	return at.offset;
}

static const char *
time_text(struct ctx *c, const struct moment *m, const struct reading *how)
{
	int year, month, day;
	const char *text;
	int64_t at;

	if (!moment_date(m, how->order, &year, &month, &day))
		return NULL;
	text = mem_printf(c->mem, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, m->hour,
	    m->minute, m->second);
	if (!m->has_zone && how->zone) {
		if (!str_from_rfc3339(mem_printf(c->mem, "%sZ", text), &at))
			return NULL;
		text = str_rfc3339(c->mem, at - zone_offset(how->zone, at));
		text = mem_strndup(c->mem, text, strlen(text) - 1);
	}
	return mem_printf(c->mem, "%s%s%.*s%s", text, m->fraction_n ? "." : "",
	    (int)m->fraction_n, m->fraction_n ? m->fraction : "",
	    m->has_zone ? m->zone : "Z");
}

/* ---- all kinds ---- */

/* Removes spaces around it. A copy is made only if there are some at the end. */
static struct given
trimmed(void *owner, const struct given *v)
{
	struct given t = *v;

	while (t.n && (*t.s == ' ' || *t.s == '\t')) {
		t.s++;
		t.n--;
	}
	if (t.n && strchr(" \t", t.s[t.n - 1])) {
		while (t.n && strchr(" \t", t.s[t.n - 1]))
			t.n--;
		t.s = mem_strndup(owner, t.s, t.n);
	}
	return t;
}

static bool
tree_fits(const struct given *v)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct json *tree;
	bool fits = json_parse(c, v->s, v->n, &tree) == E_OK;

	ctx_end(c);
	return fits;
}

static unsigned
word_bits(const struct given *v)
{
	if (word_in(v, "null|na|n/a|#n/a|-|none"))
		return MAY_NULL;
	if (word_in(v, true_words))
		return MAY_BOOL | MAY_YES;
	if (word_in(v, false_words))
		return MAY_BOOL | MAY_NO;
	return word_in(v, yes_words) ? MAY_YES : word_in(v, no_words) ? MAY_NO : 0;
}

static unsigned
text_bits(void *owner, const struct given *v)
{
	struct given t = trimmed(owner, v);
	unsigned bits;

	if (!t.n)
		return 0;
	if (strchr("{[", *t.s))
		return tree_fits(&t) ? MAY_JSON : 0;
	if (t.n == v->n && id_valid(t.s, "row_"))
		return IS_ROW;
	bits = word_bits(&t);
	if (bits || !strpbrk(t.s, "0123456789"))
		return bits;
	return number_bits(&t) | moment_bits(&t);
}

unsigned
value_bits(void *owner, const struct given *v)
{
	unsigned bits;

	switch (v->kind) {
	case GIVEN_TEXT: return text_bits(owner, v);
	case GIVEN_STRING:
		bits = moment_bits(v);
		bits = bits & MAY_YMD ? bits & ~(unsigned)(MAY_DMY | MAY_MDY) : 0;
		return bits | IS_STRING | (id_valid(v->s, "row_") ? IS_ROW : 0);
	case GIVEN_NUMBER:
		return v->s[strspn(v->s, "-0123456789")]
		    ? MAY_POINT | MAY_COMMA
		    : MAY_WHOLE | MAY_POINT | MAY_COMMA | MAY_POINT_WHOLE | MAY_COMMA_WHOLE;
	case GIVEN_BOOL: return MAY_BOOL | (*v->s == 't' ? MAY_YES : MAY_NO);
	case GIVEN_TREE: return MAY_JSON;
	case GIVEN_ERROR: return MAY_NULL;
	default: return 0;
	}
}

/* ---- in a column ---- */

static const char *
number_value(struct ctx *c, const struct reading *how, const struct given *v, bool whole,
    struct value *out)
{
	struct number n;

	if (v->kind == GIVEN_NUMBER) {
		out->json = v->s;
		n.fraction = v->s[strcspn(v->s, ".eE")] != '\0';
		n.exponent = false;
	} else {
		if (v->kind != GIVEN_TEXT || !number_read(v, how->decimal, &n))
			return whole ? "isn’t a whole number" : "isn’t a number";
		out->json = mem_strndup(c->mem, n.text, n.n);
	}
	if (whole && (n.fraction || n.exponent))
		return "isn’t a whole number";
	if (whole && strlen(out->json) > CODE_DIGITS) {
		struct json *tree;

		if (json_parse(c, out->json, strlen(out->json), &tree) ||
		    json_kind(tree) != J_INT) {
			ctx_forgive(c);
			return "is larger than a whole number of 64 bits";
		}
	}
	return cell_number(c->mem, out->json, &out->key) ? NULL : "has more than 60 digits";
}

static const char *
quoted(struct ctx *c, const char *s)
{
	struct buf b = BUF(c->mem);

	buf_json(&b, s);
	return buf_done(&b);
}

static const char *
date_value(struct ctx *c, const struct reading *how, const struct given *v, struct value *out)
{
	int year, month, day;
	struct moment m;
	char text[16];

	if (!moment_read(v, &m) || m.has_time || !moment_date(&m, how->order, &year, &month, &day))
		return "isn’t a date";
	snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
	out->json = mem_printf(c->mem, "\"%s\"", text);
	return cell_date(c->mem, text, &out->key) ? NULL : "isn’t a date";
}

static const char *
time_value(struct ctx *c, const struct reading *how, const struct given *v, struct value *out)
{
	const char *text = NULL;
	struct moment m;

	if (how->order == ORDER_YMD && cell_time(c->mem, v->s, &out->key))
		text = v->s;
	else if (moment_read(v, &m) && m.has_time)
		text = time_text(c, &m, how);
	if (!text || !cell_time(c->mem, text, &out->key))
		return "isn’t a date with a time";
	out->json = quoted(c, text);
	return NULL;
}

static const char *
bool_value(const struct given *v, struct value *out)
{
	bool yes = word_in(v, true_words) || word_in(v, yes_words);

	if (!yes && !word_in(v, false_words) && !word_in(v, no_words))
		return "is neither yes nor no";
	out->json = yes ? "true" : "false";
	out->key = cell_bool(yes);
	return NULL;
}

static const char *
tree_value(struct ctx *c, const struct given *v, struct value *out)
{
	struct json *tree;

	if (v->kind == GIVEN_STRING) {
		out->json = quoted(c, v->s);
		out->key = cell_text(c->mem, v->s);
		return NULL;
	}
	if (json_parse(c, v->s, v->n, &tree)) {
		ctx_forgive(c);
		return "isn’t JSON";
	}
	out->json = json_text(c->mem, tree);
	return cell_of(c->mem, CELL_JSON, tree, &out->key);
}

static const char *
text_value(struct ctx *c, enum cell_type type, const struct reading *how, const struct given *v,
    struct value *out)
{
	if (type == CELL_CHOICE && !strs_have(&how->choices, v->s))
		return "isn’t one of the choices";
	if (type == CELL_LINK && !id_valid(v->s, "row_"))
		return "isn’t the ID of a row";
	out->json = quoted(c, v->s);
	out->key = cell_text(c->mem, v->s);
	return NULL;
}

const char *
value_read(struct ctx *c, enum cell_type type, const struct reading *how, const struct given *v,
    struct value *out)
{
	struct given t = *v;

	*out = (struct value){ .json = "null" };
	if (v->kind == GIVEN_NONE || (v->kind != GIVEN_STRING && strs_have(&how->nulls, v->s)) ||
	    (v->kind == GIVEN_EMPTY && (type != CELL_TEXT || how->blanks_null)))
		return NULL;
	if (v->kind == GIVEN_ERROR)
		return "is an error of the workbook";
	if (type == CELL_TEXT || type == CELL_CHOICE || type == CELL_LINK)
		return text_value(c, type, how, v, out);
	if (v->kind == GIVEN_TEXT)
		t = trimmed(c->mem, v);
	if (!t.n && v->kind == GIVEN_TEXT)
		return NULL;
	switch (type) {
	case CELL_NUMBER: return number_value(c, how, &t, false, out);
	case CELL_INTEGER: return number_value(c, how, &t, true, out);
	case CELL_DATE: return date_value(c, how, &t, out);
	case CELL_TIMESTAMP: return time_value(c, how, &t, out);
	case CELL_BOOLEAN: return bool_value(&t, out);
	default: return tree_value(c, &t, out);
	}
}
