/* SPDX-License-Identifier: Apache-2.0
 * The JSON gate: what it lets through, and that what is kept of it means the same. */
#include "base/buf.h"
#include "base/json.h"
#include "base/num.h"
#include "tap.h"

#include <locale.h>
#include <math.h>

static struct ctx *c;

/* NULL when the text is refused; *why says what of it then. */
static const struct json *
parse(const char *text, const char **why)
{
	struct json *tree;

	c->message = NULL;
	if (json_parse(c, text, strlen(text), &tree) == E_OK)
		return tree;
	if (why)
		*why = c->message;
	return NULL;
}

/* What is kept of it; what is said of it when it is refused. */
static const char *
kept(const char *text)
{
	const char *why = NULL;
	const struct json *j = parse(text, &why);

	return j ? json_text(c->mem, j) : why;
}

static void
grammar(void)
{
	static const char *const good[] = { "{}", "[]", " 0 ", "-0.5e+10", "\"\\ud83d\\ude00\"", "[1,{\"a\":[null,true,false]}]", "\"\xf0\x9f\x98\x80\"", "{\"\":1}",
		"\"\\uffff\\ufffe\"", "\"\xef\xbf\xbf\"", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "null", "1E400", "{\"a\":1,\"A\":2}", "\xef\xbb\xbf{}", NULL };
	static const char *const bad[] = { "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{a:1}", "{1:1}", "'a'", "NaN", "Infinity", "-", "-x", "01", "-01", "1.",
		".5", "1e", "1e+", "+1", "0x1", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800x\"", "\"\\u0000\"", "\"\\u00g0\"", "\"\\u12", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"a\nb\"",
		"\"\x01\"", "{} x", "[1 2]", "nul", "truex", "\"\\x\"", "\"\\", "\"abc", "\"\xf0\x9f", "// c", "[1]]", "{\"\\u0000\":1}", "{\"\\ud800\":1}", "{\"a\\x\":1}", "{\"a",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "{}\xef\xbb\xbf", "\xff\xfe{", NULL };

	for (int i = 0; good[i]; i++)
		ok(parse(good[i], NULL) != NULL, good[i]);
	for (int i = 0; bad[i]; i++)
		ok(!parse(bad[i], NULL), bad[i][0] ? "malformed JSON is refused" : "nothing is refused");
	is_str(kept("{\"a\":tru}"), "the body isn't valid JSON: unexpected character at byte 5", "where and what");
	ok(!parse("[\"a", NULL) && json_parse(c, "[\"a\0\"]", 6, &(struct json *){ NULL }), "a NUL is refused");
}

static void
names(void)
{
	const struct json *j = parse("{\"\\u00e9\":1,\"b\\n\\\"\":{\"\\ud83d\\ude00\":2}}", NULL);

	if (!ok(j != NULL, "names with escapes are read"))
		return;
	is_int(json_int(json_get(j, "é")), 1, "decoded");
	is_int(json_int(json_get(json_get(j, "b\n\""), "😀")), 2, "every escape");
	is_str(json_text(c->mem, j), "{\"é\":1,\"b\\n\\\"\":{\"😀\":2}}", "and kept");
	is_str(kept("{\"a\":1,\"\\u0061\":2}"), "the body isn't valid JSON: the same member appears twice in an object at byte 7", "a duplicate is found after decoding");
	ok(!parse("{\"x\":{\"é\":1,\"b\":2,\"\\u00E9\":3}}", NULL), "in any spelling");
	ok(!parse("{\"a\":null,\"a\":null}", NULL), "of null too");
	is_str(kept("[{\"a\":1},{\"a\":2,\"b\":{\"a\":3}}]"), "[{\"a\":1},{\"a\":2,\"b\":{\"a\":3}}]", "the same name in several objects is fine");
	is_str(kept("{\"z\":1,\"a\":2,\"m\":{\"y\":3,\"x\":4}}"), "{\"z\":1,\"a\":2,\"m\":{\"y\":3,\"x\":4}}", "members keep their order");
}

static void
many(void)
{
	struct buf b = BUF(c->mem);
	const struct json *j;

	for (int i = 0; i < 100000; i++)
		buf_fmt(&b, "%c\"k%d\":%d", i ? ',' : '{', i, i);
	buf_chr(&b, '}');
	j = parse(b.s, NULL);
	ok(j && json_len(j) == 100000 && json_int(json_get(j, "k77777")) == 77777, "an object of 100,000 members");
	is_str(json_text(c->mem, j), b.s, "is kept");
	b.s[b.n - 1] = ',';
	buf_str(&b, "\"k5\":0}");
	ok(!parse(b.s, NULL), "a duplicate among them is found");
	b = (struct buf)BUF(c->mem);
	for (int i = 0; i < JSON_NODES - 1; i++)
		buf_str(&b, i ? ",0" : "[0");
	buf_chr(&b, ']');
	ok(parse(b.s, NULL) != NULL, "as many values as the budget has");
	b.s[b.n - 1] = ',';
	buf_str(&b, "0]");
	ok(!parse(b.s, NULL), "and not one more");
}

