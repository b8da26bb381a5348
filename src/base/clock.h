/* SPDX-License-Identifier: Apache-2.0
 * The monotonic clock, for measuring spans. The time of day is ctx's now. And retry delays. */
#ifndef VITRINE_CLOCK_H
#define VITRINE_CLOCK_H
#include <stdint.h>

int64_t clock_us(void);
int64_t clock_ms(void);
/* Returns the delay after `times` failures: `first` doubled that many times, at most `most`. A
 * negative `times` counts as 0. Any unit of time. */
int64_t wait_doubled(int64_t first, int64_t times, int64_t most);
#endif
