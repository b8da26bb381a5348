/* SPDX-License-Identifier: Apache-2.0
 * Tells a runner's process whether to continue. Its state is the process's own. */
#ifndef VITRINE_LANE_H
#define VITRINE_LANE_H
#include "base/ctx.h"

/* Handles signals from now on: SIGTERM and SIGINT stop the lane after the work under way, SIGHUP
 * asks to reload. */
void lane_signals(void);
/* Returns whether SIGHUP arrived since the last call. */
bool lane_reload_asked(void);
/* Limits the lane to so many milliseconds from now; 0: no limit. */
void lane_time(int64_t ms);
/* Returns whether the lane must not begin more work. */
bool lane_over(void);
/* Sleeps. A signal to stop ends the sleep. */
void lane_sleep(int64_t ms);
/* Sleeps. A signal to stop, or a commit since the count (base/wake.h), ends the sleep. */
void lane_wait(const struct conf *, unsigned count, int64_t ms);
/* Stores that this lane is alive, at most every 30 seconds. */
void lane_beat(const struct conf *conf, struct db *db, const char *name);
#endif
