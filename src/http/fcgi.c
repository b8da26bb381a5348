/* SPDX-License-Identifier: Apache-2.0
 * The loop of one worker: the only file that sees libfcgi. */
#include "base/log.h"
#include "db/db.h"
#include "http/metrics.h"
#include "http/server.h"

#include <errno.h>
#include <fcgiapp.h>
#include <fcgios.h>
#include <malloc.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t stopping;
static int listening;

/* The socket is closed so that a signal between the loop's test and accept() is not lost in it. */
static void
worker_stop(int sig)
{
	(void)sig;
	if (!stopping)
		close(listening);
	stopping = 1;
	FCGX_ShutdownPending();
}

static void
send_reply(struct req *r, FCGX_Stream *out)
{
	int64_t body = (int64_t)r->out.n + (r->out_fd >= 0 ? r->out_fd_n : 0);
	char chunk[65536];
	ssize_t got;

	FCGX_FPrintF(out, "Status: %d\r\n", r->status);
	for (size_t i = 0; i < r->header_n; i++) {
		FCGX_PutS(r->headers[i].name, out);
		FCGX_PutS(": ", out);
		FCGX_PutS(r->headers[i].value, out);
		FCGX_PutS("\r\n", out);
	}
	for (size_t i = 0; i < r->cookie_n; i++)
		FCGX_FPrintF(out, "Set-Cookie: %s\r\n", r->cookies[i]);
	if (r->status != 204 && r->status != 304)
		FCGX_FPrintF(out, "Content-Length: %lld\r\n", (long long)body);
	FCGX_PutS("\r\n", out);
	if (r->head || r->status == 304)
		return;
	FCGX_PutStr(r->out.s ? r->out.s : "", (int)r->out.n, out);
	while (r->out_fd >= 0 && (got = read(r->out_fd, chunk, sizeof chunk)) > 0)
		if (FCGX_PutStr(chunk, (int)got, out) < 0)
			break;
}

static void
log_request(const struct req *r, int64_t us)
{
	struct buf b = BUF(r->c->mem);
	bool broken = r->status >= 500;

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
	if (r->c->internal && broken) {
		buf_str(&b, ",\"why\":");
		buf_json(&b, r->c->internal);
	}
	log_members(broken && r->status != 503 ? LOG_LEVEL_ERROR
		: broken                       ? LOG_LEVEL_WARN
					       : LOG_LEVEL_INFO,
	    "request", buf_done(&b));
}

/* libfcgi's own accept and close poll for up to two seconds for what nginx does next; here a worker
 * is free as soon as its reply is written. */
static bool
accept_one(FCGX_Request *fcgi)
{
	static const struct timeval patience = { .tv_sec = 5 };

	do
		fcgi->ipcFd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	while (fcgi->ipcFd < 0 && !stopping && (errno == EINTR || errno == ECONNABORTED));
	if (fcgi->ipcFd < 0)
		return false;
	setsockopt(fcgi->ipcFd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	fcgi->keepConnection = 1;
	return FCGX_Accept_r(fcgi) >= 0;
}

static void
connection_finish(FCGX_Request *fcgi)
{
	char rest[1024];

	/* What is left unread would make a reset of the close. */
	while (FCGX_GetStr(rest, sizeof rest, fcgi->in) > 0)
		;
	fcgi->keepConnection = 1;
	FCGX_Finish_r(fcgi);
	if (fcgi->ipcFd >= 0)
		close(fcgi->ipcFd);
	fcgi->ipcFd = -1;
}

static int64_t
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void
serve_one(const struct conf *conf, struct db *db, FCGX_Request *fcgi, int slot)
{
	struct ctx *c = ctx_begin(conf, db);
	struct req *r = mem_new(c->mem, struct req);
	int64_t from = now_us(), us;

	r->c = c;
	r->env = fcgi->envp;
	dispatch(r);
	send_reply(r, fcgi->out);
	us = now_us() - from;
	log_request(r, us);
	metrics_count(slot, r, us);
	r->env = NULL;
	connection_finish(fcgi);
	dispatch_after(r);
	db_rollback(c);
	ctx_end(c);
}

void
worker_run(const struct conf *conf, int fd, int slot)
{
	struct sigaction act = { .sa_handler = worker_stop };
	void *mem = mem_root("worker");
	struct db *db = db_new(mem, conf, DB_REQUEST_S);
	FCGX_Request fcgi;

	listening = fd;
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* A large body's memory goes back to the system when it is freed, however large the one
	 * before was. */
	mallopt(M_MMAP_THRESHOLD, 256 * 1024);
	mallopt(M_TRIM_THRESHOLD, 512 * 1024);
	/* The thread that packs takes its memory where the other does. */
	mallopt(M_ARENA_MAX, 1);
	if (FCGX_Init() || FCGX_InitRequest(&fcgi, fd, FCGI_FAIL_ACCEPT_ON_INTR))
		abort();
	while (!stopping && accept_one(&fcgi))
		serve_one(conf, db, &fcgi, slot);
	FCGX_Free(&fcgi, 1);
	mem_free(mem);
}
