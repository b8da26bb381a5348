/* SPDX-License-Identifier: Apache-2.0
 * Files of strangers: what is read of them, which types their columns get, and what a value is in a column. */
#include "tap.h"

#include "base/str.h"
#include "import/look.h"

static struct ctx *c;

static struct span
span_of(const char *s, size_t n)
{
	return (struct span){ .n = (int64_t)n, .bytes = s };
}

/* "1:a|b 3:c|" for lines 1 and 3; "!why" for a line that can't be read; "" in quotes is “”. */
static const char *
records(const char *text, size_t n, enum read_format format, const char *encoding, char delimiter)
{
	struct span all = span_of(text, n);
	struct record rec;
	struct reader r;
	struct buf b = BUF(c->mem);
	bool any = true;
	enum err e = reader_begin(c, &all, format, encoding, delimiter, '"', &r);

	while (!e && any) {
		e = reader_next(c, &r, &rec, &any);
		if (e || !any)
			break;
		buf_fmt(&b, "%s%lld:", b.n ? " " : "", (long long)rec.line);
		if (rec.wrong)
			buf_fmt(&b, "!%s", rec.wrong);
		else
			for (size_t i = 0; i < rec.n; i++)
				buf_fmt(&b, "%s%s", i ? "|" : "", rec.v[i].kind == GIVEN_EMPTY ? "“”" : rec.v[i].s);
		if (format == READ_CSV && !r.fields)
			r.fields = rec.n;
	}
	if (e)
		buf_fmt(&b, "%sfailed: %s", b.n ? " " : "", ctx_why(c));
	ctx_forgive(c);
	return buf_done(&b);
}

