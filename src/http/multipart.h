/* SPDX-License-Identifier: Apache-2.0
 * Reads multipart/form-data (RFC 7578) from bytes in memory without copying them: parts point into
 * the body. */
#ifndef VITRINE_MULTIPART_H
#define VITRINE_MULTIPART_H
#include "base/ctx.h"

struct part {
	const char *name, *filename, *mime; /* filename and mime NULL when absent */
	const char *bytes;
	size_t n;
};

/* Fills `out` with *count parts. E_INVALID for a missing boundary or final boundary, more than max
 * parts, and part headers that are folded or too long. */
enum err multipart_parse(struct ctx *c, const char *content_type, const char *body, size_t n,
    struct part *out, size_t max, size_t *count);
#endif
