/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/apart.h"

#include "base/clock.h"
#include "base/confine.h"
#include "base/str.h"
#include "ext/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 16, ORDERS = 64, LAST = 19 /* nice value: the lowest priority */ };

/* Address sanitizers reserve more memory than there is. RLIMIT_DATA would count the reservation. */
#ifdef __SANITIZE_ADDRESS__
enum { BOUND_MEMORY = 0 };
#else
enum { BOUND_MEMORY = 1 };
#endif

/* Sent before the bytes of an answer. Without it, the work hasn't ended. The answer about a file
 * has several parts, each with this before it; n 0 is its end. */
struct answer_head {
	size_t n;
	bool failed; /* the bytes are an error message, and the end */
};

static struct apart_kind kinds[APART_KINDS];
static size_t kind_n;
static int helper = -1;

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

static _Noreturn void
work_do(int socket, apart_work *work)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct buf in = BUF(c->mem), out = BUF(c->mem);
	struct answer_head head = { 0 };
	char *piece;
	ssize_t got;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!work_confine(APART_S, APART_CPU_S))
		_exit(1);
	piece = mem_grow(c->mem, NULL, PIECE);
	while ((got = read(socket, piece, PIECE)) > 0 && in.n <= APART_IN)
		buf_add(&in, piece, (size_t)got);
	if (got)
		_exit(1);
	head.failed = work(c, buf_done(&in), in.n, &out) != E_OK;
	if (head.failed) {
		out.n = 0;
		buf_str(&out, ctx_why(c));
	}
	head.n = out.n;
	_exit(!helper_write(socket, &head, sizeof head) ||
	    !helper_write(socket, buf_done(&out), out.n));
}

/* ---- a file ---- */

enum err
apart_file_put(struct ctx *c, const struct apart_file *f, const void *bytes, size_t n)
{
	const struct answer_head head = { .n = n };

	return !n ||
		(helper_write(f->to, &head, sizeof head) && helper_write(f->to, bytes, n))
	    ? E_OK
	    : fail_here(c, "an answer");
}

static unsigned
kind_seconds(const struct apart_kind *k)
{
	return k->s ? k->s : APART_FILE_S;
}

static _Noreturn void
file_do(int socket, const struct apart_kind *kind)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct apart_file f;
	struct answer_head end = { 0 };
	const char *why = "";
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!helper_hear(socket, &f, sizeof f, &f.fd) || f.fd < 0)
		_exit(1);
	/* The second file follows the order. */
	if (f.side_fd >= 0 && (!helper_hear(socket, &byte, 1, &f.side_fd) || f.side_fd < 0))
		_exit(1);
	if (!work_confine(kind_seconds(kind), kind->cpu_s ? kind->cpu_s : APART_FILE_CPU_S))
		_exit(1);
	f.to = socket;
	end.failed = kind->file_work(c, &f) != E_OK;
	if (end.failed) {
		why = ctx_why(c);
		end.n = strlen(why);
	}
	_exit(!helper_write(socket, &end, sizeof end) || !helper_write(socket, why, end.n));
}

/* ---- the helper ---- */

/* Orders that wait or, if child is set, are being carried out; the oldest first. */
struct orders {
	struct order {
		int socket;
		pid_t child;
		uint8_t kind;
	} all[ORDERS];
	size_t n;
	unsigned running[APART_KINDS];
};

static void
order_drop(struct orders *o, size_t i)
{
	memmove(o->all + i, o->all + i + 1, (--o->n - i) * sizeof *o->all);
}

static void
orders_reap(struct orders *o)
{
	pid_t child;

	while ((child = waitpid(-1, NULL, WNOHANG)) > 0)
		for (size_t i = 0; i < o->n; i++)
			if (o->all[i].child == child) {
				o->running[o->all[i].kind]--;
				order_drop(o, i);
				break;
			}
}

/* Has the work of each order done in a process of its own, if its kind has a place left. */
static void
orders_begin(struct orders *o, int orders)
{
	for (size_t i = 0; i < o->n;) {
		struct order *one = &o->all[i];

		if (one->child || o->running[one->kind] == APART_AT_ONCE) {
			i++;
			continue;
		}
		one->child = fork();
		if (!one->child) {
			/* The order's socket takes the place of the helper's, and all that other
			 * orders have is closed. */
			dup2(one->socket, orders);
			close_range((unsigned)orders + 1, ~0U, 0);
			if (kinds[one->kind].work)
				work_do(orders, kinds[one->kind].work);
			file_do(orders, &kinds[one->kind]);
		}
		close(one->socket);
		if (one->child > 0)
			o->running[one->kind]++;
		else
			order_drop(o, i);
	}
}

static void
child_ended(int signal)
{
	(void)signal; /* only ends ppoll() */
}

