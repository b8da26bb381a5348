/* SPDX-License-Identifier: Apache-2.0
 * Time that only goes forward, for spans; the time of day is ctx's now. And how long to wait. */
#ifndef VITRINE_CLOCK_H
#define VITRINE_CLOCK_H
#include <stdint.h>

int64_t clock_us(void);
int64_t clock_ms(void);
/* After failures: `first`, doubled so many times (none if negative), and at most `most`. */
int64_t wait_doubled(int64_t first, int64_t times, int64_t most);
#endif
