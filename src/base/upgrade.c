/* SPDX-License-Identifier: Apache-2.0 */
#include "base/upgrade.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "name=descriptor name=descriptor … note=…" */
static const char variable[] = "VITRINE_HANDED";
static const char running[] = "/proc/self/exe";

static char **arguments;
static char program[PATH_MAX];

void
upgrade_begin(char **argv)
{
	ssize_t n = readlink(running, program, sizeof program - 1);

	arguments = argv;
	program[n > 0 ? n : 0] = '\0';
}

bool
upgrade_due(void)
{
	struct stat now, installed;

	return !stat(running, &now) && !stat(program, &installed) &&
	    (now.st_dev != installed.st_dev || now.st_ino != installed.st_ino);
}

pid_t
upgrade_check(void)
{
	enum { CHECK_S = 30 };
	pid_t pid = fork();
	void *mem;
	const char **args;
	size_t n = 0;

	if (pid)
		return pid;
	while (arguments[n])
		n++;
	mem = mem_root("check");
	args = mem_array(mem, const char *, n + 2);
	memcpy(args, arguments, n * sizeof *args);
	args[n] = "--check";
	sigprocmask(SIG_SETMASK, &(sigset_t){ 0 }, NULL);
	alarm(CHECK_S);
	execv(program, (char **)args);
	_exit(127);
}

static void
keep_over_exec(int fd, bool yes)
{
	int flags = fcntl(fd, F_GETFD);

	fcntl(fd, F_SETFD, yes ? flags & ~FD_CLOEXEC : flags | FD_CLOEXEC);
}

void
upgrade_go(const struct handed *fds, size_t n, const char *note)
{
	void *mem = mem_root("upgrade");
	struct buf b = BUF(mem);
	int why;

	for (size_t i = 0; i < n; i++) {
		if (*fds[i].fd < 0)
			continue;
		buf_fmt(&b, "%s=%d ", fds[i].name, *fds[i].fd);
		keep_over_exec(*fds[i].fd, true);
	}
	buf_fmt(&b, "note=%s", note);
	setenv(variable, buf_done(&b), 1);
	execv(program, arguments);
	why = errno;
	unsetenv(variable);
	for (size_t i = 0; i < n; i++)
		if (*fds[i].fd >= 0)
			keep_over_exec(*fds[i].fd, false);
	mem_free(mem);
	errno = why;
}

void
upgrade_refused(const char *why)
{
	log_line(LOG_LEVEL_WARN, "upgrade refused: the old program goes on", "why",
	    why ? why : "the new program can't start, as it says above", NULL);
}

static void
descriptor_receive(const struct handed *fds, size_t n, const char *name, int fd)
{
	if (fd <= STDERR_FILENO || fcntl(fd, F_GETFD) < 0)
		return;
	keep_over_exec(fd, false);
	for (size_t i = 0; i < n; i++)
		if (str_eq(fds[i].name, name)) {
			*fds[i].fd = fd;
			return;
		}
	close(fd);
}

bool
upgrade_take(const struct handed *fds, size_t n, const char **note)
{
	char *text = getenv(variable), *one;

	*note = "";
	if (!text)
		return false;
	/* The text itself stays. */
	unsetenv(variable);
	while ((one = str_split(&text, ' '))) {
		char *value = strchr(one, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (str_eq(one, "note"))
			*note = value;
		else
			descriptor_receive(fds, n, one, (int)strtol(value, NULL, 10));
	}
	return true;
}
