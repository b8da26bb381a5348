/* SPDX-License-Identifier: Apache-2.0
 * Removes what has expired: rows, the trash, purged artifacts, and bytes that no row names. Counts
 * the log of views and removes it. Works in rounds of pieces, which the nouns declare
 * (store/rounds.h). A round through the whole store runs once a day, a part in each pass; the table
 * sweep has its position. The name isn't sweep, because store/sweep.h sweeps files. */
#ifndef VITRINE_REAP_H
#define VITRINE_REAP_H
#include "base/ctx.h"

/* Does one pass of all rounds, for at most a minute. Calls between() after each piece. *report:
 * JSON members for the log, of the rounds that did something. A failed round is logged and
 * continues with the next pass. Returns the first failure. */
enum err reap(
    struct ctx *c, void (*between)(void *arg), void *arg, const char **report);
#endif