static void
orders_serve(int orders, const void *arg)
{
	struct sigaction ended = { .sa_handler = child_ended };
	struct orders o = { 0 };
	sigset_t child, before;

	(void)arg;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	sigdelset(&before, SIGCHLD);
	sigaction(SIGCHLD, &ended, NULL);
	for (;;) {
		struct pollfd more = { .fd = orders };
		struct order *one;

		orders_reap(&o);
		orders_begin(&o, orders);
		one = &o.all[o.n];
		more.events = o.n < ORDERS ? POLLIN : 0;
		if (ppoll(&more, 1, NULL, &before) <= 0)
			continue;
		/* Without POLLIN, the process that gives orders has ended. */
		if (!(more.revents & POLLIN) ||
		    !helper_hear(orders, &one->kind, 1, &one->socket))
			return;
		one->child = 0;
		o.n += one->socket >= 0;
	}
}

void
apart_prepare(const struct apart_kind *of, size_t n)
{
	memcpy(kinds, of, n * sizeof *of);
	kind_n = n;
	helper = helper_start("vitrine-apart", orders_serve, NULL);
}

/* Returns the index of a kind; APART_KINDS if it wasn't prepared. */
static size_t
kind_of(apart_work *work, apart_file_work *file_work)
{
	for (size_t i = 0; i < kind_n; i++)
		if (kinds[i].work == work && kinds[i].file_work == file_work)
			return i;
	return APART_KINDS;
}

bool
apart_prepared(apart_work *work)
{
	return helper >= 0 && kind_of(work, NULL) < APART_KINDS;
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
input_send(int socket, const char *in, size_t n, int64_t until)
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
answer_receive(int socket, void *out, size_t n, int64_t until)
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
work_order(struct ctx *c, size_t kind, int *socket)
{
	uint8_t order = (uint8_t)kind;
	int ends[2];
	bool sent;

	*socket = -1;
	if (helper < 0 || kind == APART_KINDS)
		return fail(c, E_UNAVAILABLE, "there is no process for it");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail_here(c, "socketpair");
	*socket = mem_fd(c->mem, ends[0]);
	sent = helper_send(helper, &order, 1, ends[1]);
	close(ends[1]);
	if (sent)
		return E_OK;
	close(helper);
	helper = -1;
	return fail(c, E_UNAVAILABLE, "the helper that had work done apart is gone");
}

static enum err
too_much(struct ctx *c)
{
	return fail(c, E_LIMIT_REACHED, "it takes too much memory or time");
}

enum err
apart_run(struct ctx *c, apart_work *work, const char *in, size_t n, size_t most,
    const char **out, size_t *out_n)
{
	int64_t until = clock_ms() + APART_S * 1000;
	struct answer_head head;
	char *bytes;
	int socket;

	TRY(work_order(c, kind_of(work, NULL), &socket));
	input_send(socket, in, n, until);
	if (!answer_receive(socket, &head, sizeof head, until))
		return too_much(c);
	if (head.n > most)
		return fail(c, E_INVALID, "it is too long");
	bytes = mem_zalloc(c->mem, head.n + 1);
	if (!answer_receive(socket, bytes, head.n, until))
		return too_much(c);
	*out = bytes;
	*out_n = head.n;
	return head.failed ? fail(c, E_INVALID, "%s", str_one_line(c->mem, bytes)) : E_OK;
}

enum err
apart_file_run(struct ctx *c, apart_file_work *work, const struct apart_file *files,
    const char *asked, enum err (*take)(void *arg, const void *bytes, size_t n), void *arg)
{
	size_t kind = kind_of(NULL, work);
	struct apart_file f = *files;
	char *bytes = mem_array(c->mem, char, PIECE + 1);
	struct answer_head head;
	int64_t until;
	int socket;

	if (strlen(asked) >= sizeof f.asked)
		return fail(c, E_INVALID, "it is too long");
	memcpy(f.asked, asked, strlen(asked) + 1);
	TRY(work_order(c, kind, &socket));
	until = clock_ms() + 1000 * kind_seconds(&kinds[kind]);
	if (!helper_send(socket, &f, sizeof f, f.fd) ||
	    (f.side_fd >= 0 && !helper_send(socket, "", 1, f.side_fd)))
		return too_much(c);
	for (;;) {
		if (!answer_receive(socket, &head, sizeof head, until))
			return too_much(c);
		if (!head.n && !head.failed)
			return E_OK;
		if (head.n > PIECE || !answer_receive(socket, bytes, head.n, until))
			return too_much(c);
		bytes[head.n] = '\0';
		if (head.failed)
			return fail(c, E_INVALID, "%s", str_one_line(c->mem, bytes));
		TRY(take(arg, bytes, head.n));
	}
}
