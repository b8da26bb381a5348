/* SPDX-License-Identifier: Apache-2.0
 * gzip (RFC 1952): compresses in memory, decompresses a stream. In the service only gzip.c includes
 * zlib. */
#ifndef VITRINE_GZIP_H
#define VITRINE_GZIP_H
#include "store/spool.h"

/* Returns the bytes written; 0 if they don't fit into room. Deterministic. */
size_t gzip_pack(const char *bytes, size_t n, char *out, size_t room);

struct gunzip;
/* The file must stay open as long as owner lives. */
struct gunzip *gunzip_new(struct ctx *c, void *owner, struct span packed);
/* Returns the next chunk, valid until the next call; *n is 0 at the end. Returns false if the
 * stream is damaged, truncated, has a wrong checksum or data after it, or can't be read. */
bool gunzip_read(struct gunzip *, const void **bytes, size_t *n);
#endif
