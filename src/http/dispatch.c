/* SPDX-License-Identifier: Apache-2.0
 * Handles one request from its address to its reply. serve() runs all steps in order; a step that
 * fails ends it, and request_answer() writes the failure as the reply. */
#include "base/conf.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/str.h"
#include "db/db.h"
#include "http/above.h"
#include "http/describe.h"
#include "http/door.h"
#include "http/filled.h"
#include "http/form.h"
#include "http/idempotency.h"
#include "http/indexer.h"
#include "http/metrics.h"
#include "http/packer.h"
#include "http/quota.h"
#include "http/share.h"

enum {
	REPLAYS = 3,
	PREPARES = 5 /* if what was prepared no longer holds */
};

static enum err
no_such_address(struct req *r, const char *path)
{
	const struct route *near =
	    str_starts(path, "/v1") ? route_near(r->c->mem, r->method, path) : NULL;
	const char *misfit = near ? route_misfit(r->c->mem, near, path) : NULL;

	if (misfit)
		return fail(r->c, E_NOT_FOUND, "There is no such address; %s", misfit);
	if (near)
		return fail(r->c, E_NOT_FOUND, "There is no such address; did you mean %s %s?",
		    method_names[near->method], route_address(r->c->mem, near));
	return fail(r->c, E_NOT_FOUND, "There is no such address; GET /v1 shows where to start");
}

/* Redirects a page's address with slashes after it to the page. Returns false for others. */
static bool
redirect_slashes(struct req *r, const char *path)
{
	struct param p[PATH_PARAMS];
	size_t n = strlen(path);
	const struct route *row;
	unsigned allowed;

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (!path[n] || r->method != GET)
		return false;
	path = mem_strndup(r->c->mem, path, n);
	row = route_find(r->c->mem, GET, path, p, &allowed);
	if (!row || route_is_api(row))
		return false;
	reply_redirect(r,
	    mem_printf(r->c->mem, "%s%s", path, r->uri + strcspn(r->uri, "?")));
	return true;
}

/* Redirects a browser that opens a form's address, as after a refusal, to the page with the form.
 * Returns false if r->meant is no such form. */
static bool
redirect_to_form(struct req *r)
{
	if (r->method != GET || !r->meant->again)
		return false;
	r->route = r->meant;
	reply_redirect(r, form_filled(r, r->route->again, NULL));
	r->route = NULL;
	return true;
}

static enum err
find_route(struct req *r)
{
	char *path = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?"));
	struct buf allow = BUF(r->c->mem);
	unsigned allowed;

	r->route = route_find(r->c->mem, r->method, path, r->p, &allowed);
	if (r->route && r->content && !r->route->content)
		r->route = NULL;
	if (r->route)
		return E_OK;
	if (r->content)
		return fail(r->c, E_NOT_FOUND, "There is no such address");
	if (!allowed)
		return redirect_slashes(r, path) ? E_OK : no_such_address(r, path);
	r->meant = route_find(r->c->mem, __builtin_ctz(allowed), path, r->p, &allowed);
	if (redirect_to_form(r))
		return E_OK;
	for (int m = 0; m < METHODS; m++)
		if (allowed & 1u << m)
			buf_fmt(&allow, "%s%s%s", allow.n ? ", " : "", method_names[m],
			    m == GET ? ", HEAD" : "");
	reply_header(r, "Allow", "%s, OPTIONS", buf_done(&allow));
	if (str_eq(r->method_name, "OPTIONS")) {
		r->status = 204;
		reply_header(r, "Access-Control-Allow-Methods", "%s, OPTIONS", buf_done(&allow));
		reply_header(r, "Access-Control-Allow-Headers",
		    "Authorization, Content-Type, If-Match, If-None-Match, "
		    "Idempotency-Key, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
		    "Mcp-Session-Id, Last-Event-ID, X-MCP-Readonly");
		reply_header(r, "Access-Control-Max-Age", "86400");
		return E_OK;
	}
	return fail(
	    r->c, E_METHOD, "%s isn't allowed here; use %s", r->method_name, buf_done(&allow));
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
	r->c->actor = r->who;
	TRY(quota_take(r));
	/* Reads the body after authorise(): a caller who may not make the request must not learn
	 * what is wrong with its body. */
	if (!r->route->prepare)
		TRY(input_read(r));
	TRY(idempotency_claim(r));
	if (!r->replayed)
		TRY(r->route->handler(r));
	if (!r->replayed && r->who && r->who->grant_id)
		TRY(agent_changed(r));
	if (!r->replayed && r->who && r->who->outside)
		TRY(outside_changed(r));
	TRY(idempotency_keep(r));
	TRY(db_commit(r->c));
	r->saved = true;
	return E_OK;
}

