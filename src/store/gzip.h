/* SPDX-License-Identifier: Apache-2.0
 * gzip in memory, out and in. Source: RFC 1952. In the service gzip.c alone sees zlib. */
#ifndef VITRINE_GZIP_H
#define VITRINE_GZIP_H
#include <stdbool.h>
#include <stddef.h>

/* The bytes written, 0 when they don't fit into room. Equal bytes pack equally. */
size_t gzip_pack(const char *bytes, size_t n, char *out, size_t room);

struct gunzip;
/* bytes must outlive owner. */
struct gunzip *gunzip_new(void *owner, const void *bytes, size_t n);
/* The next piece, valid until the next call; *n is 0 at the end. False: damaged, cut, with a wrong
 * checksum or with something after it. */
bool gunzip_read(struct gunzip *, const void **bytes, size_t *n);
#endif
