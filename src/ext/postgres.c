/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/postgres.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/lease.h"
#include "base/str.h"
#include "ext/egress.h"
#include "ext/pglook.h"
#include "ext/pgvalue.h"
#include "ext/pgwords.h"

#include <libpq-fe.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

enum {
	LOOK_MS = 10,
	GRACE_S = 2,    /* after read_s, in which the server may report its own timeout */
	PIECE_BYTES = 1 << 16,
	WIRE_BYTES = 4 * POSTGRES_BYTES, /* limit of received bytes of any kind */
	STATEMENT_CHARS = 400
};

/* Limits of the server's messages before sign-in. libpq reads up to 8 KiB at once. */
enum {
	AUTH_BYTES = 8192,
	AUTH_HEAD = 5, /* a type and a length, which includes itself */
	AUTH_OK = 0,
	AUTH_SCRAM = 11
};

/* A path that doesn't exist. Without it libpq would look for files in the home folder. */
#define NOWHERE "/dev/null/none"
/* The CA file that Debian's curl trusts. */
#define SYSTEM_CAS "/etc/ssl/certs/ca-certificates.crt"

/* The statements of one question, in order. */
enum stage { STAGE_BEGIN, STAGE_DECLARE, STAGE_FETCH, STAGES };
#define DECLARE "DECLARE vitrine NO SCROLL CURSOR FOR\n"

struct visit {
	struct visit *next;
	struct ctx *c, *piece; /* piece: freed after each chunk of the file */
	const struct postgres_req *req;
	struct pglook *look;
	PGconn *conn;
	enum stage stage;
	bool flushing, ended;
	short events; /* for poll() while connecting */
	int64_t step_ms, until_ms;
	struct buf out;
	unsigned *oids;
	int64_t value_bytes;
	struct postgres_res *res;
	struct postgres_done done;
};

struct postgres_many {
	const struct conf *conf;
	struct visit *first;
};

/* ---- steps ---- */

static void
step_end(struct visit *v)
{
	int64_t now = clock_ms();

	v->done.took_ms[v->done.step] = now - v->step_ms;
	v->step_ms = now;
}

static void
step_next(struct visit *v)
{
	step_end(v);
	v->done.step++;
	if (v->done.step == POSTGRES_READ)
		v->until_ms = v->step_ms + (v->req->read_s + GRACE_S) * 1000;
}

static void
visit_fail(struct visit *v, bool final, const char *why)
{
	step_end(v);
	v->ended = true;
	v->done.final = final;
	v->done.why = why;
}

static const char *
unfinished(const struct visit *v)
{
	return v->done.step == POSTGRES_READ
	    ? "the server closed the connection before all rows were there"
	    : "the server closed the connection";
}

/* ---- connecting ---- */

/* libpq reads these variables for options that it isn't given. */
static void
environment_clear(void)
{
	for (char **at = environ; at && *at;) {
		char *name = mem_strndup(NULL, *at, strcspn(*at, "="));

		if (str_starts(name, "PG") && !unsetenv(name))
			at = environ;
		else
			at++;
		mem_free(name);
	}
}

static void
notice_drop(void *arg, const PGresult *notice)
{
	(void)arg, (void)notice;
}

static void
visit_connect(struct postgres_many *m, struct visit *v, const char *hosts, const char *addresses)
{
	const struct postgres_server *s = &v->req->server;
	bool own = conf_has(m->conf->egress_ca_file);
	const char *cas = own ? m->conf->egress_ca_file : SYSTEM_CAS;
	const char *port = mem_printf(v->c->mem, "%lld", (long long)s->port);
	const struct {
		const char *name, *value;
	} all[] = { { "host", hosts }, { "hostaddr", addresses }, { "port", port },
		{ "dbname", s->database }, { "user", s->username }, { "password", s->password },
		{ "passfile", NOWHERE }, { "sslmode", s->verify ? "verify-full" : "require" },
		/* With a CA file, "require" would check the certificate, too. */
		{ "sslrootcert", s->verify ? cas : NOWHERE }, { "sslcert", NOWHERE },
		{ "sslkey", NOWHERE }, { "sslcrl", NOWHERE }, { "gssencmode", "disable" },
		{ "ssl_min_protocol_version", "TLSv1.2" }, { "client_encoding", "UTF8" },
		{ "application_name", "Vitrine" } };
	enum { N = sizeof all / sizeof *all };
	const char *names[N + 1] = { 0 }, *values[N + 1] = { 0 };

	for (size_t i = 0; i < N; i++) {
		names[i] = all[i].name;
		values[i] = all[i].value;
	}
	environment_clear();
	v->conn = PQconnectStartParams(names, values, 0);
	v->events = POLLOUT;
	if (!v->conn || PQstatus(v->conn) == CONNECTION_BAD) {
		visit_fail(v, false, "couldn't connect to the server");
		return;
	}
	PQsetNoticeReceiver(v->conn, notice_drop, NULL);
	PQsetErrorVerbosity(v->conn, PQERRORS_VERBOSE);
}