/* A transaction lost to a deadlock, a dropped connection or a conflict between nodes has changed
 * nothing, so it runs again, on the request as it was before: headers, cookies and counts of the
 * lost try are dropped. REPLAYS limits the tries. If a handler finds that what was prepared is
 * stale, the request is prepared again. */
static enum err
transact_until_done(struct req *r)
{
	const struct req before = *r;

	for (int tries = 1;; tries++) {
		enum err e = transact(r);
		struct quota taken = r->quota;
		bool counted = r->quota_taken, stale = r->c->stale;

		if (!e)
			return E_OK;
		db_rollback(r->c);
		if (!r->c->replay || tries == (stale ? PREPARES : REPLAYS))
			return e;
		quota_return_taken(r, before.taken_n);
		*r = before;
		r->quota = taken; /* the row's limits are taken once per request */
		r->quota_taken = counted;
		ctx_again(r->c);
		if (stale)
			TRY(r->route->prepare(r));
	}
}

/* Makes the disk agree with the changes. The rows are committed, so a failure is reported as
 * E_PENDING, and the runner repeats this later. */
static enum err
effects_show(struct req *r)
{
	for (size_t i = 0; i < r->c->effect_n; i++) {
		if (effect_show(r->c, &r->c->effects[i]) == E_OK)
			continue;
		log_line(LOG_LEVEL_WARN, "not projected", "request_id", r->id, "subject",
		    r->c->effects[i].links ? r->c->effects[i].links
					   : r->c->effects[i].artifact_id,
		    "why", r->c->internal, NULL);
		return fail(r->c, E_PENDING, "%s", err_table[E_PENDING].text);
	}
	return E_OK;
}

/* Takes milliseconds while all machines are there. While one is lost, at most half of the pool's
 * workers wait for longer. */
static enum err
closings_await(struct req *r)
{
	bool closed;
	enum err e = effects_spread(r->c, false, &closed);

	if (!e && !closed && share_closing(r->c->conf))
		e = effects_spread(r->c, true, &closed);
	if (!e && closed)
		return E_OK;
	log_line(LOG_LEVEL_WARN, "not closed on each machine", "request_id", r->id, "why",
	    e ? ctx_why(r->c) : "a machine takes too long", NULL);
	return fail(r->c, E_PENDING, "%s", err_table[E_PENDING].text);
}

static enum err
request_change(struct req *r)
{
	/* The route's slow part runs before the transaction. A request that repeats an earlier one
	 * by its Idempotency-Key gets the stored reply instead. */
	if (r->route->prepare) {
		TRY(authorise(r));
		TRY(quota_take(r));
		TRY(input_read(r));
		TRY(idempotency_look(r));
		if (!r->replayed)
			TRY(r->route->prepare(r));
	}
	if (!r->replayed) {
		TRY(transact_until_done(r));
		TRY(effects_show(r));
	}
	/* The request was sent again while the first one may still wait for other machines to show
	 * its effects, so this one shows them, too. */
	if (r->replayed)
		TRY(effects_spread_all(r->c));
	TRY(closings_await(r));
	return r->route->after ? r->route->after(r) : E_OK;
}

/* Serves the request after the caller is known, from authenticate() or from the outer request of
 * req_serve(). A GET, and a route that changes no row, needs no transaction. */
static enum err
serve_row(struct req *r)
{
	bool looks = r->method == GET || r->route->no_transaction;

	/* A change may wait for rows that others hold. */
	if (!looks || metrics_lasts(r->route))
		door_leave();
	if (looks) {
		TRY(authorise(r));
		r->c->actor = r->who;
		TRY(quota_take(r));
		TRY(input_read(r));
		return r->route->handler(r);
	}
	if (!r->who && r->route->who != PUBLIC)
		return permit_unknown(r);
	TRY(quota_take(r));
	return request_change(r);
}

