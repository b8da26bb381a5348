/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/apart.h"

#include "base/clock.h"
#include "base/confine.h"
#include "base/str.h"
#include "ext/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 16, LAST = 19 /* nice value: the lowest priority */ };

/* Address sanitizers reserve more memory than there is. RLIMIT_DATA would count the reservation. */
#ifdef __SANITIZE_ADDRESS__
enum { BOUND_MEMORY = 0 };
#else
enum { BOUND_MEMORY = 1 };
#endif

/* Sent before the bytes of an answer. Without it, the work hasn't ended. */
struct said {
	size_t n;
	bool failed; /* the bytes are an error message */
};

static struct {
	apart_work *work;
	int helper;
} kinds[APART_KINDS];
static size_t kind_n;
static int file_helper = -1;

/* ---- in the child process ---- */

static bool
limit_set(__rlimit_resource_t what, rlim_t most)
{
	struct rlimit had;

	if (getrlimit(what, &had))
		return false;
	had.rlim_max = had.rlim_cur = most < had.rlim_max ? most : had.rlim_max;
	return !setrlimit(what, &had);
}

static bool
work_confine(unsigned seconds, rlim_t cpu_s)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* If memory runs out, the kernel kills this process first. */
	if (fd >= 0 && write(fd, "1000", 4) > 0)
		close(fd);
	alarm(seconds);
	return !setpriority(PRIO_PROCESS, 0, LAST) && limit_set(RLIMIT_CPU, cpu_s) &&
	    limit_set(RLIMIT_CORE, 0) && limit_set(RLIMIT_FSIZE, 0) &&
	    (!BOUND_MEMORY || limit_set(RLIMIT_DATA, APART_BYTES)) && confine_apart();
}

static bool
all_read(int from, struct buf *in)
{
	char *piece = mem_grow(in->owner, NULL, PIECE);
	ssize_t n;

	while ((n = read(from, piece, PIECE)) > 0 && in->n <= APART_IN)
		buf_add(in, piece, (size_t)n);
	return n == 0;
}

static bool
all_write(int to, const char *bytes, size_t n)
{
	ssize_t one = 0;

	for (; n && (one = write(to, bytes, n)) > 0; n -= (size_t)one)
		bytes += one;
	return !n;
}

static _Noreturn void
work_do(int socket, apart_work *work)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct buf in = BUF(c->mem), out = BUF(c->mem);
	struct said said = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!work_confine(APART_S, APART_CPU_S) || !all_read(socket, &in))
		_exit(1);
	said.failed = work(c, buf_done(&in), in.n, &out) != E_OK;
	if (said.failed) {
		out.n = 0;
		buf_str(&out, ctx_why(c));
	}
	said.n = out.n;
	_exit(!all_write(socket, (const char *)&said, sizeof said) ||
	    !all_write(socket, buf_done(&out), out.n));
}

/* ---- a file ---- */

/* Before each part of an answer; n 0 is its end. */
struct part_said {
	size_t n;
	bool failed; /* the bytes are an error message, and the end */
};

enum err
apart_file_put(struct ctx *c, const struct apart_file *f, const void *bytes, size_t n)
{
	const struct part_said said = { .n = n };

	return !n ||
		(all_write(f->to, (const char *)&said, sizeof said) && all_write(f->to, bytes, n))
	    ? E_OK
	    : fail_here(c, "an answer");
}

static _Noreturn void
file_do(int socket, apart_file_work *work)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct apart_file f;
	struct part_said end = { 0 };
	const char *why = "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!helper_hear(socket, &f, sizeof f, &f.fd) || f.fd < 0 ||
	    !work_confine(APART_FILE_S, APART_FILE_CPU_S))
		_exit(1);
	f.to = socket;
	end.failed = work(c, &f) != E_OK;
	if (end.failed) {
		why = ctx_why(c);
		end.n = strlen(why);
	}
	_exit(!all_write(socket, (const char *)&end, sizeof end) || !all_write(socket, why, end.n));
}

/* ---- the helper ---- */

/* Takes notice of processes that have ended; waits for one if all places are taken. */
static void
works_reap(unsigned *running)
{
	bool full = *running >= APART_AT_ONCE;

	while (*running && waitpid(-1, NULL, full ? 0 : WNOHANG) > 0) {
		--*running;
		full = false;
	}
}

/* Has each order's work done in a process of its own. */
static void
works_serve(int orders, const void *arg)
{
	void (*const *begin)(int socket) = arg;
	unsigned running = 0;
	int socket;
	char order;

	while (helper_hear(orders, &order, 1, &socket)) {
		pid_t child;

		works_reap(&running);
		child = fork();
		if (!child) {
			close(orders);
			(*begin)(socket);
		}
		running += child > 0;
		if (socket >= 0)
			close(socket);
	}
}

static apart_work *work_wanted;
static apart_file_work *file_work_wanted;

static void
work_begin(int socket)
{
	work_do(socket, work_wanted);
}