static void
find_step(struct postgres_many *m, struct visit *v)
{
	const char *hosts, *why;

	if (!pglook_done(v->look))
		return;
	why = pglook_judge(v->c->mem, v->look, m->conf->egress_allow, &hosts, &v->done.addresses);
	if (why) {
		visit_fail(v, false, why);
		return;
	}
	step_next(v);
	visit_connect(m, v, hosts, v->done.addresses);
}

/* ---- authentication requests ---- */

static uint32_t
number_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Checks "r=…,s=…,i=4096": how often the password must be hashed. libpq misreads a number larger
 * than an int. */
static const char *
scram_wrong(void *owner, const uint8_t *text, size_t n)
{
	const char *said = mem_strndup(owner, (const char *)text, n), *last = strrchr(said, ',');
	int64_t rounds;

	if (!last || !str_starts(last, ",i=") || !str_int(last + strlen(",i="), &rounds) ||
	    rounds < 1)
		return "the server doesn't say as PostgreSQL does how a password is proven";
	return rounds <= POSTGRES_ROUNDS
	    ? NULL
	    : mem_printf(owner,
		  "the server wants the password hashed %s times to prove it; the maximum is %s",
		  str_number(owner, rounds), str_number(owner, POSTGRES_ROUNDS));
}

/* Returns why the messages are refused, or NULL. Servers send each message in one TLS record, so
 * libpq never gets part of a message that wasn't checked. */
static const char *
auth_wrong(void *owner, const uint8_t *p, size_t n)
{
	static const char odd[] = "the server doesn't answer as PostgreSQL does";
	const size_t head = AUTH_HEAD + sizeof(uint32_t);
	const char *wrong = NULL;
	bool last = false; /* libpq may read all that follows */

	for (size_t at = 0, size; at < n && !last && !wrong; at += size) {
		const uint8_t *m = p + at;
		bool of_auth;
		uint32_t kind;

		size = n - at < AUTH_HEAD ? 0 : 1 + (size_t)number_at(m + 1);
		if (size < AUTH_HEAD || size > n - at)
			return odd;
		of_auth = m[0] == 'R' && size >= head;
		kind = of_auth ? number_at(m + AUTH_HEAD) : 0;
		last = m[0] == 'E' || (of_auth && kind == AUTH_OK);
		if (of_auth && kind == AUTH_SCRAM)
			wrong = scram_wrong(owner, m + head, size - head);
	}
	return !last && n == AUTH_BYTES ? odd : wrong;
}

/* libpq hashes a password as often as the server asks, and can't be interrupted. So we peek at the
 * message first. Returns false if libpq must not read now. */
static bool
auth_check(struct visit *v)
{
	SSL *tls = PQstatus(v->conn) == CONNECTION_AWAITING_RESPONSE ? PQgetssl(v->conn) : NULL;
	uint8_t said[AUTH_BYTES];
	const char *wrong;
	int n, why;

	if (!tls)
		return true;
	ERR_clear_error();
	n = SSL_peek(tls, said, sizeof said);
	why = SSL_get_error(tls, n);
	errno = 0;
	if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
		v->events = why == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
		return false;
	}
	wrong = n > 0 ? auth_wrong(v->c->mem, said, (size_t)n)
		      : pgwords_connect(v->c->mem, &v->req->server, v->done.step, "");
	if (wrong)
		visit_fail(v, n > 0, wrong);
	return !wrong;
}

static void statement_send(struct visit *v);

