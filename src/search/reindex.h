/* SPDX-License-Identifier: Apache-2.0
 * Checks and rebuilds the whole index, for vitrinectl. */
#ifndef VITRINE_REINDEX_H
#define VITRINE_REINDEX_H
#include "core/find.h"

/* Compares the index with all things; takes minutes on a large installation. `wrong` counts
 * things with wrong index rows, `stray` counts rows of things that don't exist. Things that wait
 * for the runner aren't counted. */
struct index_state {
	int64_t wrong, stray;
	const char *one; /* kind and id of one wrong thing, or NULL */
};
enum err index_check(struct ctx *c, struct index_state *out);
/* Indexes everything anew: marks all things in search_due, then works them off. If it is
 * interrupted, the runner finishes the work. `tell` is called with the number of finished
 * things. */
enum err index_all(struct ctx *c, void (*tell)(int64_t things), int64_t *things);
#endif
