/* SPDX-License-Identifier: Apache-2.0
 * gzip in memory, out and in. Source: RFC 1952. In the service gzip.c alone sees zlib. */
#ifndef VITRINE_GZIP_H
#define VITRINE_GZIP_H
#include "store/spool.h"

/* The bytes written, 0 when they don't fit into room. Equal bytes pack equally. */
size_t gzip_pack(const char *bytes, size_t n, char *out, size_t room);

struct gunzip;
/* The file must stay open as long as owner lives. */
struct gunzip *gunzip_new(struct ctx *c, void *owner, struct span packed);
/* The next piece, valid until the next call; *n is 0 at the end. False: damaged, cut, with a wrong
 * checksum, with something after it, or unreadable. */
bool gunzip_read(struct gunzip *, const void **bytes, size_t *n);
#endif
