/* SPDX-License-Identifier: Apache-2.0
 * The parent process. It never handles a request, so requests can't crash it. */
#include "http/server.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "base/upgrade.h"
#include "http/bound.h"
#include "http/indexer.h"
#include "http/limit.h"
#include "http/line.h"
#include "http/metrics.h"
#include "http/packer.h"
#include "http/share.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched/types.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_SYSTEMD
#include <systemd/sd-daemon.h>
#else
#define sd_notify(unset, text) ((void)(text))
#endif

enum { BACKLOG = 1024, BACKOFF_MIN_MS = 50, BACKOFF_MAX_MS = 5000, LIVED_MS = 10000,
	DRAIN_MS = 30000 };

/* The kinds of children: the pools of workers (enum pool) and the line, which have a socket each,
 * one packer and one indexer. */
enum { LINE = POOLS, SOCKETS, PACKER = SOCKETS, INDEXER, KINDS };
static const char *const kind_names[KINDS] = { "quick", "slow", "line", "packer", "indexer" };

struct child {
	pid_t pid;
	bool told; /* to stop, by a reload or at the end */
	int64_t started_ms, respawn_at_ms, backoff_ms;
};

struct server {
	const struct conf *conf;
	int metrics_fd, signals;
	int locks[SOCKETS + 1]; /* of the sockets, the last for metrics; -1: none */
	struct {
		int fd;
		const char *path; /* as bound: neither a reload nor an upgrade changes it */
	} door[SOCKETS];
	struct shelf shelf[POOLS];
	struct child child[KINDS][POOL_SLOTS];
	pid_t checker; /* tries a new program */
	bool draining;
};

/* A lock on a file beside the socket tells whose its name is: two pools that start at once would
 * both find nobody listening, and a name can vanish while its pool runs. No child keeps the
 * descriptor, so the kernel releases the lock when the parent ends. */
