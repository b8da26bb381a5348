/* SPDX-License-Identifier: Apache-2.0
 * multipart/form-data (RFC 7578) over an open file, a window at a time: parts are told by where
 * they lie in it. */
#ifndef VITRINE_MULTIPART_H
#define VITRINE_MULTIPART_H
#include "store/spool.h"

struct part {
	const char *name, *filename, *mime; /* filename and mime NULL when absent */
	struct span bytes;
};

/* E_INVALID: no boundary, no final boundary, more than max parts, folded or too many headers. */
enum err multipart_parse(struct ctx *c, const char *content_type, struct span body,
    struct part *out, size_t max, size_t *count);
/* Its bytes in c->mem, with a NUL behind them. */
enum err part_read(struct ctx *c, const struct part *, const char **bytes);
#endif