/* Reuses the thing that the last inner GET has loaded, if this one names the same. */
static void
thing_reuse(struct req *r)
{
	const struct req *last = r->outer->looked;
	const struct noun *noun = r->route->who->noun;
	const struct noun *other = last ? last->route->who->noun : NULL;

	if (r->method != GET || !noun || !other || noun->load != other->load || noun->artifact_of ||
	    !route_has_param(r->route, noun->param) || !route_has_param(last->route, noun->param) ||
	    !str_eq(req_param(r, noun->param), req_param(last, noun->param)))
		return;
	r->loaded = true;
	r->art = last->art;
	r->ws = last->ws;
	r->thing = last->thing;
}

static enum err
serve(struct req *r)
{
	TRY(find_route(r));
	if (!r->route)
		return E_OK;
	if (r->outer) {
		thing_reuse(r);
		return serve_row(r);
	}
	TRY(authenticate(r));
	TRY(share_take(r));
	return serve_row(r);
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

/* Returns the id that the client sent, if it is valid; else a new one. */
static const char *
request_id(const struct req *r)
{
	const char *sent = req_header(r, "HTTP_X_REQUEST_ID");
	uint8_t raw[16];

	if (sent && strlen(sent) <= 64 &&
	    sent[strspn(sent,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0')
		return mem_strdup(r->c->mem, sent);
	crypto_random(raw, sizeof raw);
	return crypto_hex(r->c->mem, raw, sizeof raw);
}

static void
request_answer(struct req *r)
{
	uint64_t commits = db_commits(r->c->db);
	enum err e;

	reply_header(r, "Content-Type", "application/json");
	reply_header(r, "Cache-Control", "no-store");
	e = serve(r);
	if (r->forwarded) {
		quota_return(r);
		return;
	}
	/* The reply must not leave if this machine was no longer active when the rows had been
	 * read (base/lease.h). A change that was committed is answered. */
	if (!lease_active() && r->c->round_trips &&
	    (r->method == GET || db_commits(r->c->db) == commits))
		e = reply_not_active(r);
	if (!e && r->route && r->route->visit)
		r->seen = outside_seen(r);
	if (e)
		r->c->err = e;
	if (e && !form_show_again(r, e))
		reply_error(r, e);
	quota_return(r);
	reply_finish(r);
}

const int judged_statuses[] = { 400, 404, 409, 413, 415, 0 };

/* Checks all that needs no body: the row, the caller and the headers. */
static enum err
caller_judge(struct req *r)
{
	TRY(find_route(r));
	if (!r->route)
		return E_OK;
	TRY(authenticate(r));
	TRY(authorise_look(r));
	TRY(req_check_type(r));
	TRY(idempotency_check(r));
	return r->route->judge ? r->route->judge(r) : E_OK;
}

/* nginx calls this (auth_request) before it reads a large body. The answer is 204 or a refusal,
 * which nginx passes on. nginx accepts only 401 and 403 and no body, so the real status and the
 * JSON body are in headers. Other refusals follow when the request itself is served. */
static void
request_judge(struct req *r)
{
	enum err e = caller_judge(r);
	int status = err_table[e].status;
	const int *one = judged_statuses;

	while (*one && *one != status)
		one++;
	if (e && (*one || status == 401 || status == 403) && lease_active()) {
		reply_error(r, e);
		/* For a page, nginx has an error page of its own. */
		if (!r->route || r->route->answer.kind != ANSWER_PAGE)
			reply_header(r, "X-Vitrine-Refusal", "%s", buf_done(&r->out));
		reply_header(r, "X-Vitrine-Status", "%d", status);
		r->status = status == 401 ? 401 : 403;
	} else {
		r->status = 204;
	}
	r->out = BUF(r->c->mem);
	reply_header(r, "X-Request-Id", "%s", r->id);
}

void
dispatch(struct req *r)
{
	const char *method = req_env(r, "REQUEST_METHOD"), *uri = req_env(r, "REQUEST_URI");
	const char *plane;

	r->id = request_id(r);
	r->c->request_id = r->id;
	r->c->address = req_address(r);
	r->method_name = method ? method : "";
	r->uri = uri ? uri : "/";
	r->out = BUF(r->c->mem);
	method_read(r);
	/* nginx sets VITRINE_PLANE on content hosts; it is "visitor" for a path of the API. */
	plane = req_env(r, "VITRINE_PLANE");
	r->content = plane != NULL;
	r->domain = plane ? req_env(r, "VITRINE_DOMAIN") : NULL;
	r->frame = plane ? req_env(r, "VITRINE_FRAME") : NULL;
	/* Of a domain or a frame, authenticate() finds the slug. */
	r->site = !str_eq(plane, "visitor") ? NULL
	    : r->frame			    ? r->frame
	    : r->domain			    ? r->domain
					    : req_env(r, "VITRINE_SLUG");
	r->subdomain = plane ? req_env(r, "VITRINE_SUBDOMAIN") : NULL;
	if (r->content && !r->site)
		gate(r);
	else if (req_env(r, "VITRINE_JUDGE"))
		request_judge(r);
	else
		request_answer(r);
}

/* Tells the packer and the indexer what changed; the runner does what gets lost. */
static void
changes_note(struct req *r)
{
	for (size_t i = 0; i < r->c->effect_n && (r->status < 400 || r->turned_away); i++)
		packer_note(&r->c->effects[i]);
	if (r->who && r->c->words)
		indexer_note();
}

static void
ctx_drop(void *c)
{
	ctx_end(c);
}

/* Sets the address with its query and the body as text, by which a request with an Idempotency-Key
 * is compared with an earlier one. */
static void
request_write(struct req *r)
{
	struct buf uri = BUF(r->c->mem);
	bool asks = strchr(r->uri, '?') != NULL;

	buf_str(&uri, r->uri);
	for (const struct pair *p = r->asked; p && p->name; p++) {
		if (p->value && !asks) {
			buf_chr(&uri, '?');
			asks = true;
		}
		form_pair(&uri, p->name, p->value);
	}
	r->uri = buf_done(&uri);
	r->body = r->sent ? json_text(r->c->mem, r->sent) : NULL;
	r->body_n = r->body ? strlen(r->body) : 0;
}

const struct req *
req_serve(struct req *outer, const struct serving *s)
{
	struct ctx *c = ctx_begin(outer->c->conf, outer->c->db);
	struct req *r = mem_new(c->mem, struct req);
	char **env = mem_array(c->mem, char *, 5), **at = env;

	*at++ = mem_strdup(c->mem, "CONTENT_TYPE=application/json");
	if (s->key)
		*at++ = mem_printf(c->mem, "HTTP_IDEMPOTENCY_KEY=%s", s->key);
	if (s->if_match)
		*at++ = mem_printf(c->mem, "HTTP_IF_MATCH=%s", s->if_match);
	if (s->if_none_match)
		*at++ = mem_printf(c->mem, "HTTP_IF_NONE_MATCH=%s", s->if_none_match);
	*at = NULL;
	mem_defer(outer->c->mem, ctx_drop, c);
	*r = (struct req){ .c = c, .env = env, .outer = outer, .id = outer->id, .who = outer->who,
		.method_name = s->method, .uri = s->uri, .out = BUF(c->mem), .asked = s->query,
		.sent = s->body, .attached = s->attached, .shown = s->key ? NULL : s->shown };
	if (s->key)
		request_write(r);
	c->request_id = r->id;
	c->address = outer->c->address;
	method_read(r);
	request_answer(r);
	r->status = r->status ? r->status : 200; /* a struct that was taken has no status */
	changes_note(r);
	if (r->method != GET || r->judged)
		outer->looked = r->method == GET ? r : NULL;
	outer->c->round_trips += c->round_trips;
	outer->seen = r->seen ? r->seen : outer->seen;
	return r;
}

enum err
req_served(struct req *outer, const struct req *served)
{
	struct ctx *c = outer->c;

	if (served->status < 400)
		return E_OK;
	outer->retry_after_s =
	    served->retry_after_s ? served->retry_after_s : served->quota.reset_s;
	c->details = served->c->details ? mem_strdup(c->mem, served->c->details) : NULL;
	return fail(c, served->c->err, "%s",
	    served->c->message ? served->c->message : err_table[served->c->err].text);
}

/* Work after the reply: tells the packer and the indexer what changed, and records that the session
 * or token was used, what an outsider has read, and what the caller has opened. */
void
dispatch_after(struct req *r)
{
	changes_note(r);
	if (r->seen && r->status < 400)
		outside_note(r->c, r->seen);
	if (r->who && r->route && r->route->opened && r->status < 400)
		opened_note(r);
	if (r->who)
		caller_touch(r->c, r->who);
}
