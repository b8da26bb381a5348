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
#include "http/req.h"
#include "oauth/client.h"
#include "oauth/grant.h"

#define AUTHORIZE(F, T) \
	F(T, STR, client_id,             .hi = CLIENT_ID_MAX) \
	F(T, STR, redirect_uri,          .hi = CLIENT_URI_MAX) \
	F(T, STR, response_type,         .hi = 100, .doc = "code") \
	F(T, STR, code_challenge,        .hi = 200) \
	F(T, STR, code_challenge_method, .hi = 100, .doc = "S256") \
	F(T, STR, scope,                 .hi = 1000, .doc = "Unknown ones are ignored") \
	F(T, STR, state,                 .hi = 2000) \
	F(T, STR, resource,              .hi = 2000, .doc = "Address of the agent protocol")
SHAPE(authorize, AUTHORIZE);

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

/* ---- the request ---- */

/* The scopes that the request names, or all if it names none. */
static int64_t
scopes_asked(struct ctx *c, const char *scope)
{
	char *rest = mem_strdup(c->mem, scope ? scope : ""), *word;
	int64_t asked = 0, all = 0;

	while ((word = strsep(&rest, " ")))
		for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++)
			if (str_eq(word, scope_name(s)))
				asked |= scope_bits((enum scope[]){ s, NO_SCOPE });
	for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++)
		all |= scope_bits((enum scope[]){ s, NO_SCOPE });
	return asked ? asked : all;
}

/* The agents' protocol, or this service: some programs leave out the path, or add a slash. */
static bool
resource_fits(const struct ctx *c, const char *resource)
{
	const char *base = c->conf->base_url;

	return !resource ||
	    (str_starts(resource, base) && str_in(resource + strlen(base), "/|/mcp|/mcp/")) ||
	    str_eq(resource, base);
}

/* *word: the error for the program, once its redirect_uri is known. */
static enum err
asked_judge(struct req *r, const struct authorize *q, struct oauth_client *client,
    const char **word)
{
	*word = NULL;
	if (!q->client_id || !q->redirect_uri)
		return fail(r->c, E_INVALID,
		    "%s: is missing; start again in the program that sent you here",
		    q->client_id ? "redirect_uri" : "client_id");
	TRY(client_find(r->c, q->client_id, client));
	if (!client_returns_to(client, q->redirect_uri))
		return fail(r->c, E_INVALID,
		    "redirect_uri: isn't one that this program has said it comes back to");
	*word = "unsupported_response_type";
	if (!str_eq(q->response_type, "code"))
		return fail(r->c, E_INVALID, "response_type: must be code");
	*word = "invalid_request";
	if (!q->code_challenge || strlen(q->code_challenge) != 43 ||
	    !str_eq(q->code_challenge_method, "S256"))
		return fail(r->c, E_INVALID,
		    "code_challenge: must be there, made by code_challenge_method S256");
	*word = "invalid_target";
	if (!resource_fits(r->c, q->resource))
		return fail(r->c, E_INVALID, "resource: must be %s/mcp", r->c->conf->base_url);
	return E_OK;
}

/* ---- the way back ---- */

static const char *
back_address(struct req *r, const char *uri, const char *state, const char *name,
    const char *value, const char *why)
{
	struct buf to = BUF(r->c->mem);

	buf_fmt(&to, "%s%c%s=", uri, strchr(uri, '?') ? '&' : '?', name);
	buf_form(&to, value);
	if (why) {
		buf_str(&to, "&error_description=");
		buf_form(&to, why);
	}
	if (state) {
		buf_str(&to, "&state=");
		buf_form(&to, state);
	}
	buf_str(&to, "&iss=");
	buf_form(&to, r->c->conf->base_url);
	return buf_done(&to);
}

/* RFC 6749, section 4.1.2.1. */
static enum err
asked_refuse(struct req *r, const struct authorize *q, const char *word)
{
	const char *why = r->c->message;
	const char *to = back_address(r, q->redirect_uri, q->state, "error", word, why);

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

/* Sources for form-action beside our own pages, because browsers apply it to a form’s redirect. The
 * machine’s own addresses can’t all be written there. */
static const char *
way_back(void *mem, const char *uri)
{
	const char *host = client_uri_host(mem, uri);

	return str_starts(uri, "https:") ? mem_printf(mem, "https://%s", host)
	    : str_starts(uri, "http:")   ? "http:"
					 : host;
}

/* The workspaces that the person is in: those that let the program in, and the others. */
static enum err
places_read(struct req *r, const char *host, struct authorize_page *page)
{
	struct agent_place_list all;
	struct agent_place *in, *out;
	size_t n = 0, closed = 0;

	TRY(agent_places(r->c, r->who->user_id, host, WORKSPACES_SHOWN, &all));
	in = mem_array(r->c->mem, struct agent_place, all.n + 1);
	out = mem_array(r->c->mem, struct agent_place, all.n + 1);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].off || all.v[i].other_hosts) {
			out[closed++] = all.v[i];
		} else {
			page->guarded |= str_eq(all.v[i].member_access, "none");
			in[n++] = all.v[i];
		}
	page->workspaces = (struct list){ in, n };
	page->closed = (struct list){ out, closed };
	return E_OK;
}

static enum err
h_authorize(struct req *r)
{
	const struct authorize *q = r->query;
	struct authorize_page page = { 0 };
	struct oauth_client client;
	int64_t scopes = scopes_asked(r->c, q->scope);
	const char *word;
	enum err e;

	if (!r->who || !r->who->session_id)
		return reply_redirect(r, signin_path(r->c, r->uri));
	e = asked_judge(r, q, &client, &word);
	if (e && word)
		return asked_refuse(r, q, word);
	TRY(e);
	page = (struct authorize_page){ .name = client.name,
		.from = client.host,
		.to = client_uri_host(r->c->mem, q->redirect_uri),
		.local = str_starts(q->redirect_uri, "http:") };
	TRY(places_read(r, client_host(r->c->mem, &client, q->redirect_uri), &page));
	page.reads = scopes & scope_bits((enum scope[]){ ARTIFACTS_READ, NO_SCOPE });
	page.publishes = scopes & scope_bits((enum scope[]){ ARTIFACTS_PUBLISH, NO_SCOPE });
	page.reads_data = scopes & scope_bits((enum scope[]){ DATA_READ, NO_SCOPE });
	page.writes_data = scopes & scope_bits((enum scope[]){ DATA_WRITE, NO_SCOPE });
	TRY(reply_page(r, 0, &page));
	reply_header(r, "Content-Security-Policy", "%s %s", page_csp(r->c->conf),
	    way_back(r->c->mem, q->redirect_uri));
	return E_OK;
}

/* ---- the answer ---- */

static enum err
consent_prepare(struct req *r)
{
	struct oauth_client *client = r->prepared = mem_new(r->c->mem, struct oauth_client);
	const struct consent_form *in = r->in;
	const char *word;

	return asked_judge(r,
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
	    r, back_address(r, in->redirect_uri, in->state, name, value, NULL));
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
	struct consent yes = { .scopes = scopes_asked(r->c, in->scope),
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
