/* SPDX-License-Identifier: Apache-2.0
 * Media types by file extension; nginx's are printed from the same table (admin/front.c). */
#ifndef VITRINE_MIME_H
#define VITRINE_MIME_H
#include <stdbool.h>

/* Sorted by extension; ended by a row of NULLs. */
struct mime_row {
	const char *ext, *mime;
};
extern const struct mime_row mime_table[];

const char *mime_of(const char *path);  /* with "; charset=utf-8" for text */
bool mime_ends(const char *path, const char *ending); /* in letters of either case */
/* The Content-Encoding of a file that is published packed and meant to be read as another: what
 * game engines load (x.js.br, x.data.gz) and .svgz; *inner has that one's type. NULL: as it is,
 * such as an archive that is downloaded. */
const char *mime_encoding(const char *path, const char **inner);
bool mime_is_html(const char *mime);
bool mime_is_page(const char *mime); /* or XHTML */
bool mime_is_text(const char *mime); /* one to which nginx and workers add a charset */
bool mime_compressible(const char *path);
bool mime_valid(const char *s); /* RFC 6838 type/subtype with parameters, at most 255 bytes */
const char *
mime_canonical(void *owner, const char *declared); /* lower case; adds the charset to text */
#endif