static bool
socket_lock(const char *path, int *lock)
{
	void *mine = mem_zalloc(NULL, 0);

	*lock = open(mem_printf(mine, "%s.lock", path),
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	mem_free(mine);
	if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (*lock >= 0 && errno == EWOULDBLOCK)
		errno = EADDRINUSE;
	return false;
}

static void
locks_close(struct server *s)
{
	for (int i = 0; i <= SOCKETS; i++) {
		if (s->locks[i] >= 0)
			close(s->locks[i]);
		s->locks[i] = -1;
	}
}

/* Slow work yields to quick requests if there are few processors: a smaller share for it, and short
 * slices for quick work. From Linux 6.12 on a process that wakes up for a short slice needn't wait
 * for the end of a longer one. */
static const struct {
	int nice, piece_us;
} turns[KINDS] = { [QUICK] = { 0, 300 },
	[SLOW] = { 10, 3000 },
	[LINE] = { 0, 300 },
	[PACKER] = { 19, 3000 },
	[INDEXER] = { 5, 3000 } };

static void
child_take_turns(int kind)
{
	enum { NICE_MOST = 19 };
	struct sched_attr how = { .size = sizeof how,
		.sched_policy = 0, /* the default policy */
		.sched_nice = getpriority(PRIO_PROCESS, 0) + turns[kind].nice,
		.sched_runtime = (uint64_t)turns[kind].piece_us * 1000 };

	if (how.sched_nice > NICE_MOST)
		how.sched_nice = NICE_MOST;
	syscall(SYS_sched_setattr, 0, &how, 0);
}

static void
child_run(struct server *s, int kind)
{
	char name[16];

	snprintf(name, sizeof name, "vitrine-%s", kind_names[kind]);
	prctl(PR_SET_NAME, name);
	close(s->signals);
	locks_close(s);
	if (s->metrics_fd >= 0)
		close(s->metrics_fd);
	for (int which = 0; which < SOCKETS; which++)
		if (which != kind)
			close(s->door[which].fd);
	/* A shelf's connections are closed when its pool is gone. */
	for (int which = 0; which < POOLS; which++)
		if (which != kind)
			shelf_close(&s->shelf[which]);
	child_take_turns(kind);
	if (kind == PACKER)
		packer_run(s->conf);
	else if (kind == INDEXER)
		indexer_run(s->conf);
	else if (kind == LINE)
		line_run(s->conf, s->door[kind].fd);
	else
		worker_run(s->conf, kind, s->door[kind].fd, s->shelf[kind]);
}

static void
child_start(struct server *s, int kind, int slot)
{
	struct child *child = &s->child[kind][slot];
	pid_t parent = getpid(), pid;

	if (kind < POOLS) {
		metrics_worker(kind, slot);
		share_worker(kind, slot);
	} else if (kind == LINE) {
		share_line_reset();
	}
	pid = fork();
	if (pid == 0) {
		sigset_t stop;

		/* A child can be stopped only while it waits. */
		sigemptyset(&stop);
		sigaddset(&stop, SIGTERM);
		sigaddset(&stop, SIGINT);
		sigprocmask(SIG_SETMASK, &stop, NULL);
		signal(SIGHUP, SIG_IGN);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(0);
		child_run(s, kind);
		exit(0);
	}
	child->pid = pid > 0 ? pid : 0;
	child->told = false;
	child->started_ms = clock_ms();
	child->respawn_at_ms = pid > 0 ? 0 : child->started_ms + 1000;
}

static void
child_ended(struct server *s, int kind, struct child *child, int status)
{
	bool asked = (child->told && (!status || status == SIGTERM)) ||
	    (WIFEXITED(status) && WEXITSTATUS(status) == BOUND_EXIT);
	pid_t pid = child->pid;
	void *mem;
	int64_t now;

	child->pid = 0;
	if (s->draining)
		return;
	/* A child that keeps dying, or exits by itself (no descriptors, no memory), is replaced
	 * after a delay that grows. One that was told to stop, lived for a while, or exceeded a
	 * request's bounds is replaced at once. */
	now = clock_ms();
	if (asked || now - child->started_ms > LIVED_MS)
		child->backoff_ms = 0;
	else
		child->backoff_ms = child->backoff_ms
		    ? wait_doubled(child->backoff_ms, 1, BACKOFF_MAX_MS)
		    : BACKOFF_MIN_MS;
	child->respawn_at_ms = now + child->backoff_ms;
	if (asked)
		return;
	mem = mem_root("log");
	log_members(LOG_LEVEL_WARN, "worker died",
	    mem_printf(mem, "\"pool\":\"%s\",\"worker\":%d,\"signal\":%d,\"exit\":%d",
		kind_names[kind], (int)pid, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		WIFEXITED(status) ? WEXITSTATUS(status) : 0));
	mem_free(mem);
	if (kind < POOLS)
		metrics_respawn(kind);
}

static void
child_reap(struct server *s, pid_t pid, int status)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < POOL_SLOTS; i++)
			if (s->child[kind][i].pid == pid)
				child_ended(s, kind, &s->child[kind][i], status);
}

static int
children_signal(struct server *s, int sig)
{
	int alive = 0;

	for (int kind = 0; kind < KINDS; kind++) {
		for (int i = 0; i < POOL_SLOTS; i++) {
			struct child *child = &s->child[kind][i];

			if (!child->pid)
				continue;
			alive++;
			child->told |= sig != 0;
			kill(child->pid, sig);
		}
	}
	return alive;
}

static void
metrics_answer(struct server *s)
{
	int fd = accept4(s->metrics_fd, NULL, NULL, SOCK_CLOEXEC);
	struct timeval patience = { .tv_sec = 1 };
	void *mem = mem_root("metrics");
	const char *text = metrics_text(mem, s->conf);
	char request[2048];

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
		if (read(fd, request, sizeof request) > 0) {
			text = mem_printf(mem,
			    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
			    "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
			    strlen(text), text);
			(void)!write(fd, text, strlen(text));
		}
		close(fd);
	}
	mem_free(mem);
}

/* ---- another program ---- */

enum { HANDED = 2 * SOCKETS + 2 + 2 * POOLS + 3 };

static void
handed_all(struct server *s, struct handed out[HANDED])
{
	const struct handed all[HANDED] = { { "quick", &s->door[QUICK].fd },
		{ "quick.lock", &s->locks[QUICK] }, { "quick.put", &s->shelf[QUICK].put },
		{ "quick.take", &s->shelf[QUICK].take }, { "slow", &s->door[SLOW].fd },
		{ "slow.lock", &s->locks[SLOW] }, { "slow.put", &s->shelf[SLOW].put },
		{ "slow.take", &s->shelf[SLOW].take }, { "line", &s->door[LINE].fd },
		{ "line.lock", &s->locks[LINE] }, { "metrics", &s->metrics_fd },
		{ "metrics.lock", &s->locks[SOCKETS] }, { "packer.read", &packer_ends[0] },
		{ "packer.write", &packer_ends[1] }, { "indexer", &indexer_notes } };

	memcpy(out, all, sizeof all);
}

