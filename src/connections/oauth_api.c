/* SPDX-License-Identifier: Apache-2.0
 * Routes to connect services and chats, and to list a chat's channels. Source: interface,
 * "Connections"; connections/README.md. */
#include "base/str.h"
#include "connections/chat.h"
#include "connections/connect.h"
#include "http/form.h"
#include "http/req.h"

/* ---- the beginning ---- */

static enum err
signin_begin(
    struct req *r, const char *provider, const char *connection_id, struct connect_start *out)
{
	struct connection *con = NULL;

	if (connection_id)
		TRY(connection_get(r->c, r->ws, r->who, connection_id, &con));
	return connect_begin(r->c, r->ws, r->who, provider, con, out);
}

static enum err
h_auth_url(struct req *r)
{
	const struct connect_query *q = r->query;
	struct connect_start start;

	TRY(signin_begin(r, req_param(r, "provider"), q->connection_id, &start));
	return reply_flat(r, &start);
}

static enum err
h_install(struct req *r)
{
	struct connect_start start;

	TRY(signin_begin(r, req_param(r, "chat"), NULL, &start));
	reply_header(r, "Location", "%s", start.url);
	return reply_none(r);
}

static enum err
h_my_auth_url(struct req *r)
{
	struct connect_start start;
	struct connection *con;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &con));
	if (!str_eq(con->auth_mode, "member"))
		return fail(r->c, E_CONFLICT,
		    "%s has credentials that everybody shares; admins connect it", con->name);
	TRY(connect_begin(r->c, r->ws, r->who, con->provider, con, &start));
	return reply_flat(r, &start);
}

/* ---- the return ---- */

#define CONNECT_ANSWER(F, T) \
	F(T, STR, state, .hi = 500) \
	F(T, STR, code,  .hi = 5000) \
	F(T, STR, error, .hi = 500)
SHAPE(connect_answer, CONNECT_ANSWER);

static enum err
connection_store(struct req *r, const struct connecting *s, const struct connector *p,
    const struct provider_tokens *t, const char **id)
{
	TRY(db_begin(r->c));
	r->c->actor = r->who;
	TRY(connect_finish(r->c, s, p, t, r->who, id));
	return db_commit(r->c);
}

/* A code works once. So a retry repeats only the transaction, not the request to the service. */
static enum err
connection_exchange(
    struct req *r, const struct connecting *s, const struct connector *p, const char **id)
{
	const struct connect_answer *q = r->query;
	struct provider_tokens tokens;
	int tries = 0;
	enum err e;

	if (!q->code || !*q->code)
		return fail(r->c, E_INVALID,
		    "You or %s said no. Nothing has changed, and you can start again", p->title);
	TRY(provider_exchange(r->c, p, q->code, s->verifier, &tokens));
	TRY(provider_account(r->c, p, &tokens));
	do
		e = connection_store(r, s, p, &tokens, id);
	while (e && db_again(r->c, e, &tries));
	return e;
}

static enum err
h_callback(struct req *r)
{
	const struct connect_answer *q = r->query;
	const struct connector *p;
	struct connecting *s;
	const char *id;
	enum err e;

	TRY(connect_take(r->c, req_param(r, "provider"), q->state, r->who, &s));
	TRY(provider_find(r->c, s->provider, &p));
	e = connection_exchange(r, s, p, &id);
	if (!e)
		return reply_go(
		    r, "/w/%s/connections/%s?done=connected", s->workspace_id, id);
	if (!r->c->message || e == E_INTERNAL || e == E_UNAVAILABLE)
		return e;
	/* A failed sign-in shows a page that leads back to the connections. */
	reply_error_page(r, err_table[e].status,
	    &(struct page_error){
		.title = mem_printf(r->c->mem, "%s wasn’t connected", p->title),
		.message = form_sentence(r->c->mem, r->c->message),
		.home = mem_printf(r->c->mem, "/w/%s/connections", s->workspace_id),
		.go = "Back to the connections" });
	return E_OK;
}

/* ---- channels ---- */

static enum err
h_channels(struct req *r)
{
	struct chat_channel_list all;
	struct connection *con;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &con));
	TRY(connection_channels(r->c, con, req_param(r, "chat"), &all));
	return reply_flat(r, &(struct chat_channels_all){ .channels = { all.v, all.n } });
}

static const struct route oauth_connection_routes[] = {
/* method  path                                                       who body           reply
 * handler */
  { GET,    "/v1/workspaces/{ws}/connections/{provider}/auth-url",     WS_ADMIN,
    TAKES_NOTHING, GIVES_FLAT(connect_start),             h_auth_url,
    .query = &connect_query_shape, .no_agents = true,
    .doc = "Get the address at which to connect a service" },
  { GET,    "/v1/workspaces/{ws}/connections/{chat}/install",          WS_ADMIN,
    TAKES_NOTHING, GIVES_NOTHING,                         h_install,
    .success = 302, .no_agents = true, .doc = "Go to a chat to connect it" },
  { GET,    "/v1/workspaces/{ws}/connections/{con}/my-credentials/auth-url", WS_MEMBER,
    TAKES_NOTHING, GIVES_FLAT(connect_start),             h_my_auth_url,
    .no_agents = true,
    .doc = "Get the address at which to connect your own account" },
  { GET,    "/v1/workspaces/{ws}/connections/{con}/{chat}/channels",   WS_MEMBER,
    TAKES_NOTHING, GIVES_FLAT(chat_channels_all),         h_channels,
    .slow = true, .no_agents = true,
    .doc = "List the channels that messages can be posted to, by name; at most 2,000" },
  { GET,    "/v1/oauth/{provider}/callback",                           SIGNED_IN,
    TAKES_NOTHING, GIVES_REDIRECT,                        h_callback,
    .slow = true, .query = &connect_answer_shape,
    .doc = "Where a service sends the browser back to" },
};
ROUTES(oauth_connection, "Connecting services",
    "Services and chats that an admin signs in to once, or each member with their own account. "
    "What is begun can be finished once, within ten minutes, by who began it.");
