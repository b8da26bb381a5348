/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wake.h"

#include "base/counters.h"
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint own;          /* of this process: counts wake_stop() */
static atomic_uint *shared_word; /* NULL until it is mapped */

static atomic_uint *
word(const struct conf *conf)
{
	if (!shared_word)
		shared_word = counters_map(conf, "wake", &own, 1);
	return shared_word;
}

static void
word_wait(atomic_uint *at, unsigned count, int64_t ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	if (ms > 0)
		syscall(SYS_futex, at, FUTEX_WAIT, count, &time, NULL, 0);
}

void
wake_tell(const struct conf *conf)
{
	atomic_fetch_add(word(conf), 1);
	syscall(SYS_futex, word(conf), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

unsigned
wake_count(const struct conf *conf)
{
	return atomic_load(word(conf));
}

void
wake_wait(const struct conf *conf, unsigned count, int64_t ms)
{
	word_wait(word(conf), count, ms);
}

/* The signal itself ends a wait that has begun; the new count prevents one that is about to begin.
 */
void
wake_stop(void)
{
	atomic_fetch_add(&own, 1);
	if (shared_word)
		atomic_fetch_add(shared_word, 1);
}

unsigned
wake_stops(void)
{
	return atomic_load(&own);
}

void
wake_sleep(unsigned stops, int64_t ms)
{
	word_wait(&own, stops, ms);
}
