/* SPDX-License-Identifier: Apache-2.0
 * Many requests at once, by curl's multi interface. We measure timeouts ourselves, from when a
 * request is sent: curl would include the time in our queue. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "ext/egress.h"
#include "ext/egress_hop.h"

#include <errno.h>

enum { HOST_AT_ONCE = 10, IDLE_KEPT = 100, LONG_MS = 1000, AWAY_MS = 500 };

/* A request that is being sent, or waits for its host. */
struct errand {
	struct errand *next; /* of the same host, in order */
	struct peer *peer;
	struct ctx *c;
	const struct egress_req *req;
	void *tag;
	CURL *easy; /* NULL while it waits */
	struct egress_sink sink;
	const char *url, *from;
	int hops;
	int64_t begun_ms, ended_ms, forgiven_ms;
	struct egress_res *res;
	const char *why;
	bool late;
};

struct queue {
	struct errand *first, *last;
};

/* A host and port, for one tenant. Freed when it has no requests. */
struct peer {
	struct peer *next;
	const char *name;
	int under_way;
	size_t waiting;
	int64_t mean_ms; /* average of the latest requests; 0: none has ended */
	struct queue active, queue;
};

struct egress_many {
	const struct conf *conf;
	CURLM *multi;
	struct peer *peers;
	struct queue ended;
	size_t at_once, under_way;
	int64_t listened_ms; /* clock_ms() of the last read of answers; 0: never */
};

static void
queue_put(struct queue *q, struct errand *e)
{
	e->next = NULL;
	if (q->last)
		q->last->next = e;
	else
		q->first = e;
	q->last = e;
}

static void
queue_drop(struct queue *q, struct errand *e)
{
	struct errand **at = &q->first, *before = NULL;

	while (*at != e) {
		before = *at;
		at = &before->next;
	}
	*at = e->next;
	if (q->last == e)
		q->last = before;
}

static struct errand *
queue_pop(struct queue *q)
{
	struct errand *e = q->first;

	if (e)
		queue_drop(q, e);
	return e;
}

static void
many_end(void *arg)
{
	struct egress_many *m = arg;

	for (struct peer *p = m->peers; p; p = p->next)
		for (struct errand *e; (e = queue_pop(&p->active));) {
			curl_multi_remove_handle(m->multi, e->easy);
			curl_easy_cleanup(e->easy);
		}
	curl_multi_cleanup(m->multi);
}

