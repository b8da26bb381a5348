/* SPDX-License-Identifier: Apache-2.0
 * Compares what is kept of all things with the things, and brings it in line: for vitrinectl. */
#ifndef VITRINE_REINDEX_H
#define VITRINE_REINDEX_H
#include "core/find.h"

struct index_odd {
	enum find_kind kind;
	const char *id, *why;
};
/* A piece at a time, each in a transaction of its own: calls found for each thing that isn't kept as
 * it should be; with mend, each is kept anew. What is kept of nothing is looked for last. */
enum err index_check(struct ctx *c, bool mend, void (*found)(void *arg, const struct index_odd *),
    void *arg);
/* Everything is kept anew, of the kinds and ids from there on (0, ""): for a change of how words
 * are kept. */
#endif
