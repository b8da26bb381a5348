/* SPDX-License-Identifier: Apache-2.0
 * Markdown: what would take more work than its length is worth is text; headings have ids; links between notes lead to them; alerts are boxes; of HTML little is kept, and
 * it stays where it began;
 * formulas stay as they are. */
#include "base/markdown.h"
#include "base/mdbound.h"
#include "base/mem.h"
#include "base/str.h"
#include "tap.h"

#include <stdlib.h>

enum { NOTE = 256 << 10 };
#define BOX(class_, label_) "<div class=\"alert " class_ "\"><p><strong>" label_ "</strong></p>\n"
static void *mem;

/* `first`, then so many bytes of `again`. */
static const char *
text_of(const char *first, const char *again, size_t bytes)
{
	size_t n = strlen(first), each = strlen(again);
	char *out = mem_zalloc(mem, n + bytes + each + 1);

	memcpy(out, first, n);
	for (size_t at = 0; at < bytes; at += each)
		memcpy(out + n + at, again, each);
	return out;
}

static bool
bounded(const char *text)
{
	return markdown_is_bounded(text, strlen(text));
}

static bool
each_ref(void *arg, const struct markdown_ref *ref)
{
	const char **out = arg;

	*out = mem_printf(mem, "%s(%s|%s)", *out, ref->path, ref->text);
	return true;
}

static const struct markdown_to *
lead(void *arg, const char *path)
{
	static struct markdown_to to;

	(void)arg;
	to.url = mem_printf(mem, "/n/%s", path);
	return &to;
}

static const char *
linked(const char *text)
{
	const char *md = markdown_linked(mem, text, strlen(text), lead, NULL);

	return markdown_html(mem, md, strlen(md), 2);
}

static void
bounds(void)
{
	static const char *const marks[] = { "> ", ">", "- ", "* ", "1. ", "9) ", ">\t", "> - " };
	const char *wide = mem_printf(mem, "%s\n%s\n", text_of("", "a|", 4800), text_of("", "-|", 4800)), *html;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *text = text_of("", marks[i], NOTE);

		if (*marks[i] == '-' || *marks[i] == '*')
			text = mem_printf(mem, "%sx", text);
		ok(!bounded(text), "a note of markers in each other is too much");
		html = markdown_html(mem, text, strlen(text), 2);
		ok(strstr(html, "<pre>") && !strstr(html, "<blockquote>"), "... and is shown as text");
		ok(strlen(linked(text)) < 6 * NOTE, "... with links, too");
		ok(!markdown_heading(mem, text, strlen(text)), "... and has no heading");
	}
	ok(!bounded(text_of(wide, "a\n", 9400)), "2,400 columns and a row a letter are too much");
	ok(!bounded(text_of(mem_printf(mem, "> %s\n> %s\n", text_of("", "a|", 4800), text_of("", "-|", 4800)), "> a\n> -|-\n", 19000)), "... in a quote, and with rows that look as if another began");
	ok(!bounded(text_of("see http://a.b/", ")", NOTE)), "an address with brackets behind it is too much");
	ok(!bounded(text_of("a|b\n-|-\n", "|", NOTE)), "... and a row of nothing but lines");
	ok(!bounded(text_of("", "a@b.c.", NOTE)), "... and addresses without a blank between");
	ok(bounded(text_of("a|b|c\n-|-|-\n", "a|b|c\n", NOTE)), "a full table of three columns is fine");
	ok(bounded(text_of("", "> > > > > > > > > > a\n\n", NOTE)), "... and quotes ten deep");
	ok(bounded(text_of("", "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n", 4000)), "... and rules");
	ok(bounded(text_of("", "see [it](http://a.b/c(d)) (http://a.b).\n", NOTE)), "... and addresses in brackets");
	ok(bounded(text_of("", "[[a/b]] ", NOTE)) && bounded(text_of("", "[[", NOTE)) && bounded(text_of("", "*a **a ", NOTE)), "... and links, brackets, emphasis");
	ok(bounded("") && bounded("---\n\n***\n\n- a\n- b\n"), "... and what people write");
}