struct egress_many *
egress_many(void *owner, const struct conf *conf, size_t at_once)
{
	struct egress_many *m = mem_new(owner, struct egress_many);

	*m = (struct egress_many){ .conf = conf, .multi = curl_multi_init(), .at_once = at_once };
	/* A hanging HTTP/2 stream would block the others on its connection. */
	curl_multi_setopt(m->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	curl_multi_setopt(m->multi, CURLMOPT_MAXCONNECTS, (long)(at_once + IDLE_KEPT));
	mem_defer(owner, many_end, m);
	return m;
}

/* ---- peers ---- */

/* Finds or makes the peer of the request's tenant, and its scheme, host and port as written. */
static struct peer *
peer_find(struct egress_many *m, const struct egress_req *req)
{
	const char *host = strstr(req->url, "://"), *name;
	size_t n = host ? (size_t)(host - req->url) + 3 : 0;
	struct peer *p = m->peers;

	/* A spelling of its own gives a caller more connections at a time, but each is still
	 * checked. */
	n += strcspn(req->url + n, "/?#");
	name = mem_printf(NULL, "%s %.*s", req->tenant ? req->tenant : "", (int)n, req->url);
	while (p && strcasecmp(p->name, name) != 0)
		p = p->next;
	if (!p) {
		p = mem_new(m, struct peer);
		*p = (struct peer){ .name = mem_strdup(p, name), .next = m->peers };
		m->peers = p;
	}
	mem_free((void *)(uintptr_t)name);
	return p;
}

static void
peers_forget(struct egress_many *m)
{
	struct peer **at = &m->peers;

	while (*at) {
		struct peer *p = *at;

		if (p->under_way || p->waiting) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		mem_free(p);
	}
}

static int64_t
peer_wait_ms(const struct peer *p, size_t behind)
{
	int64_t oldest;

	if (p->under_way < HOST_AT_ONCE)
		return 0;
	/* A request that is running for long counts by its time so far. */
	oldest = p->active.first ? clock_ms() - p->active.first->begun_ms : 0;
	return (oldest > LONG_MS && oldest > p->mean_ms ? oldest : p->mean_ms) *
	    ((int64_t)behind + 1) / HOST_AT_ONCE;
}

/* ---- one request ---- */

/* Returns why a request failed, in words for the person who chose the address. The words for a
 * forbidden address don't depend on what listens there, because nothing is sent to it. */
static const char *
errand_why(struct errand *e, CURLcode code)
{
	curl_off_t connected = 0;

	curl_easy_getinfo(e->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	if (e->sink.refused)
		return "the address isn't allowed: it isn't public, or its port isn't 80 or 443";
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST: return "the host name couldn't be resolved";
	case CURLE_COULDNT_CONNECT: return "couldn't connect to the server";
	case CURLE_OPERATION_TIMEDOUT:
		return connected
		    ? mem_printf(e->c->mem, "no complete response was received within %ld seconds",
			e->req->timeout_s)
		    : mem_printf(e->c->mem, "couldn't connect to the server within %d seconds",
			EGRESS_CONNECT_S);
	case CURLE_PEER_FAILED_VERIFICATION:
		return "the server's certificate isn't valid for this address, or has expired";
	case CURLE_SSL_CONNECT_ERROR: return "an encrypted connection couldn't be established";
	case CURLE_WRITE_ERROR:
		return e->sink.head_n > EGRESS_HEAD_BYTES
		    ? "the response headers are too large"
		    : mem_printf(e->c->mem, "the response is larger than %zu bytes", e->sink.max);
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE: return "the connection was closed before "
					"the response was complete";
	default: return "the response isn't valid HTTP";
	}
}

static void
errand_end(struct egress_many *m, struct errand *e, const char *why)
{
	if (e->easy) {
		curl_multi_remove_handle(m->multi, e->easy);
		curl_easy_cleanup(e->easy);
		e->easy = NULL;
	}
	e->ended_ms = clock_ms();
	e->why = why;
	if (why)
		e->res = NULL;
	queue_put(&m->ended, e);
}

/* Starts the next hop. Returns why it can't be requested, or NULL. */
static const char *
errand_hop(struct egress_many *m, struct errand *e)
{
	int64_t left = e->begun_ms + e->forgiven_ms + e->req->timeout_s * 1000 - clock_ms();
	const char *wrong = egress_hop_wrong(e->c, e->req, e->from, e->url);

	if (wrong)
		return wrong;
	egress_hop_begin(&e->sink);
	curl_easy_setopt(e->easy, CURLOPT_TIMEOUT_MS, (long)(left > 0 ? left : 1));
	curl_easy_setopt(e->easy, CURLOPT_URL, e->url);
	return curl_multi_add_handle(m->multi, e->easy) ? "the request can't be sent" : NULL;
}

/* A name server that hangs delays only its own request: curl doesn't wait for its resolver thread.
 */
static const char *
errand_begin(struct egress_many *m, struct errand *e)
{
	e->begun_ms = clock_ms();
	if (e->req->trusted || egress_not_redirected(e->req))
		return "this request can't be sent this way";
	e->easy = curl_easy_init();
	if (!e->easy)
		return "the request can't be sent";
	egress_prepare(e->c, e->easy, e->req, &e->sink);
	curl_easy_setopt(e->easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(e->easy, CURLOPT_PRIVATE, e);
	return errand_hop(m, e);
}

static void
errand_start(struct egress_many *m, struct errand *e)
{
	const char *wrong = NULL;

	e->late = e->req->begin_by_ms && clock_ms() > e->req->begin_by_ms;
	if (!e->late)
		wrong = errand_begin(m, e);
	if (wrong || e->late) {
		errand_end(m, e, wrong);
		return;
	}
	queue_put(&e->peer->active, e);
	e->peer->under_way++;
	if (!m->under_way++)
		m->listened_ms = clock_ms();
}

/* Starts the oldest request of each host in turn, as the limits allow. */
static void
waiting_start(struct egress_many *m)
{
	for (struct peer *p = m->peers; p; p = p->next)
		while (p->waiting && p->under_way < HOST_AT_ONCE && m->under_way < m->at_once) {
			p->waiting--;
			errand_start(m, queue_pop(&p->queue));
		}
}

void
egress_add(struct egress_many *m, struct ctx *c, const struct egress_req *req, void *tag)
{
	struct errand *e = mem_new(m, struct errand);

	*e = (struct errand){ .c = c,
		.req = req,
		.tag = tag,
		.url = req->url,
		.peer = peer_find(m, req),
		.sink = { .conf = m->conf, .body = BUF(c->mem), .max = req->max_bytes } };
	queue_put(&e->peer->queue, e);
	e->peer->waiting++;
	waiting_start(m);
}

int64_t
egress_wait_ms(struct egress_many *m, const struct egress_req *req)
{
	const struct peer *p = peer_find(m, req);

	return peer_wait_ms(p, p->waiting);
}

void *
egress_take_back(struct egress_many *m, int64_t most_ms, int64_t *wait_ms)
{
	void *tag;

	for (struct peer *p = m->peers; p; p = p->next) {
		struct errand *e = p->queue.last;

		if (!e || peer_wait_ms(p, p->waiting) <= most_ms)
			continue;
		*wait_ms = peer_wait_ms(p, p->waiting);
		tag = e->tag;
		queue_drop(&p->queue, e);
		p->waiting--;
		mem_free(e);
		return tag;
	}
	return NULL;
}

/* ---- ends ---- */

static void
errand_answered(struct egress_many *m, struct errand *e, CURLcode code)
{
	const char *wrong = code ? errand_why(e, code) : NULL;
	char *next = NULL;
	struct peer *p;
	int64_t took;

	if (!wrong) {
		e->res = mem_new(e->c->mem, struct egress_res);
		egress_hop_answer(e->c, e->req, e->easy, &e->sink, e->res, &next);
	}
	if (next && e->hops++ < e->req->max_redirects) {
		e->from = e->url;
		e->url = mem_strdup(e->c->mem, next);
		curl_multi_remove_handle(m->multi, e->easy);
		wrong = errand_hop(m, e);
		if (!wrong)
			return;
	} else if (next) {
		wrong = mem_printf(e->c->mem, "more than %d redirects", e->req->max_redirects);
	}
	p = e->peer;
	took = clock_ms() - e->begun_ms + 1;
	queue_drop(&p->active, e);
	p->under_way--;
	m->under_way--;
	p->mean_ms = p->mean_ms ? (p->mean_ms * 7 + took) / 8 : took;
	errand_end(m, e, wrong);
}

/* Adds the time in which the caller didn't poll to the timeouts. */
static void
many_forgive(struct egress_many *m)
{
	int64_t now = clock_ms(), away = m->listened_ms ? now - m->listened_ms : 0;

	m->listened_ms = now;
	if (away < AWAY_MS)
		return;
	for (struct peer *p = m->peers; p; p = p->next)
		for (struct errand *e = p->active.first; e; e = e->next) {
			e->forgiven_ms += away;
			curl_easy_setopt(e->easy, CURLOPT_TIMEOUT_MS,
			    (long)(e->req->timeout_s * 1000 + e->forgiven_ms));
			curl_easy_setopt(e->easy, CURLOPT_CONNECTTIMEOUT_MS,
			    (long)(EGRESS_CONNECT_S * 1000 + e->forgiven_ms));
		}
}

static void
many_take(struct egress_many *m)
{
	struct CURLMsg *told;
	int running, rest;

	many_forgive(m);
	curl_multi_perform(m->multi, &running);
	while ((told = curl_multi_info_read(m->multi, &rest))) {
		struct errand *e;

		if (told->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(told->easy_handle, CURLINFO_PRIVATE, (char **)&e);
		errand_answered(m, e, told->data.result);
	}
	waiting_start(m);
	errno = 0;
}

bool
egress_next(struct egress_many *m, int wait_ms, struct egress_done *out)
{
	struct errand *e;

	if (!m->ended.first)
		many_take(m);
	if (!m->ended.first && wait_ms) {
		curl_multi_poll(m->multi, NULL, 0, wait_ms, NULL);
		many_take(m);
	}
	e = queue_pop(&m->ended);
	if (!e) {
		peers_forget(m);
		return false;
	}
	*out = (struct egress_done){ .tag = e->tag,
		.res = e->res,
		.why = e->why,
		.final = e->why && e->sink.refused && !e->sink.asked,
		.late = e->late,
		.took_ms = e->begun_ms ? e->ended_ms - e->begun_ms : 0 };
	mem_free(e);
	return true;
}
