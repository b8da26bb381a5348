/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tool.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MOST_MS = 100 }; /* between two looks for a program's end */

struct tool
tool_of(const char *program)
{
	return (struct tool){ .argv = { program }, .n = 1, .in = -1, .out = -1, .err = -1 };
}

void
tool_add(struct tool *t, const char *arg)
{
	if (t->n == TOOL_ARGS - 1)
		abort();
	t->argv[t->n++] = arg;
}

enum err
tool_client(struct ctx *c, const struct conf *conf, const char *program, struct tool *out)
{
	bool local = str_eq(conf->db_host, "-");

	*out = tool_of(program);
	tool_add(out, "--no-defaults");
	/* Without --protocol or --host, the tools would ask localhost by TCP. */
	tool_add(out, local ? mem_printf(c->mem, "--socket=%s", conf->db_socket)
			    : mem_printf(c->mem, "--host=%s", conf->db_host));
	tool_add(out, local ? "--protocol=socket"
			    : mem_printf(c->mem, "--port=%lld", (long long)conf->db_port));
	tool_add(out, mem_printf(c->mem, "--user=%s", conf->db_user));
	if (str_eq(conf->db_password_file, "-"))
		return E_OK;
	out->password = conf_secret(c->mem, conf->db_password_file);
	return out->password ? E_OK : fail_here(c, "%s", conf->db_password_file);
}

/* Writes errno to tell if the program can't be run. */
static _Noreturn void
child_run(const struct tool *t, pid_t parent, int tell)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), why;

	if (parent) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(0);
	} else {
		setsid();
	}
	signal(SIGPIPE, SIG_DFL);
	if (t->password)
		setenv("MYSQL_PWD", t->password, 1);
	if (dup2(t->in < 0 ? nothing : t->in, 0) < 0 || (t->out >= 0 && dup2(t->out, 1) < 0) ||
	    (t->err >= 0 && dup2(t->err, 2) < 0))
		_exit(126);
	/* The program gets no other descriptor, such as the connection to the database. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	execvp(t->argv[0], (char *const *)(uintptr_t)t->argv);
	why = errno;
	_exit(write(tell, &why, sizeof why) == sizeof why ? 127 : 126);
}

/* Waits until the child runs its program. */
static enum err
tool_fork(struct ctx *c, struct tool *t, pid_t parent)
{
	int ends[2], why = 0;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return fail_here(c, "no pipe");
	t->pid = fork();
	if (!t->pid)
		child_run(t, parent, ends[1]);
	if (t->pid < 0)
		fail_here(c, "%s can't be started", t->argv[0]);
	close(ends[1]);
	do
		n = read(ends[0], &why, sizeof why);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (t->pid > 0 && n != sizeof why)
		return E_OK;
	if (t->pid > 0) {
		waitpid(t->pid, NULL, 0);
		errno = why == ENOENT ? 0 : why;
		fail_here(c, why == ENOENT ? "%s isn't installed" : "%s can't be run", t->argv[0]);
	}
	t->pid = 0;
	return c->err;
}

enum err
tool_start(struct ctx *c, struct tool *t)
{
	return tool_fork(c, t, getpid());
}

enum err
tool_release(struct ctx *c, struct tool *t)
{
	return tool_fork(c, t, 0);
}

static enum err
status_check(struct ctx *c, const struct tool *t, int status)
{
	errno = 0;
	if (WIFSIGNALED(status))
		return fail_here(c, "%s was ended by signal %d", t->argv[0], WTERMSIG(status));
	return WEXITSTATUS(status) ? fail_here(c, "%s ended with status %d", t->argv[0],
					 WEXITSTATUS(status))
				   : E_OK;
}

enum err
tool_end(struct ctx *c, struct tool *t)
{
	int status;

	while (waitpid(t->pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_here(c, "%s", t->argv[0]);
	t->pid = 0;
	return status_check(c, t, status);
}

enum err
tool_look(struct ctx *c, struct tool *t, bool *ended)
{
	int status;
	pid_t pid = waitpid(t->pid, &status, WNOHANG);

	*ended = pid != 0;
	if (!pid)
		return E_OK;
	if (pid < 0)
		return fail_here(c, "%s", t->argv[0]);
	t->pid = 0;
	return status_check(c, t, status);
}

enum err
tool_end_within(struct ctx *c, struct tool *t, int seconds)
{
	int64_t until = clock_ms() + seconds * 1000LL;
	bool ended;

	for (long ms = 1;; ms = ms < LOOK_MOST_MS / 2 ? 2 * ms : LOOK_MOST_MS) {
		TRY(tool_look(c, t, &ended));
		if (ended)
			return E_OK;
		if (clock_ms() >= until)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
	}
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
	errno = 0;
	return fail_here(c, "%s didn't end within %d s, and was killed", t->argv[0], seconds);
}

enum err
tool_pipe(struct ctx *c, struct tool *from, struct tool *to)
{
	int ends[2];
	enum err e, second;

	if (pipe2(ends, O_CLOEXEC))
		return fail_here(c, "no pipe");
	from->out = ends[1];
	to->in = ends[0];
	e = tool_start(c, from);
	second = e ? E_OK : tool_start(c, to);
	close(ends[0]);
	close(ends[1]);
	TRY(e);
	/* The reader's failure is the cause if both fail. */
	second = second ? second : tool_end(c, to);
	if (!second)
		return tool_end(c, from);
	waitpid(from->pid, NULL, 0);
	return second;
}
