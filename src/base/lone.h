/* SPDX-License-Identifier: Apache-2.0
 * Makes the index.html for a version that is a single file and not a page. The page shows a PDF, an
 * image, a film, sound, Markdown or text; for any other file it has a card with name, size, type
 * and link. It loads only the file (and pictures that a Markdown text names) and runs no script of
 * its own. site/README.md says why. */
#ifndef VITRINE_LONE_H
#define VITRINE_LONE_H
#include "base/ctx.h"

enum { LONE_TEXT_BYTES = 256 << 10 }; /* the page of a longer text has only a link */

/* True if a version of this file gets a page. */
bool lone_wants_page(const char *path);
/* True if that page contains the file's text. */
bool lone_shows_text(const char *path);
/* Returns the page for a file of size bytes. text is NULL if it is too long or the page doesn't
 * contain it. */
const char *lone_page(
    struct ctx *c, const char *path, int64_t size, const char *text, size_t n);
/* True if lone_page() wrote the page that begins so. */
bool lone_is_page(const char *html);
#endif
