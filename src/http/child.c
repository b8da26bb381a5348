/* SPDX-License-Identifier: Apache-2.0 */
#include "http/child.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

void
child_wait(int fd, int64_t ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	struct pollfd poll_fd = { fd, POLLIN, 0 };
	sigset_t none;

	sigemptyset(&none);
	ppoll(&poll_fd, 1, ms < 0 ? NULL : &time, &none);
}
