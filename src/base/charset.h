/* SPDX-License-Identifier: Apache-2.0
 * In which characters a text is written, as browsers find it out. */
#ifndef VITRINE_CHARSET_H
#define VITRINE_CHARSET_H
#include <stddef.h>

enum { CHARSET_LOOK = 256 << 10 }; /* bytes of a file that are looked at */

/* Takes the first bytes of a file of that type (base/mime.h). Returns NULL for UTF-8; else the
 * character set that its byte order mark, <meta> in the first 1,024 bytes, XML declaration or
 * @charset says, in owner; "" where nothing says it. UTF-8 that says something else is UTF-8. */
const char *charset_of(void *owner, const char *mime, const char *bytes, size_t n);
/* The set that a Content-Type says (NULL: there is none), in lower case, or NULL. */
const char *charset_said(void *owner, const char *type);
/* A text as UTF-8, where it has a byte order mark or can be of western Windows: *charset says which
 * it was, NULL for UTF-8. NULL when it can't be known. *n grows or shrinks. */
const char *charset_text(void *owner, const char *bytes, size_t *n, const char **charset);
#endif
