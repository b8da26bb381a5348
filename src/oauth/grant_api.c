/* SPDX-License-Identifier: Apache-2.0
 * Connected agents, for their person: to look at, and to end. */
#include "core/artifact.h"
#include "http/req.h"
#include "oauth/grant.h"

static enum err
h_agents(struct req *r)
{
	const struct page_query *q = r->query;
	struct agent_granted_list rows;

	TRY(grant_list(r->c, r->who->user_id, &rows));
	return reply_part(r, &(struct list){ rows.v, rows.n }, LIST_FALLING, q->limit, q->cursor);
}

static enum err
h_agent(struct req *r)
{
	struct agent_granted *a;

	TRY(grant_get(r->c, r->who->user_id, req_param(r, "ogr"), &a));
	return reply_noun(r, a);
}

static enum err
h_agent_end(struct req *r)
{
	TRY(grant_end(r->c, r->who->user_id, req_param(r, "ogr")));
	return reply_none(r);
}

static enum err
acts_part(struct ctx *c, const char *id, const struct page_query *q, struct agent_act_list *out,
    const char **next)
{
	TRY(grant_acts(c, id, q->cursor, q->limit + 1, out));
	*next = out->n > (size_t)q->limit ? out->v[q->limit - 1].id : NULL;
	if (*next)
		out->n = (size_t)q->limit;
	return E_OK;
}

static enum err
h_agent_acts(struct req *r)
{
	struct agent_granted *a;

	TRY(grant_get(r->c, r->who->user_id, req_param(r, "ogr"), &a));
	return reply_list_of(r, struct agent_act_list, acts_part, a->id, r->query);
}

/* ---- the pages ---- */

enum { ACTS_SHOWN = 5, ACTS_A_PAGE = 50 };

#define AGENT_SHOWN(F, T) \
	F(T, ID,   id, .arg = "ogr_") \
	F(T, STR,  name) \
	F(T, STR,  host) \
	F(T, STR,  workspace) \
	F(T, BOOL, own_only) \
	F(T, BOOL, publishes) \
	F(T, BOOL, writes) \
	F(T, BOOL, read_only) \
	F(T, BOOL, may_open) \
	F(T, BOOL, over) \
	F(T, INT,  changes) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, TIME, last_used_at) \
	F(T, TIME, ended_at) \
	F(T, LIST, acts, .sub = &agent_act_shape) \
	F(T, BOOL, more, .doc = "It did more than these") \
	F(T, STR,  next)
SHAPE_DECLARE(agent_shown, AGENT_SHOWN);
SHAPE_DEFINE(agent_shown, AGENT_SHOWN);

#define AGENTS_PAGE(F, T) \
	F(T, LIST, agents, .sub = &agent_shown_shape)
SHAPE_DECLARE(agents_page, AGENTS_PAGE);
SHAPE_DEFINE(agents_page, AGENTS_PAGE);

static enum err
shown(struct req *r, const struct agent_granted *a, const char *before, int64_t most,
    struct agent_shown *out)
{
	const struct page_query part = { .limit = most, .cursor = before };
	bool publishes = a->bits & scope_bits((enum scope[]){ ARTIFACTS_PUBLISH, NO_SCOPE });
	bool writes = a->bits & scope_bits((enum scope[]){ DATA_WRITE, NO_SCOPE });
	struct agent_act_list acts;
	const char *next;

	TRY(acts_part(r->c, a->id, &part, &acts, &next));
	*out = (struct agent_shown){ .id = a->id,
		.name = a->name,
		.host = a->host,
		.workspace = a->workspace,
		.own_only = a->own_only,
		.publishes = publishes,
		.writes = writes,
		.read_only = !publishes && !writes,
		.may_open = a->may_open,
		.over = a->ended_at != 0,
		.changes = a->changes,
		.created_at = a->created_at,
		.expires_at = a->expires_at,
		.last_used_at = a->last_used_at,
		.ended_at = a->ended_at,
		.acts = { acts.v, acts.n },
		.more = next != NULL,
		.next = req_next(r, next, NEXT_WITHOUT) };
	return E_OK;
}

static enum err
h_agents_page(struct req *r)
{
	struct agents_page page = { 0 };
	struct agent_shown *to;
	struct agent_granted_list rows;

	TRY(grant_list(r->c, r->who->user_id, &rows));
	to = mem_array(r->c->mem, struct agent_shown, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		TRY(shown(r, &rows.v[i], NULL, ACTS_SHOWN, &to[i]));
	page.agents = (struct list){ to, rows.n };
	return reply_page(r, 0, &page);
}

#define AGENT_PAGE(F, T) \
	F(T, OBJ, agent, .sub = &agent_shown_shape)
SHAPE_DECLARE(agent_page, AGENT_PAGE);
SHAPE_DEFINE(agent_page, AGENT_PAGE);

static enum err
h_agent_page(struct req *r)
{
	const struct page_query *q = r->query;
	struct agent_shown out;
	struct agent_granted *a;

	TRY(grant_get(r->c, r->who->user_id, req_param(r, "ogr"), &a));
	TRY(shown(r, a, q->cursor, ACTS_A_PAGE, &out));
	return reply_page(r, 0, &(struct agent_page){ .agent = &out });
}

static const struct route grant_routes[] = {
/*  method  path                          who
    body           reply                        handler */
  { GET,    "/v1/auth/agents",            SIGNED_IN,
    TAKES_NOTHING, GIVES_LIST("agents", agent_granted), h_agents,
    .query = &page_query_shape,
    .doc = "List the agents that you have connected, newest first, and those that ended lately" },
  { GET,    "/v1/auth/agents/{ogr}",      SIGNED_IN,
    TAKES_NOTHING, GIVES("agent", agent_granted),       h_agent, .doc = "One of them" },
  { GET,    "/v1/auth/agents/{ogr}/acts", SIGNED_IN,
    TAKES_NOTHING, GIVES_LIST("acts", agent_act), h_agent_acts,
    .query = &page_query_shape, .doc = "What it changed in the last 90 days, newest first" },
  { DELETE, "/v1/auth/agents/{ogr}",      SIGNED_IN,
    TAKES_NOTHING, GIVES_NOTHING,               h_agent_end,
    .doc = "Disconnect an agent, at once" },
  { GET,    "/auth/account/agents",       SESSION,
    TAKES_NOTHING, GIVES_PAGE(agents),          h_agents_page,
    .doc = "The agents that you have connected" },
  { GET,    "/auth/account/agents/{ogr}", SESSION,
    TAKES_NOTHING, GIVES_PAGE(agent),           h_agent_page,
    .query = &page_query_shape, .doc = "What one of them changed" },
  { POST,   "/auth/account/agents/{ogr}/end", SESSION, DOES("DELETE /v1/auth/agents/{ogr}"),
    .then = "/auth/account/agents", .again = "/auth/account/agents",
    .doc = "Disconnect an agent, at once" },
};
ROUTES(grant, "Connected agents",
    "Programs that work for you at /mcp, because you agreed: what they may, what they did, and an "
    "end to it.");
