/* SPDX-License-Identifier: Apache-2.0
 * How long is waited after failures. */
#include "base/clock.h"

#include "tap.h"

int
main(void)
{
	is_int(wait_doubled(60, 0, 3600), 60, "first");
	is_int(wait_doubled(60, 3, 3600), 480, "three times doubled");
	is_int(wait_doubled(60, 6, 3600), 3600, "never more than the most");
	is_int(wait_doubled(7200, 0, 3600), 3600, "... though it began with more");
	is_int(wait_doubled(60, -1, 3600), 60, "doubled less than never");
	is_int(wait_doubled(1, INT64_MAX, INT64_MAX / 2), INT64_MAX / 2, "however often");
	is_int(wait_doubled(0, 10000, 3600), 0, "nothing stays nothing");
	return done();
}
