/* SPDX-License-Identifier: Apache-2.0
 * Routes that test stored and unsaved connections. */
#include "connections/try.h"

#include "connections/connection_page.h"
#include "http/req.h"
#include "http/share.h"

static enum err
h_connection_test(struct req *r)
{
	struct connection_test test;
	struct connection *s;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &s));
	TRY(share_outside(r));
	TRY(connection_try(r->c, s, r->who, r->ws->role, &test));
	return reply_flat(r, &test);
}

static enum err
h_connection_test_new(struct req *r)
{
	struct connection_test test;

	TRY(share_outside(r));
	TRY(connection_try_new(r->c, r->in, &test));
	return reply_flat(r, &test);
}

#define TESTS "/v1/workspaces/{ws}/connections"
static const struct route connection_test_routes[] = {
/* method  path                                   who body                   reply
 * handler */
  { POST,   TESTS "/test",                         WS_ADMIN,
    TAKES(connection_new), GIVES_FLAT(connection_test),                 h_connection_test_new,
    .limit = LIM_CONNECTION_TEST, .slow = true, .no_transaction = true,
    .doc = "Try a connection before it is made; nothing is stored" },
  { POST,   TESTS "/{con}/test",                   WS_MEMBER,
    TAKES_NOTHING,         GIVES_FLAT(connection_test),                 h_connection_test,
    .limit = LIM_CONNECTION_TEST, .slow = true, .no_transaction = true,
    .doc = "Try a connection: each step with what came of it, up to the first that fails. "
	   "Admins; where members give their own credentials, each member" },
};
ROUTES(connection_test, "Testing connections",
    "Whether a connection of a workspace works, step by step.");