static void
csv_tests(void)
{
	static const struct {
		const char *text, *want, *name;
		char delimiter;
	} cases[] = {
		{ "a,b\n1,2\n", "1:a|b 2:1|2", "lines", ',' },
		{ "a,b\r\n1,2\r3,4", "1:a|b 2:1|2 3:3|4", "each kind of line end, and none", ',' },
		{ "a,b\n\n1,2\n,\n", "1:a|b 2: 3:1|2 4:", "blank lines", ',' },
		{ "a,b\n\"x,\"\"y\"\"\nz\",2\n3,4\n", "1:a|b 2:x,\"y\"\nz|2 4:3|4", "quotes", ',' },
		{ "a,b\n\"\",2\n", "1:a|b 2:“”|2", "an empty text", ',' },
		{ "a,b\n5\" pipe,2\n", "1:a|b 2:5\" pipe|2", "a quote within a value", ',' },
		{ "a,b\n\"x\"y,2\n3,4\n", "1:a|b 2:!text follows a closing quote 3:3|4", "text behind quotes", ',' },
		{ "a,b\n1,\"2\n3,4\n5,6\n", "1:a|b 2:!a quote that opens here isn't closed 3:3|4 4:5|6", "an open quote costs its line", ',' },
		{ "a,b\n1\n1,2,3\n4,5\n", "1:a|b 2:!it has 1 value instead of 2 3:!it has 3 values instead of 2 4:4|5", "ragged lines", ',' },
		{ "sep=;\na;b\n1;2\n", "2:a|b 3:1|2", "Excel's first line", ';' },
		{ "a\tb\n1\t2\n", "1:a|b 2:1|2", "tabs", '\t' },
		{ "a,b\n1,2\n\x1a", "1:a|b 2:1|2", "a Ctrl-Z at the end", ',' },
		{ "a,b\n\xff,2\n3,4\n", "1:a|b 2:!it isn't valid UTF-8 3:3|4", "bytes that aren't UTF-8", ',' },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_str(records(cases[i].text, strlen(cases[i].text), READ_CSV, "utf-8", cases[i].delimiter), cases[i].want, cases[i].name);
	is_str(records("a,b\n1\0,2\n", 9, READ_CSV, "utf-8", ','), "1:a|b 2:!it has a NUL byte, which no text has", "a NUL");
	is_str(records("\xff\xfe" "a\0,\0\xe4\0\n\0", 10, READ_CSV, "utf-16le", ','), "1:a|ä", "UTF-16 with its mark");
	is_str(records("\0a\0,\xd8\x3d\xde\x00", 8, READ_CSV, "utf-16be", ','), "1:a|😀", "big end first, and two halves");
	is_str(records("Gr\xf6\xdf" "e;\x80\n", 8, READ_CSV, "windows-1252", ';'), "1:Größe|€", "Windows-1252");
	is_str(records("\x8c;\xe6", 3, READ_CSV, "windows-1250", ';'), "1:Ś|ć", "Windows-1250");
}

static void
json_tests(void)
{
	static const struct {
		const char *text, *want, *name;
	} cases[] = {
		{ "[{\"a\":1,\"b\":\"x\"},{\"b\":null,\"c\":[1]}]", "1:1|x 2:|null|[1]", "an array" },
		{ " {\"meta\":{\"rows\":[1]},\"rows\":[{\"a\":1.50}]}", "1:1.50", "the member rows" },
		{ "[]", "", "no rows" },
		{ "[{\"a\":1}", "1:1 failed: the file is cut off before the end of its rows, or isn't JSON", "cut off" },
		{ "[{\"a\":1} {\"a\":2}]", "1:1 failed: the file is cut off before the end of its rows, or isn't JSON", "no comma" },
		{ "[1,{\"a\":2}]", "1:!it isn't an object 2:2", "no object" },
		{ "{\"a\":[]}", "failed: the file is an object without a list of rows in \"rows\"", "an object without rows" },
		{ "7", "failed: the file must be an array of rows, or an object whose member rows is one", "a number" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_str(records(cases[i].text, strlen(cases[i].text), READ_JSON, "utf-8", 0), cases[i].want, cases[i].name);
	is_str(records("{\"a\":1}\n\n{\"a\":\n{\"a\":3}\n", 23, READ_NDJSON, "utf-8", 0),
	    "1:1 2: 3:!it isn't JSON: unexpected end 4:3", "lines of JSON");
}

static void
look_tests(void)
{
	static const struct {
		const char *text, *alike, *name;
		char want;
	} cases[] = {
		{ "a;b\n1,5;2,5\n", NULL, "semicolons", ';' },
		{ "a,b\n1;5,2\n", NULL, "commas", ',' },
		{ "a,b;c,d\n1,2;3,4\n", ",;", "two that fit alike", ',' },
		{ "a|b\n1|2\n", NULL, "bars", '|' },
		{ "sep=;\na,b\n", NULL, "the file says it", ';' },
		{ "a\n1\n", NULL, "one column", ',' },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct csv_look look;

		csv_look(cases[i].text, strlen(cases[i].text), true, '"', &look);
		ok(look.delimiter == cases[i].want && str_eq(look.alike, cases[i].alike), cases[i].name);
	}
}

static bool
go_on(void *arg)
{
	(void)arg;
	return false;
}

/* "integer", "number ? ," with a question about the mark, "date dmy", and what is told. */
static const char *
guessed(const char *values, bool note)
{
	static const char *const orders[] = { "ymd", "dmy", "mdy" };
	const char *text = mem_printf(c->mem, "h\n%s\n", values);
	struct span all = span_of(text, strlen(text));
	struct until until = { go_on, NULL };
	struct reader r;
	struct look *l = mem_new(c->mem, struct look);
	struct guess g;
	bool whole;

	if (reader_begin(c, &all, READ_CSV, "utf-8", ';', '"', &r) || look_file(c, &r, true, &until, l, &whole))
		return ctx_why(c);
	look_guess(c, &l->v[0], false, '.', &g);
	if (note)
		return g.note;
	return mem_printf(c->mem, "%s%s%s%s%s%s", cell_type_word(g.type), g.ask_decimal ? " decimal?" : "",
	    g.decimal == ',' ? " ," : "", g.type == CELL_DATE || g.type == CELL_TIMESTAMP ? " " : "",
	    g.type == CELL_DATE || g.type == CELL_TIMESTAMP ? orders[g.order] : "",
	    g.ask_order ? " order?" : g.ask_zone ? " zone?" : "");
}

static void
guess_tests(void)
{
	static const struct {
		const char *values, *want;
	} cases[] = {
		{ "1\n2\n\n-3", "integer" },
		{ "1\n007", "text" },
		{ "1\n1234567890123456789", "text" },
		{ "123456789012345678", "integer" },
		{ "+1", "text" },
		{ "1E5", "text" },
		{ "1.5e3\n2", "number" },
		{ "1.5\n2", "number" },
		{ "1,5\n2", "number ," },
		{ "1.234\n5.678", "number decimal?" },
		{ "1,234", "integer decimal?" },
		{ "1.234\n1.260,00", "number ," },
		{ "1,234\n1,260.00", "number" },
		{ "1,234,567", "integer" },
		{ "1 260,00\n3", "number ," },
		{ "1'260.50", "number" },
		{ "12.50.3", "text" },
		{ "03/04/2026", "date dmy order?" },
		{ "03/04/2026\n31/01/2026", "date dmy" },
		{ "03/04/2026\n01/31/2026", "date mdy" },
		{ "01/31/2026\n31/01/2026", "text" },
		{ "21.11.2026", "date dmy" },
		{ "2026-11-21", "date ymd" },
		{ "2026-02-30", "text" },
		{ "21.11.26", "text" },
		{ "2026-11-21T10:00:00Z", "timestamp ymd" },
		{ "2026-11-21 10:00", "timestamp ymd zone?" },
		{ "21.11.2026 2:30 PM", "timestamp dmy zone?" },
		{ "2026-11-21 25:00", "text" },
		{ "2026-11-21\n2026-11-21 10:00", "text" },
		{ "ja\nnein", "boolean" },
		{ "ja\nja", "text" },
		{ "TRUE\nfalse", "boolean" },
		{ "FALSCH\nWAHR", "boolean" },
		{ "0\n1", "integer" },
		{ "yes\n1", "text" },
		{ "1\nn/a\nNULL", "integer" },
		{ "-", "text" },
		{ "[1]\n{\"a\":1}", "json" },
		{ "{x", "text" },
		{ "\"\"\n1", "integer" },
		{ "\"1\"\n\"2\"", "integer" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_str(guessed(cases[i].values, false), cases[i].want, str_one_line(c->mem, cases[i].values));
	is_str(guessed("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\nx", true),
	    "Text: all but line 22 are whole numbers", "a near miss is told");
	is_str(guessed("1\n007", true), "Text, because of line 3: a leading 0 or +, or more than 18 digits", "and so is a code");
}

static const char *
value_of(enum cell_type type, const struct reading *how, const char *text)
{
	struct given v = { GIVEN_TEXT, text, strlen(text) };
	struct value out;
	const char *why = value_read(c, type, how, &v, &out);

	return why ? mem_printf(c->mem, "!%s", why) : out.json;
}

static void
value_tests(void)
{
	const char *none = "n/a";
	struct reading dot = { .decimal = '.' }, comma = { .decimal = ',', .order = ORDER_DMY },
		       us = { .decimal = '.', .order = ORDER_MDY }, berlin = { .order = ORDER_DMY };

	dot.nulls = (struct strs){ &none, 1 };
	berlin.zone = zone_find("Europe/Berlin");
	is_str(value_of(CELL_NUMBER, &dot, "1,260.50"), "1260.50", "a number, with its decimals");
	is_str(value_of(CELL_NUMBER, &comma, "1.260,50"), "1260.50", "with a decimal comma");
	is_str(value_of(CELL_NUMBER, &comma, "-1 260,5"), "-1260.5", "a space between groups");
	is_str(value_of(CELL_NUMBER, &comma, "1\u00a0260,5"), "1260.5", "that no line breaks at");
	is_str(value_of(CELL_NUMBER, &comma, "1.234"), "1234", "a point between groups");
	is_str(value_of(CELL_NUMBER, &dot, ".5"), "0.5", "JSON's zero");
	is_str(value_of(CELL_NUMBER, &dot, "x"), "!isn’t a number", "no number");
	is_str(value_of(CELL_NUMBER, &dot, "n/a"), "null", "a word for no value");
	is_str(value_of(CELL_NUMBER, &comma, "n/a"), "!isn’t a number", "which doesn't go without saying");
	is_str(value_of(CELL_NUMBER, &dot, " 7 "), "7", "spaces around");
	is_str(value_of(CELL_INTEGER, &dot, "1,234"), "1234", "a whole number");
	is_str(value_of(CELL_INTEGER, &dot, "1.5"), "!isn’t a whole number", "a fraction");
	is_str(value_of(CELL_INTEGER, &dot, "9223372036854775808"), "!is larger than a whole number of 64 bits", "too large");
	is_str(value_of(CELL_INTEGER, &dot, "9223372036854775807"), "9223372036854775807", "the largest");
	is_str(value_of(CELL_DATE, &comma, "3.4.2026"), "\"2026-04-03\"", "a date");
	is_str(value_of(CELL_DATE, &us, "3/4/2026"), "\"2026-03-04\"", "month first");
	is_str(value_of(CELL_DATE, &comma, "29.2.2025"), "!isn’t a date", "no leap year");
	is_str(value_of(CELL_TIMESTAMP, &berlin, "21.11.2026 10:00"), "\"2026-11-21T09:00:00Z\"", "a time of a zone");
	is_str(value_of(CELL_TIMESTAMP, &berlin, "25.10.2026 02:30"), "\"2026-10-25T00:30:00Z\"", "the first of two");
	is_str(value_of(CELL_TIMESTAMP, &berlin, "29.03.2026 02:30"), "\"2026-03-29T01:30:00Z\"", "one that never was");
	is_str(value_of(CELL_TIMESTAMP, &dot, "2026-11-21T10:00:00.25+02:00"), "\"2026-11-21T10:00:00.25+02:00\"", "with an offset: as it is");
	is_str(value_of(CELL_TIMESTAMP, &us, "11/21/2026 12:05 AM"), "\"2026-11-21T00:05:00Z\"", "before noon");
	is_str(value_of(CELL_BOOLEAN, &dot, "Sí"), "true", "yes");
	is_str(value_of(CELL_BOOLEAN, &dot, "2"), "!is neither yes nor no", "neither");
	is_str(value_of(CELL_TEXT, &dot, " a\"b "), "\" a\\\"b \"", "a text, with its spaces");
	is_str(value_of(CELL_JSON, &dot, "{ \"a\" : 1 }"), "{\"a\":1}", "JSON");
	is_str(value_of(CELL_JSON, &dot, "{"), "!isn’t JSON: expected ',' or '}'", "which it isn't");
}

/* A file of any length is read in the same memory. */
static void
size_tests(void)
{
	size_t n = 8 << 20;
	char *text = mem_array(c->mem, char, n + 1);
	const char *encoding;
	struct span all;
	bool sure;

	memset(text, 'x', n);
	memcpy(text, "a,b\n1,2\n", 8);
	memcpy(text + n - 5, "\n3,4\n", 5);
	is_str(records(text, n, READ_CSV, "utf-8", ','), "1:a|b 2:1|2 3:!it is longer than 1 MB 4:3|4", "a line of 8 MB");
	text[8] = '"';
	is_str(records(text, n, READ_CSV, "utf-8", ','), "1:a|b 2:1|2 3:!a quote that opens here isn't closed 4:3|4", "... that opens a quote");
	all = span_of(text, n);
	ok(!text_encoding(c, &all, &encoding, &sure) && sure && str_eq(encoding, "utf-8"), "ASCII is UTF-8");
	text[n - 1] = (char)0xff;
	ok(!text_encoding(c, &all, &encoding, &sure) && !sure && str_eq(encoding, "windows-1252"), "the last byte counts");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	csv_tests();
	json_tests();
	look_tests();
	guess_tests();
	value_tests();
	size_tests();
	ctx_end(c);
	return done();
}
