/* SPDX-License-Identifier: Apache-2.0
 * GitHub's Markdown as HTML: CommonMark with tables, task lists, strikethrough and bare links. HTML
 * within it is left out, and links that a browser would run (javascript:) or that lead to files
 * lead nowhere. Our only view of cmark-gfm. */
#ifndef VITRINE_MARKDOWN_H
#define VITRINE_MARKDOWN_H
#include <stdbool.h>
#include <stddef.h>

/* What goes into a page's body. Headings are `below` levels lower than they say, and have ids made
 * of their text. These begin with MARKDOWN_AT where `below` isn't 0: such pages have ids of ours.
 * A text that would take more work than its length is worth (base/mdbound.h) is shown as text; for
 * all functions below it has neither links nor headings. */
#define MARKDOWN_AT "at-"
const char *markdown_html(void *owner, const char *text, size_t n, int below);

/* [[path]] and [[path|text]], on one line and outside of code: a link from one note to another;
 * [[path#heading]] to a heading of it; ![[path]], which embeds it elsewhere, is a link, too. */
struct markdown_ref {
	const char *path, *text;    /* text: the path, where none is given */
	const char *before, *after; /* what stands around it in its block, as text, cut */
};
enum { MARKDOWN_AROUND = 100 /* characters */ };
/* Each in the text's order, until each() says false. */
void markdown_refs(void *owner, const char *text, size_t n,
    bool (*each)(void *arg, const struct markdown_ref *), void *arg);
/* The text with each of these, also in code, as its text alone. */
const char *markdown_unlinked(void *owner, const char *text);
/* The text with each of these as a link of Markdown to where to() says; NULL: as its text alone. */
struct markdown_to {
	const char *url, *title;
};
const char *markdown_linked(void *owner, const char *text, size_t n,
    const struct markdown_to *(*to)(void *arg, const char *path), void *arg);
/* The text with its links leading to where to() says; NULL: where they do, "": they are text
 * alone. Returns NULL where all stay as they are. */
const char *markdown_led(void *owner, const char *text, size_t n,
    const char *(*to)(void *arg, const char *address), void *arg);
/* Its first heading, as text; NULL: it has none. */
const char *markdown_heading(void *owner, const char *text, size_t n);
#endif
