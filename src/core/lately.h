/* SPDX-License-Identifier: Apache-2.0
 * A cache of recent answers from the database, in this process, so that a repeated question is
 * asked once. An answer stays until another takes its place. */
#ifndef VITRINE_LATELY_H
#define VITRINE_LATELY_H
#include "base/ctx.h"

enum { LATELY_PLACES = 4096, LATELY_S = 600 };
struct lately {
	uint64_t kept[LATELY_PLACES];
};
/* Answers about `what` of the last ten minutes. Zero-initialized and static. */
struct lately_at {
	uint64_t *place, key;
};
struct lately_at lately_of(struct ctx *c, struct lately *, const char *what);
bool lately_was(struct lately_at);
void lately_keep(struct lately_at);
#endif
