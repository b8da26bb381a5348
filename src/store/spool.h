/* SPDX-License-Identifier: Apache-2.0
 * Request bodies that the web server has written to spool/ under data_dir and removes after the
 * request. */
#ifndef VITRINE_SPOOL_H
#define VITRINE_SPOOL_H
#include "base/crypto.h"
#include "base/ctx.h"

#include <stddef.h>

/* Bytes of an open file, read with pread(): mapped ones would count as the worker's memory. */
struct span {
	int fd;
	int64_t at, n;
};
/* The first n bytes of it into to. E_INTERNAL when the file is shorter. */
enum err span_read(struct ctx *c, const struct span *, void *to, size_t n);
/* Takes its first n bytes away. */
struct span span_after(struct span, int64_t n);
/* Adds its bytes to a digest, a piece at a time. */
enum err span_digest(struct ctx *c, const struct span *, struct sha256 *into);

/* path as the web server tells it: absolute, below data_dir/spool; anything else is E_INTERNAL, a
 * file that is gone E_UNAVAILABLE. The bytes are mapped read-only until c->mem is freed, and aren't
 * followed by a NUL. */
enum err spool_map(struct ctx *c, const char *path, const char **bytes, size_t *n);
/* *fd is closed with c->mem. */
enum err spool_open(struct ctx *c, const char *path, int *fd, int64_t *size);
/* The same path below data_dir; NULL when it isn't in the spool. */
const char *spool_below(struct ctx *c, const char *path);
#endif
