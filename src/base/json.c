/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/buf.h"
#include "base/num.h"
#include "base/str.h"

#include <json-c/json.h>
#include <limits.h>

/* json-c represents null as a NULL pointer; callers get the address of this instead. */
static const char null_node;
#define NULL_NODE ((const struct json *)(const void *)&null_node)

/* ---- reading ---- */

struct scan {
	const char *p, *end;
	unsigned nodes, depth;
	const char *why;
	struct buf name, decoded; /* the last member's name; the last string or number */
};

static bool
scan_bad(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return false;
}

static struct json_object *
node_new(struct json_object *made)
{
	if (!made)
		abort();
	return made;
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
scan_unicode(struct scan *s, struct buf *to)
{
	unsigned u, low;

	if (!scan_hex4(s, &u))
		return false;
	if (!u)
		return scan_bad(s, "NUL isn't allowed in a string");
	if (u >= 0xdc00 && u <= 0xdfff)
		return scan_bad(s, "lone surrogate in a string");
	if (u >= 0xd800 && u <= 0xdbff) {
		if (s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u')
			return scan_bad(s, "lone surrogate in a string");
		s->p += 2;
		if (!scan_hex4(s, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return scan_bad(s, "lone surrogate in a string");
		u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
	}
	buf_utf8(to, u);
	return true;
}

static bool
scan_escape(struct scan *s, struct buf *to)
{
	static const char escape[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *known;

	s->p++;
	if (s->p >= s->end || !*s->p || !strchr("\"\\/bfnrtu", *s->p))
		return scan_bad(s, "unknown escape in a string");
	if (*s->p == 'u') {
		s->p++;
		return scan_unicode(s, to);
	}
	known = strchr(escape, *s->p++);
	buf_chr(to, meant[known - escape]);
	return true;
}

/* True if eight bytes are ASCII without quotes, backslashes, and control characters. If a byte of x
 * is zero, (x - ones) & ~x has a high bit set, else none; with ones * n, if a byte is below n. */
static bool
eight_plain(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t all, quote, slash;

	memcpy(&all, p, sizeof all);
	quote = all ^ ones * '"';
	slash = all ^ ones * '\\';
	return !((all | ((all - ones * ' ') & ~all) | ((quote - ones) & ~quote) |
		     ((slash - ones) & ~slash)) &
	    high);
}

/* Skips characters that need no decoding. */
static bool
scan_plain(struct scan *s)
{
	uint32_t cp;

	while (s->end - s->p >= 8 && eight_plain(s->p))
		s->p += 8;
	while (s->p < s->end && *s->p != '"' && *s->p != '\\') {
		unsigned char ch = (unsigned char)*s->p;
		size_t n = ch < 0x80 ? 1 : str_utf8(s->p, (size_t)(s->end - s->p), &cp);

		if (ch < 0x20)
			return scan_bad(s, "control character in a string");
		if (!n)
			return scan_bad(s, "invalid UTF-8");
		s->p += n;
	}
	return s->p < s->end || scan_bad(s, "unterminated string");
}

static bool
scan_string(struct scan *s, struct buf *to)
{
	to->n = 0;
	for (s->p++;;) {
		const char *from = s->p;

		if (!scan_plain(s))
			return false;
		buf_add(to, from, (size_t)(s->p - from));
		if (*s->p == '"') {
			s->p++;
			return true;
		}
		if (!scan_escape(s, to))
			return false;
	}
}

/* A node whose text json-c would print differently keeps its text as user data. */
static bool
scan_number(struct scan *s, struct json_object **out)
{
	size_t n = num_span(s->p, (size_t)(s->end - s->p));
	const char *text;
	int64_t whole;
	double v;

	if (!n)
		return scan_bad(s, "malformed number");
	s->decoded.n = 0;
	buf_add(&s->decoded, s->p, n);
	s->p += n;
	text = s->decoded.s;
	if (str_int(text, &whole)) {
		*out = node_new(json_object_new_int64(whole));
	} else if (str_eq(text, "-0")) {
		*out = node_new(json_object_new_int64(0));
		json_object_set_userdata(*out, (void *)(uintptr_t) "-0", NULL);
	} else {
		num_read(text, &v);
		*out = node_new(json_object_new_double_s(v, text));
	}
	return true;
}

static bool
scan_word(struct scan *s, struct json_object **out)
{
	static const char *const word[] = { "true", "false", "null" };

	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(word[i]);

		if ((size_t)(s->end - s->p) < n || memcmp(s->p, word[i], n) != 0)
			continue;
		s->p += n;
		*out = i < 2 ? node_new(json_object_new_boolean(i == 0)) : NULL;
		return true;
	}
	return scan_bad(s, "unexpected character");
}

/* Reads a scalar completely, but makes an object or array empty. scan_inside() fills it after it is
 * linked into the tree, so that freeing the root frees everything. */
static bool
scan_node(struct scan *s, struct json_object **out)
{
	*out = NULL;
	if (++s->nodes > JSON_NODES)
		return scan_bad(s, "too many values");
	if (s->p >= s->end)
		return scan_bad(s, "unexpected end");
	if (*s->p == '{')
		*out = node_new(json_object_new_object());
	else if (*s->p == '[')
		*out = node_new(json_object_new_array_ext(2));
	else if (*s->p == '-' || isdigit((unsigned char)*s->p))
		return scan_number(s, out);
	else if (*s->p != '"')
		return scan_word(s, out);
	else if (!scan_string(s, &s->decoded))
		return false;
	else
		*out = node_new(
		    json_object_new_string_len(buf_done(&s->decoded), (int)s->decoded.n));
	return true;
}

static bool scan_inside(struct scan *s, struct json_object *node);

/* json-c's table hashes names with a random seed, so crafted names can't make it slow. */
static bool
scan_member(struct scan *s, struct json_object *object)
{
	int before = json_object_object_length(object);
	const char *from = s->p;
	struct json_object *value;

	if (s->p >= s->end || *s->p != '"')
		return scan_bad(s, "expected a member name");
	if (!scan_string(s, &s->name))
		return false;
	scan_space(s);
	if (s->p >= s->end || *s->p != ':')
		return scan_bad(s, "expected ':'");
	s->p++;
	scan_space(s);
	if (!scan_node(s, &value))
		return false;
	if (json_object_object_add(object, buf_done(&s->name), value))
		abort();
	if (json_object_object_length(object) == before) {
		s->p = from;
		return scan_bad(s, "the same member appears twice in an object");
	}
	return scan_inside(s, value);
}

static bool
scan_item(struct scan *s, struct json_object *array)
{
	struct json_object *value;

	if (!scan_node(s, &value))
		return false;
	if (json_object_array_add(array, value))
		abort();
	return scan_inside(s, value);
}

/* Reads the content of an object or array up to its closing bracket. Does nothing for a scalar. */
static bool
scan_inside(struct scan *s, struct json_object *node)
{
	bool array = json_object_is_type(node, json_type_array);
	char close = array ? ']' : '}';

	if (!array && !json_object_is_type(node, json_type_object))
		return true;
	if (++s->depth > JSON_DEPTH)
		return scan_bad(s, "nested deeper than 32");
	s->p++;
	scan_space(s);
	for (bool more = s->p < s->end && *s->p != close; more;) {
		scan_space(s);
		if (!(array ? scan_item(s, node) : scan_member(s, node)))
			return false;
		scan_space(s);
		more = s->p < s->end && *s->p == ',';
		s->p += more;
	}
	s->depth--;
	if (s->p >= s->end || *s->p != close)
		return scan_bad(s, array ? "expected ',' or ']'" : "expected ',' or '}'");
	s->p++;
	return true;
}

MEM_DEFERRED(tree_put, json_object_put);

const char *
json_wrong(struct ctx *c, const char *text, size_t n, struct json **out, size_t *at)
{
	bool marked = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
	struct scan s = { .p = text + (marked ? 3 : 0), .end = text + n };
	struct json_object *tree = NULL;
	bool good;

	*at = 0;
	if (n >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return "it is UTF-16, and JSON must be UTF-8";
	s.name.owner = s.decoded.owner = mem_root("scan");
	scan_space(&s);
	good = scan_node(&s, &tree) && scan_inside(&s, tree);
	if (good) {
		scan_space(&s);
		good = s.p == s.end || scan_bad(&s, "unexpected text after the value");
	}
	mem_free(s.name.owner);
	*at = (size_t)(s.p - text);
	if (!good) {
		json_object_put(tree);
		return s.why;
	}
	if (tree)
		mem_defer(c->mem, tree_put, tree);
	*out = tree ? (struct json *)tree : (struct json *)(uintptr_t)NULL_NODE;
	return NULL;
}

enum err
json_parse(struct ctx *c, const char *text, size_t n, struct json **out)
{
	const char *why;
	size_t at;

	if (n > INT_MAX)
		return fail(c, E_BODY_TOO_LARGE, "a JSON body of %zu bytes is too large", n);
	why = json_wrong(c, text, n, out, &at);
	return why ? fail(c, E_INVALID, "the body isn't valid JSON: %s at byte %zu", why, at)
		   : E_OK;
}

/* ---- copying without members that are null ---- */

static bool lean_inside(struct scan *s, struct buf *b);

static bool
lean_value(struct scan *s, struct buf *b)
{
	static const char *const word[] = { "true", "false", "null" };
	size_t n = num_span(s->p, (size_t)(s->end - s->p));

	if (s->p < s->end && *s->p == '"') {
		if (!scan_string(s, &s->decoded))
			return false;
		buf_json(b, buf_done(&s->decoded));
		return true;
	}
	if (s->p < s->end && (*s->p == '{' || *s->p == '['))
		return lean_inside(s, b);
	for (size_t i = 0; !n && i < 3; i++)
		n = str_starts(s->p, word[i]) ? strlen(word[i]) : 0;
	buf_add(b, s->p, n);
	s->p += n;
	return n || scan_bad(s, "unexpected character");
}

static bool
lean_member(struct scan *s, struct buf *b)
{
	size_t from = b->n;

	if (s->p >= s->end || *s->p != '"' || !scan_string(s, &s->name))
		return scan_bad(s, "expected a member name");
	json_key(b, buf_done(&s->name));
	scan_space(s);
	if (s->p >= s->end || *s->p != ':')
		return scan_bad(s, "expected ':'");
	s->p++;
	scan_space(s);
	if (!str_starts(s->p, "null"))
		return lean_value(s, b);
	s->p += strlen("null");
	b->n = from;
	return true;
}

static bool
lean_inside(struct scan *s, struct buf *b)
{
	bool array = *s->p == '[';
	char close = array ? ']' : '}';

	if (++s->depth > JSON_DEPTH)
		return scan_bad(s, "nested deeper than 32");
	buf_chr(b, *s->p++);
	scan_space(s);
	for (bool more = s->p < s->end && *s->p != close; more;) {
		scan_space(s);
		if (!(array ? lean_value(s, b) : lean_member(s, b)))
			return false;
		scan_space(s);
		more = s->p < s->end && *s->p == ',';
		s->p += more;
		if (more && array)
			buf_chr(b, ',');
	}
	s->depth--;
	if (s->p >= s->end || *s->p != close)
		return scan_bad(s, "expected the end");
	s->p++;
	buf_chr(b, close);
	return true;
}

void
json_lean_text(struct buf *b, const char *text)
{
	struct scan s = { .p = text, .end = text + strlen(text) };
	size_t from = b->n;
	bool good;

	s.name.owner = s.decoded.owner = mem_root("scan");
	scan_space(&s);
	good = lean_value(&s, b);
	scan_space(&s);
	mem_free(s.name.owner);
	if (good && s.p == s.end)
		return;
	b->n = from;
	buf_str(b, text);
}

/* ---- the tree ---- */

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

const struct json *
json_get_as(const struct json *j, const char *key, enum json_kind kind)
{
	const struct json *member = json_get(j, key);

	return member && json_kind(member) == kind ? member : NULL;
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

const char *
json_word(const struct json *j, const char *key)
{
	const struct json *word = json_get_as(j, key, J_STR);

	return word ? json_str(word) : NULL;
}

int64_t
json_int(const struct json *j)
{
	return json_object_get_int64(node_inside(j));
}

double
json_num(const struct json *j)
{
	struct json_object *o = node_inside(j);

	/* The only integer that keeps its own text is -0. */
	return json_kind(j) == J_INT && json_object_get_userdata(o) ? -0.0
								     : json_object_get_double(o);
}

bool
json_true(const struct json *j)
{
	return json_object_get_boolean(node_inside(j)) != 0;
}

bool
json_whole(const struct json *j)
{
	const char *text = json_object_get_userdata(node_inside(j));

	return text && !strpbrk(text, ".eE");
}

static void
text_write(struct buf *b, struct json_object *o, bool lean)
{
	const char *sent = json_object_get_userdata(o);
	size_t n = 0;

	switch (json_object_get_type(o)) {
	case json_type_boolean:
		buf_str(b, json_object_get_boolean(o) ? "true" : "false");
		break;
	case json_type_int:
		if (sent)
			buf_str(b, sent);
		else
			buf_fmt(b, "%lld", (long long)json_object_get_int64(o));
		break;
	case json_type_double: buf_str(b, sent); break;
	case json_type_string: buf_json(b, json_object_get_string(o)); break;
	case json_type_array:
		buf_chr(b, '[');
		for (; n < json_object_array_length(o); n++) {
			if (n)
				buf_chr(b, ',');
			text_write(b, json_object_array_get_idx(o, n), lean);
		}
		buf_chr(b, ']');
		break;
	case json_type_object:
		buf_chr(b, '{');
		json_object_object_foreach(o, name, value)
		{
			if (lean && !value)
				continue;
			if (n++)
				buf_chr(b, ',');
			buf_json(b, name);
			buf_chr(b, ':');
			text_write(b, value, lean);
		}
		buf_chr(b, '}');
		break;
	default: buf_str(b, "null");
	}
}

void
json_into(struct buf *b, const struct json *j)
{
	text_write(b, node_inside(j), false);
}

void
json_lean(struct buf *b, const struct json *j)
{
	text_write(b, node_inside(j), true);
}

const char *
json_text(void *owner, const struct json *j)
{
	struct buf b = BUF(owner);

	json_into(&b, j);
	return buf_done(&b);
}

static void
member_set(struct json_object *object, const char *name, struct json_object *value)
{
	if (json_object_object_add(object, name, value))
		abort();
}

struct json *
json_new(struct ctx *c, const char *name, ...)
{
	struct json_object *made = node_new(json_object_new_object());
	va_list ap;

	mem_defer(c->mem, tree_put, made);
	va_start(ap, name);
	for (const char *text; name; name = va_arg(ap, const char *))
		if ((text = va_arg(ap, const char *)))
			member_set(made, name, node_new(json_object_new_string(text)));
	va_end(ap);
	return (struct json *)made;
}

void
json_set(struct json *object, const char *name, const struct json *value)
{
	if (value)
		member_set(node_inside(object), name, json_object_get(node_inside(value)));
}

void
json_set_int(struct json *object, const char *name, int64_t value)
{
	member_set(node_inside(object), name, node_new(json_object_new_int64(value)));
}

void
json_set_bool(struct json *object, const char *name, bool value)
{
	member_set(node_inside(object), name, node_new(json_object_new_boolean(value)));
}

struct json *
json_new_list(struct ctx *c)
{
	struct json_object *made = node_new(json_object_new_array());

	mem_defer(c->mem, tree_put, made);
	return (struct json *)made;
}

void
json_push(struct json *array, const struct json *value)
{
	if (json_object_array_add(node_inside(array), json_object_get(node_inside(value))))
		abort();
}

/* An object in a patch that has no counterpart is merged into an empty one, which drops its nulls.
 */
static void
merge_into(struct json_object *to, struct json_object *patch)
{
	json_object_object_foreach(patch, name, value)
	{
		struct json_object *within = NULL;

		if (!value) {
			json_object_object_del(to, name);
			continue;
		}
		if (!json_object_is_type(value, json_type_object)) {
			member_set(to, name, json_object_get(value));
			continue;
		}
		json_object_object_get_ex(to, name, &within);
		if (!json_object_is_type(within, json_type_object)) {
			within = node_new(json_object_new_object());
			member_set(to, name, within);
		}
		merge_into(within, value);
	}
}

void
json_merge(struct json *target, const struct json *patch)
{
	merge_into(node_inside(target), node_inside(patch));
}

static size_t
count_nodes(struct json_object *o)
{
	size_t n = 1;

	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			n += count_nodes(json_object_array_get_idx(o, i));
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, name, value)
		{
			(void)name;
			n += count_nodes(value);
		}
	}
	return n;
}

size_t
json_count(const struct json *j)
{
	return count_nodes(node_inside(j));
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