static void
headings(void)
{
	is_str(markdown_html(mem, "# What's *new*?", 15, 0), "<h1 id=\"whats-new\">What's <em>new</em>?</h1>\n", "a heading has an id");
	is_str(markdown_html(mem, "## A\n\n## A\n\n###\n", 16, 2), "<h4 id=\"at-a\">A</h4>\n<h4 id=\"at-a-1\">A</h4>\n<h5></h5>\n", "on a page of ours it begins with at-, and is none's twice");
	is_str(markdown_html(mem, "# a\"><script>b\n\n[x](#a)", 23, 2), "<h3 id=\"at-ab\">a&quot;&gt;<!-- raw HTML omitted -->b</h3>\n<p><a href=\"#at-a\">x</a></p>\n", "... and no HTML");
}

static void
notes(void)
{
	const char *out = "", *text = "[[a]] [[a.md|A]] ![[b]] [[c#Two words]] [[c#^x]] [[C#]] [[C# basics]] [[#here]] [[d\n]] `[[e]]`";

	markdown_refs(mem, text, strlen(text), each_ref, &out);
	is_str(out, "(a|a)(a.md|A)(b|b)(c|c#Two words)(c|c#^x)(C#|C#)(C# basics|C# basics)", "links: by a name, an ending, embedded, to a heading, a block, of names with #");
	is_str(linked("![[b]]"), "<p><a href=\"/n/b\">b</a></p>\n", "what is embedded is a link");
	is_str(linked("[[c#Two words|2]]"), "<p><a href=\"/n/c#at-two-words\">2</a></p>\n", "a heading of another");
	is_str(linked("[[#Here]]"), "<p><a href=\"#at-here\">#Here</a></p>\n", "a heading of its own");
	is_str(markdown_unlinked(mem, "a [[b|c]] [[d]] ![[e#f]] [[g\n]] [["), "a c d e#f [[g\n]] [[", "the text alone");
}

/* { text, HTML } */
static const char *const alert_cases[][2] = {
	{ "> [!NOTE]\n> a\n", BOX("note", "Note") "<p>a</p>\n</div>\n" },
	{ "> [!tip]  \n>\n> a\n>\n> - b\n", BOX("tip", "Tip") "<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</div>\n" },
	{ "a\r\n\r\n>[!IMPORTANT]\r\n>a\r\n", "<p>a</p>\n" BOX("important", "Important") "<p>a</p>\n</div>\n" },
	{ "> [!WARNING]\n- a\n\n> [!CAUTION]\n> ```\n> b\n> ```\n", "<blockquote>\n<p>[!WARNING]</p>\n</blockquote>\n<ul>\n<li>a</li>\n</ul>\n" BOX(
		"caution", "Caution") "<pre><code>b\n</code></pre>\n</div>\n" },
	{ "> [!WARNING]\\\nlazy\n", "<blockquote>\n<p>[!WARNING]<br />\nlazy</p>\n</blockquote>\n" },
	{ "> [!NOTE]  \n> a\n", BOX("note", "Note") "<p>a</p>\n</div>\n" },
	{ "> [!NOTE]  \n", "<blockquote>\n<p>[!NOTE]</p>\n</blockquote>\n" },
	{ "> [!NOTE]\t\n> *a*\n", BOX("note", "Note") "<p><em>a</em></p>\n</div>\n" },
	{ "> [!WARNING]\nlazy\n", BOX("warning", "Warning") "<p>lazy</p>\n</div>\n" },
	{ "> [!NOTE] a\n> b\n", "<blockquote>\n<p>[!NOTE] a\nb</p>\n</blockquote>\n" },
	{ "> \\[!NOTE]\n> a\n", "<blockquote>\n<p>[!NOTE]\na</p>\n</blockquote>\n" },
	{ "> [!NOTE]\n> ===\n", "<blockquote>\n<h3 id=\"at-note\">[!NOTE]</h3>\n</blockquote>\n" },
	{ "> a\n>\n> [!NOTE]\n> b\n", "<blockquote>\n<p>a</p>\n<p>[!NOTE]\nb</p>\n</blockquote>\n" },
	{ "> > [!NOTE]\n> > a\n", "<blockquote>\n<blockquote>\n<p>[!NOTE]\na</p>\n</blockquote>\n</blockquote>\n" },
	{ "> [!NOTE]\n> a\n\n[!NOTE]: /b\n", "<blockquote>\n<p><a href=\"/b\">!NOTE</a>\na</p>\n</blockquote>\n" },
	{ "[!NOTE]\na\n", "<p>[!NOTE]\na</p>\n" },
	{ "> [!OTHER]\n> a\n", "<blockquote>\n<p>[!OTHER]\na</p>\n</blockquote>\n" },
	{ "> [!NOTE]\n> <i>b\n", BOX("note", "Note") "<p><!-- raw HTML omitted -->b</p>\n</div>\n" },
};

