/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/helper.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, ORDERS = 3, HELPERS = 8, END_MS = 1000 };

static int started[HELPERS], started_n; /* the sockets for orders */

static _Noreturn void
helper_run(
    int orders, const char *name, void (*serve)(int orders, const void *arg), const void *arg)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	/* A program that execs inherits the mask of the former one. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, name);
	/* Somebody who takes over a process with the helper's memory could read the environment. */
	for (char **e = environ; e && *e; e++)
		memset(*e, 0, strlen(*e));
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    dup2(orders, ORDERS) < 0 || setsid() < 0 || chdir("/"))
		_exit(1);
	/* Root could open root's files, so the helper becomes nobody. */
	if (geteuid() == 0 &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1)))
		_exit(1);
	close_range(ORDERS + 1, ~0U, 0);
	fcntl(ORDERS, F_SETFD, FD_CLOEXEC);
	serve(ORDERS, arg);
	_exit(0);
}

int
helper_start(const char *name, void (*serve)(int orders, const void *arg), const void *arg)
{
	int orders[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders))
		return -1;
	child = fork();
	if (!child) {
		close(orders[0]);
		if (fork())
			_exit(0);
		helper_run(orders[1], name, serve, arg);
	}
	close(orders[1]);
	if (child > 0)
		waitpid(child, NULL, 0);
	if (started_n < HELPERS)
		started[started_n++] = orders[0];
	return orders[0];
}

void
helpers_end(void)
{
	for (int i = 0; i < started_n; i++)
		shutdown(started[i], SHUT_WR);
	for (int i = 0; i < started_n; i++) {
		struct pollfd end = { .fd = started[i] };

		poll(&end, 1, END_MS);
		close(started[i]);
	}
	started_n = 0;
}

/* ---- messages ---- */

bool
helper_send(int to, const void *what, size_t n, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec bytes = { (void *)(uintptr_t)what, n };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control.room;
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	}
	return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)n;
}

bool
helper_hear(int from, void *what, size_t n, int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = { what, n };
	struct msghdr m = { .msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control.room };
	struct cmsghdr *head;

	*fd = -1;
	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != (ssize_t)n)
		return false;
	head = CMSG_FIRSTHDR(&m);
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof *fd))
		memcpy(fd, CMSG_DATA(head), sizeof *fd);
	return true;
}

bool
helper_write(int to, const void *bytes, size_t n)
{
	const char *at = bytes;
	ssize_t one = 0;

	for (; n && (one = write(to, at, n)) > 0; n -= (size_t)one)
		at += one;
	return !n;
}
