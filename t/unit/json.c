/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/shape.h"
#include "tap.h"

#define INNER(F, T) \
	F(T, STR, path, .flags = F_REQ, .lo = 1, .hi = 5) \
	F(T, INT, size, .lo = 0, .hi = 10)
SHAPE_DECLARE(inner, INNER);
SHAPE_DEFINE(inner, INNER);
#define OUTER(F, T) \
	F(T, STR,  name,  .flags = F_REQ, .lo = 1, .hi = 10) \
	F(T, STR,  title, .flags = F_NUL, .hi = 10) \
	F(T, BOOL, on) \
	F(T, WORD, kind,  .arg = "a|b") \
	F(T, LIST, files, .sub = &inner_shape) \
	F(T, STRS, tags,  .hi = 2) \
	F(T, TIME, at,    .flags = F_NUL)
SHAPE_DECLARE(outer, OUTER);
SHAPE_DEFINE(outer, OUTER);

static struct ctx *c;

static const char *
scan(const char *text)
{
	size_t at;

	return json_scan(text, strlen(text), &at);
}

/* NULL when it is read; else what is said of it. */
static const char *
read_outer(const char *text, struct outer **out)
{
	struct json *tree;
	void *into = NULL;

	c->message = NULL;
	if (json_parse(c, text, strlen(text), &tree) || shape_read(c, &outer_shape, tree, &into))
		return c->message;
	*out = into;
	return NULL;
}

int
main(void)
{
	static const char *const good[] = { "{}", "[]", " 0 ", "-0.5e+10", "\"\\ud83d\\ude00\"", "[1,{\"a\":[null,true,false]}]", "\"\xf0\x9f\x98\x80\"", NULL };
	static const char *const bad[] = { "", "{", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "NaN", "01", "1.", "+1", "{\"a\":1,\"a\":2}", "\"\\ud800\"", "\"\\u0000\"",
		"\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"a\nb\"", "{} x", "[1 2]", "{\"\\u0061\":1}", "nul", "\"\\x\"", "\"abc", "// c", NULL };
	struct outer *o;
	struct buf b;

	c = ctx_begin(NULL, NULL);
	for (int i = 0; good[i]; i++)
		ok(!scan(good[i]), "well-formed JSON is accepted");
	for (int i = 0; bad[i]; i++)
		ok(scan(bad[i]) != NULL, bad[i][0] ? "malformed JSON is refused" : "nothing is refused");
	ok(scan("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]") != NULL, "depth is limited");

	ok(!read_outer("{\"name\":\"n\",\"title\":null,\"files\":[{\"path\":\"p\",\"size\":3}],\"tags\":[\"x\"],\"unknown\":1}", &o), "a body is read");
	is_str(o->name, "n", "a string");
	is_int(o->has.title, NULLED, "null is told");
	is_int(o->has.on, ABSENT, "from absent");
	is_int(((struct inner *)o->files.v)[0].size, 3, "a list of objects");
	is_str(o->tags.v[0], "x", "a list of strings");
	is_str(read_outer("{}", &o), "name: is required", "required");
	is_str(read_outer("{\"name\":1}", &o), "name: must be a string", "a wrong kind");
	is_str(read_outer("{\"name\":null}", &o), "name: must not be null", "null where it can't be");
	is_str(read_outer("{\"name\":\"12345678901\"}", &o), "name: has 11 characters; at most 10 are allowed", "too long");
	is_str(read_outer("{\"name\":\"n\",\"files\":[{\"path\":\"a\"},{\"path\":7}]}", &o), "files[1].path: must be a string", "the place is named");
	is_str(read_outer("{\"name\":\"n\",\"files\":[{\"path\":\"a\",\"size\":1.5}]}", &o), "files[0].size: must be a whole number", "numbers are exact");
	is_str(read_outer("{\"name\":\"n\",\"files\":[{\"path\":\"a\",\"size\":11}]}", &o), "files[0].size: 11 is out of range; 0 to 10 is allowed", "and bounded");
	is_str(read_outer("{\"name\":\"n\",\"at\":18446744073709551616}", &o), "at: the number is too large", "never clamped");
	is_str(read_outer("{\"name\":\"n\",\"kind\":\"c\"}", &o), "kind: must be one of a|b", "a word");
	is_str(read_outer("{\"name\":\"n\",\"tags\":[\"a\",\"b\",\"c\"]}", &o), "tags: has 3 entries; at most 2 are allowed", "a count");
	is_str(read_outer("[]", &o), "the body: must be an object", "an object is wanted");

	b = (struct buf)BUF(c->mem);
	shape_write(&b, &outer_shape, &(struct outer){ .name = "a\"\n", .kind = "b" });
	is_str(b.s, "{\"name\":\"a\\\"\\n\",\"title\":null,\"on\":false,\"kind\":\"b\",\"files\":[],\"tags\":[],\"at\":0}", "a value is written");
	ctx_end(c);
	return done();
}
