/* SPDX-License-Identifier: Apache-2.0
 * ETags that depend on the bytes alone: the first 12 bytes of their SHA-256, quoted. Clients
 * compare them with files that they have, so the form must not change. */
#ifndef VITRINE_ETAG_H
#define VITRINE_ETAG_H
#include <stddef.h>

const char *etag_of_bytes(void *owner, const void *bytes, size_t n);
/* Takes a SHA-256 as lower-case digits, as rows store it. Returns NULL for NULL. */
const char *etag_of_sha256(void *owner, const char *hex);
#endif
