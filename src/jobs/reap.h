/* SPDX-License-Identifier: Apache-2.0
 * Taking away what has had its time: kept replies, released slugs, the trash, bytes that nothing
 * names. Named reap, since store/sweep.h sweeps files. */
#ifndef VITRINE_REAP_H
#define VITRINE_REAP_H
#include "base/ctx.h"

struct reaped {
	int64_t replies, slugs, artifacts, objects, trees;
};
enum err reap(struct ctx *c, struct reaped *out);
#endif
