/* SPDX-License-Identifier: Apache-2.0
 * multipart/form-data (RFC 7578) over bytes in memory, without copying: parts point into the body.
 */
#ifndef VITRINE_MULTIPART_H
#define VITRINE_MULTIPART_H
#include "base/ctx.h"

struct part {
	const char *name, *filename, *mime; /* filename and mime NULL when absent */
	const char *bytes;
	size_t n;
};

/* E_INVALID: no boundary, no final boundary, more than max parts, folded or too many headers. */
enum err multipart_parse(struct ctx *c, const char *content_type, const char *body, size_t n,
    struct part *out, size_t max, size_t *count);
#endif