static void
connect_step(struct visit *v)
{
	PostgresPollingStatusType next;
	ConnStatusType at;
	bool reached;

	if (!auth_check(v))
		return;
	next = PQconnectPoll(v->conn);
	errno = 0;
	/* The steps that are done follow from libpq's state. */
	at = PQstatus(v->conn);
	reached = at == CONNECTION_SSL_STARTUP || at == CONNECTION_AWAITING_RESPONSE ||
	    at == CONNECTION_AUTH_OK || at == CONNECTION_OK;
	if (v->done.step == POSTGRES_REACH && reached)
		step_next(v);
	if (v->done.step == POSTGRES_ENCRYPT && reached && at != CONNECTION_SSL_STARTUP)
		step_next(v);
	v->events = next == PGRES_POLLING_WRITING ? POLLOUT : POLLIN;
	if (next == PGRES_POLLING_FAILED)
		visit_fail(v, false,
		    pgwords_connect(v->c->mem, &v->req->server, v->done.step,
			PQerrorMessage(v->conn)));
	if (next != PGRES_POLLING_OK)
		return;
	step_next(v);
	if (v->req->query && !PQsetnonblocking(v->conn, 1)) {
		v->res = mem_new(v->c->mem, struct postgres_res);
		v->out = BUF(v->c->mem);
		v->piece = ctx_begin(v->c->conf, NULL);
		statement_send(v);
	} else {
		v->ended = true;
	}
}

/* ---- asking ---- */

static void
statement_send(struct visit *v)
{
	char text[STATEMENT_CHARS];
	int sent = 0;

	switch (v->stage) {
	case STAGE_BEGIN:
		snprintf(text, sizeof text,
		    "BEGIN READ ONLY; SET LOCAL statement_timeout = '%llds';"
		    " SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO';"
		    " SET LOCAL IntervalStyle = 'iso_8601'; SET LOCAL bytea_output = 'hex';"
		    " SET LOCAL extra_float_digits = 1; SET LOCAL cursor_tuple_fraction = 1",
		    (long long)v->req->read_s);
		sent = PQsendQuery(v->conn, text);
		break;
	case STAGE_DECLARE:
		/* The protocol allows one statement here, and the server's rules for cursors allow
		 * only reading. */
		sent = PQsendQueryParams(v->conn,
		    mem_printf(v->c->mem, DECLARE "%s", v->req->query), 0, NULL, NULL, NULL, NULL,
		    0);
		break;
	case STAGE_FETCH:
		snprintf(text, sizeof text, "FETCH FORWARD %d FROM vitrine", POSTGRES_ROWS + 1);
		sent = PQsendQueryParams(v->conn, text, 0, NULL, NULL, NULL, NULL, 0) &&
		    PQsetSingleRowMode(v->conn);
		break;
	case STAGES: break;
	}
	v->flushing = true;
	if (!sent)
		visit_fail(v, false, unfinished(v));
}

/* ---- rows ---- */

static void
columns_read(struct visit *v, const PGresult *r)
{
	size_t n = (size_t)PQnfields(r);

	v->res->columns = mem_array(v->c->mem, struct postgres_column, n + 1);
	v->oids = mem_array(v->c->mem, unsigned, n + 1);
	for (size_t i = 0; i < n; i++) {
		v->oids[i] = PQftype(r, (int)i);
		v->res->columns[i] =
		    (struct postgres_column){ mem_strdup(v->c->mem, PQfname(r, (int)i)),
			    pgvalue_type(v->oids[i]) };
	}
	v->res->column_n = n;
	if (!n)
		visit_fail(v, true, "the query gives no columns");
}

static bool
piece_write(struct visit *v)
{
	for (size_t done = 0; done < v->out.n;) {
		ssize_t put = write(v->req->fd, v->out.s + done, v->out.n - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			errno = 0;
			visit_fail(v, false, "the rows couldn't be kept on our side");
			return false;
		}
		done += (size_t)put;
	}
	v->res->bytes += (int64_t)v->out.n;
	v->out.n = 0;
	ctx_end(v->piece);
	v->piece = ctx_begin(v->c->conf, NULL);
	return true;
}

