/* SPDX-License-Identifier: Apache-2.0
 * Request bodies: in memory, or files that nginx has written to spool/ in data_dir. nginx removes
 * them after the request. */
#ifndef VITRINE_SPOOL_H
#define VITRINE_SPOOL_H
#include "base/crypto.h"
#include "base/ctx.h"

#include <stddef.h>

struct temp;

/* A range of an open file, or of memory. We read files by pread(), because mapped pages would count
 * as the worker's memory. */
struct span {
	int fd;
	int64_t at, n;
	const char *bytes; /* NULL: fd is used */
};
/* Reads the first n bytes of the span. E_INTERNAL if the file is shorter. */
enum err span_read(struct ctx *c, const struct span *, void *to, size_t n);
/* Returns the span without its first n bytes. */
struct span span_after(struct span, int64_t n);
/* Adds the span's bytes to a digest, in chunks. */
enum err span_digest(struct ctx *c, const struct span *, struct sha256 *into);
/* Returns all of the span's bytes, read-only, until c->mem is freed; no NUL follows. A file is
 * mapped, and must be a whole one. */
enum err span_map(struct ctx *c, const struct span *, const char **bytes);
/* Appends the span's bytes to a temporary. The kernel copies those of a file. */
enum err span_append(struct ctx *c, const struct span *, struct temp *to);

/* Opens a body, until c->mem is freed. path is nginx's: absolute, below data_dir/spool, else
 * E_INTERNAL. E_UNAVAILABLE if the file is gone. */
enum err spool_open(struct ctx *c, const char *path, struct span *out);
/* Returns path relative to data_dir; NULL if it isn't in the spool. */
const char *spool_below(struct ctx *c, const char *path);
#endif
