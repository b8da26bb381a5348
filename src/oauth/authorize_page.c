/* SPDX-License-Identifier: Apache-2.0
 * The page on which a person lets a program work for them. Each time: nothing is remembered, since
 * what a program says of itself is not verified. What is wrong with a request goes back to an
 * address that the program is known to have; a web page's is only a button here, so that no address
 * of ours leads a person to another site before they have decided. Source:
 * RFC 6749 section 4.1, RFC 9207, RFC 9700; oauth/README.md. */
#include "base/conf.h"
#include "base/str.h"
#include "core/agentpolicy.h"
#include "core/way.h"
#include "http/form.h"
#include "http/quota.h"
#include "oauth/authorize.h"
#include "oauth/grant.h"

#define CONSENT_FORM(F, T) \
	AUTHORIZE(F, T) \
	F(T, WORD, action,       .flags = F_REQ, .arg = "allow|cancel") \
	F(T, WORD, where,        .arg = "all|own|workspace") \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, STR,  read_only,    .hi = 10) \
	F(T, WORD, opens_to,     .arg = VISIBILITIES) \
	F(T, INT,  days,         .hi = 365, .doc = "0: until it is ended")
SHAPE(consent_form, CONSENT_FORM);

#define AUTHORIZE_PAGE(F, T) \
	F(T, STR,  name) \
	F(T, STR,  from,       .doc = "Host of the program's own address") \
	F(T, STR,  to,         .doc = "Host that the person is sent back to") \
	F(T, BOOL, local,      .doc = "It runs on the person's machine") \
	F(T, BOOL, reads) \
	F(T, BOOL, publishes) \
	F(T, BOOL, reads_data) \
	F(T, BOOL, writes_data) \
	F(T, LIST, workspaces, .sub = &agent_place_shape, .doc = "Those that let it in") \
	F(T, BOOL, guarded,    .doc = "In some of these, members see only their own") \
	F(T, LIST, closed,     .sub = &agent_place_shape, .doc = "The others")
SHAPE(authorize_page, AUTHORIZE_PAGE);

enum { WORKSPACES_SHOWN = 200 };

/* ---- the way back ---- */

/* RFC 6749, section 4.1.2.1. */
static enum err
asked_refuse(struct req *r, const struct authorize *q, const char *word)
{
	const char *why = r->c->message;
	const char *to = authorize_answer(r->c, q->redirect_uri, q->state, "error", word, why);

	ctx_forgive(r->c);
	if (!str_starts(q->redirect_uri, "https:"))
		return reply_redirect(r, to);
	reply_error_page(r, 400,
	    &(struct page_error){ .title = "This didn’t work",
		.message = form_sentence(r->c->mem, why),
		.home = to,
		.go = mem_printf(r->c->mem, "Back to %s",
		    client_uri_host(r->c->mem, q->redirect_uri)) });
	return E_OK;
}

/* ---- the page ---- */

static enum err
h_authorize(struct req *r)
{
	const struct authorize *q = r->query;
	struct authorize_page page = { 0 };
	struct agent_place_list all;
	struct oauth_client client;
	int64_t scopes = authorize_scopes(r->c, q->scope);
	const char *word;
	enum err e;

	if (!r->who || !r->who->session_id)
		return reply_redirect(r, signin_path(r->c, r->uri));
	e = authorize_judge(r->c, q, &client, &word);
	if (e && word)
		return asked_refuse(r, q, word);
	TRY(e);
	page = (struct authorize_page){ .name = client.name,
		.from = client.host,
		.to = client_uri_host(r->c->mem, q->redirect_uri),
		.local = str_starts(q->redirect_uri, "http:") };
	TRY(agent_places(r->c, r->who->user_id, client_host(r->c->mem, &client, q->redirect_uri),
	    WORKSPACES_SHOWN, &all));
	page.guarded = agent_places_split(r->c, &all, &page.workspaces, &page.closed);
	page.reads = scopes & scope_bits((enum scope[]){ ARTIFACTS_READ, NO_SCOPE });
	page.publishes = scopes & scope_bits((enum scope[]){ ARTIFACTS_PUBLISH, NO_SCOPE });
	page.reads_data = scopes & scope_bits((enum scope[]){ DATA_READ, NO_SCOPE });
	page.writes_data = scopes & scope_bits((enum scope[]){ DATA_WRITE, NO_SCOPE });
	TRY(reply_page(r, 0, &page));
	reply_header(r, "Content-Security-Policy", "%s %s", page_csp(r->c->conf),
	    authorize_source(r->c->mem, q->redirect_uri));
	return E_OK;
}