static bool
value_add(struct visit *v, const PGresult *r, int i)
{
	const char *why;

	buf_chr(&v->out, i ? ',' : '[');
	if (PQgetisnull(r, 0, i)) {
		buf_str(&v->out, "null");
		return true;
	}
	v->value_bytes += PQgetlength(r, 0, i);
	if (v->value_bytes <= POSTGRES_BYTES &&
	    pgvalue_json(
		v->piece, &v->out, v->oids[i], PQgetvalue(r, 0, i), &v->res->odd, &why))
		return true;
	visit_fail(v, true,
	    v->value_bytes > POSTGRES_BYTES
		? mem_printf(v->c->mem,
		      "the rows have more than %d MiB; let the query ask for less at a time",
		      POSTGRES_BYTES >> 20)
		: mem_printf(v->c->mem, "row %zu, %s: %s", v->res->rows,
		      v->res->columns[i].name, why));
	return false;
}

static void
row_add(struct visit *v, const PGresult *r)
{
	size_t from = v->out.n;

	if (v->res->rows++ == POSTGRES_ROWS) {
		visit_fail(v, true,
		    mem_printf(v->c->mem,
			"the query gives more than %s rows; let it ask for less at a time",
			str_number(v->c->mem, POSTGRES_ROWS)));
		return;
	}
	for (int i = 0; i < (int)v->res->column_n; i++)
		if (!value_add(v, r, i))
			return;
	buf_str(&v->out, "]\n");
	if (v->out.n - from > POSTGRES_LINE_BYTES)
		visit_fail(v, true,
		    mem_printf(v->c->mem, "row %zu is larger than %d MiB", v->res->rows,
			POSTGRES_LINE_BYTES >> 20));
	else if (v->out.n >= PIECE_BYTES)
		piece_write(v);
}

static void
refusal_read(struct visit *v, const PGresult *r)
{
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
	const char *message = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
	const char *at = PQresultErrorField(r, PG_DIAG_STATEMENT_POSITION);
	struct pgwords w = { state ? state : "", message ? message : "", 0 };
	bool final;

	if (!state) {
		visit_fail(v, false, unfinished(v));
		return;
	}
	/* The position counts characters, including the text that we put before the query. */
	if (v->stage == STAGE_DECLARE && at && strchr(v->req->query, '\n')) {
		long skip = strtol(at, NULL, 10) - (long)strlen(DECLARE) - 1;

		w.line = 1;
		for (const char *p = v->req->query; *p && skip > 0; p++) {
			w.line += *p == '\n';
			skip -= ((uint8_t)*p & 0xc0) != 0x80;
		}
	}
	v->done.late = str_eq(state, "57014");
	message = pgwords_query(v->c->mem, &v->req->server, &w, &final);
	visit_fail(v, final, message);
}

static void
result_read(struct visit *v, const PGresult *r)
{
	ExecStatusType status = PQresultStatus(r);

	if (status == PGRES_FATAL_ERROR) {
		refusal_read(v, r);
		return;
	}
	if (v->stage == STAGE_FETCH && !v->oids)
		columns_read(v, r);
	if (v->ended)
		return;
	if (status == PGRES_SINGLE_TUPLE)
		row_add(v, r);
	else if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
		visit_fail(v, true, "the query does something else than giving rows");
}

static void
results_read(struct visit *v)
{
	while (!v->ended && !PQisBusy(v->conn)) {
		PGresult *r = PQgetResult(v->conn);

		if (r) {
			result_read(v, r);
			PQclear(r);
		} else if (++v->stage < (v->req->dry ? STAGE_FETCH : STAGES)) {
			statement_send(v);
		} else if (piece_write(v)) {
			step_end(v);
			v->done.res = v->res;
			v->ended = true;
		}
	}
}

static void
read_step(struct visit *v)
{
	struct tcp_info info = { 0 };
	socklen_t n = sizeof info;
	SSL *tls;

	/* Bytes that TLS has already read don't make the socket readable. */
	do {
		if (PQconsumeInput(v->conn))
			results_read(v);
		else
			visit_fail(v, false, unfinished(v));
	} while (!v->ended && (tls = PQgetssl(v->conn)) && SSL_pending(tls) > 0);
	if (v->ended)
		return;
	/* A value can have any length, and libpq keeps it all. */
	if (!getsockopt(PQsocket(v->conn), IPPROTO_TCP, TCP_INFO, &info, &n) &&
	    info.tcpi_bytes_received > WIRE_BYTES) {
		visit_fail(v, true, "the server sends more than the rows can have");
		return;
	}
	v->flushing = v->flushing && PQflush(v->conn) != 0;
	errno = 0;
}

/* ---- many ---- */

