/* SPDX-License-Identifier: Apache-2.0
 * Taking away what has had its time: rows that are over, the trash, purged artifacts, bytes that
 * nothing names, and the log of views, which is counted first. It goes in rounds, each a piece at a
 * time, as the nouns declare them (store/rounds.h). What goes through the whole store does so once
 * a day, as much a pass as keeps to that; where it stands is kept in the table sweep. Named reap,
 * since store/sweep.h sweeps files. */
#ifndef VITRINE_REAP_H
#define VITRINE_REAP_H
#include "base/ctx.h"

/* One pass of all rounds, for a minute at most. between() is called after each piece. *report: JSON
 * members for the log, of the rounds that did something. A round that fails is logged and goes on
 * with the next pass, without keeping the others; the first failure is returned. */
enum err reap(
    struct ctx *c, void (*between)(void *arg), void *arg, const char **report);
#endif
