/* SPDX-License-Identifier: Apache-2.0
 * A commit tells the runner's lanes of this machine that there may be work, so they needn't look
 * often. The file `wake` in data_dir is a counter that all processes map. One that can't map it
 * tells nobody, and waits for its time to pass: lanes look once a second anyway. */
#ifndef VITRINE_WAKE_H
#define VITRINE_WAKE_H
#include "base/conf.h"

void wake_tell(const struct conf *);
/* A count to wait from, taken before looking for work. */
unsigned wake_count(const struct conf *);
/* Returns when wake_tell() has been called since the count, wake_stop() in this process, or so many
 * milliseconds are over. */
void wake_wait(const struct conf *, unsigned count, int64_t ms);
/* For signal handlers: ends what this process waits for. */
void wake_stop(void);
/* A count to sleep from, taken before looking for a signal. */
unsigned wake_stops(void);
/* Returns at wake_stop() since the count or after so many milliseconds, whatever is told. */
void wake_sleep(unsigned stops, int64_t ms);
#endif
