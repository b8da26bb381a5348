/* SPDX-License-Identifier: Apache-2.0
 * Lists the services set up here at which people sign in, and redirects to them. oauth_api.c
 * handles the way back. */
#include "connections/connect.h"
#include "connections/connection_page.h"

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
	return reply_go(r, "/w/%s/connections/%s?done=service_made", r->ws->id, id);
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
