/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/access-policy. Source: interface, "Policies, …". */
#include "core/accesspolicy.h"
#include "http/req.h"

static enum err
h_access_policy(struct req *r)
{
	struct access_policy *p;

	TRY(access_policy_get(r->c, r->ws, &p));
	return reply_flat(r, p);
}

static enum err
h_access_policy_set(struct req *r)
{
	TRY(access_policy_set(r->c, r->ws, r->who, r->in));
	return h_access_policy(r);
}

static const struct route accesspolicy_routes[] = {
/*  method path                               who
    body                  reply                      handler */
  { GET, "/v1/workspaces/{ws}/access-policy", WS_MEMBER,
    TAKES_NOTHING,        GIVES_FLAT(access_policy), h_access_policy,
    .doc = "Get whose addresses can join the workspace; "
	   "if both lists are empty, anyone who is invited can" },
  { PUT, "/v1/workspaces/{ws}/access-policy", WS_ADMIN,
    TAKES(access_policy), GIVES_FLAT(access_policy), h_access_policy_set,
    .doc = "Replace the access policy; anyone it names can join without an invitation" },
};
ROUTES(accesspolicy, "Policies",
    "Who can join a workspace.");
