/* SPDX-License-Identifier: Apache-2.0
 * How long is waited after failures, and steps of the time of day. */
#include "base/clock.h"

#include "tap.h"

enum { HOLD = 120000, DAY = 86400 };

/* now_ms, and how far the time of day is ahead of it. */
static bool
stepped(struct clock_watch *w, int64_t now_ms, int64_t ahead_s)
{
	return clock_stepped(w, now_ms / 1000 + ahead_s, now_ms, HOLD);
}

static void
steps(void)
{
	struct clock_watch w = { 0 };

	ok(!stepped(&w, 1000, DAY), "a clock that was ahead from the beginning is no step");
	ok(!stepped(&w, 900000, DAY + 4), "nor is one that was corrected a little");
	ok(stepped(&w, 901000, 2 * DAY), "a day ahead at once is one");
	ok(stepped(&w, 901000 + HOLD - 1, 2 * DAY), "... for as long as it holds");
	ok(!stepped(&w, 901000 + HOLD, 2 * DAY), "... and no longer");
	ok(stepped(&w, 2000000, DAY), "so is a day back");
}

int
main(void)
{
	steps();
	is_int(wait_doubled(60, 0, 3600), 60, "first");
	is_int(wait_doubled(60, 3, 3600), 480, "three times doubled");
	is_int(wait_doubled(60, 6, 3600), 3600, "never more than the most");
	is_int(wait_doubled(7200, 0, 3600), 3600, "... though it began with more");
	is_int(wait_doubled(60, -1, 3600), 60, "doubled less than never");
	is_int(wait_doubled(1, INT64_MAX, INT64_MAX / 2), INT64_MAX / 2, "however often");
	is_int(wait_doubled(0, 10000, 3600), 0, "nothing stays nothing");
	return done();
}