static void
alerts(void)
{
	for (size_t i = 0; i < sizeof alert_cases / sizeof *alert_cases; i++) {
		const char *const *of = alert_cases[i];

		is_str(markdown_html(mem, of[0], strlen(of[0]), 2), of[1], mem_printf(mem, "alerts, case %zu", i));
		is_str(linked(of[0]), of[1], "... and where links lead to notes");
	}
}

/* { text, HTML } of a page of its own */
static const char *const html_cases[][2] = {
	{ "H<sub>2</sub>O <kbd>A</kbd><br>x\n", "<p>H<sub>2</sub>O <kbd>A</kbd><br>x</p>\n" },
	{ "<DETAILS open onclick=\"a()\">\n<summary>S & \"T\"</summary>\n\n*a*\n\n</details>\n",
		"<details>\n<summary>S & &quot;T&quot;</summary>\n\n<p><em>a</em></p>\n</details>\n\n" },
	{ "<h1 align=center>A</h1>\n", "<h1 align=\"center\">A</h1>\n\n" },
	{ "<h1>A</h1>\n\n# B\n", "<h2>A</h2>\n\n<h2 id=\"b\">B</h2>\n" },
	{ "a|b\n-|-\nx<br/>y|<kbd>z\n",
		"<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>x<br>y</td>\n<td><kbd>z</kbd></td>\n</tr>\n</tbody>\n</table>\n" },
	{ "<img src=\"a b.png\" alt='\"x\"' width=50% height=1e9 onerror=alert(1) src=https://a.example/>\n",
		"<img src=\"a%20b.png\" alt=\"&quot;x&quot;\" width=\"50%\">\n\n" },
	{ "<img src=http://a.example/b.png alt=b><img src=//a.example/c><img src=\"data:image/png,x\" alt=\"<i>\"><img src=HTTPS://d>\n", "<p>b&lt;i&gt;<img src=\"HTTPS://d\"></p>\n" },
	{ "<a href=\"javascript:a\">x</a> <a href=\"java&#115;cript:a\">x</a> <a href=\"java\tscript:a\">x</a> <a href=\"&#1;javascript:a\">x</a>\n",
		"<p><a>x</a> <a>x</a> <a>x</a> <a href=\"&amp;#1;javascript:a\">x</a></p>\n" },
	{ "<a href=\"java&Tab;script&colon;a\">x</a> <a href=\" \tJaVaScRiPt:a\">x</a> <a href='vbscript:a'>x</a> <a href=data:a>x</a>\n",
		"<p><a href=\"java&amp;Tab;script&amp;colon;a\">x</a> <a>x</a> <a>x</a> <a>x</a></p>\n" },
	{ "<a href=\"b.md\">x</a> <a href=\"?a=1&amp;b=2\">y</a> <a href=mailto:a@b.c>z</a> <a href=drop>w</a>\n",
		"<p><a href=\"led\">x</a> <a href=\"?a=1&amp;b=2\">y</a> <a href=\"mailto:a@b.c\">z</a> <a>w</a></p>\n" },
	{ "</article></div></p>a<div>\n", "a<div>\n\n</div>\n" },
	{ "- <div>\n\n  </div></ul>\n- </div><mark>a\n",
		"<ul>\n<li>\n<div>\n\n</div>\n\n</li>\n<li>\n<mark>a\n\n</mark>\n</li>\n</ul>\n" },
	{ "*<mark>a* b</mark>\n", "<p><em><mark>a</mark></em> b</p>\n" },
	{ "<kbd><sub>a</kbd>b</sub>\n", "<p><kbd><sub>a</sub></kbd>b</p>\n" },
	{ "<td>a<summary>b<table><td>c<tr><td>d</table>\n", "ab<table>c<tr><td>d</td></tr></table>\n\n" },
	{ "<script>alert(1)</script>\n\n<style>a</style>b\n\n<svg>\n<p>a</svg>\n", "\n\nb\n\n\n\n" },
	{ "<div><script>a</div><!-- <b> --><? a ?><!X>\n", "<div>\n</div>\n" },
	{ "<div><script>a</script><iframe src=a>b</iframe><form action=a><b>c</b><!-- d --></div>\n", "<div><b>c</b></div>\n\n" },
	{ "<div\n\na\n", "&lt;div\n\n<p>a</p>\n" },
	{ "<div>a<b<c \"d\n", "<div>a&lt;b&lt;c &quot;d\n\n</div>\n" },
	{ "<p style=a class=b id=c title=d align=RIGHT>\n", "<p align=\"right\">\n\n</p>\n" },
	{ "![<kbd>a](b.png)\n", "<p><img src=\"b.png\" alt=\"&lt;kbd&gt;a\" /></p>\n" },
	{ "`<!-- raw HTML omitted -->` <kbd>a</kbd> \\<kbd>\n", "<p><code>&lt;!-- raw HTML omitted --&gt;</code> <kbd>a</kbd> &lt;kbd&gt;</p>\n" },
	{ "<div>\n\na[^1]\n\n[^1]: <kbd>b\n", "<div>\n\n<p>a<sup class=\"footnote-ref\"><a href=\"#fn-1\" id=\"fnref-1\" data-footnote-ref>1</a></sup></p>\n</div>\n"
		"<section class=\"footnotes\" data-footnotes>\n<ol>\n<li id=\"fn-1\">\n<p><kbd>b</kbd> <a href=\"#fnref-1\" "
		"class=\"footnote-backref\" data-footnote-backref aria-label=\"Back to content\">↩</a></p>\n</li>\n</ol>\n</section>\n" },
	{ "> [!NOTE]\n> <kbd>a\n", BOX("note", "Note") "<p><kbd>a</kbd></p>\n</div>\n" },
};

