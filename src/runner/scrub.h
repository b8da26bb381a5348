/* SPDX-License-Identifier: Apache-2.0
 * Reads and checks every byte of the store once in scrub_days, a part each minute. */
#ifndef VITRINE_SCRUB_H
#define VITRINE_SCRUB_H
#include "base/ctx.h"

/* The results of one pass. */
struct scrubbed {
	int64_t bytes, found, mended;
};

/* Continues where the last pass stopped: known damage first, then objects by digest, trees of all
 * versions, links and names. Logs damage and repairs what can be rebuilt. The rest is stored
 * (care/damage.h) until it is whole. Removes a damaged object that no row names, since the next
 * publish of its bytes would use it. Lowers this process's priority for good. */
enum err scrub(struct ctx *c, struct scrubbed *);
#endif
