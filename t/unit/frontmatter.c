/* SPDX-License-Identifier: Apache-2.0
 * Front matter: what is read of it; and each mistake, with what is said, its line and its column. */
#include "base/frontmatter.h"
#include "base/buf.h"
#include "base/str.h"
#include "tap.h"

static struct ctx *c;

/* As JSON would have it, but for numbers. */
static void
shown_into(struct buf *b, const struct fm *at)
{
	if (at->kind == FM_TEXT) {
		buf_json(b, at->text);
		return;
	}
	buf_chr(b, at->kind == FM_MAP ? '{' : '[');
	for (size_t i = 0; i < at->n; i++) {
		buf_fmt(b, "%s%s%s", i ? "," : "", at->kind == FM_MAP ? at->v[i].name : "", at->kind == FM_MAP ? ":" : "");
		shown_into(b, &at->v[i]);
	}
	buf_chr(b, at->kind == FM_MAP ? '}' : ']');
}

static const char *
read_as(const char *text, bool yaml, const char **body)
{
	struct frontmatter f;
	struct buf b = BUF(c->mem);

	c->details = NULL;
	if (frontmatter_read(c, text, yaml, &f))
		return mem_printf(c->mem, "%s %s", c->message, c->details ? c->details : "");
	*body = f.body;
	if (f.top)
		shown_into(&b, f.top);
	return buf_done(&b);
}

static void
reads(const char *text, const char *want, const char *want_body, const char *name)
{
	const char *body = NULL;

	is_str(read_as(text, false, &body), want, name);
	is_str(body, want_body, "... and what follows");
}

static void
refuses(const char *yaml, const char *want, const char *name)
{
	const char *body;

	is_str(read_as(mem_printf(c->mem, "---\n%s---\n", yaml), false, &body), want, name);
}

static const char *
times(const char *s, size_t n)
{
	struct buf b = BUF(c->mem);

	while (n--)
		buf_str(&b, s);
	return buf_done(&b);
}

static bool
begins_with(const char *yaml, const char *want)
{
	const char *body, *got = read_as(mem_printf(c->mem, "---\n%s\n---\n", yaml), false, &body);

	return str_starts(got, want) || (printf("# got: %.200s\n", got), false);
}

static const char *
many_names(void)
{
	struct buf b = BUF(c->mem);

	for (int i = 0; i <= FM_MEMBERS; i++)
		buf_fmt(&b, "a%d: b\n", i);
	return buf_done(&b);
}

/* A file of YAML alone, as JSON or with its mistake. */
static const char *
file_as(const char *text, size_t bytes, size_t nodes)
{
	struct buf b = BUF(c->mem);
	const struct fm *top;

	if (yaml_file_read(c, text, (struct fm_limits){ "file", bytes, nodes }, &top))
		return c->message;
	fm_json(&b, top);
	return buf_done(&b);
}