static const char *
lead_one(void *arg, const char *address)
{
	(void)arg;
	return str_eq(address, "b.md") ? "led" : str_eq(address, "drop") ? "" : NULL;
}

/* A later cmark-gfm numbers the way back from a footnote. */
static const char *
backref_as_before(const char *html)
{
	static const char later[] = " data-footnote-backref-idx=\"1\" aria-label=\"Back to reference 1\"";
	const char *at = strstr(html, later);

	return at ? mem_printf(mem, "%.*s aria-label=\"Back to content\"%s", (int)(at - html), html, at + strlen(later)) : html;
}

static void
html(void)
{
	for (size_t i = 0; i < sizeof html_cases / sizeof *html_cases; i++) {
		const char *const *of = html_cases[i];
		struct markdown_text text;

		markdown_text(mem, of[0], strlen(of[0]), lead_one, NULL, &text);
		is_str(backref_as_before(text.html), of[1], mem_printf(mem, "HTML, case %zu", i));
	}
}

#define MATH(tex_) "<code class=\"math\">" tex_ "</code>"
#define DISPLAY(tex_) "<code class=\"math display\">" tex_ "</code>"
/* { text, HTML } */
static const char *const math_cases[][2] = {
	{ "a $x_1 + y_1$ b $\\{<\\}$\n", "<p>a " MATH("x_1 + y_1") " b " MATH("\\{&lt;\\}") "</p>\n" },
	{ "**$a*b*c$** *x*\n", "<p><strong>" MATH("a*b*c") "</strong> <em>x</em></p>\n" },
	{ "$5 and $6, 5 $ and $ a$, $a $, $1$2\n", "<p>$5 and $6, 5 $ and $ a$, $a $, $1$2</p>\n" },
	{ "\\$a$ b$ $a\\$b$\n", "<p>$a$ b$ " MATH("a\\$b") "</p>\n" },
	{ "$5, `$a$`\n", "<p>$5, <code>$a$</code></p>\n" },
	{ "$a\nb$\n", "<p>$a\nb$</p>\n" },
	{ "$$\na_b\n\\\\\n$$\n\n$$a\n\nb$$ $$$$ $$$c$$$\n", "<p>" DISPLAY("\na_b\n\\\\\n") "</p>\n<p>$$a</p>\n<p>b$$ $$$$ $$$c$$$</p>\n" },
	{ "> $$\n> a$$\n", "<blockquote>\n<p>$$\na$$</p>\n</blockquote>\n" },
	{ "`$a$ `` $b$` $c$ ``$d`$e``\n", "<p><code>$a$ `` $b$</code> " MATH("c") " <code>$d`$e</code></p>\n" },
	{ "```\n$a$\n```\n$b$\n", "<pre><code>$a$\n</code></pre>\n<p>" MATH("b") "</p>\n" },
	{ "- ~~~~ $a$\n  $a$\n  ~~~\n  $a$\n  ~~~~\n  $b$\n", "<ul>\n<li>\n<pre><code class=\"language-$a$\">$a$\n~~~\n$a$\n</code></pre>\n" MATH("b") "</li>\n</ul>\n" },
	{ "    $a$\n", "<pre><code>$a$\n</code></pre>\n" },
	{ "|a|\n|-|\n|$|x|$|\n", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>" MATH("|x|") "</td>\n</tr>\n</tbody>\n</table>\n" },
	{ "[a $b$](/c?$d$ \"$e$\") ![$f_g$ h](/$i$)\n",
		"<p><a href=\"/c?$d$\" title=\"$e$\">a " MATH("b") "</a> <img src=\"/$i$\" alt=\"$f_g$ h\" /></p>\n" },
	{ "<p title=\"$a$\">$b$\n", "<!-- raw HTML omitted -->\n" },
	{ "# A $x$\n", "<h2 id=\"at-a-x\">A " MATH("x") "</h2>\n" },
	{ "\xef\xb7\x90" "0\xef\xb7\x91 $a$\n", "<p>\xef\xbf\xbd" "0\xef\xbf\xbd " MATH("a") "</p>\n" },
	{ "> [!TIP]\n> $a$\n", BOX("tip", "Tip") "<p>" MATH("a") "</p>\n</div>\n" },
};

static void
math(void)
{
	const char *dear = text_of("", "$a `b ``$`c$$ ", NOTE), *many = text_of("", "$x$ ", NOTE);
	clock_t began = clock();

	for (size_t i = 0; i < sizeof math_cases / sizeof *math_cases; i++) {
		const char *const *of = math_cases[i];

		is_str(markdown_math(mem, of[0], strlen(of[0]), 1), of[1], mem_printf(mem, "math, case %zu", i));
	}
	is_str(markdown_html(mem, "$a_b_c$", 7, 1), "<p>$a_b_c$</p>\n", "a note has none");
	markdown_math(mem, dear, strlen(dear), 1);
	ok(strstr(markdown_math(mem, many, strlen(many), 1), MATH("x") " " MATH("x")), "many formulas");
	ok(clock() - began < 10 * CLOCKS_PER_SEC, "what only seems to be formulas takes no longer");
}

int
main(void)
{
	mem = mem_root("markdown");
	bounds();
	headings();
	notes();
	alerts();
	html();
	math();
	mem_free(mem);
	return done();
}
