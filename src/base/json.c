/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/buf.h"
#include "base/str.h"

#include <json-c/json.h>
#include <limits.h>

/* json-c has no object for null; this stands for it outside. */
static const char null_node;
#define NULL_NODE ((const struct json *)(const void *)&null_node)

/* ---- the scan ---- */

struct scan {
	const char *text, *p, *end;
	unsigned nodes, depth;
	const char *why;
	/* Where the keys of each open object begin, to refuse a second one of the same name. */
	struct key {
		const char *s;
		size_t n;
		uint32_t hash;
	} *keys;
	size_t key_n, key_room;
	void *mem;
};

static bool scan_value(struct scan *s);

static bool
scan_bad(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return false;
}

static void
scan_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool
scan_hex4(struct scan *s, unsigned *out)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++, s->p++) {
		if (s->p >= s->end || !isxdigit((unsigned char)*s->p))
			return scan_bad(s, "a \\u escape needs four hexadecimal digits");
		v = v << 4 |
		    (unsigned)(isdigit((unsigned char)*s->p) ? *s->p - '0'
							     : (*s->p | 32) - 'a' + 10);
	}
	*out = v;
	return true;
}

static bool
scan_escape(struct scan *s)
{
	unsigned u, low;

	s->p++;
	if (s->p >= s->end || !*s->p || !strchr("\"\\/bfnrtu", *s->p))
		return scan_bad(s, "unknown escape in a string");
	if (*s->p++ != 'u')
		return true;
	if (!scan_hex4(s, &u))
		return false;
	if (!u)
		return scan_bad(s, "NUL is not allowed in a string");
	if (u >= 0xdc00 && u <= 0xdfff)
		return scan_bad(s, "lone surrogate in a string");
	if (u < 0xd800 || u > 0xdbff)
		return true;
	if (s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u')
		return scan_bad(s, "lone surrogate in a string");
	s->p += 2;
	if (!scan_hex4(s, &low))
		return false;
	return (low >= 0xdc00 && low <= 0xdfff) || scan_bad(s, "lone surrogate in a string");
}

static bool
scan_string(struct scan *s)
{
	uint32_t cp;

	for (s->p++; s->p < s->end;) {
		unsigned char ch = (unsigned char)*s->p;

		if (ch == '"') {
			s->p++;
			return true;
		}
		if (ch < 0x20)
			return scan_bad(s, "control character in a string");
		if (ch == '\\') {
			if (!scan_escape(s))
				return false;
		} else if (ch < 0x80) {
			s->p++;
		} else {
			size_t n = str_utf8(s->p, (size_t)(s->end - s->p), &cp);

			if (!n)
				return scan_bad(s, "invalid UTF-8");
			s->p += n;
		}
	}
	return scan_bad(s, "unterminated string");
}

static bool
scan_digits(struct scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && isdigit((unsigned char)*s->p))
		s->p++;
	return s->p > from || scan_bad(s, "malformed number");
}

static bool
scan_number(struct scan *s)
{
	s->p += *s->p == '-';
	if (s->p < s->end && *s->p == '0')
		s->p++;
	else if (!scan_digits(s))
		return false;
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!scan_digits(s))
			return false;
	}
	if (s->p < s->end && (*s->p | 32) == 'e') {
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		return scan_digits(s);
	}
	return true;
}

/* Keys with escapes are compared as written: an escaped twin of a plain key is refused by refusing
 * escapes in keys' ASCII part. */
static bool
scan_key(struct scan *s, size_t first)
{
	const char *from = s->p;
	struct key key;

	if (!scan_string(s))
		return false;
	key = (struct key){ from, (size_t)(s->p - from), 2166136261u };
	for (size_t i = 0; i < key.n; i++) {
		if (key.s[i] == '\\')
			return scan_bad(s, "escapes are not allowed in the name of a member");
		key.hash = (key.hash ^ (unsigned char)key.s[i]) * 16777619u;
	}
	if (s->key_n - first >= 1000)
		return scan_bad(s, "an object has more than 1,000 members");
	for (size_t i = first; i < s->key_n; i++)
		if (s->keys[i].hash == key.hash && s->keys[i].n == key.n &&
		    memcmp(s->keys[i].s, key.s, key.n) == 0)
			return scan_bad(s, "the same member appears twice in an object");
	if (s->key_n == s->key_room) {
		s->key_room = s->key_room ? 2 * s->key_room : 64;
		s->keys = mem_grow(s->mem, s->keys, s->key_room * sizeof *s->keys);
	}
	s->keys[s->key_n++] = key;
	return true;
}