/* ---- the answer ---- */

static enum err
consent_prepare(struct req *r)
{
	struct oauth_client *client = r->prepared = mem_new(r->c->mem, struct oauth_client);
	const struct consent_form *in = r->in;
	const char *word;

	return authorize_judge(r->c,
	    &(struct authorize){ .client_id = in->client_id,
		.redirect_uri = in->redirect_uri,
		.response_type = in->response_type,
		.code_challenge = in->code_challenge,
		.code_challenge_method = in->code_challenge_method,
		.resource = in->resource },
	    client, &word);
}

static enum err
go_back(struct req *r, const struct consent_form *in, const char *name, const char *value)
{
	return reply_redirect(
	    r, authorize_answer(r->c, in->redirect_uri, in->state, name, value, NULL));
}

static enum err
where_read(struct req *r, const struct consent_form *in, struct consent *out)
{
	struct principal agent = *r->who;
	struct workspace *w;
	enum err e;

	out->own_only = str_eq(in->where, "own");
	if (!in->where)
		return fail(r->c, E_INVALID, "where: choose where it may work");
	if (!str_eq(in->where, "workspace"))
		return E_OK;
	out->workspace_id = in->workspace_id;
	agent.agent_host = out->host;
	e = in->workspace_id ? workspace_get(r->c, in->workspace_id, &agent, false, &w)
			     : E_NOT_FOUND;
	if (e == E_NOT_FOUND)
		return fail(r->c, E_INVALID, "workspace_id: choose a workspace that you are in");
	if (e == E_DENIED)
		return fail(r->c, E_DENIED,
		    "workspace_id: the admins of this workspace don't let this program work in it");
	return e;
}

static enum err
h_consent(struct req *r)
{
	static const enum scope reading[] = { ARTIFACTS_READ, DATA_READ, NO_SCOPE };
	const struct oauth_client *client = r->prepared;
	const struct consent_form *in = r->in;
	struct consent yes = { .scopes = authorize_scopes(r->c, in->scope),
		.opens_to = in->opens_to && !in->read_only ? in->opens_to : "private",
		.days = in->days,
		.client_id = in->client_id,
		.name = client->name,
		.host = client_host(r->c->mem, client, in->redirect_uri),
		.redirect_uri = in->redirect_uri,
		.challenge = in->code_challenge };
	const char *code;

	if (str_eq(in->action, "cancel"))
		return go_back(r, in, "error", "access_denied");
	if (in->read_only)
		yes.scopes &= scope_bits(reading);
	if (!yes.scopes)
		return fail(r->c, E_INVALID,
		    "read_only: this program asks for nothing that it could read");
	TRY(where_read(r, in, &yes));
	TRY(grant_begin(r->c, r->who, &yes, &code));
	return go_back(r, in, "code", code);
}

static LIMIT(LIM_CONNECT, "connect", OF_USER, ALL, agents_connected_per_hour,
    "answers to programs that want to be connected");

static const struct route authorize_routes[] = {
  { PAGE("/oauth/authorize", PUBLIC, authorize, h_authorize), .slow = true,
    .query = &authorize_shape, .doc = "Let a program work for you" },
  { FORM("/oauth/authorize", SESSION, consent_form, h_consent), .again = "/oauth/authorize",
    .slow = true, .limit = LIM_CONNECT, .prepare = consent_prepare,
    .doc = "Answer whether a program may work for you" },
};
ROUTES(authorize, "Pages: connecting agents",
    "Where a person lets a program work for them, in the browser.");
