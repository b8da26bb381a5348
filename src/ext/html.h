/* SPDX-License-Identifier: Apache-2.0
 * Converts an HTML page to Markdown: headings, text, lists, tables, code, links. Leaves out
 * scripts, styles, navigation, forms and hidden elements. Text of the page stays text in Markdown.
 * html_work() parses strangers' bytes in a separate process (ext/apart.h); others call html_read().
 * Only html.c includes libgumbo. */
#ifndef VITRINE_HTML_H
#define VITRINE_HTML_H
#include "base/buf.h"
#include "base/ctx.h"

enum { HTML_LINK_BYTES = 2048, HTML_TITLE = 200 };

struct html_page {
	const char *address; /* https://…, the base of relative links */
	const char *charset; /* from the Content-Type; NULL if not given */
	const char *bytes;
	size_t n, most; /* most: limit of the text in bytes */
	bool words; /* the text is all text of the page as it is, also that of menus and drawings;
		     * none if it is cut */
};
struct html_content {
	const char *title; /* one line; "" if there is none */
	/* "" if there is none. A link is HTML_LINK, the address, HTML_LINKED, the words,
	 * HTML_LINK_END; html_links() converts these. The text has no other control characters
	 * except line ends. */
	const char *text;
	bool cut;
};
#define HTML_LINK '\1'
#define HTML_LINKED '\2'
#define HTML_LINK_END '\3'

/* Parses in this process. E_INVALID, with a message for people, if the character set is unknown or
 * parsing takes too much memory. */
enum err html_parse(struct ctx *c, const struct html_page *, struct html_content *out);
/* Parses in a separate process, within its limits. E_UNAVAILABLE if there is no helper. */
enum err html_read(struct ctx *c, const struct html_page *, struct html_content *out);
/* The work of that process, an apart_work. */
enum err html_work(struct ctx *c, const char *in, size_t n, struct buf *out);

/* Returns the text with links: as [[path|words]] to the result of path(arg, address), or as
 * Markdown links to the address if that or path is NULL. */
const char *html_links(void *owner, const char *text,
    const char *(*path)(void *arg, const char *address), void *arg);
/* Returns the text without Markdown: escapes and code fences are removed, and a link becomes its
 * words and its address. */
const char *html_plain(void *owner, const char *text);
#endif
