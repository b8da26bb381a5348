/* SPDX-License-Identifier: Apache-2.0
 * The seats of the line, whose clients may leave when they have just been let in. */
#include "tap.h"

#include "base/conf.h"
#include "http/share.h"

#include <unistd.h>

int
main(void)
{
	const struct conf conf = { .workers = 2, .slow_workers = 2 };
	const struct caller ann = { .person = 1, .network = 9 }, bob = { .person = 2, .network = 8 };
	int first, second, other;
	int64_t ticket;

	share_open();
	share_line_reset();
	first = share_wait(QUICK, &ann);
	second = share_wait(QUICK, &ann);
	other = share_wait(QUICK, &bob);
	ticket = share_let_in(&conf, first);
	ok(ticket > 0 && share_waiting(QUICK) == 2, "a caller with no request under way is let in");
	ok(!share_let_in(&conf, second), "the next waits: half of the workers are the caller's");
	ok(share_let_in(&conf, other) > 0, "somebody else doesn't");
	usleep(350 * 1000);
	ok(share_let_in(&conf, second) > 0, "nor the next, once the first hasn't come back");
	ok(share_wait(QUICK, &ann) > other, "the first seat isn't given away, as its ticket may come late");
	return done();
}
