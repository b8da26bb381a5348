/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/lane.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/wake.h"
#include "core/round.h"

#include <signal.h>

enum { BEAT_MS = 30000 };

static volatile sig_atomic_t stop_asked, reload_asked;
static int64_t over_ms, beat_ms;

static void
lane_stop(int signal)
{
	(void)signal;
	stop_asked = 1;
	wake_stop();
}

static void
lane_reload(int signal)
{
	(void)signal;
	reload_asked = 1;
	wake_stop();
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

/* Returns the part of ms that is left before lane_over(). */
static int64_t
time_left(int64_t ms)
{
	int64_t left = over_ms ? over_ms - clock_ms() : INT64_MAX;

	return left < ms ? left : ms;
}

void
lane_sleep(int64_t ms)
{
	int64_t until = clock_ms() + ms;

	for (int64_t left = ms; left > 0; left = until - clock_ms()) {
		unsigned stops = wake_stops();

		if (lane_over())
			return;
		wake_sleep(stops, time_left(left));
	}
}

void
lane_wait(const struct conf *conf, unsigned count, int64_t ms)
{
	if (!lane_over())
		wake_wait(conf, count, time_left(ms));
}

void
lane_beat(const struct conf *conf, struct db *db, const char *name)
{
	struct ctx *c;

	if (beat_ms && clock_ms() - beat_ms < BEAT_MS)
		return;
	beat_ms = clock_ms();
	c = ctx_begin(conf, db);
	/* A failed heartbeat must not stop the lane. vitrinectl doctor reports it. */
	if (heartbeat(c, name))
		log_line(LOG_LEVEL_WARN, "no heartbeat", "why", ctx_why(c), NULL);
	ctx_end(c);
}