static void
numbers(void)
{
	static const char *const same[] = { "1e400", "-1e400", "12345678901234567890123", "1.10", "-0", "-0.0", "1E5", "1e+5", "1.0", "0.1e-7", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "-9223372036854775809", "18446744073709551615", "0.69999999999999996", "100000000000000000000000000000000000000000000000.5", NULL };
	const struct json *j;

	for (int i = 0; same[i]; i++)
		is_str(kept(same[i]), same[i], "a number keeps its text");
	is_str(kept("{\"a\" : [ 1e400 , -0 , {\"b\":1.10} ]}"), "{\"a\":[1e400,-0,{\"b\":1.10}]}", "wherever it stands");
	j = parse("[9223372036854775807,-9223372036854775808,9223372036854775808,1e400,1.0,-0,-1e-400,\"1\"]", NULL);
	ok(json_kind(json_at(j, 0)) == J_INT && json_int(json_at(j, 0)) == INT64_MAX, "the largest whole number");
	ok(json_kind(json_at(j, 1)) == J_INT && json_int(json_at(j, 1)) == INT64_MIN, "the smallest");
	ok(json_kind(json_at(j, 2)) == J_NUM && json_whole(json_at(j, 2)) && json_num(json_at(j, 2)) == 0x1p63, "one more is a number, whole");
	ok(json_kind(json_at(j, 3)) == J_NUM && !json_whole(json_at(j, 3)) && isinf(json_num(json_at(j, 3))), "too large for a double is infinite");
	ok(json_kind(json_at(j, 4)) == J_NUM && !json_whole(json_at(j, 4)), "1.0 is not written as a whole number");
	ok(json_kind(json_at(j, 5)) == J_INT && json_int(json_at(j, 5)) == 0 && signbit(json_num(json_at(j, 5))), "-0 is zero, and negative as a double");
	ok(json_num(json_at(j, 6)) == 0 && !json_whole(json_at(j, 7)), "too small for a double is zero; a string is no number");
}

static void
strings(void)
{
	is_str(json_str(parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\u007f\"", NULL)), "\"\\/\b\f\n\r\tAé€😀\x7f", "every escape is decoded");
	is_int((int)json_len(parse("\"\\u00e9\\ud83d\\ude00\"", NULL)), 6, "the length is in bytes");
	is_str(kept("\"\\u00e9\\/\\u0001\\uFFFF\""), "\"é/\\u0001\xef\xbf\xbf\"", "and written with the escapes it needs");
	is_str(kept("\"\""), "\"\"", "nothing stays nothing");
	is_str(kept("[\"\",\"a\",\"\",{\"\":\"\"}]"), "[\"\",\"a\",\"\",{\"\":\"\"}]", "after something too");
}

static const char *
written(double v)
{
	struct buf b = BUF(c->mem);

	buf_num(&b, v);
	return b.s;
}

