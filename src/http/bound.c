/* SPDX-License-Identifier: Apache-2.0 */
#include "http/bound.h"

#include "base/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* A request that needs less than FIRST_MS of processor time is never checked. */
enum { FIRST_MS = 50, THEN_MS = 20, MIB = 1 << 20, REPLY_BYTES = 4096 };
enum { STDOUT = 6, END_REQUEST = 3 }; /* record types of FastCGI */

static struct {
	const struct req *r; /* NULL: no request */
	int fcgi_id;
	bool answering, looked;
	int64_t most_s, most_bytes, from_ms, idle_bytes;
	timer_t timer;
	int statm;
} bound;

static int64_t
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns the process's private memory, without the program and mapped files such as a request's
 * body. */
static int64_t
own_bytes(void)
{
	char text[128];
	ssize_t n = pread(bound.statm, text, sizeof text - 1, 0);
	long pages[3] = { 0 };
	char *at = text;

	text[n > 0 ? n : 0] = '\0';
	for (int i = 0; i < 3; i++)
		pages[i] = strtol(at, &at, 10);
	return (pages[1] - pages[2]) * sysconf(_SC_PAGESIZE);
}

/* ---- the refusal: sent from a signal handler, so it must not allocate ---- */

static size_t
record(char *to, int type, const char *content, size_t n)
{
	const unsigned char head[8] = { 1, (unsigned char)type, (unsigned char)(bound.fcgi_id >> 8),
		(unsigned char)bound.fcgi_id, (unsigned char)(n >> 8), (unsigned char)n };

	memcpy(to, head, sizeof head);
	memcpy(to + sizeof head, content, n);
	return sizeof head + n;
}

/* nginx has an error page for people, so pages and content hosts are forwarded to it. */
static void
refuse(const char *why)
{
	const struct req *r = bound.r;
	const struct err_row *e = &err_table[r->saved ? E_PENDING : E_UNAVAILABLE];
	static const char ended[8];
	char body[1024], text[REPLY_BYTES], bytes[REPLY_BYTES + 64];
	size_t at;
	int n;

	if ((r->content && !r->site) || (r->route && !route_is_api(r->route))) {
		n = snprintf(text, sizeof text,
		    "Status: 200 OK\r\nX-Accel-Redirect: @busy\r\n\r\n");
	} else {
		int size = snprintf(body, sizeof body,
		    "{\"success\":false,\"error\":\"%s\",\"code\":\"%s\",\"request_id\":\"%s\"}",
		    r->saved ? e->text : why, e->code, r->id);

		n = snprintf(text, sizeof text,
		    "Status: %d %s\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
		    "Access-Control-Allow-Origin: *\r\nX-Request-Id: %s\r\nRetry-After: 60\r\n"
		    "Content-Length: %d\r\n\r\n%s",
		    e->status, reply_reason(e->status), r->id, size, body);
	}
	at = record(bytes, STDOUT, text, (size_t)n);
	at += record(bytes + at, STDOUT, "", 0);
	at += record(bytes + at, END_REQUEST, ended, sizeof ended);
	(void)!write(r->fd, bytes, at);
}

static void
stop(const char *what, int64_t limit, const char *unit)
{
	const struct req *r = bound.r;
	char text[512];
	int n;

	snprintf(text, sizeof text,
	    "The request takes more %s than the limit of %lld %s; "
	    "ask for less, or send less, at a time",
	    what, (long long)limit, unit);
	if (!bound.answering && r->id)
		refuse(text);
	n = snprintf(text, sizeof text,
	    "{\"level\":\"warn\",\"pid\":%d,\"event\":\"request stopped\",\"request_id\":\"%s\","
	    "\"route\":\"%s\",\"why\":\"%s\"}\n",
	    (int)getpid(), r->id ? r->id : "", r->route ? r->route->path : "", what);
	(void)!write(2, text, (size_t)n);
	_exit(BOUND_EXIT);
}

static void
look(int sig)
{
	int before = errno;

	(void)sig;
	if (bound.r) {
		bound.looked = true;
		if (cpu_ms() - bound.from_ms > bound.most_s * 1000)
			stop("CPU time", bound.most_s, "s");
		if (own_bytes() - bound.idle_bytes > bound.most_bytes)
			stop("memory", bound.most_bytes / MIB, "MiB");
	}
	errno = before;
}

void
bound_open(const struct conf *conf, enum pool which)
{
	struct sigaction act = { .sa_handler = look, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };

	bound.most_s = which == SLOW ? conf->slow_request_cpu_s : conf->request_cpu_s;
	bound.most_bytes = conf->request_memory_bytes;
	bound.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	sigaction(SIGPROF, &act, NULL);
	if (bound.statm < 0 || timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &bound.timer))
		abort();
	bound.idle_bytes = own_bytes();
}

void
bound_begin(const struct req *r, int fcgi_id)
{
	const struct itimerspec when = { { 0, THEN_MS * 1000000L }, { 0, FIRST_MS * 1000000L } };

	bound.fcgi_id = fcgi_id;
	bound.answering = false;
	bound.from_ms = cpu_ms();
	timer_settime(bound.timer, 0, &when, NULL);
	bound.r = r;
}

void
bound_answering(void)
{
	bound.answering = true;
}

void
bound_end(void)
{
	bound.r = NULL;
	/* The heap keeps some memory of a large request. */
	if (bound.looked)
		bound.idle_bytes = own_bytes();
	bound.looked = false;
}
