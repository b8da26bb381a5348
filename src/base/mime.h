/* SPDX-License-Identifier: Apache-2.0
 * Media types by file extension. admin/front.c prints nginx's types from the same table. */
#ifndef VITRINE_MIME_H
#define VITRINE_MIME_H
#include <stdbool.h>

/* Sorted by extension. A row of NULLs ends the table. */
struct mime_row {
	const char *ext, *mime;
};
extern const struct mime_row mime_table[];

const char *mime_of(const char *path);  /* adds "; charset=utf-8" to text */
bool mime_ends(const char *path, const char *ending); /* ignores case */
/* Returns the Content-Encoding of a file that is published compressed but loaded as another: what
 * game engines load (x.js.br, x.data.gz) and .svgz. *inner is a name with the other's type. Returns
 * NULL for a file sent as it is, such as an archive to download. */
const char *mime_encoding(const char *path, const char **inner);
bool mime_is_html(const char *mime);
bool mime_is_page(const char *mime); /* HTML or XHTML */
bool mime_is_text(const char *mime); /* nginx and workers add a charset to it */
bool mime_compressible(const char *path);
bool mime_valid(const char *s); /* a type/subtype of RFC 6838 with parameters, at most 255 bytes */
/* In lower case, with the charset if it is text. */
const char *mime_canonical(void *owner, const char *declared);
#endif
