/* SPDX-License-Identifier: Apache-2.0
 * Access to private artifacts: asking for it, and deciding about it. */
#include "core/who_api.h"
#include "http/quota.h"
#include "http/req.h"
#include "share/access.h"

static enum err
h_access_ask(struct req *r)
{
	TRY(access_ask(r->c, r->in, r->who));
	return reply_none(r);
}

static enum err
h_incoming(struct req *r)
{
	return reply_list_of(r, struct list, access_list, r->who, r->query);
}

static enum err
h_access_decide(struct req *r)
{
	struct access_request *q;

	TRY(access_decide(r->c, req_param(r, "acr"), r->in, r->who, &q));
	return reply_noun(r, q);
}

/* Mails have this address. */
static enum err
h_requests(struct req *r)
{
	return reply_redirect(r, "/inbox?kind=request");
}

static const struct noun request_noun = { .param = "acr",
	.on = "artifact that access is requested to", .rungs = art_rungs, .load = inner_load,
	.standing = inner_standing, .artifact_of = access_artifact };
/* Owner of the artifact, or admin of its workspace. */
static WHO(ACCESS_OWN, "access_own", KNOWN, &request_noun, ROLE_OWNER, .governed = true);

static const struct route access_routes[] = {
/*  method path                           who
    body                         reply                                          handler */
  { POST, "/v1/access-requests",          PUBLIC,
    TAKES(access_new),           GIVES_NOTHING,                                 h_access_ask,
    .limit = LIM_ACCESS, .success = 202, .scope = ANY_SCOPE,
    .doc = "Ask for access; the reply is the same whether or not the page exists" },
  { GET,  "/v1/access-requests/incoming", SIGNED_IN,
    TAKES_NOTHING,               GIVES_LIST("access_requests", access_request), h_incoming,
    .query = &page_query_shape,
    .doc = "List the access requests that you can decide on, newest first" },
  { POST, "/v1/access-requests/{acr}",    ACCESS_OWN,
    TAKES(access_decision),      GIVES("access_request", access_request),       h_access_decide,
    .whole = true, .doc = "Approve or deny a request" },
  { GET,  "/auth/requests",               SESSION,
    TAKES_NOTHING,               GIVES_REDIRECT,                                h_requests,
    .doc = "Go to the requests in the inbox" },
  { POST, "/auth/requests/{acr}", DOES("POST /v1/access-requests/{acr}"),
    .then = "/inbox?done={action}", .again = "/inbox", .doc = "Approve or deny a request" },
};
ROUTES(access, "Access",
    "Ask for access to a private artifact, and decide on requests for artifacts that you own "
    "or whose workspace you administer.");
