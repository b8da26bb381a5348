/* SPDX-License-Identifier: Apache-2.0
 * Converts GitHub's Markdown to HTML: CommonMark with tables, task lists, strikethrough, bare links
 * and alerts (base/mdalert.h). Leaves out HTML in the text, except in
 * markdown_text(), and the targets of links that would run code (javascript:) or lead to files.
 * Only markdown.c, mdalert.c and mdmath.c include cmark-gfm. */
#ifndef VITRINE_MARKDOWN_H
#define VITRINE_MARKDOWN_H
#include <stdbool.h>
#include <stddef.h>

/* Returns HTML for a page's body. Headings are `below` levels lower than in the text and get ids
 * made of their words. If `below` isn't 0, the ids begin with MARKDOWN_AT, because such a page has
 * ids of its own. A text that would take too long to lay out (base/mdbound.h) is shown as plain
 * text; the functions below find no links and no headings in it. */
#define MARKDOWN_AT "at-"
const char *markdown_html(void *owner, const char *text, size_t n, int below);
/* Like markdown_html(), with formulas (base/mdmath.h). */
const char *markdown_math(void *owner, const char *text, size_t n, int below);

/* A reference from one note to another, on one line and outside of code: [[path]], [[path|text]],
 * [[path#heading]] to a heading of it, or ![[path]]. */
struct markdown_ref {
	const char *path, *text;    /* text: the path if none is given */
	const char *before, *after; /* the text around it in its block, cut */
};
enum { MARKDOWN_AROUND = 100 /* characters */ };
/* Calls each() for every reference in the text's order, until it returns false. */
void markdown_refs(void *owner, const char *text, size_t n,
    bool (*each)(void *arg, const struct markdown_ref *), void *arg);
/* Returns the text with each reference, also in code, replaced by its text. */
const char *markdown_unlinked(void *owner, const char *text);
/* Returns the text with each reference as a Markdown link to the address that to() returns, or as
 * its text if to() returns NULL. */
struct markdown_to {
	const char *url, *title;
};
const char *markdown_linked(void *owner, const char *text, size_t n,
    const struct markdown_to *(*to)(void *arg, const char *path), void *arg);
/* Returns the text with its links changed to the address that to() returns. NULL from to() keeps a
 * link, "" replaces it by its text. Returns NULL if no link changes. */
const char *markdown_led(void *owner, const char *text, size_t n,
    const char *(*to)(void *arg, const char *address), void *arg);
/* Changes links like markdown_led(), and the addresses of pictures to those of picture(). */
const char *markdown_led_all(void *owner, const char *text, size_t n,
    const char *(*to)(void *arg, const char *address),
    const char *(*picture)(void *arg, const char *address), void *arg);
/* Converts a text that is a page of its own, with formulas, and its links changed as by
 * markdown_led(). HTML in
 * it is kept as far as base/mdhtml.h allows, with its links changed, too. firsts:
 * its headings of the first level; if it has several, all are a level lower. v has the headings
 * that have ids, as they are in the page; the ids are as on GitHub. */
struct markdown_heading {
	int level;
	const char *id, *text;
};
struct markdown_text {
	const char *html;
	size_t firsts;
	struct markdown_heading *v;
	size_t n;
};
void markdown_text(void *owner, const char *text, size_t n,
    const char *(*to)(void *arg, const char *address), void *arg, struct markdown_text *out);
/* Returns the first heading as text; NULL if there is none. */
const char *markdown_heading(void *owner, const char *text, size_t n);
#endif
