/* SPDX-License-Identifier: Apache-2.0
 * Keys of values, and expressions judged against them. t/api/rowpolicy.t holds a plain model of the language against all of it. */
#include "base/str.h"
#include "data/expr.h"

#include "tap.h"

static struct ctx *c;

static struct bytes
key(enum cell_type type, const char *json)
{
	struct json *v;
	struct bytes out;
	const char *why;

	if (json_parse(c, json, strlen(json), &v))
		return (struct bytes){ 0 };
	why = cell_of(c->mem, type, v, &out);
	return why ? (struct bytes){ why, 0 } : out;
}

static bool
takes(enum cell_type type, const char *json)
{
	struct bytes k = key(type, json);

	return k.n && k.n <= KEY_BYTES;
}

/* Each key is less than all that come after it. */
static bool
ascending(enum cell_type type, const char *const *json, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (cell_less(key(type, json[i]), key(type, json[j])) != (i < j) ||
			    cell_equal(key(type, json[i]), key(type, json[j])) != (i == j))
				return false;
	return true;
}
#define ASCENDING(type, ...) \
	ascending(type, (const char *const[]){ __VA_ARGS__ }, \
	    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static bool
same(enum cell_type type, const char *a, const char *b)
{
	return key(type, a).n && cell_equal(key(type, a), key(type, b));
}

static void
numbers(void)
{
	ok(ASCENDING(CELL_NUMBER, "-1e300", "-100", "-99.5", "-10", "-1.25", "-1.2", "-1", "-0.1", "-0.012", "-0.01", "-1e-300", "0", "1e-300", "0.01", "0.012", "0.1", "0.11", "1",
	       "1.2", "1.25", "9", "10", "11", "99.5", "100", "101", "9007199254740992", "9007199254740993", "1e300"),
	    "numbers sort by their value");
	ok(same(CELL_NUMBER, "1", "1.0") && same(CELL_NUMBER, "1", "10e-1") && same(CELL_NUMBER, "0", "-0") && same(CELL_NUMBER, "0", "0e9") &&
		same(CELL_NUMBER, "-120", "-1.2E2") && same(CELL_NUMBER, "0.00", "0"),
	    "whichever way they are written");
	ok(!same(CELL_NUMBER, "0.1", "0.10000000000000000001"), "they are not rounded");
	ok(takes(CELL_NUMBER, "123456789012345678901234567890123456789012345678901234567890") &&
		!takes(CELL_NUMBER, "1234567890123456789012345678901234567890123456789012345678901"),
	    "sixty digits");
	ok(takes(CELL_NUMBER, "1e399") && !takes(CELL_NUMBER, "1e400") && !takes(CELL_NUMBER, "1e-402") && !takes(CELL_NUMBER, "1e99999999999999999999") &&
		takes(CELL_NUMBER, "0e99999999999999999999"),
	    "exponents");
	ok(takes(CELL_INTEGER, "9223372036854775807") && takes(CELL_INTEGER, "-9223372036854775808") && !takes(CELL_INTEGER, "9223372036854775808") &&
		!takes(CELL_INTEGER, "-9223372036854775809") && takes(CELL_INTEGER, "1.0") && takes(CELL_INTEGER, "12e3") && !takes(CELL_INTEGER, "1.5") &&
		!takes(CELL_INTEGER, "12e-1") && !takes(CELL_INTEGER, "1e30") && takes(CELL_INTEGER, "-0"),
	    "whole numbers of 64 bits");
}

static void
others(void)
{
	char *a = mem_array(c->mem, char, 202), *b = mem_array(c->mem, char, 202);

	ok(ASCENDING(CELL_TIMESTAMP, "\"0001-01-01T00:00:00Z\"", "\"1969-12-31T23:59:59Z\"", "\"1970-01-01T00:00:00Z\"", "\"2026-01-02T03:04:05Z\"", "\"2026-01-02T03:04:05.000000001Z\"",
	       "\"2026-01-02T03:04:05.5Z\"", "\"2026-01-02T03:04:06Z\"", "\"9999-12-31T23:59:59.999999999Z\""),
	    "times sort");
	ok(same(CELL_TIMESTAMP, "\"2026-01-02T03:04:05Z\"", "\"2026-01-02T05:04:05.000+02:00\"") && same(CELL_TIMESTAMP, "\"2026-01-02T03:04:05z\"", "\"2026-01-01 23:04:05-04:00\""),
	    "an offset is part of a time");
	ok(!takes(CELL_TIMESTAMP, "\"2026-02-30T03:04:05Z\"") && !takes(CELL_TIMESTAMP, "\"2026-01-02\"") && !takes(CELL_TIMESTAMP, "\"2026-01-02T03:04:05\"") &&
		!takes(CELL_TIMESTAMP, "\"2026-01-02T03:04:05.Z\"") && !takes(CELL_TIMESTAMP, "\"2026-01-02T03:04:05.1234567890Z\"") && !takes(CELL_TIMESTAMP, "1767323045") &&
		!takes(CELL_TIMESTAMP, "\"2026-01-02T03:04:05+2:00\"") && !takes(CELL_TIMESTAMP, "\"2026-01-02T03:04:05Zx\""),
	    "what is no time");
	ok(ASCENDING(CELL_TEXT, "\"\"", "\" \"", "\"A\"", "\"Ab\"", "\"a\"", "\"a \"", "\"é\"", "\"€\"", "\"😀\""), "texts sort by their bytes");
	ok(!cell_less(key(CELL_JSON, "1"), key(CELL_JSON, "\"2\"")) && !cell_less(key(CELL_JSON, "\"2\""), key(CELL_JSON, "1")) && !same(CELL_JSON, "1", "\"1\""),
	    "values of two kinds are neither less nor more");
	memset(a, 'x', 200);
	memset(b, 'x', 200);
	a[0] = b[0] = a[200] = b[200] = '"';
	b[199] = 'y';
	ok(takes(CELL_TEXT, a) && !same(CELL_TEXT, a, b) && same(CELL_TEXT, a, a), "long texts are told apart");
	ok(same(CELL_JSON, "{\"a\": [1, 2]}", "{\"a\":[1,2]}") && !same(CELL_JSON, "[1]", "[1.0]"), "arrays and objects by their text");
	ok(!takes(CELL_TEXT, "1") && !takes(CELL_NUMBER, "\"1\"") && !takes(CELL_BOOLEAN, "0") && !takes(CELL_TEXT, "[]"), "nothing becomes another kind");
	ok(!key(CELL_TEXT, "null").n && !key(CELL_TEXT, "null").p, "null fits every column");
}

static struct cell_columns columns = { .v = { { "text", CELL_TEXT }, { "num", CELL_NUMBER }, { NULL }, { "at", CELL_TIMESTAMP }, { "yes", CELL_BOOLEAN } } };

static bool
holds(const char *text)
{
	struct bytes keys[CELL_SLOTS] = { key(CELL_TEXT, "\"ann@example.org\""), key(CELL_NUMBER, "1.50"), { 0 }, key(CELL_TIMESTAMP, "\"2026-01-02T03:04:05Z\""), cell_bool(true) };
	struct expr_viewer viewer = { .member = { [VIEWER_ID] = cell_text(c->mem, "usr_1"), [VIEWER_EMAIL] = cell_text(c->mem, "ann@example.org") } };
	const struct expr *e;
	size_t at;

	if (expr_parse(c->mem, text, true, &e, &at)) {
		printf("# %s\n", text);
		return false;
	}
	return expr_holds(e, &viewer, &columns, keys);
}

static void
dates(void)
{
	static const char *words[] = { "open", "done" };
	const struct strs choices = { words, 2 };
	const struct cell_column state = { "state", CELL_CHOICE, &choices };
	struct bytes out, time = key(CELL_TIMESTAMP, "\"2026-11-21T00:00:00Z\"");
	struct json *v;

	ok(ASCENDING(CELL_DATE, "\"0001-01-01\"", "\"1969-12-31\"", "\"1970-01-01\"", "\"2026-02-28\"", "\"2026-03-01\""), "dates sort by day");
	ok(cell_equal(key(CELL_DATE, "\"2026-11-21\""), time), "a date's key is that of its first second in UTC");
	ok(!takes(CELL_DATE, "\"2026-02-30\"") && !takes(CELL_DATE, "\"2026-1-5\"") && !takes(CELL_DATE, "\"2026-11-21T00:00:00Z\"") && !takes(CELL_DATE, "20261121") &&
		!takes(CELL_DATE, "\"2026-11-2x\"") && takes(CELL_DATE, "\"2024-02-29\""),
	    "no day that isn't in the calendar");
	ok(cell_literal(c->mem, CELL_DATE, "2026-11-21", &out) && cell_equal(out, time) && cell_literal(c->mem, CELL_DATE, "2026-11-21T01:00:00+01:00", &out) &&
		cell_equal(out, time) && !cell_literal(c->mem, CELL_TIMESTAMP, "2026-11-21", &out) && !cell_literal(c->mem, CELL_TEXT, "2026-11-21", &out),
	    "a rule's text is a date beside dates alone");
	ok(takes(CELL_LINK, "\"row_01j0000000000000000000000a\"") && !takes(CELL_LINK, "\"row_1\"") && !takes(CELL_LINK, "\"art_01j0000000000000000000000a\"") && !takes(CELL_LINK, "5"),
	    "a link is a row's id");
	ok(!json_parse(c, "\"done\"", 6, &v) && !cell_of_column(c->mem, &state, v, &out) && !json_parse(c, "\"Done\"", 6, &v) &&
		str_eq(cell_of_column(c->mem, &state, v, &out), "must be one of open and done") && !json_parse(c, "null", 4, &v) && !cell_of_column(c->mem, &state, v, &out),
	    "a choice is one of its column's texts, or null");
}

static void
numbers_back(void)
{
	static const char *const texts[] = { "0", "1", "-1", "10", "-10", "0.1", "-0.1", "0.001", "12.5", "-12.5", "123456789.25", "-99.5", "1e300", "-1e300", "1e-300", "9007199254740993", "1234567890.123456789", "-0.0125", "7" };
	long double sum = 0, v;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		ok(cell_to_number(key(CELL_NUMBER, texts[i]), &v) && (double)v == strtod(texts[i], NULL), "a key gives its number");
	for (int i = 0; i < 10; i++, sum += v)
		cell_to_number(key(CELL_NUMBER, "0.7"), &v);
	ok((double)sum == 7.0, "ten times 0.7 are 7");
	ok(!cell_to_number(key(CELL_TEXT, "\"1\""), &v) && !cell_to_number(key(CELL_BOOLEAN, "true"), &v) && !cell_to_number((struct bytes){ 0 }, &v), "what is no number has none");
}

static enum verdict
verdict(const char *text)
{
	struct expr_viewer viewer = { .member = { [VIEWER_EMAIL] = cell_text(c->mem, "ann@example.org") } };
	const struct expr *e;
	size_t at;

	expr_parse(c->mem, text, true, &e, &at);
	return expr_verdict(e, &viewer);
}

static void
expressions(void)
{
	ok(holds("row.text == viewer.email") && !holds("row.text != viewer.email") && !holds("row.text == 'x'"), "equality");
	ok(holds("row.num == 1.5") && holds("row.num < 2") && holds("row.num <= 1.5") && holds("row.num >= 15e-1") && !holds("row.num > 1.5") && holds("1 < row.num"), "numbers");
	ok(!holds("row.num == '1.5'") && !holds("row.num < 'a'") && !holds("row.text > 1") && holds("row.num != '1.5'"), "kinds are unequal");
	ok(holds("row.nothing == null") && holds("viewer.role == null") && !holds("viewer.role == row.nothing") && !holds("row.nothing in [viewer.role]") && !holds("row.nothing < 1") && !holds("null <= null") &&
		holds("not row.nothing < 1") && holds("row.nothing in [1, null]"),
	    "null equals null, but what somebody lacks no null of a row; and nothing is less or more");
	ok(holds("row.at < '2026-01-02T04:04:05.5Z'") && holds("row.at == '2026-01-02T04:04:05+01:00'") && !holds("row.at < 'tomorrow'") && !holds("row.at > 'tomorrow'") &&
		holds("'2026-01-02T04:04:05+01:00' in [row.at]"),
	    "times");
	ok(holds("row.yes") && !holds("not row.yes") && !holds("row.num") && holds("not row.text") && holds("row.yes == true"), "a column alone");
	ok(holds("row.num == 2 and row.yes or row.yes") && !holds("row.num == 2 and (row.yes or row.yes)") && holds("not row.num == 2 and row.yes"), "and binds before or, not before and");
	ok(holds("'a' in ['b', 'a']") && !holds("'a' in []") && holds("not 'a' in ['b']"), "in");
	is_int(verdict("viewer.email == 'ann@example.org' or row.text == 'x'"), VERDICT_YES, "what the viewer decides");
	is_int(verdict("viewer.role == 'owner' and row.text == 'x'"), VERDICT_NO, "... to no");
	is_int(verdict("viewer.role == 'owner' or row.text == 'x'"), VERDICT_ROW, "what the row decides");
	is_int(verdict("viewer.role == 'owner' or not (row.text == 'x' and viewer.role == 'a')"), VERDICT_YES, "not of no");
}

static void
leads(void)
{
	struct expr_viewer viewer = { .member = { [VIEWER_EMAIL] = cell_text(c->mem, "ann@example.org") } };
	const struct expr *e;
	struct expr_lead out[2];
	size_t at;

	expr_parse(c->mem, "(viewer.role == 'owner' or viewer.email == row.text) and row.num == 1 and row.yes == true", true, &e, &at);
	is_int((long long)expr_leads(c->mem, e, &viewer, &columns, out, 2), 2, "two that must be so");
	ok(out[0].slot == 0 && cell_equal(out[0].key, viewer.member[VIEWER_EMAIL]) && out[1].slot == 1, "... with their keys");
	expr_parse(c->mem, "row.text == 'x' or row.num == 1", true, &e, &at);
	is_int((long long)expr_leads(c->mem, e, &viewer, &columns, out, 2), 0, "an or has none");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	numbers();
	numbers_back();
	others();
	dates();
	expressions();
	leads();
	ctx_end(c);
	return done();
}
