/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tool.h"

#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void
child_run(const struct tool *t, pid_t parent)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

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
	/* The child gets no other descriptor, such as the connection to the database. */
	close_range(3, ~0U, 0);
	execvp(t->argv[0], (char *const *)(uintptr_t)t->argv);
	_exit(127);
}

static enum err
tool_fork(struct ctx *c, struct tool *t, pid_t parent)
{
	t->pid = fork();
	if (t->pid < 0)
		return fail_here(c, "%s can't be started", t->argv[0]);
	if (!t->pid)
		child_run(t, parent);
	return E_OK;
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
tool_end(struct ctx *c, struct tool *t)
{
	int status;

	while (waitpid(t->pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_here(c, "%s", t->argv[0]);
	errno = 0;
	if (WIFSIGNALED(status))
		return fail_here(c, "%s was ended by signal %d", t->argv[0], WTERMSIG(status));
	if (WEXITSTATUS(status) == 127)
		return fail_here(c, "%s isn't installed", t->argv[0]);
	return WEXITSTATUS(status) ? fail_here(c, "%s ended with status %d", t->argv[0],
					 WEXITSTATUS(status))
				   : E_OK;
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
