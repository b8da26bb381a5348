/* SPDX-License-Identifier: Apache-2.0
 * The runner's repeated work, done in small pieces: removes what has expired, ends what nobody
 * decided, counts what was logged. Each noun declares its rounds at the bottom of its file;
 * noun.def of its folder names them, and runner/reap.c runs them. */
#ifndef VITRINE_ROUNDS_H
#define VITRINE_ROUNDS_H
#include "store/sweep.h"

enum how {
	EACH_PASS, /* starts at the beginning on each pass */
	RESUMED,   /* each pass continues where the last one stopped */
	DAILY      /* like RESUMED, but begins once a day */
};
/* Has either rows, which handles at most `limit` rows and returns how many, or piece. */
struct round_kind {
	const char *name; /* NULL ends the list */
	enum err (*rows)(struct ctx *c, int64_t limit, int64_t *done);
	enum err (*piece)(struct ctx *c, struct sweep_at *at);
	enum how how;
	bool each; /* also on machines that aren't active: it is about this machine's files */
	/* Are there times left that only a clock that was ahead can have set? NULL: no. */
	enum err (*ahead)(struct ctx *c, bool *yes);
};
#define ROUNDS(noun, ...) \
	extern const struct round_kind noun##_rounds[]; \
	const struct round_kind noun##_rounds[] = { __VA_ARGS__, { NULL } }
extern const struct round_kind *const rounds[]; /* in app/nouns.c; NULL ends it */
#endif
