/* SPDX-License-Identifier: Apache-2.0 */
#include "http/door.h"

#include "http/fcgi.h"
#include "http/metrics.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* KEPT: more than nginx opens. AT_ONCE: few, so that several workers share many. MANY: quick
 * requests; passing connections on for each would cost more than it saves. After REST_MS without a
 * request, a worker returns memory to the system. */
enum { KEPT = 1000, AT_ONCE = 4, MANY = 32, REST_MS = 5000 };

static struct {
	enum pool pool;
	struct shelf shelf;
	int listening, epoll;
	int serving; /* the connection of the request, or -1; one of kept */
	bool fresh;  /* it was just accepted, and isn't watched */
	int in_a_row; /* requests that came while it was busy, and may have waited */
	int n, kept[KEPT];
} door = { .serving = -1 };

union fds {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(AT_ONCE * sizeof(int))];
};

bool
shelf_open(struct shelf *s)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return false;
	*s = (struct shelf){ ends[0], ends[1] };
	return true;
}

void
shelf_close(struct shelf *s)
{
	close(s->put);
	close(s->take);
}

/* ---- watching ---- */

static void
watch(int fd, uint32_t events)
{
	struct epoll_event ready = { .events = events, .data.fd = fd };

	if (epoll_ctl(door.epoll, EPOLL_CTL_ADD, fd, &ready))
		abort();
}

static void
unwatch(int fd)
{
	epoll_ctl(door.epoll, EPOLL_CTL_DEL, fd, NULL);
}

static void
watch_shared(void)
{
	watch(door.listening, EPOLLIN | EPOLLEXCLUSIVE);
	watch(door.shelf.take, EPOLLIN | EPOLLEXCLUSIVE);
}

void
door_open(enum pool pool, int listening, struct shelf shelf)
{
	door.pool = pool;
	door.shelf = shelf;
	door.listening = listening;
	door.epoll = epoll_create1(EPOLL_CLOEXEC);
	watch_shared();
}

/* epoll wakes the worker that has watched the longest, so few requests keep few workers warm;
 * accept() would wake all in turn. One that keeps a connection watches anew, so that the next goes
 * to a worker without one. */
static void
watch_kept(int fd)
{
	watch(fd, EPOLLIN);
	unwatch(door.listening);
	unwatch(door.shelf.take);
	watch_shared();
}

static bool
kept_add(int fd)
{
	bool room = door.n < KEPT;

	if (room)
		door.kept[door.n++] = fd;
	else
		close(fd);
	return room;
}

/* ---- the shelf ---- */

static bool
shelf_put(const int *fds, int n)
{
	union fds room;
	char byte = 0;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int)) };

	memset(&room, 0, sizeof room);
	room.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN((size_t)n * sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&room.head), fds, (size_t)n * sizeof(int));
	/* Stop watching before sending: epoll watches the connection, not our descriptor, so it
	 * would report requests that the other worker already handles. */
	for (int i = 0; i < n; i++)
		unwatch(fds[i]);
	if (sendmsg(door.shelf.put, &m, MSG_NOSIGNAL) < 0) {
		for (int i = 0; i < n; i++)
			watch(fds[i], EPOLLIN);
		return false;
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return true;
}

/* Moves the connections with a request before the others. Returns how many have one. */
static int
asked_first(int *fds, int n)
{
	struct pollfd look[KEPT];
	int asked = 0;

	for (int i = 0; i < n; i++)
		look[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	if (n == 0 || poll(look, (nfds_t)n, 0) < 1)
		return 0;
	for (int i = 0; i < n; i++)
		if (look[i].revents) {
			fds[i] = fds[asked];
			fds[asked++] = look[i].fd;
		}
	return asked;
}

/* Puts all connections on the shelf except `stay` and the one that is served. Those with a request
 * go singly: a worker that takes several serves one and puts the others behind all that wait. A
 * full shelf has hundreds, and no worker is idle, so the rest stays. */
static void
leave_but(int stay)
{
	int others = 0, left = 0, leaving, asked, n;

	for (int i = 0; i < door.n; i++)
		if (door.kept[i] != door.serving)
			door.kept[others++] = door.kept[i];
	leaving = others > stay ? others - stay : 0;
	asked = asked_first(door.kept + others - leaving, leaving);
	for (const int *fds = door.kept + others - leaving; left < leaving; left += n) {
		n = left < asked ? 1 : leaving - left < AT_ONCE ? leaving - left : AT_ONCE;
		if (!shelf_put(fds + left, n))
			break;
	}
	memmove(door.kept + others - leaving, door.kept + others - leaving + left,
	    (size_t)(leaving - left) * sizeof *door.kept);
	others -= left;
	if (door.serving >= 0)
		door.kept[others++] = door.serving;
	door.n = others;
}

void
door_leave(void)
{
	leave_but(0);
}

static void
shelf_take(void)
{
	union fds room;
	char byte;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof room };
	int fds[AT_ONCE];
	size_t n;

	if (recvmsg(door.shelf.take, &m, MSG_CMSG_CLOEXEC) < 0 || !CMSG_FIRSTHDR(&m))
		return;
	n = (room.head.cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(&room.head), n * sizeof(int));
	for (size_t i = 0; i < n; i++)
		if (kept_add(fds[i]))
			watch_kept(fds[i]);
}

/* ---- waiting ---- */

/* Returns a connection that can be read from, or -1 with errno. */
static int
ready_one(int fd)
{
	if (fd == door.shelf.take) {
		shelf_take();
		errno = EAGAIN;
		return -1;
	}
	if (fd != door.listening)
		return fd;
	fd = accept4(door.listening, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return -1;
	fcgi_open(fd);
	errno = EAGAIN;
	door.fresh = kept_add(fd);
	return door.fresh ? fd : -1;
}

int
door_wait(const volatile sig_atomic_t *stopping)
{
	struct epoll_event ready;
	sigset_t none;
	bool had_to_wait = false, rested = false;
	int n;

	sigemptyset(&none);
	door.serving = -1;
	door.fresh = false;
	errno = 0;
	while (door.serving < 0 && !*stopping) {
		n = epoll_pwait(door.epoll, &ready, 1,
		    door.n > 1 && !had_to_wait ? 0
			: rested               ? -1
					       : REST_MS,
		    &none);
		if (!n && had_to_wait && !rested) {
			malloc_trim(0);
			rested = true;
		}
		if (n < 1) {
			had_to_wait = true;
			continue;
		}
		door.serving = ready_one(ready.data.fd);
		if (door.serving < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			break;
	}
	door.in_a_row = had_to_wait || door.n < 2 ? 0 : door.in_a_row + 1;
	if (door.serving < 0) {
		door_leave();
	} else if (door.in_a_row == MANY) {
		door.in_a_row = 0;
		if (metrics_idle(door.pool))
			leave_but((door.n - 1) / 2);
	}
	return door.serving;
}

void
door_replied(int fd)
{
	int n = 0;

	if (fd >= 0 && door.fresh)
		watch_kept(fd);
	door.fresh = false;
	if (fd >= 0)
		return;
	for (int i = 0; i < door.n; i++)
		if (door.kept[i] != door.serving)
			door.kept[n++] = door.kept[i];
	door.n = n;
	door.serving = -1;
}

void
door_give(void)
{
	door.serving = -1;
	door_leave();
}
