/* SPDX-License-Identifier: Apache-2.0
 * The page of a workspace's agents: their tokens, of which a new one is shown once. */
#include "team/agenttoken.h"

#include "base/str.h"
#include "core/confirm.h"
#include "core/token.h"
#include "core/way.h"
#include "http/req.h"
#include "team/workspace_page.h"

#define AGENT_ROW(F, T) \
	F(T, ID,   id, .arg = "tok_") \
	F(T, STR,  name) \
	F(T, STR,  hint) \
	F(T, STR,  can) \
	F(T, WORD, opens_to, .arg = VISIBILITIES) \
	F(T, STR,  maker) \
	F(T, TIME, created_at) \
	F(T, TIME, last_used_at) \
	F(T, TIME, expires_at) \
	F(T, WORD, state, .arg = "live|revoked|expired")
SHAPE_DECLARE(agent_row, AGENT_ROW);
SHAPE_DEFINE(agent_row, AGENT_ROW);

#define WS_AGENTS_PAGE(F, T) \
	WS_PAGE(F, T) \
	F(T, STR,  token, .doc = "A new one, to be shown once") \
	F(T, LIST, agents, .sub = &agent_row_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(ws_agents_page, WS_AGENTS_PAGE);
SHAPE_DEFINE(ws_agents_page, WS_AGENTS_PAGE);

static struct agent_row
agent_row_of(struct ctx *c, const struct agent_token *t)
{
	const struct ws_user *by = t->created_by;
	bool over = t->expires_at && t->expires_at <= c->now;

	return (struct agent_row){ .id = t->id,
		.name = t->name,
		.hint = t->hint,
		.can = ws_page_scopes(c, &t->scopes),
		.opens_to = t->opens_to,
		.maker = by && *by->name ? by->name : by ? by->email : NULL,
		.created_at = t->created_at,
		.last_used_at = t->last_used_at,
		.expires_at = t->expires_at,
		.state = t->revoked_at ? "revoked" : over ? "expired" : "live" };
}

/* token: a new one, or NULL. */
static enum err
agents_reply(struct req *r, const char *cursor, const char *token)
{
	struct ws_agents_page page = { WS_PAGE_OF(r, "Agents"), .token = token };
	struct agent_token_list rows;
	const char *next;

	TRY(agent_token_list(r->c, r->ws,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = cursor }, &rows, &next));
	page.agents = list_made(r->c->mem, &rows, t, agent_row_of(r->c, t));
	page.next = token ? NULL : req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

static enum err
h_ws_agents(struct req *r)
{
	const struct tab_query *q = r->query;

	return agents_reply(r, q->cursor, NULL);
}

#define AGENT_FORM(F, T) \
	F(T, STR,  name,   .flags = F_REQ, .lo = 1, .hi = 100) \
	F(T, STRS, scopes, .hi = 4, .item = K_WORD, .arg = SCOPE_WORDS) \
	F(T, WORD, opens_to, .flags = F_NUL, .arg = VISIBILITIES) \
	F(T, INT,  days,   .flags = F_REQ, .hi = TOKEN_YEARS * 365, .doc = "0: it does not expire")
SHAPE_DECLARE(agent_form, AGENT_FORM);
SHAPE_DEFINE(agent_form, AGENT_FORM);

static enum err
h_ws_agent_make(struct req *r)
{
	const struct agent_form *in = r->in;
	struct agent_token_new asked = {
		.name = in->name, .scopes = in->scopes, .opens_to = in->opens_to
	};
	const char *id, *token;

	if (!in->scopes.n)
		return fail(r->c, E_INVALID, "Choose at least one thing that the agent can do");
	if (in->days) {
		asked.expires_at = r->c->now + in->days * 86400;
		asked.has.expires_at = GIVEN;
	}
	TRY(agent_token_add(r->c, r->ws, r->who, &asked, &id, &token));
	return agents_reply(r, NULL, token);
}

/* ---- asked before, since what holds the token stops working ---- */

static enum err
token_ask(struct req *r, const char *question, const char *consequence, const char *verb)
{
	struct agent_token *t;

	TRY(agent_token_get(r->c, r->ws, req_param(r, "tok"), &t));
	return ws_page_ask(r, mem_printf(r->c->mem, "%s %s?", question, t->name), consequence, verb,
	    "/agents");
}

static enum err
h_ws_agent_rotate_ask(struct req *r)
{
	return token_ask(r, "Replace the token of",
	    "The current token stops working at once, and you get a new one for the same agent.",
	    "Replace token");
}

static enum err
h_ws_agent_rotate(struct req *r)
{
	const char *token;

	TRY(agent_token_rotate(r->c, r->ws, r->who, req_param(r, "tok"), &token));
	return agents_reply(r, NULL, token);
}

static enum err
h_ws_agent_revoke_ask(struct req *r)
{
	return token_ask(r, "Revoke",
	    "Its token stops working at once and for good. What the agent published stays.",
	    "Revoke token");
}

#define AGENTS "/w/{ws}/agents"
static const struct route agenttoken_page_routes[] = {
/*  method path                   who
    body                    reply                  handler */
  { GET,  AGENTS,                 WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(ws_agents), h_ws_agents,
    .query = &tab_query_shape, .doc = "Its agents and their tokens" },
  { POST, AGENTS,                 WS_ADMIN,
    TAKES_FORM(agent_form), GIVES_PAGE(ws_agents), h_ws_agent_make,
    .again = AGENTS, .doc = "Create an agent; its token is shown once" },
  { GET,  AGENTS "/{tok}/rotate", WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(confirm),   h_ws_agent_rotate_ask,
    .doc = "Asks whether to replace its token" },
  { POST, AGENTS "/{tok}/rotate", WS_ADMIN,
    TAKES_FORM(button),     GIVES_PAGE(ws_agents), h_ws_agent_rotate,
    .again = AGENTS "/{tok}/rotate", .doc = "Replace it; the new one is shown once" },
  { GET,  AGENTS "/{tok}/revoke", WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(confirm),   h_ws_agent_revoke_ask,
    .doc = "Asks whether to revoke it" },
  { POST, AGENTS "/{tok}/revoke", DOES("DELETE /v1/workspaces/{ws}/agent-tokens/{tok}"),
    .then = AGENTS "?done=revoked", .again = AGENTS "/{tok}/revoke", .doc = "Revoke it" },
};
ROUTES(agenttoken_page, "Pages: agents",
    "What admins see of a workspace's agents in the browser.");
