/* SPDX-License-Identifier: Apache-2.0
 * Wakes the runner's lanes on this machine when a commit may have made work, so that they needn't
 * poll often. The file `wake` in data_dir is a counter that all processes map. A process that can't
 * map it wakes no lane, and its own waits last their full time; lanes poll once a second anyway. */
#ifndef VITRINE_WAKE_H
#define VITRINE_WAKE_H
#include "base/conf.h"

void wake_tell(const struct conf *);
/* Returns a count to pass to wake_wait(). Read it before looking for work. */
unsigned wake_count(const struct conf *);
/* Returns after wake_tell() was called since the count, after wake_stop() in this process, or after
 * ms milliseconds. */
void wake_wait(const struct conf *, unsigned count, int64_t ms);
/* Ends the waits of this process. Safe in signal handlers. */
void wake_stop(void);
/* Returns a count to pass to wake_sleep(). Read it before checking for a signal. */
unsigned wake_stops(void);
/* Returns after wake_stop() was called since the count, or after ms milliseconds. Ignores
 * wake_tell(). */
void wake_sleep(unsigned stops, int64_t ms);
#endif
