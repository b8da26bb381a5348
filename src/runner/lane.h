/* SPDX-License-Identifier: Apache-2.0
 * What all lanes of a runner ask: whether to go on taking work. It is the process's own. */
#ifndef VITRINE_LANE_H
#define VITRINE_LANE_H
#include "base/ctx.h"

/* SIGTERM and SIGINT ask to stop from now on; what is under way is ended. SIGHUP asks to reload,
 * which ends nothing. */
void lane_signals(void);
/* Whether it has since the last time. */
bool lane_reload_asked(void);
/* Nothing is taken after so many milliseconds from now; 0: for as long as there is something. */
void lane_time(int64_t ms);
/* Whether to take nothing more. */
bool lane_over(void);
/* Waits; a signal that asks to stop ends it. */
void lane_sleep(int64_t ms);
/* The same, and a commit since the count (base/wake.h) ends it, too. */
void lane_wait(const struct conf *, unsigned count, int64_t ms);
/* Says in a row that this lane lives, every 30 seconds at most. */
void lane_beat(const struct conf *conf, struct db *db, const char *name);
#endif
