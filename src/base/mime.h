/* SPDX-License-Identifier: Apache-2.0
 * Media types by file extension. mime_print_nginx() writes nginx/mime.types from the same table, so
 * that nginx and the workers agree. */
#ifndef VITRINE_MIME_H
#define VITRINE_MIME_H
#include <stdbool.h>
#include <stdio.h>

const char *mime_of(const char *path);  /* with "; charset=utf-8" for text */
bool mime_is_html(const char *mime);
bool mime_compressible(const char *path);
bool mime_valid(const char *s); /* RFC 6838 type/subtype with parameters, at most 255 bytes */
const char *
mime_canonical(void *owner, const char *declared); /* lower case; adds the charset to text */
void mime_print_nginx(FILE *out);
#endif