static void
doubles(void)
{
	static const struct { double v; const char *text; } row[] = { { 0.7, "0.7" }, { 1e22, "1e22" }, { 5e-324, "5e-324" }, { 0.1 + 0.2, "0.30000000000000004" }, { 100, "100" },
		{ -0.0, "-0" }, { 0, "0" }, { 1.10, "1.1" }, { 1.7976931348623157e308, "1.7976931348623157e308" }, { 2.2250738585072014e-308, "2.2250738585072014e-308" },
		{ 0x1p-44, "5.684341886080802e-14" }, { -0x1p-44, "-5.684341886080802e-14" }, { 9007199254740992, "9007199254740992" }, { 1e-7, "1e-7" }, { 123456.789, "123456.789" },
		{ (double)NAN, "null" }, { (double)INFINITY, "null" } };
	static const char *const comma[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8", NULL };
	uint64_t x = 88172645463325252;
	int i = 0, wrong = 0;
	double v, back;

	for (size_t k = 0; k < sizeof row / sizeof *row; k++)
		is_str(written(row[k].v), row[k].text, "a double is written as the shortest text");
	for (int k = 0; k < 20000; k++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		memcpy(&v, &x, sizeof v);
		wrong += isfinite(v) && (!num_read(written(v), &back) || back != v);
	}
	is_int(wrong, 0, "that reads back as the same");
	while (comma[i] && !setlocale(LC_NUMERIC, comma[i]))
		i++;
	if (!comma[i])
		printf("# no locale with a decimal comma is installed\n");
	is_str(written(1.5), "1.5", "in any locale");
	ok(json_num(parse("1.5", NULL)) == 1.5, "and read");
	setlocale(LC_NUMERIC, "C");
	ok(!num_read("1.", &v) && !num_read(" 1", &v) && !num_read("0x1", &v) && !num_read("", &v) && !num_read("inf", &v) && !num_read("1 ", &v), "what is no JSON number is refused");
}

/* target, patch and what comes of it; what RFC 7396's appendix A has of objects, and what it leaves to be understood. */
static void
merging(void)
{
	static const struct { const char *target, *patch, *result; } row[] = {
		{ "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
		{ "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
		{ "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
		{ "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
		{ "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
		{ "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
		{ "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
		{ "{\"a\":1}", "{\"a\":{\"b\":null,\"c\":2}}", "{\"a\":{\"c\":2}}" },
		{ "{\"a\":1}", "{\"a\":[null,{\"b\":null}]}", "{\"a\":[null,{\"b\":null}]}" },
		{ "{\"a\":1.50,\"b\":2}", "{\"b\":1e400}", "{\"a\":1.50,\"b\":1e400}" },
		{ "{\"a\":1,\"b\":2,\"c\":3}", "{\"b\":-0,\"d\":12345678901234567890}", "{\"a\":1,\"b\":-0,\"c\":3,\"d\":12345678901234567890}" },
		{ "{\"a\":{\"b\":{\"c\":1,\"d\":2}},\"\":0}", "{\"a\":{\"b\":{\"c\":null}},\"\":null}", "{\"a\":{\"b\":{\"d\":2}}}" },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct json *target, *patch;

		if (json_parse(c, row[i].target, strlen(row[i].target), &target) ||
		    json_parse(c, row[i].patch, strlen(row[i].patch), &patch))
			abort();
		json_merge(target, patch);
		is_str(json_text(c->mem, target), row[i].result, row[i].patch);
		is_str(json_text(c->mem, patch), row[i].patch, "and the patch stays as it is");
	}
	is_int((int)json_count(parse("{\"a\":[1,{\"b\":null}],\"c\":\"\"}", NULL)), 6, "values are counted as they are when they come");
}

static const char *
lean(const char *text)
{
	struct buf b = BUF(c->mem);

	json_lean_text(&b, text);
	return buf_done(&b);
}

static void
leaving_out(void)
{
	static const struct {
		const char *text, *lean;
	} row[] = {
		{ " { \"a\" : null , \"b\" : [ null , { \"c\" : null } , 1 ] , \"d\" : null } ", "{\"b\":[null,{},1]}" },
		{ "{\"a\":1,\"b\":null,\"c\":\"null\"}", "{\"a\":1,\"c\":\"null\"}" },
		{ "[1.50,-0,12345678901234567890,1E5,true,false,\"\\u00e9\\/\\\"\\n\"]", "[1.50,-0,12345678901234567890,1E5,true,false,\"é/\\\"\\n\"]" },
		{ "{}", "{}" }, { "[]", "[]" }, { "\"a\"", "\"a\"" }, { "null", "null" }, { "7", "7" },
	};
	static const char *const wrong[] = { "", "{\"a\":1", "{\"a\" 1}", "[1,]", "[1] 2", "{\"a\":nul}", "{a:1}", "\"a", "01" };

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct buf b = BUF(c->mem);

		is_str(lean(row[i].text), row[i].lean, row[i].text);
		json_lean(&b, parse(row[i].text, NULL));
		is_str(buf_done(&b), row[i].lean, "and of a tree");
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		is_str(lean(wrong[i]), wrong[i], "text that isn't JSON stays");
}

static void
making(void)
{
	struct json *j = json_new(c, "a", "x\"", "b", NULL, "c", "", NULL), *list = json_new_list(c);
	const struct json *shared = parse("{\"d\":1.50}", NULL);

	json_set_int(j, "n", INT64_MIN);
	json_set_bool(j, "t", true);
	json_set(j, "absent", NULL);
	json_set(j, "null", json_get(parse("{\"a\":null}", NULL), "a"));
	json_push(list, shared);
	json_push(list, json_new(c, NULL, NULL));
	json_set(j, "list", list);
	is_str(json_text(c->mem, j), "{\"a\":\"x\\\"\",\"c\":\"\",\"n\":-9223372036854775808,\"t\":true,\"null\":null,\"list\":[{\"d\":1.50},{}]}", "a tree is made");
	is_str(json_text(c->mem, shared), "{\"d\":1.50}", "and shares values");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	grammar();
	names();
	many();
	numbers();
	strings();
	doubles();
	merging();
	leaving_out();
	making();
	ctx_end(c);
	return done();
}
