/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/agent-tokens. Source: interface, "Agent tokens". */
#include "http/req.h"
#include "team/agenttoken.h"

#define AGENT_TOKEN_MADE(F, T) \
	F(T, STR,  token,       .doc = "The token's value, shown only once", .eg = "\"sot_...\"") \
	F(T, BOOL, shown_once) \
	F(T, OBJ,  agent_token, .sub = &agent_token_shape)
SHAPE(agent_token_made, AGENT_TOKEN_MADE);

static enum err
h_agent_token_list(struct req *r)
{
	return reply_list_of(r, struct agent_token_list, agent_token_list, r->ws, r->query);
}

static enum err
reply_made(struct req *r, const char *id, const char *token)
{
	struct agent_token *t;

	TRY(agent_token_get(r->c, r->ws, id, &t));
	return reply_flat(r,
	    &(struct agent_token_made){ .token = token, .shown_once = true, .agent_token = t });
}

static enum err
h_agent_token_add(struct req *r)
{
	const char *id, *token;

	TRY(agent_token_add(r->c, r->ws, r->who, r->in, &id, &token));
	return reply_made(r, id, token);
}

static enum err
h_agent_token_rotate(struct req *r)
{
	const char *token;

	TRY(agent_token_rotate(r->c, r->ws, r->who, req_param(r, "tok"), &token));
	return reply_made(r, req_param(r, "tok"), token);
}

static enum err
h_agent_token_revoke(struct req *r)
{
	TRY(agent_token_revoke(r->c, r->ws, r->who, req_param(r, "tok")));
	return reply_none(r);
}

static const struct route agenttoken_routes[] = {
/*  method  path                                             who
    body                    reply                                    handler */
  { GET,    "/v1/workspaces/{ws}/agent-tokens",              WS_ADMIN,
    TAKES_NOTHING,          GIVES_LIST("agent_tokens", agent_token), h_agent_token_list,
    .query = &page_query_shape,
    .doc = "List agent tokens, newest first, including expired and revoked ones; "
	   "their values are never shown" },
  { POST,   "/v1/workspaces/{ws}/agent-tokens",              WS_ADMIN,
    TAKES(agent_token_new), GIVES_FLAT(agent_token_made),            h_agent_token_add,
    .success = 201, .whole = true, .doc = "Create an agent and its token, which is shown once" },
  { POST,   "/v1/workspaces/{ws}/agent-tokens/{tok}/rotate", WS_ADMIN,
    TAKES_NOTHING,          GIVES_FLAT(agent_token_made),            h_agent_token_rotate,
    .whole = true, .doc = "Give the same agent a new token; the old one stops working at once" },
  { DELETE, "/v1/workspaces/{ws}/agent-tokens/{tok}",        WS_ADMIN,
    TAKES_NOTHING,          GIVES_NOTHING,                           h_agent_token_revoke,
    .whole = true, .doc = "Revoke a token at once; what its agent has published stays" },
};
ROUTES(agenttoken, "Agent tokens",
    "Tokens for programs that act for a workspace rather than a person. "
    "An agent can read what a member can, and change what it owns.");
