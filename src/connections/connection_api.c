/* SPDX-License-Identifier: Apache-2.0
 * Routes of a workspace's connections. Source: interface, "Connections". */
#include "connections/connection.h"

#include "http/req.h"

static enum err
connection_find(struct req *r, struct connection **out)
{
	return connection_get(r->c, r->ws, r->who, req_param(r, "con"), out);
}

static enum err
h_connection_list(struct req *r)
{
	return reply_list_of(
	    r, struct connection_list, connection_list, r->ws, r->who, r->query);
}

static enum err
connection_reply(struct req *r, const char *id)
{
	struct connection *s;

	TRY(connection_get(r->c, r->ws, r->who, id, &s));
	return reply_noun(r, s);
}

static enum err
h_connection_get(struct req *r)
{
	return connection_reply(r, req_param(r, "con"));
}

static enum err
h_connection_add(struct req *r)
{
	const char *id;

	TRY(connection_add(r->c, r->ws, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/workspaces/%s/connections/%s", r->ws->id, id);
	return connection_reply(r, id);
}

static enum err
h_connection_change(struct req *r)
{
	struct connection *s;

	TRY(connection_find(r, &s));
	TRY(req_if_match(r, "connection", &connection_shape, s));
	TRY(connection_change(r->c, r->ws, r->who, s, r->in));
	return connection_reply(r, s->id);
}

static enum err
h_connection_delete(struct req *r)
{
	struct connection_gone gone = { 0 };
	struct connection *s;

	TRY(connection_find(r, &s));
	TRY(req_if_match(r, "connection", &connection_shape, s));
	TRY(connection_delete(r->c, r->ws, r->who, s, &gone));
	return reply_flat(r, &gone);
}

static enum err
h_connection_artifacts(struct req *r)
{
	struct connection_uses uses = { 0 };
	struct connection *s;

	TRY(connection_find(r, &s));
	TRY(connection_artifacts(r->c, s, r->who, r->query, &uses));
	if (uses.next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, uses.next_cursor, "cursor"));
	return reply_flat(r, &uses);
}

/* ---- a member's own credentials ---- */

static enum err
h_my_credentials_get(struct req *r)
{
	struct my_credentials mine;
	struct connection *s;

	TRY(connection_find(r, &s));
	TRY(my_credentials_get(r->c, s, r->who, &mine));
	return reply_flat(r, &mine);
}

static enum err
h_my_credentials_set(struct req *r)
{
	struct my_credentials mine;
	struct connection *s;

	TRY(connection_find(r, &s));
	TRY(my_credentials_set(r->c, s, r->who, r->in, &mine));
	return reply_flat(r, &mine);
}

static enum err
h_my_credentials_delete(struct req *r)
{
	struct connection *s;

	TRY(connection_find(r, &s));
	TRY(my_credentials_delete(r->c, s, r->who));
	return reply_none(r);
}

#define CONNECTIONS "/v1/workspaces/{ws}/connections"
static const struct route connection_routes[] = {
/* method  path                                   who body                   reply
 * handler */
  { GET,    CONNECTIONS,                           WS_MEMBER,
    TAKES_NOTHING,         GIVES_LIST("connections", connection),       h_connection_list,
    .scope = DATA_READ, .query = &connection_query_shape,
    .doc = "List connections by name, without what is secret" },
  { POST,   CONNECTIONS,                           WS_ADMIN,
    TAKES(connection_new), GIVES("connection", connection),             h_connection_add,
    .success = 201, .doc = "Connect an HTTP API or a PostgreSQL database" },
  { GET,    CONNECTIONS "/{con}",                  WS_ADMIN,
    TAKES_NOTHING,         GIVES("connection", connection),             h_connection_get,
    .scope = DATA_READ, .doc = "Get a connection, without what is secret" },
  { PATCH,  CONNECTIONS "/{con}",                  WS_ADMIN,
    TAKES(connection_edit), GIVES("connection", connection),            h_connection_change,
    .doc = "Change a connection; config is replaced as a whole, and for another server "
	   "credentials must be given again" },
  { DELETE, CONNECTIONS "/{con}",                  WS_ADMIN,
    TAKES_NOTHING,         GIVES_FLAT(connection_gone),                 h_connection_delete,
    .doc = "Delete a connection with all credentials; jobs that use it stay, and fail" },
  { GET,    CONNECTIONS "/{con}/artifacts",        WS_MEMBER,
    TAKES_NOTHING,         GIVES_FLAT(connection_uses),                 h_connection_artifacts,
    .scope = ARTIFACTS_READ, .query = &connection_query_shape,
    .doc = "List the artifacts whose jobs use a connection, of those that you can open" },
  { GET,    CONNECTIONS "/{con}/my-credentials",   WS_MEMBER,
    TAKES_NOTHING,         GIVES_FLAT(my_credentials),                  h_my_credentials_get,
    .scope = DATA_READ,
    .doc = "Get whether you have given credentials of your own; they are never shown" },
  { PUT,    CONNECTIONS "/{con}/my-credentials",   WS_MEMBER,
    TAKES(credential_new), GIVES_FLAT(my_credentials),                  h_my_credentials_set,
    .doc = "Give credentials of your own, in place of those that you gave before; "
	   "only jobs that you answer for use them" },
  { DELETE, CONNECTIONS "/{con}/my-credentials",   WS_MEMBER,
    TAKES_NOTHING,         GIVES_NOTHING,                               h_my_credentials_delete,
    .doc = "Delete your credentials for a connection" },
};
ROUTES(connection, "Connections",
    "Servers that a workspace's jobs may ask, with credentials that are stored encrypted "
    "and never shown again.");
