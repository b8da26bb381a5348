/* SPDX-License-Identifier: Apache-2.0
 * Which prepared statements a connection keeps: as many as fit, those that are used again and again
 * first. */
#ifndef VITRINE_ROOM_H
#define VITRINE_ROOM_H
#include <stddef.h>
#include <stdint.h>

struct held {
	size_t bytes;                  /* 0 while it isn't kept */
	uint64_t used_at, used_before; /* values of room.uses at the last two uses; 0: never */
	struct held *next, **link;
};
struct room {
	struct held *first;
	size_t bytes; /* the sum of those that are kept */
	uint64_t uses;
};

/* Call for each use, also of one that isn't kept yet. */
void room_used(struct room *, struct held *);
void room_keep(struct room *, struct held *, size_t bytes);
void room_leave(struct room *, struct held *);
/* Returns the one that must leave before so many bytes more fit into most, or NULL. */
struct held *room_over(const struct room *, size_t bytes, size_t most);
#endif
