/* SPDX-License-Identifier: Apache-2.0
 * Shapes: what they read from JSON and from pairs, what they write, what they say of themselves, and what they can't carry. */
#include "base/json.h"
#include "base/sample.h"
#include "base/shape.h"
#include "base/unknown.h"
#include "tap.h"

#include <math.h>

#define INNER(F, T) \
	F(T, STR, path, .flags = F_REQ, .lo = 1, .hi = 5) \
	F(T, INT, size, .lo = 0, .hi = 10)
SHAPE(inner, INNER);
#define OUTER(F, T) \
	F(T, STR,  name,  .flags = F_REQ, .lo = 1, .hi = 10) \
	F(T, STR,  title, .flags = F_NUL, .hi = 10) \
	F(T, BOOL, on) \
	F(T, WORD, kind,  .arg = "a|b") \
	F(T, LIST, files, .sub = &inner_shape) \
	F(T, STRS, tags,  .hi = 2) \
	F(T, TIME, at,    .flags = F_NUL)
SHAPE(outer, OUTER);

#define KINDS(F, T) \
	F(T, DATETIME, made,  .wire = "createdAt") \
	F(T, NUM,      ratio, .lo = -1, .hi = 2) \
	F(T, NUM,      any) \
	F(T, INT,      whole, .lo = INT64_MIN) \
	F(T, SLUG,     slug) \
	F(T, JSON,     doc) \
	F(T, STRS,     mails, .item = K_EMAIL, .item_hi = 20, .hi = 3) \
	F(T, STRS,     ids,   .item = K_ID, .arg = "art_") \
	F(T, STRS,     slugs, .item = K_SLUG) \
	F(T, STRS,     words, .item = K_WORD, .arg = "a|b") \
	F(T, STRS,     urls,  .item = K_URL) \
	F(T, STRS,     names, .item_lo = 2, .item_hi = 4)
SHAPE(kinds, KINDS);

#define QUERY(F, T) \
	F(T, STRS,     groups, .item = K_WORD, .arg = "a|b|c", .lo = 1, .hi = 4) \
	F(T, STRS,     sorts,  .def = "x,y") \
	F(T, NUM,      ratio,  .lo = 0, .hi = 2) \
	F(T, DATETIME, since) \
	F(T, TIME,     until) \
	F(T, INT,      limit,  .lo = 1, .hi = 100, .def = "50") \
	F(T, BOOL,     open) \
	F(T, SLUG,     slug) \
	F(T, STR,      secret, .flags = F_HID)
SHAPE(query, QUERY);

static struct ctx *c;

/* NULL when it is read; else what is said of it. */
static const char *
read_as(const struct shape *shape, const char *text, void *out)
{
	struct json *tree;
	void *into = NULL;

	c->message = NULL;
	if (json_parse(c, text, strlen(text), &tree) || shape_read(c, shape, tree, &into))
		return c->message;
	*(void **)out = into;
	return NULL;
}

static const char *
read_outer(const char *text, struct outer **out)
{
	return read_as(&outer_shape, text, out);
}

static const char *
read_kinds(const char *text, struct kinds **out)
{
	return read_as(&kinds_shape, text, out);
}

/* Pairs "name", "value", …, NULL. */
static const char *
read_query(struct query **out, const char *const *text)
{
	struct pair pairs[16];
	size_t n = 0;
	void *into;

	for (; text[2 * n]; n++)
		pairs[n] = (struct pair){ text[2 * n], text[2 * n + 1] };
	c->message = NULL;
	if (shape_read_pairs(c, &query_shape, pairs, n, &into))
		return c->message;
	*out = into;
	return NULL;
}
#define Q(out, ...) read_query(out, (const char *const[]){ __VA_ARGS__, NULL })