/* "quick.0.1234,slow.3.1240": kind, slot, process id. */
static const char *
children_write(void *owner, const struct server *s)
{
	struct buf b = BUF(owner);

	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < POOL_SLOTS; i++)
			if (s->child[kind][i].pid)
				buf_fmt(&b, "%s%s.%d.%d", b.n ? "," : "", kind_names[kind], i,
				    (int)s->child[kind][i].pid);
	return buf_done(&b);
}

/* Takes the former program's children and tells them to stop. A kind that is no more has no place,
 * and isn't replaced. */
static void
children_take(struct server *s, const char *note)
{
	char *text = mem_strdup(NULL, note), *rest = text, *one;
	int64_t now = clock_ms();

	while ((one = str_split(&rest, ','))) {
		char kind[16];
		int slot, pid;

		if (sscanf(one, "%15[a-z].%d.%d", kind, &slot, &pid) != 3)
			continue;
		for (int k = 0; k < KINDS && slot >= 0 && slot < POOL_SLOTS; k++)
			if (str_eq(kind, kind_names[k]))
				s->child[k][slot] = (struct child){
					.pid = pid, .told = true, .started_ms = now };
		kill(pid, SIGTERM);
	}
	mem_free(text);
}

/* Continues as the old program. why: NULL if the new one has reported it. */
static void
upgrade_abandon(const char *why)
{
	upgrade_refused(why);
	sd_notify(0, "READY=1");
}

static void
checker_ended(struct server *s, int status)
{
	struct handed all[HANDED];

	s->checker = 0;
	if (s->draining)
		return;
	if (status) {
		upgrade_abandon(NULL);
		return;
	}
	log_line(LOG_LEVEL_INFO, "upgrading", NULL);
	handed_all(s, all);
	upgrade_go(all, HANDED, children_write(s, s));
	upgrade_abandon(strerror(errno));
}

static void
server_reload(struct server *s, const struct conf *(*fresh)(void))
{
	const struct conf *conf;

	if (s->checker)
		return;
	sd_notify(0, "RELOADING=1");
	if (upgrade_due()) {
		s->checker = upgrade_check();
		if (s->checker < 0) {
			s->checker = 0;
			upgrade_abandon(strerror(errno));
		}
		return;
	}
	conf = fresh();
	if (conf)
		s->conf = conf;
	log_line(LOG_LEVEL_INFO,
	    conf ? "reloading" : "reload refused: the configuration is wrong, the old one stays",
	    NULL);
	/* Each finishes its request and is replaced by a child with the new configuration. */
	children_signal(s, SIGTERM);
	sd_notify(0, "READY=1");
}

static void
signals_read(struct server *s, const struct conf *(*fresh)(void))
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	while (read(s->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
			s->draining = true;
		else if (info.ssi_signo == SIGHUP)
			server_reload(s, fresh);
	}
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == s->checker)
			checker_ended(s, status);
		else
			child_reap(s, pid, status);
}

static void
server_drain(struct server *s)
{
	int64_t until = clock_ms() + DRAIN_MS;

	sd_notify(0, "STOPPING=1");
	log_line(LOG_LEVEL_INFO, "stopping", NULL);
	for (int which = 0; which < SOCKETS; which++)
		unlink(s->door[which].path);
	/* From here on another pool may listen there. */
	locks_close(s);
	children_signal(s, SIGTERM);
	while (children_signal(s, 0) && clock_ms() < until) {
		struct pollfd poll_fd = { s->signals, POLLIN, 0 };

		poll(&poll_fd, 1, 200);
		signals_read(s, NULL);
	}
	children_signal(s, SIGKILL);
	if (s->checker > 0)
		kill(s->checker, SIGKILL);
	while (wait(NULL) > 0)
		;
}

