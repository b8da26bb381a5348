/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/program.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a process group of its own, so that its children can be killed with it. */
static bool
program_start(const char *const *argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	bool started;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
	started = !posix_spawnp(
	    pid, argv[0], &files, &how, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return started;
}

/* Returns false at the end of the program's output. */
static bool
output_read(int from, struct buf *said)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(from, chunk, sizeof chunk)) > 0)
		if (said->n < PROGRAM_SAID)
			buf_add(said, chunk,
			    (size_t)n < PROGRAM_SAID - said->n ? (size_t)n
							       : PROGRAM_SAID - said->n);
	return n < 0 && errno == EAGAIN;
}

int
program_run(const char *const *argv, int64_t most_s, struct buf *said)
{
	int64_t until = clock_ms() + most_s * 1000;
	int ends[2], status = PROGRAM_NOT_RUN << 8;
	bool more = true, late = false;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return PROGRAM_NOT_RUN;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	if (!program_start(argv, ends[1], &pid)) {
		close(ends[0]);
		close(ends[1]);
		return PROGRAM_NOT_RUN;
	}
	close(ends[1]);
	/* A child of its own may hold the pipe open after its end, or it may close the pipe first.
	 */
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct pollfd wait = { more ? ends[0] : -1, POLLIN, 0 };

		poll(&wait, 1, 20);
		if (more)
			more = output_read(ends[0], said);
		if (!late && clock_ms() > until) {
			late = true;
			kill(-pid, SIGKILL);
		}
	}
	if (more)
		output_read(ends[0], said);
	close(ends[0]);
	errno = 0;
	return late             ? PROGRAM_TOO_LONG
	    : WIFEXITED(status) ? WEXITSTATUS(status)
				: 128 + WTERMSIG(status);
}

static bool
folder_sync(void *owner, const char *path)
{
	const char *folder = mem_strndup(owner, path, (size_t)(strrchr(path, '/') - path));
	int fd = mem_fd(owner, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));

	return fd >= 0 && !fsync(fd);
}

enum err
file_replace(struct ctx *c, const char *path, mode_t mode, const void *bytes, size_t n)
{
	const char *fresh = mem_printf(c->mem, "%s.new", path);
	bool written;
	int fd;

	if (unlink(fresh) && errno != ENOENT)
		return fail_here(c, "%s", fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_here(c, "%s", fresh);
	written = write(fd, bytes, n) == (ssize_t)n && !fchmod(fd, mode) && !fsync(fd);
	close(fd);
	if (!written || rename(fresh, path) || !folder_sync(c->mem, path)) {
		fail_here(c, "%s", path);
		unlink(fresh);
		errno = 0;
		return c->err;
	}
	errno = 0;
	return E_OK;
}
