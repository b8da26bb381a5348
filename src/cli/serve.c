/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve.h"

#include "base/str.h"
#include "cli/http.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT = 8420, PORTS = 20, HEAD = 32768, BODY = 8 << 20, CHILDREN = 64, SLOW_S = 15 };

/* ---- listening ---- */

static int
listen_at(int family, int port)
{
	struct sockaddr_in six4 = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 six6 = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	const void *at = family == AF_INET ? (const void *)&six4 : &six6;
	socklen_t n = family == AF_INET ? sizeof six4 : sizeof six6;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (!bind(fd, at, n) && !listen(fd, 64))
		return fd;
	close(fd);
	return -1;
}

bool
serve_open(struct serve *s)
{
	int first = s->port ? s->port : PORT, last = s->port ? s->port : PORT + PORTS;

	s->changes = mmap(NULL, sizeof *s->changes, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->changes == MAP_FAILED)
		return cli_fail("%s", strerror(errno)) == EXIT_FINE;
	for (s->port = first; s->port <= last; s->port++) {
		s->listening[0] = listen_at(AF_INET, s->port);
		s->listening[1] = listen_at(AF_INET6, s->port);
		/* Another program at ::1 would be reached by the name localhost. */
		if (s->listening[0] >= 0 && (s->listening[1] >= 0 || errno != EADDRINUSE))
			return true;
		close(s->listening[0]);
	}
	return cli_fail("127.0.0.1: port %d: %s", first, strerror(errno)) == EXIT_FINE;
}

/* ---- a request ---- */

static const char *
reason_of(int status)
{
	switch (status) {
	case 200: return "OK";
	case 201: return "Created";
	case 204: return "No Content";
	case 304: return "Not Modified";
	case 403: return "Forbidden";
	case 404: return "Not Found";
	case 421: return "Misdirected Request";
	default: return status < 400 ? "Found" : "Refused";
	}
}

static void
reply_send(int fd, void *mem, const struct asked *q, struct reply *r)
{
	struct buf head = BUF(mem);
	int status = r->status ? r->status : 200;

	buf_fmt(&head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n", status,
	    reason_of(status), r->mime ? r->mime : "text/plain; charset=utf-8", r->body.n);
	if (r->etag)
		buf_fmt(&head, "ETag: %s\r\n", r->etag);
	if (r->location)
		buf_fmt(&head, "Location: %s\r\n", r->location);
	buf_str(&head, "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
		       "X-Frame-Options: SAMEORIGIN\r\nReferrer-Policy: same-origin\r\n"
		       "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n");
	if (cli_bytes_write(fd, head.s, head.n) && !str_eq(q->method, "HEAD") && r->body.n)
		cli_bytes_write(fd, r->body.s, r->body.n);
}

/* Reads the head into text and the bytes of the body that came with it. False at the end of the
 * connection, or if the head is too long. */
static bool
head_read(int fd, struct buf *in, size_t *head_n)
{
	char piece[4096];
	const char *end;
	ssize_t got;

	do {
		got = read(fd, piece, sizeof piece);
		if (got <= 0 || in->n + (size_t)got > HEAD)
			return false;
		buf_add(in, piece, (size_t)got);
		buf_chr(in, '\0');
		in->n--;
		end = strstr(in->s, "\r\n\r\n");
	} while (!end);
	*head_n = (size_t)(end - in->s) + 4;
	return true;
}

/* Reads the header lines. Returns the body's length; -1 if the request can't be understood. */
static int64_t
lines_read(char *text, struct asked *q)
{
	const struct {
		const char *name;
		const char **to;
	} heads[] = { { "host", &q->host }, { "origin", &q->origin },
		{ "sec-fetch-site", &q->site }, { "if-match", &q->if_match },
		{ "if-none-match", &q->if_none_match } };
	int64_t length = 0;
	char *line;

	while ((line = str_split(&text, '\n')) && *line != '\r') {
		char *name = str_split(&line, ':');

		if (!line)
			return -1;
		line += strspn(line, " ");
		line[strcspn(line, "\r")] = '\0';
		for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
			if (strcasecmp(name, heads[i].name) == 0) {
				if (*heads[i].to)
					return -1;
				*heads[i].to = line;
			}
		if (strcasecmp(name, "transfer-encoding") == 0 ||
		    (strcasecmp(name, "content-length") == 0 &&
			(!str_int(line, &length) || length < 0)))
			return -1;
	}
	return length;
}