static void
many_end(void *arg)
{
	while (postgres_drop(arg))
		;
}

struct postgres_many *
postgres_many(void *owner, const struct conf *conf)
{
	struct postgres_many *m = mem_new(owner, struct postgres_many);

	m->conf = conf;
	mem_defer(owner, many_end, m);
	return m;
}

void
postgres_add(struct postgres_many *m, struct ctx *c, const struct postgres_req *req, void *tag)
{
	struct visit *v = mem_new(c->mem, struct visit);

	*v = (struct visit){ .next = m->first,
		.c = c,
		.req = req,
		.step_ms = clock_ms(),
		.done = { .tag = tag } };
	v->until_ms = v->step_ms + POSTGRES_CONNECT_S * 1000;
	m->first = v;
	if (!lease_active()) {
		visit_fail(v, false, "another machine is active");
		return;
	}
	v->look = pglook_begin(req->server.host, req->server.port);
	if (!v->look)
		visit_fail(v, true, "the host's name isn't one that can be looked up");
}

static void
visit_step(struct postgres_many *m, struct visit *v, bool ready)
{
	if (v->ended)
		return;
	if (v->done.step == POSTGRES_FIND)
		find_step(m, v);
	else if (ready && v->done.step < POSTGRES_READ)
		connect_step(v);
	else if (ready)
		read_step(v);
	if (v->ended || clock_ms() <= v->until_ms)
		return;
	visit_fail(v, false,
	    v->done.step == POSTGRES_READ
		? mem_printf(v->c->mem,
		      "the query took longer than %lld seconds; "
		      "let it ask for less at a time, or add an index",
		      (long long)v->req->read_s)
		: mem_printf(v->c->mem, "couldn't connect to the server within %d seconds",
		      POSTGRES_CONNECT_S));
	v->done.late = true;
}

static struct visit *
visit_take(struct postgres_many *m, bool any)
{
	for (struct visit **at = &m->first; *at; at = &(*at)->next)
		if (any || (*at)->ended) {
			struct visit *v = *at;

			*at = v->next;
			pglook_end(v->look);
			PQfinish(v->conn);
			if (v->piece)
				ctx_end(v->piece);
			v->look = NULL;
			v->conn = NULL;
			v->piece = NULL;
			errno = 0;
			return v;
		}
	return NULL;
}

/* Waits until one question can continue, or its time is over. */
static void
many_wait(struct postgres_many *m, struct pollfd *fds, int wait_ms)
{
	nfds_t n = 0;

	for (struct visit *v = m->first; v; v = v->next, n++) {
		bool reading = v->done.step == POSTGRES_READ;
		int64_t left = v->until_ms - clock_ms();

		fds[n] = (struct pollfd){ .fd = v->conn ? PQsocket(v->conn) : -1,
			.events = reading ? (short)(POLLIN | (v->flushing ? POLLOUT : 0))
					  : v->events };
		if (v->done.step == POSTGRES_FIND && left > LOOK_MS)
			left = LOOK_MS;
		if (left < wait_ms)
			wait_ms = left > 0 ? (int)left : 0;
	}
	poll(fds, n, wait_ms);
	errno = 0;
}

bool
postgres_next(struct postgres_many *m, int wait_ms, struct postgres_done *out)
{
	int64_t until = clock_ms() + wait_ms, left = wait_ms;
	struct visit *v = visit_take(m, false);

	while (!v && m->first) {
		struct pollfd *fds = mem_array(NULL, struct pollfd, postgres_busy(m, NULL));
		size_t i = 0;

		many_wait(m, fds, left > 0 ? (int)left : 0);
		for (struct visit *at = m->first; at; at = at->next)
			visit_step(m, at, fds[i++].revents != 0);
		mem_free(fds);
		left = until - clock_ms();
		v = visit_take(m, false);
		if (left <= 0)
			break;
	}
	if (v)
		*out = v->done;
	return v != NULL;
}

size_t
postgres_busy(const struct postgres_many *m, const char *tenant)
{
	size_t n = 0;

	for (const struct visit *v = m->first; v; v = v->next)
		n += !tenant || str_eq(v->req->tenant, tenant);
	return n;
}

void *
postgres_drop(struct postgres_many *m)
{
	struct visit *v = visit_take(m, true);

	return v ? v->done.tag : NULL;
}