int
main(void)
{
	const struct fm *at;
	struct frontmatter f;
	const char *body;

	c = ctx_begin(NULL, NULL);
	reads("# Just text\n---\nx\n", "", "# Just text\n---\nx\n", "no front matter");
	reads("---\n---\nbody", "{}", "body", "nothing in it");
	reads("---\n# a remark\n---\n", "{}", "", "a remark alone");
	reads("---\r\ntitle: A\r\n---\r\nbody\r\n", "{title:\"A\"}", "body\r\n", "lines of Windows");
	reads("\xef\xbb\xbf---\ntitle: A\n---", "{title:\"A\"}", "", "a byte order mark; no line end");
	reads("---\ntitle: Über 東京\nn: 012\nyes: on\nempty:\nnil: ~\nq: \"~\"\n---\n\nbody", "{title:\"Über 東京\",n:\"012\",yes:\"on\",empty:null,nil:null,q:\"~\"}", "\nbody", "texts stay as they are written");
	reads("---\ntags: [a, \"b, c\"]\nsource: {artifact: x, table: y}\n---\n", "{tags:[\"a\",\"b, c\"],source:{artifact:\"x\",table:\"y\"}}", "", "in brackets");
	reads("---\ncolumns:\n  - name: a\n    description: |\n      one\n      two\n  - name: b\n---\n", "{columns:[{name:\"a\",description:\"one\\ntwo\\n\"},{name:\"b\"}]}", "", "in blocks");
	is_str(read_as("title: A\n", true, &body), "{title:\"A\"}", "a file of YAML alone");
	is_str(read_as("---\ntitle: A\n", true, &body), "{title:\"A\"}", "... with the line that may begin it");

	refuses("a: \"never\nb: c\n", "Line 2: the text begins with a quotation mark that never ends {\"line\":2,\"column\":4}", "a quotation mark");
	refuses("a: b: c\n", "Line 2: there's a colon in the text; put the text in quotes {\"line\":2,\"column\":5}", "a colon");
	refuses("a: [b, c\nd: e\n", "Line 2: the list in brackets never ends, or lacks a comma {\"line\":2,\"column\":4}", "a bracket");
	refuses("a: {b: c\n", "Line 2: what is in braces never ends, or lacks a comma {\"line\":2,\"column\":4}", "a brace");
	refuses("a: b\n c: d\n", "Line 3: there's a colon in the text; put the text in quotes {\"line\":3,\"column\":3}", "indented by mistake");
	refuses("a: b\nc\n", "Line 3: there's no colon after the name {\"line\":3,\"column\":1}", "no colon");
	refuses("a:\n\t- b\n", "Line 3: a text can't begin with this character; put it in quotes, and indent with spaces instead of tabs {\"line\":3,\"column\":1}", "a tab");
	refuses("a: \"\\q\"\n", "Line 2: there's no such escape after a backslash; write \\\\ for a backslash {\"line\":2,\"column\":5}", "an escape");
	refuses("é: \x01\n", "Line 2: there's a control character here; remove it {\"line\":2,\"column\":4}", "a control character");
	refuses("a: \"\\0\"\n", "Line 2: there's a control character here; remove it {\"line\":2,\"column\":4}", "... as an escape");
	refuses("a: &x b\n", "Line 2: names with & aren't allowed; repeat what is meant {\"line\":2,\"column\":4}", "an anchor");
	refuses("a: &x [b]\nc: *x\n", "Line 2: names with & aren't allowed; repeat what is meant {\"line\":2,\"column\":4}", "an anchor of a list");
	refuses("a: *x\n", "Line 2: names with * aren't allowed; repeat what is meant {\"line\":2,\"column\":4}", "an alias");
	refuses("a: !!str b\n", "Line 2: types with ! aren't allowed; put the text in quotes {\"line\":2,\"column\":4}", "a tag");
	refuses("a: !x {b: c}\n", "Line 2: types with ! aren't allowed; put the text in quotes {\"line\":2,\"column\":4}", "a tag of fields");
	refuses("a: b\nc:\n  d: 1\n  d: 2\n", "Line 5: d is there twice; remove one {\"line\":5,\"column\":3}", "a field twice");
	refuses("? [a]\n: b\n", "Line 2: a name must be a text {\"line\":2,\"column\":3}", "a name that is a list");
	refuses("~: b\n", "Line 2: there's no name before the colon {\"line\":2,\"column\":1}", "no name");
	refuses("- a\n", "Line 2: there must be fields here, such as title: Orders {\"line\":2,\"column\":1}", "a list");
	refuses("words\n", "Line 2: there must be fields here, such as title: Orders {\"line\":2,\"column\":1}", "a text");
	is_str(read_as("%YAML 1.1\n---\na: b\n", true, &body), "Line 1: directives with % aren't allowed {\"line\":1,\"column\":1}", "a directive");
	is_str(read_as("a: b\n---\nc: d\n", true, &body), "Line 2: a second document begins here; there can be only one {\"line\":2,\"column\":1}", "a second document");
	is_str(read_as("---\na: b\n", false, &body), "Line 1: the front matter never ends; put --- on a line of its own behind it {\"line\":1,\"column\":1}", "no end");

	ok(begins_with(mem_printf(c->mem, "a: %s", times("[", 60000)), "Line 2: lists and fields are nested more than 6 deep"), "sixty thousand brackets");
	ok(begins_with(mem_printf(c->mem, "a:\n  %s", times("- ", 30000)), "Line 3: lists and fields are nested more than 6 deep"), "... and dashes");
	ok(begins_with(mem_printf(c->mem, "a: [%s]", times("b,", 5000)), "Line 2: there are more than 5000 values"), "more values than there may be");
	ok(begins_with(times("a1: b\n", 20000), "Line 2: the front matter is longer than 64 kB"), "more bytes");
	ok(begins_with(many_names(), "Line 102: there are more than 100 names"), "more names");

	ok(!frontmatter_read(c, "---\na:\n  - b\n  - c: d\n---\n", false, &f), "places");
	at = fm_get(f.top, "a");
	ok(at && at->kind == FM_LIST && at->n == 2, "a list");
	is_int(at->v[1].v[0].line * 100 + at->v[1].v[0].column, 408, "where a text stands in the file");
	ok(!fm_get(f.top, "x") && !fm_get(NULL, "x"), "what isn't there");

	is_str(file_as("a: 1\nb: -2.5e3\nc: \"1\"\nd: true\ne: 'true'\nf: ~\ng:\nh: [x, 007, .5, 1., 0x1f, yes, 1 2]\n", 1000, 100),
		"{\"a\":1,\"b\":-2.5e3,\"c\":\"1\",\"d\":true,\"e\":\"true\",\"f\":null,\"g\":null,"
		"\"h\":[\"x\",\"007\",\".5\",\"1.\",\"0x1f\",\"yes\",\"1 2\"]}", "a file as JSON");
	is_str(file_as("", 1000, 100), "{}", "an empty one");
	is_str(file_as("a: bcdef\n", 8, 100), "Line 1: the file is longer than 8 bytes", "its own limit of bytes");
	is_str(file_as("a: [b, c]\n", 1000, 2), "Line 1: there are more than 2 values", "... and of values");
	ctx_end(c);
	return done();
}
