/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

enum { STEP_S = 5 };

int64_t
clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t
clock_ms(void)
{
	return clock_us() / 1000;
}

int64_t
wait_doubled(int64_t first, int64_t times, int64_t most)
{
	int64_t wait = first;

	while (times-- > 0 && wait < most)
		wait *= 2;
	return wait < most ? wait : most;
}

bool
clock_stepped(struct clock_watch *w, int64_t now_s, int64_t now_ms, int64_t hold_ms)
{
	int64_t apart_s = now_s - now_ms / 1000;

	if (w->began && llabs(apart_s - w->apart_s) >= STEP_S)
		w->until_ms = now_ms + hold_ms;
	w->apart_s = apart_s;
	w->began = true;
	return now_ms < w->until_ms;
}