static bool
asked_read(int fd, void *mem, struct asked *q)
{
	struct buf in = BUF(mem);
	char *text, *line, *target;
	size_t head_n;
	int64_t length;

	if (!head_read(fd, &in, &head_n) || memchr(in.s, '\0', head_n))
		return false;
	text = mem_strndup(mem, in.s, head_n);
	line = str_split(&text, '\n');
	q->method = str_split(&line, ' ');
	target = line ? str_split(&line, ' ') : NULL;
	length = target && line && str_starts(line, "HTTP/1.") ? lines_read(text, q) : -1;
	if (length < 0 || length > BODY || *target != '/')
		return false;
	q->query = mem_strdup(mem, target + strcspn(target, "?"));
	q->path = mem_strndup(mem, target, strcspn(target, "?"));
	while (in.n < head_n + (size_t)length) {
		char piece[65536];
		ssize_t got = read(fd, piece, sizeof piece);

		if (got <= 0)
			return false;
		buf_add(&in, piece, (size_t)got);
	}
	q->body = mem_strndup(mem, in.s + head_n, (size_t)length);
	q->body_n = (size_t)length;
	return true;
}

/* Returns the status with which the request is refused, or 0. */
static int
refusal_of(const struct serve *s, void *mem, const struct asked *q)
{
	const char *own = q->host ? mem_printf(mem, "http://%s", q->host) : "",
		   *hosts = mem_printf(mem, "localhost:%1$d|127.0.0.1:%1$d|[::1]:%1$d", s->port);

	if (!q->host || !str_in(q->host, hosts))
		return 421;
	if (!str_in(q->method, "GET|HEAD|POST|PUT|PATCH|DELETE"))
		return 405;
	if (!str_in(q->method, "GET|HEAD") && !str_eq(q->origin, own))
		return 403;
	return str_starts(q->path, "/v1/") && q->site && !str_in(q->site, "same-origin|none") ? 403
											      : 0;
}

/* Tells the page of each change after those that its query names ("?3"), until it leaves. */
static void
changes_send(const struct serve *s, const char *query, int fd)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				   "Cache-Control: no-store\r\nConnection: close\r\n\r\n";
	static const char event[] = "data: changed\n\n";
	struct pollfd gone = { .fd = fd, .events = POLLIN };
	int64_t seen;

	if (!str_int(query + (*query == '?'), &seen))
		seen = *s->changes;
	if (!cli_bytes_write(fd, head, sizeof head - 1))
		return;
	while (poll(&gone, 1, 100) == 0)
		if (seen != *s->changes) {
			seen = *s->changes;
			if (!cli_bytes_write(fd, event, sizeof event - 1))
				return;
		}
}

/* Answers one request, in a process of its own. */
static void
connection_answer(struct serve *s, int fd)
{
	struct timeval slow = { .tv_sec = SLOW_S };
	void *mem = s->cli->c->mem;
	struct asked q = { 0 };
	struct reply r = { .changes = *s->changes, .body = BUF(mem) };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &slow, sizeof slow);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &slow, sizeof slow);
	if (!asked_read(fd, mem, &q))
		return;
	if ((r.status = refusal_of(s, mem, &q)))
		buf_str(&r.body, r.status == 421
			? "vitrine dev answers at localhost only\n"
			: "only this page itself may do that\n");
	else if (str_eq(q.path, "/_vitrine/dev"))
		changes_send(s, q.query, fd);
	else
		s->answer(s, mem, &q, &r);
	if (r.status || r.body.n || r.mime)
		reply_send(fd, mem, &q, &r);
}

/* ---- all requests ---- */

static bool
connection_begin(struct serve *s, int from, pid_t parent, const sigset_t *before)
{
	int fd = accept4(from, NULL, NULL, SOCK_CLOEXEC);
	pid_t pid = fd < 0 ? -1 : fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_IGN);
		sigprocmask(SIG_SETMASK, before, NULL);
		http_forked();
		if (getppid() == parent)
			connection_answer(s, fd);
		shutdown(fd, SHUT_RDWR);
		_exit(0);
	}
	if (fd >= 0)
		close(fd);
	return pid > 0;
}

/* Reads the signals. Returns false for one that ends the server. */
static bool
signals_read(int fd, int *children)
{
	struct signalfd_siginfo one;

	if (read(fd, &one, sizeof one) != sizeof one)
		return true;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		--*children;
	return one.ssi_signo == SIGCHLD;
}

void
serve_run(struct serve *s)
{
	pid_t parent = getpid();
	sigset_t set, before;
	int children = 0;
	struct pollfd on[4] = { { .fd = s->listening[0] }, { .fd = s->listening[1] },
		{ .fd = s->watch } };

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	on[3].fd = signalfd(-1, &set, SFD_CLOEXEC);
	for (int i = 0; i < 4; i++)
		on[i].events = POLLIN;
	for (;;) {
		/* Without a free process, connections wait. */
		on[0].fd = children < CHILDREN ? s->listening[0] : -1;
		on[1].fd = children < CHILDREN ? s->listening[1] : -1;
		on[2].fd = s->watch;
		if (poll(on, 4, -1) < 0 && errno != EINTR)
			break;
		if (on[3].revents && !signals_read(on[3].fd, &children))
			break;
		if (on[2].revents) {
			s->changed(s);
			++*s->changes;
		}
		for (int i = 0; i < 2; i++)
			if (on[i].revents)
				children += connection_begin(s, on[i].fd, parent, &before);
	}
	close(on[3].fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