static void
bodies(void)
{
	struct outer *o;
	struct buf b = BUF(c->mem);

	ok(!read_outer("{\"name\":\"n\",\"title\":null,\"files\":[{\"path\":\"p\",\"size\":3}],\"tags\":[\"x\"],\"unknown\":1}", &o), "a body is read");
	is_str(o->name, "n", "a string");
	is_int(o->has.title, NULLED, "null is told");
	is_int(o->has.on, ABSENT, "from absent");
	is_int(((struct inner *)o->files.v)[0].size, 3, "a list of objects");
	is_str(o->tags.v[0], "x", "a list of strings");
	is_str(read_outer("{}", &o), "name: is required", "required");
	is_str(read_outer("{\"name\":1}", &o), "name: must be a string, not a number", "a wrong kind");
	is_str(read_outer("{\"name\":null}", &o), "name: must not be null", "null where it can't be");
	ok(!read_outer("{\"name\":\"n\",\"on\":null,\"files\":null,\"tags\":null,\"kind\":null}", &o) && !o->has.on && !o->has.files, "where it has no meaning it is absent");
	is_str(read_outer("{\"name\":\"12345678901\"}", &o), "name: has 11 characters; the maximum is 10", "too long");
	is_str(read_outer("{\"name\":\"n\",\"files\":[{\"path\":\"a\"},{\"path\":7}]}", &o), "files[1].path: must be a string, not a number", "the place is named");
	is_str(read_outer("{\"name\":\"n\",\"files\":[{\"path\":\"a\",\"size\":1.5}]}", &o), "files[0].size: must be a whole number, not 1.5", "numbers are exact");
	is_str(read_outer("{\"name\":\"n\",\"files\":[{\"path\":\"a\",\"size\":11}]}", &o), "files[0].size: 11 is out of range; it must be from 0 to 10", "and bounded");
	is_str(read_outer("{\"name\":\"n\",\"at\":18446744073709551616}", &o), "at: the number is too large", "never clamped");
	is_str(read_outer("{\"name\":\"n\",\"kind\":\"c\"}", &o), "kind: must be a or b, not \"c\"", "a word");
	is_str(read_outer("{\"name\":\"n\",\"tags\":[\"a\",\"b\",\"c\"]}", &o), "tags: has 3 entries; the maximum is 2", "a count");
	is_str(read_outer("[]", &o), "the body: must be an object", "an object is wanted");
	shape_write(&b, &outer_shape, &(struct outer){ .name = "a\"\n", .kind = "b" });
	is_str(b.s, "{\"name\":\"a\\\"\\n\",\"title\":null,\"on\":false,\"kind\":\"b\",\"files\":[],\"tags\":[],\"at\":0}", "a value is written");
}

static void
numbers(void)
{
	struct kinds *k;
	struct buf b = BUF(c->mem);

	ok(!read_kinds("{\"whole\":-9223372036854775808,\"any\":12345678901234567890123,\"ratio\":0.7}", &k), "numbers are read");
	ok(k->whole == INT64_MIN && k->any == 12345678901234567890123.0 && k->ratio == 0.7, "as they are");
	is_str(read_kinds("{\"whole\":-9223372036854775809}", &k), "whole: the number is too large", "a whole number beyond 64 bits");
	is_str(read_kinds("{\"whole\":1e3}", &k), "whole: must be a whole number, not 1e3", "an exponent is none");
	is_str(read_kinds("{\"any\":1e400}", &k), "any: the number is too large", "beyond a double");
	is_str(read_kinds("{\"any\":\"1\"}", &k), "any: must be a number, not \"1\"", "a string is none");
	is_str(read_kinds("{\"ratio\":-1.5}", &k), "ratio: must be from -1 to 2, not -1.5", "bounds");
	shape_write_fields(&b, &(struct shape){ .fields = kinds_shape.fields + 1, .n = 2 }, &(struct kinds){ .ratio = 0.7, .any = (double)INFINITY });
	is_str(b.s, "\"ratio\":0.7,\"any\":null", "doubles are written short, and never infinite");
	ok(!read_kinds("{\"doc\":{\"\\u00e9\":[1e400,12345678901234567890123,1.10,-0,1E5]}}", &k), "a document is read");
	is_str(k->doc, "{\"é\":[1e400,12345678901234567890123,1.10,-0,1E5]}", "numbers in it keep their text");
}

