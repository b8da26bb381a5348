/* SPDX-License-Identifier: Apache-2.0
 * Media types of files that somebody sent: by what their first bytes prove, else by their name;
 * never by what the sender says. */
#ifndef VITRINE_SNIFF_H
#define VITRINE_SNIFF_H
#include <stdbool.h>
#include <stddef.h>

enum { SNIFF_BYTES = 64 }; /* as many are looked at */

/* Without parameters. A name that promises a picture, a sound or a film which the bytes are not
 * gives application/octet-stream. */
const char *sniff_mime(const char *name, const void *head, size_t n);
/* Whether a browser may show it where it is: pictures, sounds and films, which run nothing. Only
 * bytes that prove to be one have such a type. */
bool sniff_shows(const char *mime);
/* As what it is sent: a type that a page could load as code, or that is a page, goes as bytes. */
const char *sniff_sent_as(const char *mime);
#endif
