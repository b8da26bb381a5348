/* SPDX-License-Identifier: Apache-2.0
 * Finds the character set of a text as browsers do. */
#ifndef VITRINE_CHARSET_H
#define VITRINE_CHARSET_H
#include <stddef.h>

enum { CHARSET_LOOK = 256 << 10 }; /* bytes at the start of a file that charset_of() needs */

/* Takes the first bytes of a file whose type is mime (base/mime.h). Returns NULL for UTF-8, else
 * the character set named by the byte order mark, a <meta> in the first 1,024 bytes, the XML
 * declaration or @charset, allocated in owner; "" if none of them names a set that we can decode.
 * Valid UTF-8 counts as UTF-8 even if the file names another set. */
const char *charset_of(void *owner, const char *mime, const char *bytes, size_t n);
/* Returns the charset parameter of a Content-Type in lower case; NULL if type is NULL or has none.
 */
const char *charset_declared(void *owner, const char *type);
/* Converts a text to UTF-8 and sets *n to its new length. Recognises UTF-8, UTF-16 by its byte
 * order mark, and windows-1252; *charset names which it was (NULL for UTF-8). Returns NULL if the
 * text is in none of these. */
const char *charset_text(void *owner, const char *bytes, size_t *n, const char **charset);
#endif
