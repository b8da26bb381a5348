/* SPDX-License-Identifier: Apache-2.0
 * Hosts of the review view: each shows one version of an artifact in a frame of our page, to one
 * session (core/viewer.h). They have none of the artifact's cookies, storage and workers, and only
 * read. gate.c answers them; this file has what differs from a page's own host. Source:
 * talk/README.md. */
#ifndef VITRINE_FRAME_H
#define VITRINE_FRAME_H
#include "http/req.h"

/* False for a request that isn't a frame's: a page by itself, or a service worker. */
bool frame_may_have(const struct req *);
/* Returns the page with a script element of ours behind its doctype. *nonce is what the element
 * has, for frame_headers(). */
const char *frame_page(void *mem, const char *html, const char **nonce);
/* True if a frame asks for a picture as its page. */
bool frame_wants_picture(const struct req *, const char *mime);
/* Returns a page with our script that shows the picture, and sets its headers. */
const char *frame_picture(struct req *, const char *path, const char **nonce);
/* Removes the page's headers that don't matter in a frame or would open it to others, and adds
 * ours. Of its Content-Security-Policy, frame-ancestors is replaced, and our script is allowed if
 * the page has it: nonce isn't NULL. */
void frame_headers(struct req *, const char *nonce);
#endif
