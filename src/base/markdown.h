/* SPDX-License-Identifier: Apache-2.0
 * GitHub's Markdown as HTML: CommonMark with tables, task lists, strikethrough and bare links. HTML
 * within it is left out, and links that a browser would run (javascript:) or that lead to files
 * lead nowhere. Our only view of cmark-gfm. */
#ifndef VITRINE_MARKDOWN_H
#define VITRINE_MARKDOWN_H
#include <stddef.h>

/* What goes into a page's body. Headings are `below` levels lower than they say. */
const char *markdown_html(void *owner, const char *text, size_t n, int below);
#endif
