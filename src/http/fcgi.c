/* SPDX-License-Identifier: Apache-2.0 */
#include "http/fcgi.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* libfcgi's own accept and close poll for up to two seconds for what nginx does next; here a worker
 * is free as soon as its reply is written. */
bool
fcgi_begin(FCGX_Request *fcgi, int fd)
{
	static const struct timeval patience = { .tv_sec = 5 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	fcgi->ipcFd = fd;
	fcgi->keepConnection = 1;
	return FCGX_Accept_r(fcgi) >= 0;
}

void
fcgi_end(FCGX_Request *fcgi)
{
	char rest[1024];

	/* What is left unread would make a reset of the close. */
	while (FCGX_GetStr(rest, sizeof rest, fcgi->in) > 0)
		;
	fcgi->keepConnection = 1;
	FCGX_Finish_r(fcgi);
	if (fcgi->ipcFd >= 0)
		close(fcgi->ipcFd);
	fcgi->ipcFd = -1;
}

bool
fcgi_hung_up(int fd)
{
	struct pollfd end = { .fd = fd };

	return poll(&end, 1, 0) > 0 && end.revents & (POLLHUP | POLLERR);
}
