/* SPDX-License-Identifier: Apache-2.0
 * The formats of templates. */
#include "http/format.h"

#include "base/str.h"
#include "tap.h"

#define THING(F, T) \
	F(T, STR,  path) \
	F(T, STR,  found) \
	F(T, INT,  size) \
	F(T, NUM,  ratio) \
	F(T, TIME, at) \
	F(T, STRS, names) \
	F(T, LIST, rows) \
	F(T, BOOL, on)
SHAPE(thing, THING);

static void *mem;
static const char *names[] = { "a", "b&" };
static const struct thing thing = { .path = "a/b c&.md",
	.found = "a\2b&\3\2c\3",
	.size = 2 << 20,
	.ratio = 1284.5,
	.at = 1767323045,
	.names = { names, 2 },
	.rows = { NULL, 1284 } };

static const char *
printed(const char *how, const char *name)
{
	const struct field *f = shape_field(&thing_shape, name);
	struct buf b = BUF(mem);

	if (!format_fits(how, f))
		return NULL;
	format_print(&b, how, f, (const char *)&thing + f->off);
	return buf_done(&b);
}

int
main(void)
{
	mem = mem_root("test");
	is_str(printed("url", "path"), "a/b%20c%26.md", "a path in an address");
	is_str(printed("base", "path"), "b c&amp;.md", "the end of a path");
	is_str(printed("less .md", "path"), "a/b c&amp;", "without what it ends with");
	is_str(printed("kib", "size"), "2.0 MB", "bytes in steps of 1024");
	is_str(printed("count", "rows"), "1,284", "items of a list");
	is_str(printed("count row", "rows"), "1,284 rows", "with a noun");
	is_str(printed("count", "names"), "2", "texts of a list");
	is_str(printed("some", "names"), "a and b&amp;", "texts, escaped");
	is_str(printed("day", "at"), "2026-01-02", "a day");
	is_str(printed("date", "at"), "January 2, 2026, 03:04 UTC", "a day with words");
	is_str(printed("took", "size"), "34 min", "a duration");
	is_str(printed("digits", "size"), "2097152", "a whole number in a form");
	is_str(printed("digits", "ratio"), "1284.5", "a number in a form");
	is_str(printed("figure", "ratio"), "1,284.5", "a number to read");
	is_str(printed("capital", "path"), "A/b c&amp;.md", "a capital letter");
	is_str(printed("capital 3", "path"), "A/b…", "and cut");
	is_str(printed("cut 3", "path"), "a/b…", "cut alone");
	is_str(printed("rows 2 9", "path"), "2", "lines, but no fewer");
	is_str(printed("date day", "at"), "January 2, 2026", "without the hour");
	is_str(printed("money USD", "size"), "20,971.52 USD", "an amount of money");
	is_str(printed("marks", "found"), "a<mark>b&amp;</mark><mark>c</mark>", "matches, escaped");
	is_str(format_field("money currency", shape_field(&thing_shape, "size")), "currency", "a format takes a field");
	ok(!format_field("count file", shape_field(&thing_shape, "size")), "or none");
	ok(!printed("kib", "path"), "no text has bytes");
	ok(!printed("url", "on"), "no flag is an address");
	ok(!printed("kibi", "size"), "an unknown format");
	mem_free(mem);
	return done();
}