static void
times(void)
{
	static const char *const wrong[] = { "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05+0000", "2026-01-02T03:04:05.Z", "2026-02-30T03:04:05Z",
		"2026- 1-02T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T23:59:60Z", "2026-13-02T03:04:05Z", "", "1.5", NULL };
	static const char *const same[] = { "\"2026-01-02T03:04:05.000Z\"", "\"2026-01-02T03:04:05.999+00:00\"", "\"2026-01-01T19:34:05-07:30\"", "\"2026-01-02t03:04:05z\"", "1767323045.9", "\"1767323045\"", NULL };
	struct kinds *k;
	struct buf b = BUF(c->mem);

	ok(!read_kinds("{\"createdAt\":\"2026-01-02T03:04:05Z\"}", &k), "a time is read");
	is_int(k->made, 1767323045, "as seconds");
	for (int i = 0; wrong[i]; i++)
		is_str(read_kinds(mem_printf(c->mem, "{\"createdAt\":\"%s\"}", wrong[i]), &k), mem_printf(c->mem, "createdAt: must be a time such as 2026-01-02T03:04:05Z, or Unix seconds, not \"%s\"", wrong[i]), wrong[i]);
	ok(!read_kinds("{\"createdAt\":1767323046}", &k) && k->made == 1767323046, "a number is seconds");
	for (int i = 0; same[i]; i++)
		ok(!read_kinds(mem_printf(c->mem, "{\"createdAt\":%s}", same[i]), &k) && k->made == 1767323045, same[i]);
	is_str(read_kinds("{\"createdAt\":true}", &k), "createdAt: must be a time such as 2026-01-02T03:04:05Z, or Unix seconds, not true", "a truth is none");
	is_str(read_kinds("{\"createdAt\":1e300}", &k), "createdAt: the number is too large", "nor what is too large");
	is_str(read_kinds("{\"createdAt\":\"1969-12-31T23:59:59Z\"}", &k), "createdAt: is out of range; it must be from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59Z", "bounds");
	shape_write_fields(&b, &(struct shape){ .fields = kinds_shape.fields, .n = 1 }, &(struct kinds){ .made = 1767323045 });
	shape_write_fields(&b, &(struct shape){ .fields = kinds_shape.fields, .n = 1 }, &(struct kinds){ .has.made = NULLED });
	is_str(b.s, "\"createdAt\":\"2026-01-02T03:04:05Z\",\"createdAt\":null", "a time is written, and null");
	b = (struct buf)BUF(c->mem);
	shape_field_schema(&b, &kinds_shape.fields[0]);
	is_str(b.s, "{\"type\":[\"string\",\"number\"],\"format\":\"date-time\"}", "and described");
}

static void
items(void)
{
	struct kinds *k;
	struct buf b = BUF(c->mem);

	ok(!read_kinds("{\"mails\":[\"a@example.org\"],\"ids\":[\"art_00000000000000000000000000\"],\"slugs\":[\"a-b\"],\"words\":[\"b\",\"a\"],\"urls\":[\"https://e.org/\"],\"names\":[\"äöü\"]}", &k),
	    "items of each kind");
	is_str(k->mails.v[0], "a@example.org", "are kept");
	is_str(read_kinds("{\"mails\":[\"a@example.org\",\"x\"]}", &k), "mails[1]: x isn't an e-mail address", "a wrong one is named");
	is_str(read_kinds("{\"mails\":[\"abcdefghijk@example.org\"]}", &k), "mails[0]: has 23 characters; the maximum is 20", "a long one");
	is_str(read_kinds("{\"mails\":[1]}", &k), "mails[0]: must be a string", "no string");
	is_str(read_kinds("{\"mails\":[\"a@b.c\",\"a@b.c\",\"a@b.c\",\"a@b.c\"]}", &k), "mails: has 4 entries; the maximum is 3", "too many");
	is_str(read_kinds("{\"ids\":[\"usr_00000000000000000000000000\"]}", &k), "ids[0]: must be an ID that starts with art_, not \"usr_00000000000000000000000000\"", "another's id");
	is_str(read_kinds("{\"slugs\":[\"é\"]}", &k), "slugs[0]: must be 1 to 63 characters: a-z, 0-9, and single hyphens between them", "no slug");
	is_str(read_kinds("{\"slug\":\"é\"}", &k), "slug: must be 1 to 63 characters: a-z, 0-9, and single hyphens between them", "a slug by itself too");
	is_str(read_kinds("{\"words\":[\"a\",\"c\"]}", &k), "words[1]: must be a or b, not \"c\"", "no word of the list");
	is_str(read_kinds("{\"urls\":[\"ftp://e.org/\"]}", &k), "urls[0]: must be an http:// or https:// address of at most 2,048 characters", "no address");
	is_str(read_kinds("{\"names\":[\"ab\",\"a\"]}", &k), "names[1]: must be at least 2 characters", "a short name");
	is_str(read_kinds("{\"names\":[\"ab\",\"a\\nb\"]}", &k), "names[1]: must not contain control characters, bidirectional overrides or noncharacters", "no text for people");
	shape_schema(&b, &(struct shape){ .fields = kinds_shape.fields + 6, .n = 6 }, false);
	is_str(b.s, "{\"type\":\"object\",\"properties\":{\"mails\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"email\",\"maxLength\":20},\"maxItems\":3},"
		"\"ids\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"pattern\":\"^art_\"}},\"slugs\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"pattern\":\"^[a-z0-9]+(-[a-z0-9]+)*$\"}},"
		"\"words\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}},\"urls\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"uri\"}},"
		"\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":4}}}}", "the schema has the items");
}