/* What follows an opening bracket, up to and with the closing one. */
static bool
scan_members(struct scan *s, char close)
{
	size_t first = s->key_n;

	if (++s->depth > JSON_DEPTH)
		return scan_bad(s, "nested deeper than 32");
	s->p++;
	scan_space(s);
	for (bool more = s->p < s->end && *s->p != close; more;) {
		scan_space(s);
		if (close == '}') {
			if (s->p >= s->end || *s->p != '"')
				return scan_bad(s, "expected the name of a member");
			if (!scan_key(s, first))
				return false;
			scan_space(s);
			if (s->p >= s->end || *s->p++ != ':')
				return scan_bad(s, "expected ':'");
			scan_space(s);
		}
		if (!scan_value(s))
			return false;
		scan_space(s);
		more = s->p < s->end && *s->p == ',';
		s->p += more;
	}
	s->key_n = first;
	s->depth--;
	return (s->p < s->end && *s->p++ == close) ||
	    scan_bad(s, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
}

static bool
scan_value(struct scan *s)
{
	static const char *const word[] = { "true", "false", "null" };

	if (++s->nodes > JSON_NODES)
		return scan_bad(s, "too many values");
	if (s->p >= s->end)
		return scan_bad(s, "unexpected end");
	if (*s->p == '"')
		return scan_string(s);
	if (*s->p == '{' || *s->p == '[')
		return scan_members(s, *s->p == '{' ? '}' : ']');
	if (*s->p == '-' || isdigit((unsigned char)*s->p))
		return scan_number(s);
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(word[i]);

		if ((size_t)(s->end - s->p) >= n && memcmp(s->p, word[i], n) == 0) {
			s->p += n;
			return true;
		}
	}
	return scan_bad(s, "unexpected character");
}

const char *
json_scan(const char *text, size_t n, size_t *at)
{
	struct scan s = { .text = text, .p = text, .end = text + n, .mem = mem_root("scan") };

	scan_space(&s);
	if (scan_value(&s)) {
		scan_space(&s);
		if (s.p < s.end)
			scan_bad(&s, "text after the value");
	}
	*at = (size_t)(s.p - text);
	mem_free(s.mem);
	return s.why;
}

/* ---- the tree ---- */

static void
tree_put(void *tree)
{
	json_object_put(tree);
}

enum err
json_parse(struct ctx *c, const char *text, size_t n, struct json **out)
{
	size_t at;
	const char *why = json_scan(text, n, &at);
	struct json_tokener *tok;
	struct json_object *tree;

	if (why)
		return fail(c, E_INVALID, "the body is not valid JSON: %s at byte %zu", why, at);
	if (n > INT_MAX)
		return fail(c, E_BODY_TOO_LARGE, "a JSON body of %zu bytes is too large", n);
	tok = json_tokener_new_ex(JSON_DEPTH + 1);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	tree = json_tokener_parse_ex(tok, text, (int)n);
	if (!tree && json_tokener_get_error(tok) == json_tokener_continue)
		tree = json_tokener_parse_ex(
		    tok, " ", 1); /* a bare number ends only with what follows it */
	if (!tree && json_tokener_get_error(tok) != json_tokener_success) {
		const char *desc = json_tokener_error_desc(json_tokener_get_error(tok));

		json_tokener_free(tok);
		return fail(c, E_INVALID, "the body is not valid JSON: %s", desc);
	}
	json_tokener_free(tok);
	if (tree)
		mem_defer(c->mem, tree_put, tree);
	*out = tree ? (struct json *)tree : (struct json *)(uintptr_t)NULL_NODE;
	return E_OK;
}

static struct json_object *
node_inside(const struct json *j)
{
	return j == NULL_NODE ? NULL : (struct json_object *)(uintptr_t)j;
}

static const struct json *
node_outside(struct json_object *o)
{
	return o ? (const struct json *)o : NULL_NODE;
}

enum json_kind
json_kind(const struct json *j)
{
	switch (json_object_get_type(node_inside(j))) {
	case json_type_boolean: return J_BOOL;
	case json_type_double: return J_NUM;
	case json_type_int: return J_INT;
	case json_type_object: return J_OBJ;
	case json_type_array: return J_ARR;
	case json_type_string: return J_STR;
	default: return J_NULL;
	}
}

const struct json *
json_get(const struct json *j, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(node_inside(j), key, &value) ? node_outside(value) : NULL;
}

size_t
json_len(const struct json *j)
{
	switch (json_kind(j)) {
	case J_ARR: return json_object_array_length(node_inside(j));
	case J_OBJ: return (size_t)json_object_object_length(node_inside(j));
	case J_STR: return (size_t)json_object_get_string_len(node_inside(j));
	default: return 0;
	}
}

const struct json *
json_at(const struct json *j, size_t i)
{
	return node_outside(json_object_array_get_idx(node_inside(j), i));
}

const char *
json_str(const struct json *j)
{
	return json_object_get_string(node_inside(j));
}

int64_t
json_int(const struct json *j)
{
	return json_object_get_int64(node_inside(j));
}

double
json_num(const struct json *j)
{
	return json_object_get_double(node_inside(j));
}

bool
json_true(const struct json *j)
{
	return json_object_get_boolean(node_inside(j)) != 0;
}

const char *
json_text(void *owner, const struct json *j)
{
	return mem_strdup(owner,
	    json_object_to_json_string_ext(
		node_inside(j), JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

int
json_each(const struct json *j, int (*fn)(void *, const char *, const struct json *), void *arg)
{
	json_object_object_foreach(node_inside(j), key, value)
	{
		int stop = fn(arg, key, node_outside(value));

		if (stop)
			return stop;
	}
	return 0;
}
