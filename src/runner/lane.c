/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/lane.h"

#include "base/clock.h"
#include "base/log.h"
#include "core/round.h"

#include <signal.h>
#include <time.h>

enum { BEAT_MS = 30000, NAP_MS = 100 };

static volatile sig_atomic_t stop_asked, reload_asked;
static int64_t over_ms, beat_ms;

static void
lane_stop(int signal)
{
	(void)signal;
	stop_asked = 1;
}

static void
lane_reload(int signal)
{
	(void)signal;
	reload_asked = 1;
}

void
lane_signals(void)
{
	struct sigaction act = { .sa_handler = lane_stop }, again = { .sa_handler = lane_reload };

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGHUP, &again, NULL);
	signal(SIGPIPE, SIG_IGN);
}

bool
lane_reload_asked(void)
{
	bool asked = reload_asked;

	reload_asked = 0;
	return asked;
}

void
lane_time(int64_t ms)
{
	over_ms = ms ? clock_ms() + ms : 0;
}

bool
lane_over(void)
{
	return stop_asked || (over_ms && clock_ms() >= over_ms);
}

/* A signal that comes just before the wait would not end it, so it is short. */
void
lane_sleep(int64_t ms)
{
	int64_t until = clock_ms() + ms;

	for (int64_t left = ms; left > 0 && !lane_over(); left = until - clock_ms()) {
		struct timespec nap = { .tv_nsec = (left < NAP_MS ? left : NAP_MS) * 1000000 };

		nanosleep(&nap, NULL);
	}
}

void
lane_beat(const struct conf *conf, struct db *db, const char *name)
{
	struct ctx *c;

	if (beat_ms && clock_ms() - beat_ms < BEAT_MS)
		return;
	beat_ms = clock_ms();
	c = ctx_begin(conf, db);
	/* One that fails keeps nothing waiting; doctor will tell. */
	if (heartbeat(c, name))
		log_line(LOG_LEVEL_WARN, "no heartbeat", "why", ctx_why(c), NULL);
	ctx_end(c);
}
