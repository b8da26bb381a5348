/* SPDX-License-Identifier: Apache-2.0
 * Every byte of the store read and checked once in scrub_days, for ever, a little each minute. */
#ifndef VITRINE_SCRUB_H
#define VITRINE_SCRUB_H
#include "base/ctx.h"

/* What one pass did. */
struct scrubbed {
	int64_t bytes, found, mended;
};

/* Goes on where the last pass stopped: objects by their digests, the trees of all versions, links
 * and names; first what was found damaged before. What it finds is logged; what can be built again
 * is; what can't is kept (care/damage.h) until it is whole. A damaged object that no row names is
 * removed, since the next to publish its bytes would be given it. Makes this process the last in
 * every queue, for good. */
enum err scrub(struct ctx *c, struct scrubbed *);
#endif
