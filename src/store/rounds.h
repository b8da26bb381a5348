/* SPDX-License-Identifier: Apache-2.0
 * What the runner does again and again, a piece at a time: takes away what has had its time, ends
 * what nobody decided, counts what came. Each noun says at the bottom of its file what its rounds
 * are; app/nouns.c has their names, and runner/reap.c goes through them. */
#ifndef VITRINE_ROUNDS_H
#define VITRINE_ROUNDS_H
#include "store/sweep.h"

enum how {
	EACH_PASS, /* from the start */
	RESUMED,   /* each pass, from where the one before stopped */
	DAILY      /* the same, but begun once a day */
};
/* Either rows, which does at most `limit` and says how many it has done, or piece. */
struct round_kind {
	const char *name; /* NULL ends the list */
	enum err (*rows)(struct ctx *c, int64_t limit, int64_t *done);
	enum err (*piece)(struct ctx *c, struct sweep_at *at);
	enum how how;
};
#define ROUNDS(noun, ...) \
	extern const struct round_kind noun##_rounds[]; \
	const struct round_kind noun##_rounds[] = { __VA_ARGS__, { NULL } }
extern const struct round_kind *const rounds[]; /* app/nouns.c; ends with NULL */
#endif