static void
queries(void)
{
	struct query *q;

	ok(!Q(&q, "groups", "a,b", "groups", "c", "ratio", "0.7", "since", "2026-01-02T03:04:05Z", "until", "17", "open", "1", "other", "x", "secret", "s"), "a query is read");
	ok(q->groups.n == 3 && !strcmp(q->groups.v[1], "b") && !strcmp(q->groups.v[2], "c"), "a list, by commas and repeated");
	ok(q->sorts.n == 2 && !q->has.sorts, "a default of two");
	ok(q->ratio == 0.7 && q->since == 1767323045 && q->until == 17 && q->open && q->limit == 50, "numbers and times");
	is_str(q->secret, NULL, "a field of the program is not read");
	is_str(Q(&q, "groups", "a,,b"), "groups[1]: must not be empty", "an empty item");
	is_str(Q(&q, "groups", ""), "groups[0]: must not be empty", "no item");
	is_str(Q(&q, "groups", "a,"), "groups[1]: must not be empty", "an item behind the last comma");
	is_str(Q(&q, "groups", "a", "groups", "d"), "groups[1]: must be a, b, or c, not \"d\"", "a wrong item");
	is_str(Q(&q, "groups", "a,b,c", "groups", "a,b"), "groups: has 5 entries; the maximum is 4", "too many");
	is_str(Q(&q, "ratio", "x"), "ratio: must be a number, not \"x\"", "no number");
	is_str(Q(&q, "ratio", "1e400"), "ratio: the number is too large", "too large");
	is_str(Q(&q, "ratio", "nan"), "ratio: must be a number, not \"nan\"", "not NaN");
	is_str(Q(&q, "ratio", "3"), "ratio: must be from 0 to 2, not 3", "bounds");
	is_str(Q(&q, "since", "yesterday"), "since: must be a time such as 2026-01-02T03:04:05Z, or Unix seconds, not \"yesterday\"", "no time");
	is_str(Q(&q, "limit", "1", "limit", "2"), "limit: appears twice", "twice");
	is_str(Q(&q, "slug", "é"), "slug: must be 1 to 63 characters: a-z, 0-9, and single hyphens between them", "no slug");
}

