/* SPDX-License-Identifier: Apache-2.0
 * One request from its address to its reply. serve() is the whole story; a step that fails ends it, and dispatch() renders the failure. */
#include "base/conf.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/str.h"
#include "domain/project.h"
#include "domain/session.h"
#include "http/idempotency.h"
#include "http/quota.h"
#include "http/server.h"

enum { REPLAYS = 3, PACK_MS = 3000 };

static enum err
route(struct req *r)
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
			buf_fmt(&allow, "%s%s%s", allow.n ? ", " : "", method_names[m], m == GET ? ", HEAD" : "");
	reply_header(r, "Allow", "%s, OPTIONS", buf_done(&allow));
	if (str_eq(r->method_name, "OPTIONS")) {
		r->status = 204;
		reply_header(r, "Access-Control-Allow-Methods", "%s, OPTIONS", buf_done(&allow));
		reply_header(r, "Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id");
		reply_header(r, "Access-Control-Max-Age", "86400");
		return E_OK;
	}
	return fail(r->c, E_METHOD, "%s is not answered here; %s is", r->method_name, buf_done(&allow));
}

static enum err
transact(struct req *r)
{
	TRY(db_begin(r->c));
	TRY(authorise(r));
	/* After the caller is judged: what is wrong with a body is not for everybody to learn. */
	TRY(req_read_query(r));
	TRY(req_read_body(r));
	TRY(idempotency_claim(r));
	if (!r->replayed)
		TRY(r->route->handler(r));
	TRY(idempotency_keep(r));
	return db_commit(r->c);
}

/* A transaction lost to a deadlock or a dropped connection left nothing behind: the whole of it runs again. */
static enum err
transact_until_done(struct req *r)
{
	for (int tries = 1;; tries++) {
		enum err e = transact(r);

		if (!e)
			return E_OK;
		db_rollback(r->c);
		if (!r->c->replay || tries == REPLAYS)
			return e;
		r->c->replay = r->c->busy = false;
		r->c->after_commit = NULL;
	}
}

static enum err
serve(struct req *r)
{
	TRY(route(r));
	if (!r->route)
		return E_OK;
	TRY(authenticate(r));
	if (r->method == GET)
		TRY(authorise(r));
	else if (!r->who && r->route->who != PUBLIC)
		return fail(r->c, E_UNAUTHENTICATED, "%s", err_table[E_UNAUTHENTICATED].text);
	TRY(quota_take(r));
	if (r->method == GET || r->route->no_transaction) {
		TRY(req_read_query(r));
		TRY(req_read_body(r));
		return r->route->handler(r);
	}
	TRY(transact_until_done(r));
	return r->c->after_commit ? project_artifact(r->c, r->c->after_commit) : E_OK;
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
	return s && strlen(s) <= 64 && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0';
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

/* Precompression and bookkeeping; the runner completes whatever fails here. */
void
dispatch_after(struct req *r)
{
	const char *artifact = r->c->after_commit;
	bool finished = false;

	if (artifact && r->status < 400 && project_pack(r->c, artifact, PACK_MS, &finished) == E_OK && finished)
		project_done(r->c);
	if (r->who && r->who->session_id)
		session_touch(r->c, r->who);
	else if (r->who)
		token_touch(r->c, r->who);
}
