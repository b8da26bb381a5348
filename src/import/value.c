/* SPDX-License-Identifier: Apache-2.0 */
#include "import/value.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"

#include <strings.h>

enum { CODE_DIGITS = 18, WORD_CHARS = 12 };

/* ---- words ---- */

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

static unsigned
number_bits(const struct given *v)
{
	struct typed_number point, comma;
	const char *p = v->s + (*v->s == '-' || *v->s == '+');
	size_t n = strspn(p, "0123456789");
	unsigned bits = 0;

	if (n && ((*p == '0' && n > 1 && !p[n]) || *v->s == '+' ||
	    (n > CODE_DIGITS && !p[n])))
		return IS_CODE;
	if (n && !p[n])
		return MAY_WHOLE | MAY_POINT | MAY_COMMA | MAY_POINT_WHOLE | MAY_COMMA_WHOLE;
	if (typed_number_read(v->s, '.', false, &point))
		bits |= MAY_POINT | (point.mark ? HAS_MARK : 0) |
		    (!point.fraction && !point.exponent && point.n <= CODE_DIGITS
			    ? MAY_POINT_WHOLE : 0);
	if (typed_number_read(v->s, ',', false, &comma))
		bits |= MAY_COMMA | (comma.mark ? HAS_MARK : 0) |
		    (!comma.fraction && !comma.exponent && comma.n <= CODE_DIGITS
			    ? MAY_COMMA_WHOLE : 0);
	return bits;
}

/* ---- dates and times ---- */

static unsigned
moment_bits(const struct given *v)
{
	struct typed_moment m;
	unsigned bits = 0;
	int y, mo, d;

	if (!typed_moment_read(v->s, v->n, &m))
		return 0;
	for (int order = ORDER_YMD; order <= ORDER_MDY; order++)
		if (typed_moment_date(&m, (enum date_order)order, &y, &mo, &d))
			bits |= (unsigned)MAY_YMD << order;
	if (!bits)
		return 0;
	return bits | (m.has_time ? MAY_TIME : MAY_DATE) | (m.has_zone ? HAS_ZONE : 0);
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
	size_t at;
	bool fits = !json_wrong(c, v->s, v->n, &tree, &at);

	ctx_end(c);
	return fits;
}

static unsigned
word_bits(const struct given *v)
{
	if (word_in(v, "null|na|n/a|#n/a|-|none"))
		return MAY_NULL;
	if (word_in(v, TYPED_TRUE))
		return MAY_BOOL | MAY_YES;
	if (word_in(v, TYPED_FALSE))
		return MAY_BOOL | MAY_NO;
	return word_in(v, TYPED_YES) ? MAY_YES : word_in(v, TYPED_NO) ? MAY_NO : 0;
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
	struct typed_number n;

	if (v->kind == GIVEN_NUMBER) {
		out->json = v->s;
		n.fraction = v->s[strcspn(v->s, ".eE")] != '\0';
		n.exponent = false;
	} else {
		if (v->kind != GIVEN_TEXT || !typed_number_read(v->s, how->decimal, false, &n))
			return whole ? "isn’t a whole number" : "isn’t a number";
		out->json = mem_strndup(c->mem, n.text, n.n);
	}
	if (whole && (n.fraction || n.exponent))
		return "isn’t a whole number";
	if (whole && strlen(out->json) > CODE_DIGITS) {
		struct json *tree;
		size_t at;

		if (json_wrong(c, out->json, strlen(out->json), &tree, &at) ||
		    json_kind(tree) != J_INT)
			return "is larger than a whole number of 64 bits";
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
	struct typed_moment m;
	char text[16];

	if (!typed_moment_read(v->s, v->n, &m) || m.has_time ||
	    !typed_moment_date(&m, how->order, &year, &month, &day))
		return "isn’t a date";
	snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
	out->json = mem_printf(c->mem, "\"%s\"", text);
	return cell_date(c->mem, text, &out->key) ? NULL : "isn’t a date";
}

static const char *
time_value(struct ctx *c, const struct reading *how, const struct given *v, struct value *out)
{
	const char *text = NULL;
	struct typed_moment m;

	if (how->order == ORDER_YMD && cell_time(c->mem, v->s, &out->key))
		text = v->s;
	else if (typed_moment_read(v->s, v->n, &m) && m.has_time)
		text = typed_time_text(c->mem, &m, how->order, how->zone);
	if (!text || !cell_time(c->mem, text, &out->key))
		return "isn’t a date with a time";
	out->json = quoted(c, text);
	return NULL;
}

static const char *
bool_value(const struct given *v, struct value *out)
{
	bool yes = word_in(v, TYPED_TRUE) || word_in(v, TYPED_YES);

	if (!yes && !word_in(v, TYPED_FALSE) && !word_in(v, TYPED_NO))
		return "is neither yes nor no";
	out->json = yes ? "true" : "false";
	out->key = cell_bool(yes);
	return NULL;
}

static const char *
tree_value(struct ctx *c, const struct given *v, struct value *out)
{
	struct json *tree;
	const char *why;
	size_t at;

	if (v->kind == GIVEN_STRING) {
		out->json = quoted(c, v->s);
		out->key = cell_text(c->mem, v->s);
		return NULL;
	}
	why = json_wrong(c, v->s, v->n, &tree, &at);
	if (why)
		return mem_printf(c->mem, "isn’t JSON: %s", why);
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
