/* SPDX-License-Identifier: Apache-2.0
 * Reads server-sent events (WHATWG HTML, "Server-sent events") from bytes as they come, however
 * they are cut. Only `data` is kept; other fields and comments are passed over. */
#ifndef VITRINE_SSE_H
#define VITRINE_SSE_H
#include "base/buf.h"

#include <stdbool.h>

struct sse {
	size_t most;      /* bytes of an event, or of a line */
	struct buf line, data;
	bool begun;       /* a line has ended: no byte order mark anymore */
	bool has_data;    /* the event under way has some, perhaps empty */
	bool after_cr;    /* a \n that follows belongs to it */
	bool too_long;    /* more than most: nothing is read anymore */
};
#define SSE(owner_, most_) \
	((struct sse){ .most = (most_), .line = BUF(owner_), .data = BUF(owner_) })

/* Takes bytes up to the end of an event and gives how many. *event is its data, which lasts
 * until the next call, or NULL when all n bytes have been taken and it goes on. */
size_t sse_take(struct sse *, const char *bytes, size_t n, const char **event);
#endif
