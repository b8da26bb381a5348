/* SPDX-License-Identifier: Apache-2.0
 * The monotonic clock, for measuring spans. The time of day is ctx's now. And retry delays. */
#ifndef VITRINE_CLOCK_H
#define VITRINE_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

int64_t clock_us(void);
int64_t clock_ms(void);
/* Returns the delay after `times` failures: `first` doubled that many times, at most `most`. A
 * negative `times` counts as 0. Any unit of time. */
int64_t wait_doubled(int64_t first, int64_t times, int64_t most);

/* Notices steps of the time of day; all zero at first. */
struct clock_watch {
	int64_t apart_s, until_ms;
	bool began;
};
/* Returns true for hold_ms after the time of day (now_s) moved 5 s more or less than the monotonic
 * clock (now_ms) between two calls: it was set, or the machine slept. */
bool clock_stepped(struct clock_watch *w, int64_t now_s, int64_t now_ms, int64_t hold_ms);
#endif
