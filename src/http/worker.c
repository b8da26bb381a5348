/* SPDX-License-Identifier: Apache-2.0
 * The loop of one worker. */
#include "base/clock.h"
#include "base/confine.h"
#include "base/lease.h"
#include "base/log.h"
#include "db/db.h"
#include "http/bound.h"
#include "http/door.h"
#include "http/fcgi.h"
#include "http/metrics.h"
#include "http/server.h"
#include "http/share.h"

#include <malloc.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t stopping;

static void
worker_stop(int sig)
{
	(void)sig;
	stopping = 1;
}

/* The state of sending a body in pieces. */
struct wire {
	FCGX_Request *fcgi;
	int64_t waited_us, sent; /* waited_us: for the client, not for the bytes */
};

enum err
req_write(struct req *r, const void *bytes, size_t n)
{
	enum { GRACE_S = 30, LEAST_A_SECOND = 64 << 10 };
	struct wire *w = r->wire;
	int64_t from = clock_us(), late_s;
	bool sent = fcgi_write(w->fcgi, bytes, n) && !FCGX_FFlush(w->fcgi->out);

	w->waited_us += clock_us() - from;
	w->sent += (int64_t)n;
	late_s = w->waited_us / 1000000 - GRACE_S;
	/* A client may be slow, but not so slow that it holds a worker. */
	if (sent && (late_s <= 0 || w->sent >= late_s * LEAST_A_SECOND))
		return E_OK;
	r->gone = true;
	return fail(r->c, E_UNAVAILABLE, "the client is gone or reads too slowly");
}

bool
req_left(const struct req *r)
{
	return r->fd && fcgi_hung_up(r->fd);
}

/* Streams the body. With fastcgi_keep_conn nginx takes a reply as complete only at the end of the
 * FastCGI request, so a body that failed ends without it. */
static void
body_stream(struct req *r, FCGX_Request *fcgi)
{
	struct wire w = { .fcgi = fcgi };

	door_leave();
	r->wire = &w;
	if (r->stream(r, r->stream_arg) || (r->c->round_trips && !lease_active())) {
		r->cut = true;
		shutdown(fcgi->ipcFd, SHUT_RDWR);
	}
	r->wire = NULL;
}

static void
send_reply(struct req *r, FCGX_Request *fcgi)
{
	FCGX_Stream *out = fcgi->out;

	FCGX_FPrintF(out, "Status: %d %s\r\n", r->status, reply_reason(r->status));
	for (size_t i = 0; i < r->header_n; i++) {
		FCGX_PutS(r->headers[i].name, out);
		FCGX_PutS(": ", out);
		FCGX_PutS(r->headers[i].value, out);
		FCGX_PutS("\r\n", out);
	}
	for (size_t i = 0; i < r->cookie_n; i++)
		FCGX_FPrintF(out, "Set-Cookie: %s\r\n", r->cookies[i]);
	if (r->status != 204 && r->status != 304 && !r->stream)
		FCGX_FPrintF(out, "Content-Length: %lld\r\n", (long long)r->out.n);
	FCGX_PutS("\r\n", out);
	if (r->head || r->status == 304)
		return;
	if (r->stream)
		body_stream(r, fcgi);
	else
		fcgi_write(fcgi, r->out.s ? r->out.s : "", r->out.n);
}

static void
log_request(const struct req *r, int64_t us)
{
	struct buf b = BUF(r->c->mem);
	bool broken = (r->status >= 500 && !r->passed_on) || (r->cut && !r->gone);
	/* A 502 is another server's failure; a 503 passes. */
	bool ours = r->status != 502 && r->status != 503;

	buf_str(&b, "\"request_id\":");
	buf_json(&b, r->id);
	buf_str(&b, ",\"method\":");
	buf_json(&b, r->method_name);
	buf_str(&b, ",\"route\":");
	buf_json(&b, r->route ? r->route->path : NULL);
	buf_fmt(&b, ",\"status\":%d,\"ms\":%lld.%03lld,\"db\":%u", r->status, (long long)us / 1000,
	    (long long)us % 1000, r->c->round_trips);
	if (r->status >= 400 && r->c->err)
		buf_fmt(&b, ",\"code\":\"%s\"", err_table[r->c->err].code);
	if (r->cut)
		buf_fmt(&b, ",\"cut\":\"%s\"", r->gone ? "by the client" : "by a failure");
	if (r->c->internal && broken) {
		buf_str(&b, ",\"why\":");
		buf_json(&b, r->c->internal);
	}
	log_members(broken && ours ? LOG_LEVEL_ERROR
		: broken           ? LOG_LEVEL_WARN
				   : LOG_LEVEL_INFO,
	    "request", buf_done(&b));
}

