/* SPDX-License-Identifier: Apache-2.0
 * Compares the store with the rows, and tries it. For vitrinectl. */
#ifndef VITRINE_COMPARE_H
#define VITRINE_COMPARE_H
#include "base/ctx.h"

/* Puts an object, reads it and deletes it. *why is NULL, or what failed. */
enum err store_try(struct ctx *c, const char **why);

/* Counts the objects that the runner should have put ten minutes ago. */
enum err store_overdue(struct ctx *c, int64_t *n);

struct store_found {
	int64_t named;   /* by rows */
	int64_t missing; /* of these in the store */
	int64_t unknown; /* in the store, but not recorded: a process died between the two */
	int64_t mended;
};
/* With mend, puts what is missing, and records what is unknown, so that it is deleted if no row
 * names it. Calls tell() for each problem that is left. */
enum err store_compare(struct ctx *c, bool mend, struct store_found *out,
    void (*tell)(void *arg, const char *key, const char *why), void *arg);
#endif
