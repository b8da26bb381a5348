/* SPDX-License-Identifier: Apache-2.0 */
#include "http/fcgi.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* libfcgi's own accept and close wait up to two seconds for nginx's next step. These don't, so a
 * worker is free as soon as its reply is written. */
void
fcgi_open(int fd)
{
	static const struct timeval head = { .tv_sec = 5 }, reply = { .tv_sec = 30 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &head, sizeof head);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &reply, sizeof reply);
}

bool
fcgi_begin(FCGX_Request *fcgi, int fd)
{
	fcgi->ipcFd = fd;
	fcgi->keepConnection = 1;
	return FCGX_Accept_r(fcgi) >= 0;
}

static bool
write_all(int fd, struct iovec *v, int n)
{
	while (n) {
		ssize_t sent = writev(fd, v, n);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return false;
		for (; n && (size_t)sent >= v->iov_len; v++, n--)
			sent -= (ssize_t)v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + sent;
			v->iov_len -= (size_t)sent;
		}
	}
	return true;
}

enum { END_REQUEST = 3, STDOUT = 6, HEAD_BYTES = 8 };

static void
head_set(unsigned char head[HEAD_BYTES], int type, int id, size_t n)
{
	const unsigned char bytes[HEAD_BYTES] = { 1, (unsigned char)type, (unsigned char)(id >> 8),
		(unsigned char)id, (unsigned char)(n >> 8), (unsigned char)n };

	memcpy(head, bytes, HEAD_BYTES);
}

/* libfcgi would copy the bytes into records of 8 KiB, with a system call for each. */
static bool
write_large(FCGX_Request *fcgi, const char *bytes, size_t n)
{
	enum { MOST = 65528 };

	if (FCGX_FFlush(fcgi->out))
		return false;
	while (n) {
		size_t part = n < MOST ? n : MOST;
		unsigned char head[HEAD_BYTES];
		struct iovec v[] = { { head, sizeof head }, { (void *)(uintptr_t)bytes, part } };

		head_set(head, STDOUT, fcgi->requestId, part);
		if (!write_all(fcgi->ipcFd, v, 2))
			return false;
		bytes += part;
		n -= part;
	}
	return true;
}

bool
fcgi_write(FCGX_Request *fcgi, const void *bytes, size_t n)
{
	enum { LARGE = 16 << 10 };

	return n < LARGE ? FCGX_PutStr(bytes, (int)n, fcgi->out) >= 0 : write_large(fcgi, bytes, n);
}

int
fcgi_end(FCGX_Request *fcgi)
{
	char rest[1024];
	bool keep = fcgi->keepConnection;
	int fd;

	/* Unread bytes would be taken for the next request. */
	while (FCGX_GetStr(rest, sizeof rest, fcgi->in) > 0)
		;
	fcgi->keepConnection = 1;
	FCGX_Finish_r(fcgi);
	fd = fcgi->ipcFd;
	fcgi->ipcFd = -1;
	if (keep || fd < 0)
		return fd;
	close(fd);
	return -1;
}

struct fcgi_parked
fcgi_park(FCGX_Request *fcgi)
{
	struct fcgi_parked p = { fcgi->ipcFd, fcgi->requestId };

	FCGX_Free(fcgi, false);
	return p;
}

void
fcgi_parked_end(struct fcgi_parked p, const char *reply)
{
	unsigned char head[HEAD_BYTES], end[2 * HEAD_BYTES] = { 0 };
	size_t n = strlen(reply);
	struct iovec v[] = { { head, sizeof head }, { (void *)(uintptr_t)reply, n },
		{ end, sizeof end } };

	head_set(head, STDOUT, p.id, n);
	head_set(end, END_REQUEST, p.id, HEAD_BYTES);
	write_all(p.fd, v, 3);
	close(p.fd);
}

bool
fcgi_hung_up(int fd)
{
	struct pollfd end = { .fd = fd };

	return poll(&end, 1, 0) > 0 && end.revents & (POLLHUP | POLLERR);
}
