/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/pipe.h"

#include "base/clock.h"
#include "base/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum err
pipe_make(struct ctx *c, int ends[2], int ours)
{
	if (pipe2(ends, O_CLOEXEC))
		return fail_here(c, "no pipe");
	/* Of this end alone: programs expect pipes that block. */
	return fcntl(ends[ours], F_SETFL, O_NONBLOCK) ? fail_here(c, "no pipe") : E_OK;
}

enum err
pipe_await(struct ctx *c, int fd, short way, const char *what)
{
	int64_t until = clock_ms() + c->conf->backup_statement_s * 1000, left;
	struct pollfd ready = { fd, way, 0 };

	while ((left = until - clock_ms()) > 0) {
		int n = poll(&ready, 1, (int)left);

		if (n > 0)
			return E_OK;
		if (n < 0 && errno != EINTR)
			return fail_here(c, "%s", what);
	}
	errno = 0;
	return fail_here(c, "%s: nothing moved for %lld s (backup_statement_s)", what,
	    (long long)c->conf->backup_statement_s);
}

enum err
pipe_read(struct ctx *c, int fd, void *out, size_t n, const char *what, ssize_t *got)
{
	while ((*got = read(fd, out, n)) < 0 && (errno == EINTR || errno == EAGAIN))
		if (errno == EAGAIN)
			TRY(pipe_await(c, fd, POLLIN, what));
	return E_OK;
}
