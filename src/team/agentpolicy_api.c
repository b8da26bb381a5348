/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/agent-policy. */
#include "core/agentpolicy.h"
#include "http/req.h"

static enum err
h_agent_policy(struct req *r)
{
	struct agent_policy *p;

	TRY(agent_policy_get(r->c, r->ws->id, &p));
	return reply_flat(r, p);
}

static enum err
h_agent_policy_change(struct req *r)
{
	TRY(agent_policy_change(r->c, r->ws, r->who, r->in));
	return h_agent_policy(r);
}

static const struct route agentpolicy_routes[] = {
/*  method path                                body
    who     reply                     handler */
  { GET,   "/v1/workspaces/{ws}/agent-policy", WS_MEMBER,
    TAKES_NOTHING,            GIVES_FLAT(agent_policy), h_agent_policy,
    .doc = "Get what connected agents can do in the workspace, and which" },
  { PATCH, "/v1/workspaces/{ws}/agent-policy", WS_ADMIN,
    TAKES(agent_policy_edit), GIVES_FLAT(agent_policy), h_agent_policy_change,
    .doc = "Choose what connected agents can do in the workspace, and which; "
	   "it holds from their next request on" },
};
ROUTES(agentpolicy, "Policies on agents",
    "What programs that people have connected can do in a workspace.");
