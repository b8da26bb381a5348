/* SPDX-License-Identifier: Apache-2.0
 * Finds the local files that an HTML page names in src, href, poster and url(). */
#ifndef VITRINE_CLI_REFERS_H
#define VITRINE_CLI_REFERS_H
#include "base/shape.h"

enum { REFERS_MOST = 50 };

/* Moves *at behind the next address in HTML or CSS, and returns it as it is written. NULL at the
 * end. */
const char *refers_next(void *owner, const char **at);
/* Returns the relative paths of regular files below dir that the page names, each once, in the
 * page's order, at most REFERS_MOST. Skips paths that lead out of dir. owner owns the result. */
struct strs refers_find(void *owner, const char *html, const char *dir);
#endif
