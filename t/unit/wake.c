/* SPDX-License-Identifier: Apache-2.0
 * What waits for a commit: it is ended by what is told in another process and by a signal, whether they come before the wait or in it; nothing here waits for a time to pass. */
#include "tap.h"

#include "base/clock.h"
#include "base/wake.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_MS = 60000, SOON_MS = LONG_MS / 2 };

static char data_dir[] = "/tmp/vitrine-wake-XXXXXX";
static const struct conf conf = { .data_dir = data_dir };

static void
stop(int signal)
{
	(void)signal;
	wake_stop();
}

/* In another process, after so many milliseconds; 0: it has done so when this returns. */
static void
beside(int ms, bool tells)
{
	pid_t parent = getpid(), child = fork();

	if (child) {
		if (!ms)
			waitpid(child, NULL, 0);
		return;
	}
	usleep((useconds_t)ms * 1000);
	if (tells)
		wake_tell(&conf);
	else
		kill(parent, SIGUSR1);
	_exit(0);
}

static bool
soon(int64_t from)
{
	return clock_ms() - from < SOON_MS;
}

int
main(void)
{
	unsigned count, stops;
	int64_t from;

	if (!mkdtemp(data_dir))
		return 1;
	signal(SIGUSR1, stop);
	for (int ms = 0; ms <= 200; ms += 200) {
		from = clock_ms();
		count = wake_count(&conf);
		beside(ms, true);
		wake_wait(&conf, count, LONG_MS);
		ok(soon(from) && wake_count(&conf) != count, ms ? "a change that another process tells ends the wait" : "one that was told before does");

		count = wake_count(&conf);
		beside(ms, false);
		wake_wait(&conf, count, LONG_MS);
		ok(soon(from), ms ? "a signal ends it" : "one that came before does");

		stops = wake_stops();
		wake_tell(&conf);
		beside(ms, false);
		wake_sleep(stops, LONG_MS);
		ok(soon(from) && wake_stops() != stops, ms ? "a signal, and no change, ends a sleep" : "so does one that came before");
	}
	count = wake_count(&conf);
	wake_wait(&conf, count, 1);
	wake_sleep(wake_stops(), 1);
	ok(wake_count(&conf) == count, "else the time does");
	return done();
}
