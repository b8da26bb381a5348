/* SPDX-License-Identifier: Apache-2.0
 * HTML as Markdown: what is said stays, what runs or is hidden doesn't, and text is text. */
#include "tap.h"

#include "base/ctx.h"
#include "base/markdown.h"
#include "base/str.h"
#include "ext/apart.h"
#include "ext/html.h"

static const char *
to_note(void *arg, const char *address)
{
	(void)arg;
	return str_eq(address, "https://other.pages.example/") ? "pages/other" : NULL;
}

static struct html_page
page_of(const char *bytes, size_t n)
{
	return (struct html_page){ "https://own.pages.example/a/b.html", NULL, bytes, n, 200000, false };
}

static const char *
read_bytes(struct ctx *c, const char *bytes, size_t n)
{
	struct html_page page = page_of(bytes, n);
	struct html_content said;

	return html_parse(c, &page, &said) ? c->message : html_links(c->mem, said.text, to_note, NULL);
}

static const struct {
	const char *html, *want, *name;
} cases[] = {
	{ "<h1>One</h1>two<p>three\n four<br>five<h3>Six #</h3>", "# One\n\ntwo\n\nthree four\nfive\n\n### Six \\#", "headings and text" },
	{ "<h2></h2>a<h2> </h2>b", "a\n\nb", "a heading without words is none" },
	{ "<ul><li>a<li>b<ul><li>c</ul><li><p>d</p></ul>e", "- a\n- b\n  - c\n- d\n\ne", "lists" },
	{ "<ol start=9><li>a<li>b<li></ol>", "9. a\n10. b", "numbers" },
	{ "<ul><li><ol><li>a</ol><li><blockquote>b</blockquote></ul>", "- 1. a\n- b", "one right in the other" },
	{ "<p>a<blockquote>b<p>c</blockquote>d", "a\n\n> b\n>\n> c\n\nd", "quotes" },
	{ "<table><caption>T</caption><tr><th>a<th>b<tr><td>1|2<td>3<tr><td>4</table>x", "T\n\n| a | b |\n|---|---|\n| 1\\|2 | 3 |\n| 4 |  |\n\nx", "a table" },
	{ "<table><tr><td><h1>a</h1><td>b</table>", "# a\n\nb", "one that only places things" },
	{ "<table><tr><td><table><tr><td>a<td>b</table><td>c</table>", "| a | b |\n|---|---|\n\nc", "and the one in it" },
	{ "<pre>\na  b\n\n  ``` c\t[[x]]</pre>d", "````\na  b\n\n  ``` c\t[[x]]\n````\n\nd", "code, in a fence that it can't end" },
	{ "a<hr>b", "a\n\n---\n\nb", "a rule" },
	{ "<dl><dt>a<dd>b</dl>", "a\n\nb", "terms" },
	{ "<img alt='a *b*' src=x><img src=y>", "a \\*b\\*", "pictures are what they say" },
	{ "<a href='https://example.org/x y'>a <b>b</b></a> c", "[a b](https://example.org/x%20y) c", "a link" },
	{ "<a href=//example.org>a</a> <a href=/q>b</a> <a href=../c?d>e</a> <a href='?f'>g</a>", "[a](https://example.org) [b](https://own.pages.example/q) [e](https://own.pages.example/c?d) [g](https://own.pages.example/a/b.html?f)", "relative ones" },
	{ "<a href=../../../../etc>a</a>", "[a](https://own.pages.example/etc)", "none leaves its host" },
	{ "<a href=https://other.pages.example/>the *other* ] page</a>", "[[pages/other|the other  page]]", "a page of the workspace" },
	{ "<a href='javascript:alert(1)'>a</a> <a href=' jAva\tscript:x'>b</a> <a href=data:x>c</a> <a href=#x>d</a> <a name=x>e</a>", "a b c d e", "what runs is no link" },
	{ "<a href=https://example.org><h2>a</h2><p>b</p></a>c", "[a b](https://example.org) c", "blocks in a link are on its line" },
	{ "No!<a href=https://example.org>a</a>! <a href=/b>b</a>", "No\\![a](https://example.org)! [b](https://own.pages.example/b)", "one behind an exclamation mark is no picture" },
	{ "x<a href=https://example.org></a> y<a href=/></a>z", "x yz", "a link without words is none" },
	{ "<body><script>a</script><style>b</style><noscript>c</noscript><template>d</template><nav>e</nav><svg><text>f</text></svg><p hidden>g<p style='x:y;DISPLAY : none'>h<p aria-hidden=true>i<textarea>j</textarea><select><option>k</select><button>l</button><iframe>m</iframe><p style=visibility:hidden>n", "", "what is not read" },
	{ "<title>T</title><!-- c --><p>x", "x", "nor the head, nor comments" },
	{ "[[pages/x]] [a](b) *c* _d_ e_f `g` &lt;b&gt; ~~h~~ ~i~ \\ ![i](j) &amp;lt; | k", "\\[ \\[pages/x\\]\\] \\[a\\](b) \\*c\\* \\_d\\_ e_f \\`g\\` \\<b> \\~\\~h\\~\\~ \\~i\\~ \\\\ !\\[i\\](j) \\&lt; \\| k", "text that looks like Markdown" },
	{ "<b>[</b>[pages/x]] [[[", "\\[ \\[pages/x\\]\\] \\[ \\[ \\[", "no links between notes, either" },
	{ "<p># a<p>- b<p>1. c<p>&gt; d<p>=== <p>+ e<p>12) f<p>1.5 g<p>---", "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\===\n\n\\+ e\n\n12\\) f\n\n1\\.5 g\n\n\\---", "also at a line's beginning" },
	{ "a\x01" "b\x02" "c\x03" "d\xe2\x80\xae" "e&#1;f&nbsp;&nbsp;g", "a\xef\xbf\xbd" "b\xef\xbf\xbd" "c\xef\xbf\xbd" "def g", "no control characters, and none of our marks" },
	{ "caf\xe9", "caf\xc3\xa9", "what is no UTF-8 is what browsers take it for" },
	{ "<meta charset=koi8-r>\xf0\xf2\xe9", "\xd0\x9f\xd0\xa0\xd0\x98", "another character set" },
	{ "<meta charset=martian>\xf0", "its character set, martian, isn't known here", "an unknown one" },
	{ "\xff\xfe" "h\0i\0", NULL, "UTF-16" },
	{ "a &lt;script&gt; <p>b</div></p></span><td>c", "a \\<script>\n\nb\n\nc", "tags that fit nowhere" },
	{ "<ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><ul><li>a", "- a", "lists in lists" },
	{ "", "", "nothing" },
};

