/* SPDX-License-Identifier: Apache-2.0 */
#include "db/room.h"

void
room_used(struct room *r, struct held *h)
{
	h->used_before = h->used_at;
	h->used_at = ++r->uses;
}

void
room_keep(struct room *r, struct held *h, size_t bytes)
{
	h->bytes = bytes;
	h->next = r->first;
	h->link = &r->first;
	if (r->first)
		r->first->link = &h->next;
	r->first = h;
	r->bytes += bytes;
}

void
room_leave(struct room *r, struct held *h)
{
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
	r->bytes -= h->bytes;
	h->bytes = 0;
}

/* We take the one with the largest product of its bytes and the uses of all since its last use but
 * one, so that those used once don't displace one that is used all the time. By the last use alone,
 * a third more were prepared again. */
struct held *
room_over(const struct room *r, size_t bytes, size_t most)
{
	struct held *out = r->first;

	if (r->bytes + bytes <= most)
		return NULL;
	for (struct held *h = out; h; h = h->next)
		if ((r->uses - h->used_before) * h->bytes >
		    (r->uses - out->used_before) * out->bytes)
			out = h;
	return out;
}
