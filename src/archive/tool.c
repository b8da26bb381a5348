/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tool.h"

#include "archive/pipe.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_MOST_MS = 100, /* between two looks for a program's end */
	FAILED_MS = 1000,   /* for a program to end that has closed its pipe */
	SAID_BYTES = 300,
	PASS_BYTES = 1 << 16
};

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
	bool local = !conf_has(conf->db_host);

	*out = tool_of(program);
	tool_add(out, "--no-defaults");
	/* Without --protocol or --host, the tools would ask localhost by TCP. */
	tool_add(out, local ? mem_printf(c->mem, "--socket=%s", conf->db_socket)
			    : mem_printf(c->mem, "--host=%s", conf->db_host));
	tool_add(out, local ? "--protocol=socket"
			    : mem_printf(c->mem, "--port=%lld", (long long)conf->db_port));
	tool_add(out, mem_printf(c->mem, "--user=%s", conf->db_user));
	if (!conf_has(conf->db_password_file))
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

enum err
tool_listen(struct ctx *c, void *owner, struct tool *t)
{
	t->err = t->said = mem_fd(owner, memfd_create("said", MFD_CLOEXEC));
	return t->said < 0 ? fail_here(c, "no file for messages") : E_OK;
}

/* Returns what the program said last, after a colon. */
static const char *
output_end(struct ctx *c, const struct tool *t)
{
	off_t size = t->said > 0 ? lseek(t->said, 0, SEEK_END) : 0;
	char text[SAID_BYTES + 1] = "";

	if (size <= 0 ||
	    pread(t->said, text, SAID_BYTES, size > SAID_BYTES ? size - SAID_BYTES : 0) <= 0)
		return "";
	return mem_printf(c->mem, ": %s", str_one_line(c->mem, mem_strdup(c->mem, text)));
}

static enum err
status_check(struct ctx *c, const struct tool *t, int status)
{
	const char *said = status ? output_end(c, t) : "";

	errno = 0;
	if (WIFSIGNALED(status))
		return fail_here(
		    c, "%s was ended by signal %d%s", t->argv[0], WTERMSIG(status), said);
	return WEXITSTATUS(status) ? fail_here(c, "%s ended with status %d%s", t->argv[0],
					 WEXITSTATUS(status), said)
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

static void
tool_kill(struct tool *t)
{
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
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
	tool_kill(t);
	errno = 0;
	return fail_here(c, "%s didn't end within %d s, and was killed", t->argv[0], seconds);
}

enum err
tool_failed(struct ctx *c, struct tool *t, enum err e)
{
	struct ctx *one;
	bool ended = false;

	if (t->pid <= 0)
		return e;
	one = ctx_begin(c->conf, NULL);
	for (int ms = 0; !ended && ms < FAILED_MS; ms += LOOK_MOST_MS) {
		tool_look(one, t, &ended);
		if (!ended)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_MOST_MS * 1000000L }, NULL);
	}
	if (!ended)
		tool_kill(t);
	return ctx_join(c, one, one->err) ? c->err : e;
}

/* ---- pipes ---- */

/* Moves all bytes of one pipe into another. */
static enum err
pipe_pass(struct ctx *c, int in, int out, const struct tool *from, const struct tool *to)
{
	for (;;) {
		ssize_t n;

		TRY(pipe_await(c, in, POLLIN, from->argv[0]));
		TRY(pipe_await(c, out, POLLOUT, to->argv[0]));
		n = splice(in, NULL, out, NULL, PASS_BYTES, SPLICE_F_NONBLOCK);
		if (!n)
			return E_OK;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return fail_here(c, "%s", to->argv[0]);
	}
}

enum err
tool_pipe(struct ctx *c, struct tool *from, struct tool *to)
{
	int out[2], in[2], seconds = (int)c->conf->backup_statement_s;
	enum err e;

	TRY(pipe_make(c, out, 0));
	mem_fd(c->mem, out[0]);
	e = pipe_make(c, in, 1);
	if (e)
		close(out[1]);
	TRY(e);
	from->out = out[1];
	to->in = in[0];
	e = tool_start(c, from);
	e = e ? e : tool_start(c, to);
	close(out[1]);
	close(in[0]);
	e = e ? e : pipe_pass(c, out[0], in[1], from, to);
	/* The reader's failure is the cause if both fail. */
	e = e ? tool_failed(c, to, e) : E_OK;
	close(in[1]);
	e = e ? e : tool_end_within(c, to, seconds);
	if (!e)
		return tool_end_within(c, from, seconds);
	if (from->pid > 0)
		tool_kill(from);
	return e;
}