static void
wrong_shapes(void)
{
	static const struct {
		struct field field;
		enum shape_use use;
		const char *why;
	} row[] = {
		{ { .kind = K_OBJ, .sub = &inner_shape }, SHAPE_PAIRS, "x: is of a kind that can't come as name=value" },
		{ { .kind = K_LIST, .sub = &inner_shape }, SHAPE_PAIRS, "x: is of a kind that can't come as name=value" },
		{ { .kind = K_JSON }, SHAPE_PAIRS, "x: is of a kind that can't come as name=value" },
		{ { .kind = K_JSON }, SHAPE_BODY, NULL },
		{ { .kind = K_LIST }, SHAPE_BODY, "x: has no .sub" },
		{ { .kind = K_WORD }, SHAPE_ANSWER, "x: has no .arg with its words" },
		{ { .kind = K_STRS, .item = K_ID }, SHAPE_BODY, "x: has no .arg with its prefix" },
		{ { .kind = K_STRS, .item = K_INT }, SHAPE_BODY, "x: has .item, which is for STRS and a kind of text" },
		{ { .kind = K_STR, .item = K_EMAIL }, SHAPE_BODY, "x: has .item, which is for STRS and a kind of text" },
		{ { .kind = K_INT, .def = "1" }, SHAPE_BODY, "x: has .def, which only an optional field of a query or form reads" },
		{ { .kind = K_INT, .def = "1" }, SHAPE_PAIRS, NULL },
		{ { .kind = K_INT, .def = "one" }, SHAPE_PAIRS, "x: has a default that is refused: x: must be a whole number, not \"one\"" },
		{ { .kind = K_INT, .lo = 2, .hi = 1 }, SHAPE_BODY, "x: has .hi below .lo" },
		{ { .kind = K_NUM, .lo = 1 }, SHAPE_BODY, "x: has .lo without .hi" },
		{ { .kind = K_BOOL, .hi = 1 }, SHAPE_BODY, "x: has bounds, which mean nothing here" },
		{ { .kind = K_INT, .flags = F_LONG }, SHAPE_BODY, "x: has F_LONG, which is for STR" },
		{ { .kind = K_JSON, .arg = "list" }, SHAPE_BODY, "x: has an .arg that is neither object nor array" },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct field f = row[i].field, twice[2];

		f.name = "x";
		f.off = 16;
		is_str(shape_wrong(c->mem, &(struct shape){ .size = 64, .fields = &f, .n = 1 }, row[i].use), row[i].why, row[i].why ? row[i].why : "a right one");
		twice[0] = twice[1] = (struct field){ .name = "y", .kind = K_INT };
		if (!i)
			is_str(shape_wrong(c->mem, &(struct shape){ .size = 64, .fields = twice, .n = 2 }, SHAPE_BODY), "y: stands twice", "a name twice");
	}
	is_str(shape_wrong(c->mem, &(struct shape){ .fields = &(struct field){ .name = "files", .kind = K_LIST, .sub = &(struct shape){ .fields = &(struct field){ .name = "w", .kind = K_WORD }, .n = 1 } }, .n = 1 },
		SHAPE_BODY), "files.w: has no .arg with its words", "within another");
	is_str(shape_wrong(c->mem, &kinds_shape, SHAPE_BODY), NULL, "the shapes above are right");
	is_str(shape_wrong(c->mem, &query_shape, SHAPE_PAIRS), NULL, "for queries too");
}

#define CLAMPED(F, T) \
	F(T, INT, limit, .flags = F_CLAMP, .lo = 1, .hi = 20, .def = "5") \
	F(T, INT, other, .lo = 1, .hi = 20)
SHAPE(clamped, CLAMPED);

static void
clamps(void)
{
	struct clamped *in;

	c->warning_n = 0;
	ok(!read_as(&clamped_shape, "{\"limit\":21}", &in), "more than a clamped number may be is no failure");
	is_int(in->limit, 20, "but the most");
	is_str(c->warnings[0], "limit: the maximum is 20, which was used instead of 21", "and said");
	is_str(read_as(&clamped_shape, "{\"limit\":0}", &in), "limit: 0 is out of range; it must be from 1 to 20", "less is one");
	is_str(read_as(&clamped_shape, "{\"other\":21}", &in), "other: 21 is out of range; it must be from 1 to 20", "as more is of others");
	is_int((int64_t)c->warning_n, 1, "nothing else was said");
}

/* What is said of a body's unknown names, a line each. */
static const char *
unknowns(const char *text)
{
	struct buf b = BUF(c->mem);
	struct json *tree;

	c->warning_n = 0;
	if (json_parse(c, text, strlen(text), &tree))
		return c->message;
	unknown_members(c, &outer_shape, tree);
	for (size_t i = 0; i < c->warning_n; i++)
		buf_fmt(&b, "%.*s|", (int)strcspn(c->warnings[i], ":"), c->warnings[i]);
	return buf_done(&b);
}

static void
strangers(void)
{
	is_str(unknowns("{\"name\":\"n\",\"files\":[{\"path\":\"p\"}],\"tags\":[]}"), "", "nothing is unknown");
	is_str(unknowns("{\"files\":[{\"a\":1},{\"path\":1,\"b\":{\"c\":1}}],\"z\":1}"), "z|files[0].a|files[1].b|", "the outermost first, each with its place");
	is_str(unknowns("[]"), "", "no object, no members");
	is_str(unknowns("{\"files\":{\"a\":1},\"tags\":[{\"a\":1}]}"), "files.a|", "whatever stands where a list should");
	is_str(unknowns("{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"10\":1,\"11\":1}"), "1|2|3|4|5|6|7|8|9|10|", "ten at most");
	c->warning_n = 0;
	unknown_name(c, &query_shape, "secret");
	is_str(c->warnings[0], "secret: isn't recognized and was ignored", "a hidden field is as unknown as any");
	unknown_name(c, &query_shape, "slug");
	unknown_name(c, &query_shape, "secret");
	is_int((int64_t)c->warning_n, 1, "what was said is not said again");
	c->warning_n = 0;
}

