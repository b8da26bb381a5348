/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

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
