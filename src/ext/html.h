/* SPDX-License-Identifier: Apache-2.0
 * What an HTML page says, as Markdown: headings, text, lists, tables, code, links. Scripts, styles,
 * navigation, forms and what is hidden are left out. What is text on the page is text in Markdown,
 * whatever it looks like. A parser of strangers' bytes: html_work() is for a process apart
 * (ext/apart.h), and html_read() is all that others see of it. Only html.c sees libgumbo. */
#ifndef VITRINE_HTML_H
#define VITRINE_HTML_H
#include "base/buf.h"
#include "base/ctx.h"

enum { HTML_LINK_BYTES = 2048, HTML_TITLE = 200 };

struct html_page {
	const char *address; /* https://…, which links are relative to */
	const char *charset; /* that it is sent with; NULL: not told */
	const char *bytes;
	size_t n, most; /* of the text, which is cut there */
};
struct html_said {
	const char *title; /* of one line; "" for none */
	/* "" when there is none. Links are as marks: HTML_LINK, the address, HTML_LINKED, the
	 * words, HTML_LINK_END; html_links() makes links of them. There are no control characters
	 * but these and line ends. */
	const char *text;
	bool cut;
};
#define HTML_LINK '\1'
#define HTML_LINKED '\2'
#define HTML_LINK_END '\3'

/* In this process. E_INVALID, in words for people: its character set isn't known, or it takes too
 * much memory. */
enum err html_parse(struct ctx *c, const struct html_page *, struct html_said *out);
/* In a process apart, within its limits; E_UNAVAILABLE when there is none. */
enum err html_read(struct ctx *c, const struct html_page *, struct html_said *out);
/* The work of that process: an apart_work. */
enum err html_work(struct ctx *c, const char *in, size_t n, struct buf *out);

/* The text with links: to what path(arg, address) gives as [[path|words]], or, where that or path
 * is NULL, to the address itself. */
const char *html_links(void *owner, const char *text,
    const char *(*path)(void *arg, const char *address), void *arg);
/* The text for where there is no Markdown: what is text is as it was, code has no fence, and a link
 * is its words and its address. */
const char *html_plain(void *owner, const char *text);
#endif
