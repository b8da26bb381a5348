/* SPDX-License-Identifier: Apache-2.0
 * Media types of uploaded files, from their first bytes, else from their name, never from what the
 * sender says. */
#ifndef VITRINE_SNIFF_H
#define VITRINE_SNIFF_H
#include <stdbool.h>
#include <stddef.h>

enum { SNIFF_BYTES = 64 }; /* bytes at the start of a file that sniff_mime() needs */

/* Returns a type without parameters. If the name promises a picture, sound or film that the bytes
 * don't prove, returns application/octet-stream. */
const char *sniff_mime(const char *name, const void *head, size_t n);
/* True if a browser may show the type in place: pictures, sounds and films, which run no code.
 * sniff_mime() returns such a type only if the bytes prove it. */
bool sniff_shows(const char *mime);
/* Returns the type to send: application/octet-stream for pages and anything a page could load as
 * code. */
const char *sniff_sent_as(const char *mime);
#endif
