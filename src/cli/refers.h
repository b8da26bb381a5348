/* SPDX-License-Identifier: Apache-2.0
 * Local files that an HTML page names in src, href, poster and url(). */
#ifndef VITRINE_CLI_REFERS_H
#define VITRINE_CLI_REFERS_H
#include "base/shape.h"

enum { REFERS_MOST = 50 };

/* Relative paths below dir of regular files that are there, each once, in the order of the page; at
 * most REFERS_MOST. A path that leads out of dir is passed over. */
struct strs refers_find(void *owner, const char *html, const char *dir);
#endif
