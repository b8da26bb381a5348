/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/pgvalue.h"

#include "base/json.h"
#include "base/num.h"
#include "base/str.h"

enum kind {
	KIND_TEXT,
	KIND_BOOL,
	KIND_INT,
	KIND_NUM,
	KIND_JSON,
	KIND_INSTANT,
	KIND_TIME,
	KIND_DAY
};

/* The fixed oids of pg_type; the array type is beside the type of its elements. */
static const struct type {
	unsigned oid, array;
	enum kind kind;
} types[] = {
	{ 16, 1000, KIND_BOOL },      /* boolean */
	{ 20, 1016, KIND_INT },       /* bigint */
	{ 21, 1005, KIND_INT },       /* smallint */
	{ 23, 1007, KIND_INT },       /* integer */
	{ 26, 1028, KIND_INT },       /* oid */
	{ 700, 1021, KIND_NUM },      /* real */
	{ 701, 1022, KIND_NUM },      /* double precision */
	{ 1700, 1231, KIND_NUM },     /* numeric */
	{ 114, 199, KIND_JSON },      /* json */
	{ 3802, 3807, KIND_JSON },    /* jsonb */
	{ 1184, 1185, KIND_INSTANT }, /* timestamptz */
	{ 1114, 1115, KIND_TIME },    /* timestamp */
	{ 1082, 1182, KIND_DAY },     /* date */
	{ 25, 1009, KIND_TEXT },      /* text */
	{ 1043, 1015, KIND_TEXT },    /* varchar */
	{ 1042, 1014, KIND_TEXT },    /* char */
	{ 18, 1002, KIND_TEXT },      /* "char" */
	{ 19, 1003, KIND_TEXT },      /* name */
	{ 2950, 2951, KIND_TEXT },    /* uuid */
	{ 17, 1001, KIND_TEXT },      /* bytea */
	{ 1083, 1183, KIND_TEXT },    /* time */
	{ 1266, 1270, KIND_TEXT },    /* timetz */
	{ 1186, 1187, KIND_TEXT },    /* interval */
	{ 869, 1041, KIND_TEXT },     /* inet */
	{ 650, 651, KIND_TEXT },      /* cidr */
	{ 790, 791, KIND_TEXT },      /* money */
};

static const struct type *
type_of(unsigned oid, bool *array)
{
	static const struct type other = { 0, 0, KIND_TEXT };

	*array = false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		*array = types[i].array == oid;
		if (*array || types[i].oid == oid)
			return &types[i];
	}
	return &other;
}

const char *
pgvalue_type(unsigned oid)
{
	static const char *const words[] = { [KIND_TEXT] = "text",
		[KIND_BOOL] = "boolean",
		[KIND_INT] = "integer",
		[KIND_NUM] = "number",
		[KIND_JSON] = "json",
		[KIND_INSTANT] = "timestamp",
		[KIND_TIME] = "text",
		[KIND_DAY] = "text" };
	bool array;
	const struct type *type = type_of(oid, &array);

	return array ? "json" : words[type->kind];
}

/* ---- one value ---- */

struct writer {
	struct ctx *c;
	struct buf *b;
	int64_t odd;
	const char *why;
};

static bool
wrong(struct writer *w, const char *why)
{
	w->why = why;
	return false;
}

/* True if text begins like "2026-01-02" and isn't a year that ISO 8601 writes differently. */
static bool
day_plain(const char *text)
{
	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9')
			return false;
	return !str_ends(text, " BC");
}

static bool
odd_put(struct writer *w)
{
	w->odd++;
	buf_str(w->b, "null");
	return true;
}

/* Converts "2026-01-02 03:04:05.6+00" to ISO 8601, with a Z if zone is set. */
static bool
time_put(struct writer *w, const char *text, bool zone)
{
	size_t n = strlen(text);

	if (!day_plain(text) || text[10] != ' ' || (zone && !str_ends(text, "+00")))
		return odd_put(w);
	buf_fmt(w->b, "\"%.10sT", text);
	buf_add(w->b, text + 11, n - 11 - (zone ? 3 : 0));
	buf_str(w->b, zone ? "Z\"" : "\"");
	return true;
}

static bool
json_put(struct writer *w, const char *text)
{
	struct json *tree;
	size_t at;
	const char *why = json_wrong(w->c, text, strlen(text), &tree, &at);

	if (why) {
		w->why = mem_printf(w->c->mem, "isn't valid JSON: %s at byte %zu", why, at);
		return false;
	}
	json_into(w->b, tree);
	return true;
}

static bool
value_put(struct writer *w, enum kind kind, const char *text)
{
	size_t n = strlen(text);

	if (!str_utf8_valid(text, n))
		return wrong(w, "isn't valid UTF-8; the database has bytes in no known encoding");
	switch (kind) {
	case KIND_BOOL: buf_str(w->b, *text == 't' ? "true" : "false"); return true;
	case KIND_INT:
	case KIND_NUM:
		if (!n || num_span(text, n) != n)
			return odd_put(w);
		buf_add(w->b, text, n);
		return true;
	case KIND_JSON: return json_put(w, text);
	case KIND_INSTANT: return time_put(w, text, true);
	case KIND_TIME: return time_put(w, text, false);
	case KIND_DAY:
		if (n != 10 || !day_plain(text))
			return odd_put(w);
		break;
	case KIND_TEXT: break;
	}
	buf_json(w->b, text);
	return true;
}

/* ---- arrays: {1,NULL,"a \"b\"",{2,3}}, after their bounds if these don't begin at 1 ---- */

static bool
element_put(struct writer *w, enum kind kind, const char **at)
{
	struct buf text = BUF(w->c->mem);
	const char *p = *at;
	bool quoted = *p == '"';

	for (p += quoted; *p && (quoted ? *p != '"' : !strchr(",}", *p)); p++) {
		p += *p == '\\' && p[1];
		buf_chr(&text, *p);
	}
	if (quoted && *p != '"')
		return wrong(w, "isn't an array that can be read");
	*at = p + quoted;
	if (quoted || !str_eq(buf_done(&text), "NULL"))
		return value_put(w, kind, buf_done(&text));
	buf_str(w->b, "null");
	return true;
}

static bool
array_put(struct writer *w, enum kind kind, const char *text)
{
	const char *p = *text == '[' ? strchr(text, '{') : text;
	size_t depth = 0;

	do {
		if (!p || !*p)
			return wrong(w, "isn't an array that can be read");
		if (*p == '{' || *p == '}' || *p == ',') {
			depth += *p == '{';
			depth -= *p == '}';
			buf_chr(w->b, *p == '{' ? '[' : *p == '}' ? ']' : ',');
			p++;
		} else if (!element_put(w, kind, &p)) {
			return false;
		}
	} while (depth);
	return true;
}

bool
pgvalue_json(
    struct ctx *c, struct buf *b, unsigned oid, const char *text, int64_t *odd, const char **why)
{
	struct writer w = { .c = c, .b = b };
	bool array;
	const struct type *type = type_of(oid, &array);
	bool ok = array && (*text == '{' || *text == '[') ? array_put(&w, type->kind, text)
							  : value_put(&w, type->kind, text);

	*odd += w.odd;
	*why = w.why;
	return ok;
}
