/* SPDX-License-Identifier: Apache-2.0
 * Markdown: what would take more work than its length is worth is text; headings have ids; links between notes lead to them; alerts are boxes. */
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

int
main(void)
{
	mem = mem_root("markdown");
	bounds();
	headings();
	notes();
	alerts();
	mem_free(mem);
	return done();
}