static void
samples(void)
{
	struct buf b = BUF(c->mem);
	struct kinds *k;
	struct outer *o;

	shape_sample(&b, &outer_shape, false);
	is_str(buf_done(&b), "{\"name\":\"text\"}", "an example has what is required");
	ok(!read_outer(b.s, &o), "and is read");
	b = BUF(c->mem);
	shape_sample(&b, &kinds_shape, true);
	ok(!read_kinds(buf_done(&b), &k), "a whole one has a value for each kind, which is read");
	is_str(field_words(c->mem, shape_field(&outer_shape, "name")), "text, 1 to 10 characters", "in words");
	is_str(field_words(c->mem, shape_field(&kinds_shape, "mails")), "list, at most 3 entries; each: e-mail address", "a list");
	is_str(field_words(c->mem, shape_field(&query_shape, "limit")), "whole number, 1 to 100; default 50", "a default");
	is_str(field_words(c->mem, shape_field(&outer_shape, "at")), "Unix time in seconds, or null", "what may be null");
	is_str(json_indented(c->mem, "{\"a\":[1,\"x,{\\\"\"],\"b\":{}}"), "{\n  \"a\": [\n    1,\n    \"x,{\\\"\"\n  ],\n  \"b\": {}\n}", "on several lines");
}

static const char *
written(struct shaped p)
{
	struct buf b = BUF(c->mem);

	shaped_write(&b, p);
	return buf_done(&b);
}

static void
by_name(void)
{
	struct inner files[] = { { .path = "a", .size = 1 }, { .path = "b" } };
	const char *tags[] = { "x" };
	struct outer o = { .name = "n", .on = true, .files = { files, 2 }, .tags = { tags, 1 }, .has.at = NULLED };
	struct shaped p = { &outer_shape, &o, 1, false }, list = shaped_of(p, "files");
	struct shaped kinds = { &kinds_shape, &(struct kinds){ .doc = "{\"a\": null, \"b\": 1}", .any = (double)INFINITY }, 1, false };
	struct buf b = BUF(c->mem);

	is_str(written(p), "{\"name\":\"n\",\"on\":true,\"files\":[{\"path\":\"a\",\"size\":1},{\"path\":\"b\",\"size\":0}],\"tags\":[\"x\"]}", "what is null is left out");
	is_str(written(list), "[{\"path\":\"a\",\"size\":1},{\"path\":\"b\",\"size\":0}]", "a list");
	is_str(written((struct shaped){ &inner_shape, NULL, 0, true }), "[]", "an empty one");
	is_str(shaped_text(shaped_at(list, 1), "path"), "b", "a text in it");
	ok(!shaped_text(shaped_at(list, 2), "path") && !shaped_of(p, "none").n && !shaped_has(p, "title") && !shaped_has(p, "at"), "what is absent");
	is_str(strs_join(c->mem, &(struct strs){ 0 }, ", "), "", "no texts");
	o.tags = strs_split(c->mem, "a||b c|", '|');
	is_str(strs_join(c->mem, &o.tags, ", "), "a, b c", "the parts of a text");
	ok(!strs_split(c->mem, NULL, '|').n, "of none");
	o.tags = (struct strs){ tags, 1 };
	ok(shaped_true(p, "on") && !shaped_true((struct shaped){ 0 }, "on") && shaped_strs(p, "tags")->n == 1 && !shaped_strs(p, "none")->n, "other kinds");
	shaped_write_field(&b, kinds, "doc");
	is_str(b.s, "{\"b\":1}", "a document, too, without what is null");
	ok(!shaped_has(kinds, "any"), "a number that JSON can't have is null");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	bodies();
	numbers();
	times();
	items();
	queries();
	clamps();
	strangers();
	samples();
	wrong_shapes();
	by_name();
	ctx_end(c);
	return done();
}