static int64_t
children_respawn(struct server *s)
{
	int64_t wait_ms = 1000;

	for (int kind = 0; kind < KINDS; kind++) {
		int64_t wanted = kind >= POOLS ? 1
		    : kind == SLOW             ? s->conf->slow_workers
					       : s->conf->workers;

		for (int i = 0; i < wanted; i++) {
			struct child *child = &s->child[kind][i];
			int64_t left = child->respawn_at_ms - clock_ms();

			if (child->pid)
				continue;
			if (left <= 0)
				child_start(s, kind, i);
			else if (left < wait_ms)
				wait_ms = left;
		}
	}
	return wait_ms;
}

static bool
socket_open(const char *path, int *lock, int *fd)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int bound;

	*fd = -1;
	if (!socket_lock(path, lock))
		return false;
	if (strlen(path) >= sizeof addr.sun_path) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(addr.sun_path, path, strlen(path) + 1);
	/* A listener with this name is left of a killed pool. */
	unlink(path);
	bound = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bound < 0 || bind(bound, (struct sockaddr *)&addr, sizeof addr) || chmod(path, 0660) ||
	    listen(bound, BACKLOG))
		return false;
	*fd = bound;
	return true;
}

static bool
start_refused(const char *what, const char *why)
{
	log_line(LOG_LEVEL_ERROR, "can't start", "what", what, "why",
	    errno == EADDRINUSE ? "another pool is listening on it" : why, NULL);
	return false;
}

/* Returns the name to which the former program bound a socket; "" if it has none. */
static const char *
bound_path(void *owner, int fd)
{
	struct sockaddr_un addr = { 0 };
	socklen_t n = sizeof addr;

	return getsockname(fd, (struct sockaddr *)&addr, &n)
	    ? ""
	    : mem_strndup(owner, addr.sun_path, sizeof addr.sun_path);
}

static bool
sockets_open(struct server *s)
{
	const struct conf *conf = s->conf;
	const char *const paths[SOCKETS] = { conf->socket, conf->slow_socket,
		conf->line_socket };

	for (int which = 0; which < SOCKETS; which++) {
		s->door[which].path = paths[which];
		if (s->door[which].fd >= 0)
			s->door[which].path = bound_path(s, s->door[which].fd);
		else if (!socket_open(paths[which], &s->locks[which], &s->door[which].fd))
			return start_refused(paths[which], strerror(errno));
	}
	if (s->metrics_fd < 0 && conf_has(conf->metrics_socket) &&
	    !socket_open(conf->metrics_socket, &s->locks[SOCKETS], &s->metrics_fd))
		return start_refused(conf->metrics_socket, strerror(errno));
	return true;
}

/* Opens the sockets first, so that a second pool can't reset the limits of a running one. Takes
 * what a former program hands over. */
static bool
server_open(struct server *s)
{
	struct handed all[HANDED];
	const char *why = "", *children;
	bool taken;

	handed_all(s, all);
	for (int i = 0; i < HANDED; i++)
		*all[i].fd = -1;
	taken = upgrade_take(all, HANDED, &children);
	if (!sockets_open(s))
		return false;
	for (int which = 0; which < POOLS; which++)
		if (s->shelf[which].put < 0 && !shelf_open(&s->shelf[which]))
			return start_refused("the shelf of connections", strerror(errno));
	if (!packer_open())
		return start_refused("the packer's pipe", strerror(errno));
	if (!indexer_open())
		return start_refused("the indexer's notes", strerror(errno));
	errno = 0;
	server_limits = limits_open(s->conf->limits_file, taken, &why);
	if (!server_limits)
		return start_refused(s->conf->limits_file, why);
	metrics_open();
	share_open();
	children_take(s, children);
	return true;
}

int
server_run(const struct conf *conf, const struct conf *(*fresh)(void))
{
	struct server *s = mem_new(NULL, struct server);
	sigset_t set;

	s->conf = conf;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (!server_open(s)) {
		mem_free(s);
		return 71;
	}
	/* Children would inherit the memory used until now. */
	malloc_trim(0);
	children_respawn(s);
	sd_notify(0, "READY=1");
	log_line(LOG_LEVEL_INFO, "started", "socket", conf->socket, "slow_socket",
	    conf->slow_socket, NULL);
	while (!s->draining) {
		struct pollfd fds[] = { { s->signals, POLLIN, 0 }, { s->metrics_fd, POLLIN, 0 } };

		poll(fds, 2, (int)children_respawn(s));
		signals_read(s, fresh);
		if (fds[1].revents & POLLIN)
			metrics_answer(s);
	}
	server_drain(s);
	mem_free(s);
	return 0;
}
