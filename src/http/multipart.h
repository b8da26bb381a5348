/* SPDX-License-Identifier: Apache-2.0
 * Parses multipart/form-data (RFC 7578) in an open file, a window at a time. Parts are ranges of
 * the file. */
#ifndef VITRINE_MULTIPART_H
#define VITRINE_MULTIPART_H
#include "store/spool.h"

struct part {
	const char *name, *filename, *mime; /* filename and mime are NULL if missing */
	struct span bytes;
};

/* E_INVALID: no boundary, no final boundary, more than max parts, folded or too many headers. */
enum err multipart_parse(struct ctx *c, const char *content_type, struct span body,
    struct part *out, size_t max, size_t *count);
/* Reads the part's bytes into c->mem, followed by a NUL. */
enum err part_read(struct ctx *c, const struct part *, const char **bytes);
#endif
