/* SPDX-License-Identifier: Apache-2.0
 * Reads server-sent events (WHATWG HTML, "Server-sent events") from chunks that may end anywhere.
 * Keeps only `data`; ignores other fields and comments. */
#ifndef VITRINE_SSE_H
#define VITRINE_SSE_H
#include "base/buf.h"

#include <stdbool.h>

struct sse {
	size_t most;      /* bytes of an event and of a line */
	struct buf line, data;
	bool begun;       /* a line has ended, so no byte order mark can follow */
	bool has_data;    /* the current event has data, perhaps empty */
	bool after_cr;    /* a following \n belongs to the line end */
	bool too_long;    /* exceeded `most`: nothing more is read */
};
#define SSE(owner_, most_) \
	((struct sse){ .most = (most_), .line = BUF(owner_), .data = BUF(owner_) })

/* Reads bytes up to the end of an event and returns how many. *event is its data, valid until the
 * next call; NULL if all n bytes were read and the event isn't complete. */
size_t sse_take(struct sse *, const char *bytes, size_t n, const char **event);
#endif