static void
file_begin(int socket)
{
	file_do(socket, file_work_wanted);
}

void
apart_prepare(apart_work *work)
{
	void (*begin)(int socket) = work_begin;

	work_wanted = work;
	kinds[kind_n].work = work;
	kinds[kind_n++].helper = helper_start("vitrine-apart", works_serve, &begin);
}

void
apart_file_prepare(apart_file_work *work)
{
	void (*begin)(int socket) = file_begin;

	file_work_wanted = work;
	file_helper = helper_start("vitrine-apart", works_serve, &begin);
}

static int *
helper_of(apart_work *work)
{
	static int none = -1;

	for (size_t i = 0; i < kind_n; i++)
		if (kinds[i].work == work)
			return &kinds[i].helper;
	return &none;
}

bool
apart_prepared(apart_work *work)
{
	return *helper_of(work) >= 0;
}

/* ---- in the caller's process ---- */

/* True if the socket is ready before `until` (clock_ms()). */
static bool
is_ready(int socket, short events, int64_t until)
{
	struct pollfd ready = { .fd = socket, .events = events };
	int64_t left;
	int n = 0;

	while (!n && (left = until - clock_ms()) > 0)
		if ((n = poll(&ready, 1, (int)left)) < 0 && errno == EINTR)
			n = 0;
	return n > 0;
}

/* A process that has ended reads no more. An answer that it sent before still counts. */
static void
work_give(int socket, const char *in, size_t n, int64_t until)
{
	ssize_t one = 1;

	for (; n && one > 0 && is_ready(socket, POLLOUT, until); n -= (size_t)one) {
		one = send(socket, in, n < PIECE ? n : PIECE, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (one < 0)
			return;
		in += one;
	}
	shutdown(socket, SHUT_WR);
}

static bool
work_take(int socket, void *out, size_t n, int64_t until)
{
	char *at = out;
	ssize_t one = 1;

	for (; n && one > 0 && is_ready(socket, POLLIN, until); n -= (size_t)one) {
		one = read(socket, at, n);
		if (one > 0)
			at += one;
		else
			return false;
	}
	return !n;
}

/* The helper gets the other end of the socket; this process closes it. */
static enum err
work_order(struct ctx *c, int *of, int *socket)
{
	int ends[2];
	bool sent;

	*socket = -1;
	if (*of < 0)
		return fail(c, E_UNAVAILABLE, "there is no process for it");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail_here(c, "socketpair");
	*socket = mem_fd(c->mem, ends[0]);
	sent = helper_send(*of, "w", 1, ends[1]);
	close(ends[1]);
	if (sent)
		return E_OK;
	close(*of);
	*of = -1;
	return fail(c, E_UNAVAILABLE, "the helper that had work done apart is gone");
}

enum err
apart_run(struct ctx *c, apart_work *work, const char *in, size_t n, size_t most,
    const char **out, size_t *out_n)
{
	int64_t until = clock_ms() + APART_S * 1000;
	struct said said;
	char *bytes;
	int socket;

	TRY(work_order(c, helper_of(work), &socket));
	work_give(socket, in, n, until);
	if (!work_take(socket, &said, sizeof said, until))
		return fail(c, E_LIMIT_REACHED, "it takes too much memory or time");
	if (said.n > most)
		return fail(c, E_INVALID, "it is too long");
	bytes = mem_zalloc(c->mem, said.n + 1);
	if (!work_take(socket, bytes, said.n, until))
		return fail(c, E_LIMIT_REACHED, "it takes too much memory or time");
	*out = bytes;
	*out_n = said.n;
	return said.failed ? fail(c, E_INVALID, "%s", str_one_line(c->mem, bytes)) : E_OK;
}

static enum err
too_much(struct ctx *c)
{
	return fail(c, E_LIMIT_REACHED, "it takes too much memory or time");
}

enum err
apart_file_run(struct ctx *c, int fd, int64_t size, const char *asked,
    enum err (*take)(void *arg, const void *bytes, size_t n), void *arg)
{
	int64_t until = clock_ms() + APART_FILE_S * 1000;
	struct apart_file f = { .size = size, .fd = -1, .to = -1 };
	char *bytes = mem_array(c->mem, char, PIECE + 1);
	struct part_said said;
	int socket;

	if (strlen(asked) >= sizeof f.asked)
		return fail(c, E_INVALID, "it is too long");
	memcpy(f.asked, asked, strlen(asked));
	TRY(work_order(c, &file_helper, &socket));
	if (!helper_send(socket, &f, sizeof f, fd))
		return too_much(c);
	for (;;) {
		if (!work_take(socket, &said, sizeof said, until))
			return too_much(c);
		if (!said.n && !said.failed)
			return E_OK;
		if (said.n > PIECE || !work_take(socket, bytes, said.n, until))
			return too_much(c);
		bytes[said.n] = '\0';
		if (said.failed)
			return fail(c, E_INVALID, "%s", str_one_line(c->mem, bytes));
		TRY(take(arg, bytes, said.n));
	}
}