/* so many times a, then b. */
static const char *
often(struct ctx *c, const char *a, size_t times, const char *b, size_t *n)
{
	struct buf out = BUF(c->mem);

	for (size_t i = 0; i < times; i++)
		buf_str(&out, a);
	buf_str(&out, b);
	*n = out.n;
	return buf_done(&out);
}

static void
cuts(void)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct html_content said;
	struct html_page page;
	size_t n;
	const char *bytes = often(c, "<a href=https://example.org/>w\xc3\xb6rd <b>b</b></a> <li>x", 50000, "", &n);

	page = page_of(bytes, n);
	page.most = 1000;
	is_int(html_parse(c, &page, &said), E_OK, "a long page");
	ok(said.cut && strlen(said.text) < 1100 && str_utf8_valid(said.text, strlen(said.text)), "is cut, between characters");
	is_int((long long)strlen(html_links(c->mem, said.text, NULL, NULL)) > 900, 1, "its links are whole");
	bytes = often(c, "<p a=", 1, often(c, "b", 1000000, ">x", &n), &n);
	is_str(read_bytes(c, bytes, n), "x", "a huge attribute");
	ok(!strcmp(read_bytes(c, "<p>x<a b", 8), "x"), "an end in a tag");
	bytes = often(c, "<i>", 20000, "deep", &n);
	ok(strstr(read_bytes(c, bytes, n), "deep") != NULL, "elements in elements don't use up the stack");
	ctx_end(c);
}

/* Many of them take too much; then this process goes on. */
static void
apart(void)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct html_content said = { 0 };
	struct html_page page;
	size_t n;
	const char *bytes = often(c, "<div>", 1000000, "x", &n);
	static const char plain[] = "<title>T</title><p>caf\xe9 <a href=/x>y</a>", odd[] = "<meta charset=martian>\xf0";

	page = page_of(bytes, n);
	is_int(html_read(c, &page, &said), E_INVALID, "a million elements in each other take too much");
	is_str(c->message, "it takes too much memory or time", "... which is said");
	ctx_again(c);
	bytes = often(c, "<i>", 1600000, "x", &n);
	page = page_of(bytes, n);
	is_int(html_read(c, &page, &said), E_INVALID, "so do as many that come back in each paragraph");
	ctx_again(c);
	page = page_of(plain, strlen(plain));
	is_int(html_read(c, &page, &said), E_OK, "the next page is read");
	is_str(html_links(c->mem, said.text, NULL, NULL), "caf\xc3\xa9 [y](https://own.pages.example/x)", "... as it is");
	is_str(said.title, "T", "with its title");
	page = page_of(odd, strlen(odd));
	is_int(html_read(c, &page, &said), E_INVALID, "what can't be read");
	is_str(c->message, "its character set, martian, isn't known here", "says why");
	ctx_end(c);
}

/* What the page did not mean as such is none when the note is shown. */
static void
shown(void)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = "<p>&lt;b&gt;x&lt;/b&gt; &lt;img src=x onerror=alert(1)&gt; [a](https://example.org) ![p](https://example.org/p.png) **c** | d |<br>|---|---|<br># e<br>- f<br>&amp;lt;script&amp;gt;";
	const char *said = read_bytes(c, text, strlen(text)), *html = markdown_html(c->mem, said, strlen(said), 0);

	/* Addresses are links wherever they stand. */
	for (const char *at = html; (at = strchr(at, '<')); at++)
		if (!str_starts(at, "<p>") && !str_starts(at, "</p>") && !str_starts(at, "<a href=\"https://example.org") && !str_starts(at, "</a>"))
			ok(false, at);
	ok(strstr(html, "&amp;lt;script&amp;gt;") != NULL, "entities are letters");
	ctx_end(c);
}

int
main(void)
{
	apart_prepare((struct apart_kind[]){ { .work = html_work } }, 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ctx *c = ctx_begin(NULL, NULL);

		if (cases[i].want)
			is_str(read_bytes(c, cases[i].html, strlen(cases[i].html)), cases[i].want, cases[i].name);
		else
			is_str(read_bytes(c, cases[i].html, 6), "hi", cases[i].name);
		ctx_end(c);
	}
	cuts();
	shown();
	apart();
	return done();
}