/* Reads a small body, which nginx sends with the request. A large one is a file. */
static void
body_receive(struct req *r, FCGX_Request *fcgi)
{
	static char piece[8 << 10];
	struct buf all = BUF(r->c->mem);
	int n;

	while ((n = FCGX_GetStr(piece, sizeof piece, fcgi->in)) > 0)
		buf_add(&all, piece, (size_t)n);
	r->received = (struct span){ .fd = -1, .n = (int64_t)all.n, .bytes = all.s };
}

static bool
accept_one(FCGX_Request *fcgi)
{
	int fd;

	while ((fd = door_wait(&stopping)) >= 0) {
		if (fcgi_begin(fcgi, fd))
			return true;
		door_replied(-1);
	}
	return false;
}

static void
serve_one(const struct conf *conf, struct db *db, FCGX_Request *fcgi)
{
	enum { LARGE_BYTES = 256 << 10, LARGE_US = 100000 };
	struct ctx *c = ctx_begin(conf, db);
	struct req *r = mem_new(c->mem, struct req);
	int64_t from = clock_us(), us;
	bool large;
	int fd;

	r->c = c;
	r->env = fcgi->envp;
	r->fd = fcgi->ipcFd;
	metrics_busy(true);
	bound_begin(r, fcgi->requestId);
	body_receive(r, fcgi);
	dispatch(r);
	bound_answering();
	send_reply(r, fcgi);
	/* The share is given back before the client sees the end of the reply, because its next
	 * request may follow at once. */
	share_end();
	us = clock_us() - from;
	/* A forwarded request isn't over yet. */
	if (!r->forwarded) {
		log_request(r, us);
		metrics_count(r, us);
	}
	r->env = NULL;
	fd = fcgi_end(fcgi);
	/* nginx goes on with a file, and closes the connection. */
	if (fd >= 0 && reply_has_header(r, "X-Accel-Redirect")) {
		close(fd);
		fd = -1;
	}
	door_replied(fd);
	/* nginx may send the next request at once. */
	c->asks = door_give;
	if (!r->forwarded || r->saved)
		dispatch_after(r);
	db_rollback(c);
	large = r->body_n + r->out.n > LARGE_BYTES || us > LARGE_US;
	ctx_end(c);
	/* The heap of a large request goes back to the system, because the next large one may go to
	 * another worker. */
	if (large)
		malloc_trim(0);
	bound_end();
	metrics_busy(false);
}

void
worker_run(const struct conf *conf, enum pool which, int fd, struct shelf shelf)
{
	struct sigaction act = { .sa_handler = worker_stop };
	void *mem = mem_root("worker");
	struct db *db = db_new(mem, conf, DB_REQUEST_S);
	FCGX_Request fcgi;

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Fixed thresholds, so that large blocks are always returned to the system. glibc would
	 * raise them after a large block. */
	mallopt(M_MMAP_THRESHOLD, 256 * 1024);
	mallopt(M_TRIM_THRESHOLD, 512 * 1024);
	/* libfcgi gets connections instead of a socket to accept on (door.c). */
	if (FCGX_Init() || FCGX_InitRequest(&fcgi, -1, 0))
		abort();
	door_open(which, fd, shelf);
	bound_open(conf, which);
	confine(conf);
	while (accept_one(&fcgi)) {
		/* nginx closes the connection if its client leaves. A request whose client left
		 * while it waited isn't started. */
		if (!fcgi_hung_up(fcgi.ipcFd))
			serve_one(conf, db, &fcgi);
		else
			door_replied(fcgi_end(&fcgi));
	}
	FCGX_Free(&fcgi, 0);
	mem_free(mem);
}
