/* SPDX-License-Identifier: Apache-2.0
 * One request from its address to its reply. serve() is the whole story; a step that fails ends it,
 * and dispatch() renders the failure. */
#include "base/conf.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/str.h"
#include "domain/project.h"
#include "domain/session.h"
#include "http/idempotency.h"
#include "http/quota.h"
#include "http/server.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { REPLAYS = 3, PACK_MS = 3000, NICE = 19 };

static enum err
find_route(struct req *r)
{
	char *path = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?"));
	struct buf allow = BUF(r->c->mem);
	unsigned allowed;

	r->route = route_find(r->c->mem, r->method, path, r->p, &allowed);
	if (r->route)
		return E_OK;
	if (!allowed)
		return fail(r->c, E_NOT_FOUND, "There is no such address");
	for (int m = 0; m < METHODS; m++)
		if (allowed & 1u << m)
			buf_fmt(&allow, "%s%s%s", allow.n ? ", " : "", method_names[m],
			    m == GET ? ", HEAD" : "");
	reply_header(r, "Allow", "%s, OPTIONS", buf_done(&allow));
	if (str_eq(r->method_name, "OPTIONS")) {
		r->status = 204;
		reply_header(r, "Access-Control-Allow-Methods", "%s, OPTIONS", buf_done(&allow));
		reply_header(r, "Access-Control-Allow-Headers",
		    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id");
		reply_header(r, "Access-Control-Max-Age", "86400");
		return E_OK;
	}
	return fail(
	    r->c, E_METHOD, "%s is not answered here; %s is", r->method_name, buf_done(&allow));
}

static enum err
input_read(struct req *r)
{
	TRY(req_read_query(r));
	return req_read_body(r);
}

static enum err
transact(struct req *r)
{
	TRY(db_begin(r->c));
	TRY(authorise(r));
	/* After the caller is judged: what is wrong with a body is not for everybody to learn. */
	if (!r->route->prepare)
		TRY(input_read(r));
	TRY(idempotency_claim(r));
	if (!r->replayed)
		TRY(r->route->handler(r));
	TRY(idempotency_keep(r));
	return db_commit(r->c);
}

/* A transaction that was lost to a deadlock, a dropped connection or a conflict between nodes left
 * nothing behind, so the whole of it runs again, on the request as it was: the lost try's headers,
 * cookies and counts are gone with it. */
static enum err
transact_until_done(struct req *r)
{
	const struct req before = *r;

	for (int tries = 1;; tries++) {
		enum err e = transact(r);

		if (!e)
			return E_OK;
		db_rollback(r->c);
		if (!r->c->replay || tries == REPLAYS)
			return e;
		quota_return_taken(r);
		*r = before;
		ctx_again(r->c);
	}
}

/* The rows are committed: what fails from here on is told as such, and the runner repeats it. */
static enum err
effects_show(struct req *r)
{
	for (size_t i = 0; i < r->c->effect_n; i++) {
		if (project_effect(r->c, &r->c->effects[i]) == E_OK)
			continue;
		log_line(LOG_LEVEL_WARN, "not projected", "request_id", r->id, "artifact",
		    r->c->effects[i].artifact_id, "why", r->c->internal, NULL);
		return fail(r->c, E_PENDING, "%s", err_table[E_PENDING].text);
	}
	return E_OK;
}

/* What takes long comes before the transaction; a repeated request need not do it again. */
static enum err
request_prepare(struct req *r)
{
	TRY(authorise(r));
	TRY(input_read(r));
	TRY(idempotency_look(r));
	return r->replayed ? E_OK : r->route->prepare(r);
}

static enum err
request_change(struct req *r)
{
	if (r->route->prepare)
		TRY(request_prepare(r));
	if (r->replayed)
		return E_OK;
	TRY(transact_until_done(r));
	return effects_show(r);
}

/* A GET, and what changes no row: no transaction. */
static enum err
request_look(struct req *r)
{
	TRY(authorise(r));
	TRY(quota_take(r));
	TRY(input_read(r));
	return r->route->handler(r);
}

static enum err
serve(struct req *r)
{
	TRY(find_route(r));
	if (!r->route)
		return E_OK;
	TRY(authenticate(r));
	if (r->method == GET || r->route->no_transaction)
		return request_look(r);
	if (!r->who && r->route->who != PUBLIC)
		return fail(r->c, E_UNAUTHENTICATED, "%s", err_table[E_UNAUTHENTICATED].text);
	TRY(quota_take(r));
	return request_change(r);
}

static void
method_read(struct req *r)
{
	r->head = str_eq(r->method_name, "HEAD");
	r->method = r->head ? GET : -1;
	for (int m = 0; m < METHODS; m++)
		if (str_eq(r->method_name, method_names[m]))
			r->method = m;
}

static bool
request_id_valid(const char *s)
{
	return s && strlen(s) <= 64 &&
	    s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")] ==
	    '\0';
}

static const char *
request_id_new(void *mem)
{
	uint8_t raw[16];

	crypto_random(raw, sizeof raw);
	return crypto_hex(mem, raw, sizeof raw);
}

void
dispatch(struct req *r)
{
	const char *sent = req_header(r, "HTTP_X_REQUEST_ID");
	const char *method = req_env(r, "REQUEST_METHOD"), *uri = req_env(r, "REQUEST_URI");
	enum err e;

	r->id = request_id_valid(sent) ? mem_strdup(r->c->mem, sent) : request_id_new(r->c->mem);
	r->method_name = method ? method : "";
	r->uri = uri ? uri : "/";
	r->out = BUF(r->c->mem);
	r->out_fd = -1;
	method_read(r);
	r->content = str_eq(req_env(r, "VITRINE_PLANE"), "content");
	if (r->content) {
		gate(r);
		return;
	}
	reply_header(r, "Content-Type", "application/json");
	reply_header(r, "Cache-Control", "no-store");
	e = serve(r);
	if (e)
		reply_error(r, e);
	quota_return(r);
	reply_finish(r);
}

/* The runner completes whatever fails here. On Linux a thread has a priority of its own: this one
 * takes what processor time the requests leave. */
static void *
effects_pack(void *arg)
{
	struct req *r = arg;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	for (size_t i = 0; i < r->c->effect_n; i++) {
		const struct effect *e = &r->c->effects[i];
		bool finished = false;

		if (project_pack(r->c, e->artifact_id, PACK_MS, &finished) == E_OK && finished)
			project_done(r->c, e->outbox_id);
	}
	return NULL;
}

/* A thread only for its priority, which could not be raised again: nothing runs beside it. */
static void
effects_finish(struct req *r)
{
	pthread_t thread;

	if (!r->c->effect_n || r->status >= 400)
		return;
	if (pthread_create(&thread, NULL, effects_pack, r) == 0)
		pthread_join(thread, NULL);
}

/* Precompression and bookkeeping. */
void
dispatch_after(struct req *r)
{
	effects_finish(r);
	if (r->who && r->who->session_id)
		session_touch(r->c, r->who);
	else if (r->who)
		token_touch(r->c, r->who);
}
