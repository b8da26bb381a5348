/* SPDX-License-Identifier: Apache-2.0
 * The parent: it never touches a request, so it does not die of one. */
#include "http/server.h"

#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "http/limit.h"
#include "http/metrics.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_SYSTEMD
#include <systemd/sd-daemon.h>
#else
#define sd_notify(unset, text) ((void)(text))
#endif

enum { BACKLOG = 1024, SLOTS = 256, BACKOFF_MAX_MS = 5000, DRAIN_MS = 30000 };

struct limits *server_limits;

struct pool {
	const struct conf *conf;
	int fd, metrics_fd, signals;
	struct child {
		pid_t pid;
		int64_t started_ms, respawn_at_ms, backoff_ms;
	} child[SLOTS];
	bool draining;
};

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
socket_bind(const char *path, mode_t mode)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof addr.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path) + 1);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof addr) || chmod(path, mode) ||
	    listen(fd, BACKLOG))
		return -1;
	return fd;
}

static void
child_start(struct pool *p, int slot)
{
	struct child *child = &p->child[slot];
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(0);
		close(p->signals);
		if (p->metrics_fd >= 0)
			close(p->metrics_fd);
		worker_run(p->conf, p->fd, slot);
		exit(0);
	}
	child->pid = pid > 0 ? pid : 0;
	child->started_ms = now_ms();
	child->respawn_at_ms = pid > 0 ? 0 : child->started_ms + 1000;
}

/* A worker that lived for a while is replaced at once; one that keeps dying waits longer each time.
 */
static void
child_ended(struct pool *p, pid_t pid, int status)
{
	for (int i = 0; i < SLOTS; i++) {
		struct child *child = &p->child[i];

		if (child->pid != pid)
			continue;
		child->pid = 0;
		if (p->draining || i >= p->conf->workers)
			return;
		child->backoff_ms = now_ms() - child->started_ms > 10000 ? 0
		    : child->backoff_ms                                  ? 2 * child->backoff_ms
									 : 50;
		if (child->backoff_ms > BACKOFF_MAX_MS)
			child->backoff_ms = BACKOFF_MAX_MS;
		child->respawn_at_ms = now_ms() + child->backoff_ms;
		/* One that was told to stop (a reload) went by its own exit(0). */
		if (status) {
			void *mem = mem_root("log");

			log_members(LOG_LEVEL_WARN, "worker died",
			    mem_printf(mem, "\"worker\":%d,\"signal\":%d,\"exit\":%d", (int)pid,
				WIFSIGNALED(status) ? WTERMSIG(status) : 0,
				WIFEXITED(status) ? WEXITSTATUS(status) : 0));
			mem_free(mem);
			metrics_respawn();
		} else {
			child->respawn_at_ms = now_ms();
			child->backoff_ms = 0;
		}
		return;
	}
}

static int
children_signal(struct pool *p, int sig)
{
	int alive = 0;

	for (int i = 0; i < SLOTS; i++)
		if (p->child[i].pid && ++alive)
			kill(p->child[i].pid, sig);
	return alive;
}

static void
metrics_answer(struct pool *p)
{
	int fd = accept4(p->metrics_fd, NULL, NULL, SOCK_CLOEXEC);
	struct timeval patience = { .tv_sec = 1 };
	void *mem = mem_root("metrics");
	const char *text = metrics_text(mem);
	char request[2048];

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
		if (read(fd, request, sizeof request) > 0) {
			text = mem_printf(mem,
			    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %zu\r\n"
			    "Connection: close\r\n\r\n%s",
			    strlen(text), text);
			(void)!write(fd, text, strlen(text));
		}
		close(fd);
	}
	mem_free(mem);
}

static void
pool_reload(struct pool *p, const struct conf *(*fresh)(void))
{
	const struct conf *conf = fresh();

	sd_notify(0, "RELOADING=1");
	if (conf)
		p->conf = conf;
	log_line(LOG_LEVEL_INFO,
	    conf ? "reloading" : "reload refused: the configuration is wrong, the old one stays",
	    NULL);
	/* Each finishes its request and is replaced by a child with the new configuration. */
	children_signal(p, SIGTERM);
	sd_notify(0, "READY=1");
}

static void
signals_read(struct pool *p, const struct conf *(*fresh)(void))
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	while (read(p->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
			p->draining = true;
		else if (info.ssi_signo == SIGHUP)
			pool_reload(p, fresh);
	}
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		child_ended(p, pid, status);
}

static void
pool_drain(struct pool *p)
{
	int64_t until = now_ms() + DRAIN_MS;

	sd_notify(0, "STOPPING=1");
	log_line(LOG_LEVEL_INFO, "stopping", NULL);
	unlink(p->conf->socket);
	children_signal(p, SIGTERM);
	while (children_signal(p, 0) && now_ms() < until) {
		struct pollfd poll_fd = { p->signals, POLLIN, 0 };

		poll(&poll_fd, 1, 200);
		signals_read(p, NULL);
	}
	children_signal(p, SIGKILL);
	while (wait(NULL) > 0)
		;
}

static int64_t
pool_respawn(struct pool *p)
{
	int64_t wait_ms = 1000;

	for (int i = 0; i < p->conf->workers; i++) {
		struct child *child = &p->child[i];
		int64_t left = child->respawn_at_ms - now_ms();

		if (child->pid)
			continue;
		if (left <= 0)
			child_start(p, i);
		else if (left < wait_ms)
			wait_ms = left;
	}
	return wait_ms;
}

int
server_run(const struct conf *conf, const struct conf *(*fresh)(void))
{
	struct pool *p = mem_new(NULL, struct pool);
	const char *why = "";
	sigset_t set;

	p->conf = conf;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	p->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	server_limits = limits_open(conf->limits_file, &why);
	p->fd = socket_bind(conf->socket, 0660);
	p->metrics_fd = str_eq(conf->metrics_socket, "-") ? -1
							  : socket_bind(conf->metrics_socket, 0660);
	if (!server_limits || p->fd < 0) {
		log_line(LOG_LEVEL_ERROR, "can't start", "what",
		    server_limits ? conf->socket : conf->limits_file, "why",
		    server_limits ? strerror(errno) : why, NULL);
		return 71;
	}
	metrics_open(SLOTS);
	pool_respawn(p);
	sd_notify(0, "READY=1");
	log_line(LOG_LEVEL_INFO, "started", "socket", conf->socket, NULL);
	while (!p->draining) {
		struct pollfd fds[] = { { p->signals, POLLIN, 0 }, { p->metrics_fd, POLLIN, 0 } };

		poll(fds, 2, (int)pool_respawn(p));
		signals_read(p, fresh);
		if (fds[1].revents & POLLIN)
			metrics_answer(p);
	}
	pool_drain(p);
	mem_free(p);
	return 0;
}
