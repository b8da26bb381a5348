/* SPDX-License-Identifier: Apache-2.0
 * Lists the services set up here at which people sign in, and redirects to them. oauth_api.c
 * handles the way back. */
#include "base/str.h"
#include "connections/connect.h"
#include "connections/connection_page.h"

SHAPE_DEFINE(service_offered, SERVICE_OFFERED);

static const char *
host_of(struct ctx *c, const char *url)
{
	const char *from = strstr(url, "://");

	return from ? mem_strndup(c->mem, from + 3, strcspn(from + 3, "/?#")) : "";
}

struct list
services_offered(struct req *r, const char *kind)
{
	const struct conf *conf = r->c->conf;
	struct service_offered *to =
	    mem_array(r->c->mem, struct service_offered, conf->connector_n + 1);
	size_t n = 0;

	for (size_t i = 0; i < conf->connector_n; i++) {
		const struct connector *s = &conf->connectors[i];

		if (provider_is_chat(s->name) != str_eq(kind, "chat"))
			continue;
		to[n++] = (struct service_offered){ .provider = s->name,
			.title = s->title,
			.host = host_of(r->c, s->authorize_url) };
	}
	return (struct list){ to, n };
}

const char *
connection_service(struct ctx *c, const struct connection *k)
{
	const struct connector *s =
	    connection_signs_in(k->kind) ? provider_of(c->conf, k->provider) : NULL;

	return s ? host_of(c, s->authorize_url) : NULL;
}

const char *
connection_signin(struct ctx *c, const char *workspace_id, const struct connection *k)
{
	return connection_service(c, k)
	    ? mem_printf(c->mem, "/w/%s/connections/%s/signin", workspace_id, k->id)
	    : NULL;
}

static enum err
begin(struct req *r, const char *provider, const struct connection *k)
{
	struct connect_start start;

	TRY(connect_begin(r->c, r->ws, r->who, provider, k, &start));
	return reply_redirect(r, start.url);
}

#define SERVICE_QUERY(F, T) F(T, STR, provider, .flags = F_REQ, .lo = 1, .hi = 40)
SHAPE(service_query, SERVICE_QUERY);

static enum err
h_service_signin(struct req *r)
{
	const struct service_query *q = r->query;

	return begin(r, q->provider, NULL);
}

/* Only admins may sign in for a shared connection. */
static enum err
h_connection_signin(struct req *r)
{
	struct connection *k;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	if (!connection_is_own(k) && member_rank(r->ws->role) < MEMBER_ADMIN)
		return fail(r->c, E_DENIED,
		    "%s has credentials that everybody shares; an admin signs in there", k->name);
	return begin(r, k->provider, k);
}

#define SERVICE_FORM(F, T) \
	F(T, STR,  name,     .hi = CONNECTION_NAME_CHARS) \
	F(T, WORD, kind,     .arg = CONNECTION_KINDS)
SHAPE(service_form, SERVICE_FORM);

/* Makes a connection with which each member signs in; nobody must begin. */
static enum err
h_service_make(struct req *r)
{
	const struct service_form *in = r->in;
	const char *id;

	TRY(connection_add(r->c, r->ws, r->who,
	    &(struct connection_new){ .provider = req_param(r, "provider"),
		.auth_mode = "member",
		.name = in->name ? in->name : "",
		.config = "{}",
		.has = { .provider = GIVEN, .auth_mode = GIVEN, .name = GIVEN, .config = GIVEN } },
	    &id));
	return reply_redirect(
	    r, connections_at(r, mem_printf(r->c->mem, "/%s?done=service_made", id)));
}

#define CONNECTIONS "/w/{ws}/connections"
static const struct route connection_service_page_routes[] = {
  { GET,  CONNECTIONS "/signin",     WS_ADMIN,
    TAKES_NOTHING,            GIVES_REDIRECT, h_service_signin,
    .query = &service_query_shape, .doc = "Go to a service to connect it" },
  { GET,  CONNECTIONS "/{con}/signin", WS_MEMBER,
    TAKES_NOTHING,            GIVES_REDIRECT, h_connection_signin,
    .doc = "Go to the service of one, to sign in there again or with one's own account" },
  { FORM(CONNECTIONS "/services/{provider}", WS_ADMIN, service_form, h_service_make),
    .again = CONNECTIONS "/new", .doc = "Connect a service at which each member signs in" },
};
ROUTES(connection_service_page, "Pages: signing in to services",
    "Where the browser is sent to a service that a workspace connects.");
