/* SPDX-License-Identifier: Apache-2.0
 * The page of a workspace's agents: their tokens, of which a new one is shown once. */
#include "team/agenttoken.h"

#include "core/artifact_top_page.h"
#include "core/token.h"

static enum err
token_find(struct req *r, struct shown *out)
{
	struct agent_token *t;

	TRY(agent_token_get(r->c, r->ws, req_param(r, "tok"), &t));
	*out = SHOWN(agent_token, t);
	return E_OK;
}

#define AGENTS "/w/{ws}/agents"
#define API "/v1/workspaces/{ws}/agent-tokens"
static const struct route agenttoken_page_routes[] = {
  { SHOWN_PAGE(AGENTS, WS_ADMIN, "ws_agents"),
    .shows = SHOWS({ "agents", "GET " API "?limit=50" }), .title = "Agents",
    .query = &tab_query_shape, .doc = "Its agents and their tokens" },
  { POST, AGENTS, DOES("POST " API), .stays = AGENTS, .again = AGENTS,
    .doc = "Create an agent; its token is shown once" },
  { POST, AGENTS "/{tok}/rotate", DOES("POST " API "/{tok}/rotate"), .stays = AGENTS,
    .ask = ASK("Replace the token of {name}?",
	"The current token stops working at once, and you get a new one for the same agent.",
	"Replace token", AGENTS, .find = token_find),
    .doc = "Replace it; the new one is shown once" },
  { POST, AGENTS "/{tok}/revoke", DOES("DELETE " API "/{tok}"),
    .ask = ASK("Revoke {name}?",
	"Its token stops working at once and for good. What the agent published stays.",
	"Revoke token", AGENTS, .find = token_find),
    .then = AGENTS "?done=revoked", .doc = "Revoke it" },
};
ROUTES(agenttoken_page, "Pages: agents",
    "What admins see of a workspace's agents in the browser.");
