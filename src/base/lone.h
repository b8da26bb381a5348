/* SPDX-License-Identifier: Apache-2.0
 * The page around a lone file that is none itself, since an artifact needs one to begin with: the
 * version gets an index.html that shows a PDF, an image, a film, sound, Markdown or text; anything
 * else has a card with its name, size, type and a link. The page loads nothing but the file (and
 * pictures that a Markdown text names) and runs no script of its own. Source: site/README.md. */
#ifndef VITRINE_LONE_H
#define VITRINE_LONE_H
#include "base/ctx.h"

enum { LONE_TEXT_BYTES = 256 << 10 }; /* of a longer text the page has the link alone */

/* Whether such a file gets a page. */
bool lone_wants_page(const char *path);
/* Whether that page has the file's text in it. */
bool lone_shows_text(const char *path);
/* The page for a file of size bytes. text is NULL where it is too long, or not wanted. */
const char *lone_page(
    struct ctx *c, const char *path, int64_t size, const char *text, size_t n);
#endif
