/* SPDX-License-Identifier: Apache-2.0
 * What is kept of all things against the things themselves: for vitrinectl, whatever it takes. */
#ifndef VITRINE_REINDEX_H
#define VITRINE_REINDEX_H
#include "core/find.h"

/* How many things aren't found as they should be, with one of them, and how many words are kept of
 * nothing. What waits for the runner is none of it. */
struct index_state {
	int64_t wrong, stray;
	const char *one; /* NULL: none */
};
enum err index_check(struct ctx *c, struct index_state *out);
/* Keeps everything anew: all are marked for the runner, then worked off. When it is broken off the
 * runner goes on; tell says how many are done. */
enum err index_all(struct ctx *c, void (*tell)(int64_t things), int64_t *things);
#endif
