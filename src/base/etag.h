/* SPDX-License-Identifier: Apache-2.0
 * The ETag of what is told by its bytes alone: the first 12 of their SHA-256, quoted. Programs of
 * the client compare it with files that they have. */
#ifndef VITRINE_ETAG_H
#define VITRINE_ETAG_H
#include <stddef.h>

const char *etag_of_bytes(void *owner, const void *bytes, size_t n);
/* Of a digest as rows have it, in lower-case digits. NULL for NULL: there is nothing. */
const char *etag_of_sha256(void *owner, const char *hex);
#endif
