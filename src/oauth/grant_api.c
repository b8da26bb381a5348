/* SPDX-License-Identifier: Apache-2.0
 * Connected agents, for their person: to see and to end. */
#include "base/json.h"
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

/* ---- undoing an act, by routes of the API, as the person ---- */

/* Serves a request on the condition that the artifact is still as *last found or left it. */
static enum err
undo_step(struct req *r, enum method method, const struct json *body, const char *uri,
    const struct req **last)
{
	const char *as_found = *last ? req_served_etag(r, *last) : NULL;
	enum err e;

	*last = req_serve(
	    r, &(struct serving){ method_names[method], uri, .body = body, .if_match = as_found });
	e = req_served(r, *last);
	return e == E_PRECONDITION
	    ? fail(r->c, E_CONFLICT, "Something has just been changed there; look at it again")
	    : e;
}

static enum err
act_undo(struct req *r, const struct agent_act *x)
{
	const char *art = mem_printf(r->c->mem, "/v1/artifacts/%s", x->artifact_id);
	const struct req *last = NULL;

	if (x->trashed)
		return undo_step(
		    r, POST, NULL, mem_printf(r->c->mem, "%s/restore", art), &last);
	TRY(undo_step(r, GET, NULL, art, &last));
	TRY(grant_act_judge(r->c, x, last->art));
	if (x->was_visibility || x->was_name)
		TRY(undo_step(r, PATCH,
		    json_new(r->c, "visibility", x->was_visibility, "name", x->was_name, NULL), art,
		    &last));
	if (!x->was_live)
		return E_OK;
	return undo_step(r, POST, NULL,
	    mem_printf(
		r->c->mem, "%s/versions/%lld/restore", art, (long long)x->was_live),
	    &last);
}

static enum err
h_act_undo(struct req *r)
{
	struct agent_granted *a;
	struct agent_act *x;

	TRY(grant_get(r->c, r->who->user_id, req_param(r, "ogr"), &a));
	TRY(grant_act_get(r->c, a->id, req_param(r, "act"), &x));
	if (!grant_act_has_undo(x))
		return fail(r->c, E_CONFLICT, "What it did there can't be undone from here");
	TRY(act_undo(r, x));
	TRY(grant_act_get(r->c, a->id, x->id, &x));
	return reply_noun(r, x);
}

/* ---- the pages ---- */

enum { ACTS_SHOWN = 5, ACTS_A_PAGE = 50 };

#define ACT_SHOWN(F, T) \
	F(T, ID,   id,          .arg = "act_") \
	F(T, ID,   agent_id,    .arg = "ogr_") \
	F(T, TIME, at) \
	F(T, STR,  what) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  name) \
	F(T, STR,  since) \
	F(T, STR,  undo,        .doc = "What undoing it does; NULL: it can't be undone")
SHAPE(act_shown, ACT_SHOWN);

#define AGENT_SHOWN(F, T) \
	F(T, ID,   id, .arg = "ogr_") \
	F(T, STR,  name) \
	F(T, STR,  host) \
	F(T, STR,  workspace) \
	F(T, BOOL, own_only) \
	F(T, BOOL, publishes) \
	F(T, BOOL, writes) \
	F(T, BOOL, read_only) \
	F(T, WORD, opens_to, .arg = VISIBILITIES) \
	F(T, BOOL, over) \
	F(T, INT,  changes) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, TIME, last_used_at) \
	F(T, TIME, ended_at) \
	F(T, LIST, acts, .sub = &act_shown_shape) \
	F(T, BOOL, more, .doc = "It did more than these") \
	F(T, STR,  next)
SHAPE(agent_shown, AGENT_SHOWN);

#define AGENTS_PAGE(F, T) \
	F(T, LIST, agents, .sub = &agent_shown_shape)
SHAPE(agents_page, AGENTS_PAGE);

static const char *
undo_text(struct ctx *c, const struct agent_act *x)
{
	int kinds = (x->was_live != 0) + (x->was_visibility != NULL) + (x->was_name != NULL);

	if (!x->can_undo)
		return NULL;
	if (x->trashed)
		return "Restore";
	if (kinds > 1)
		return "Undo";
	return x->was_live         ? mem_printf(c->mem, "Make version %lld live again",
				     (long long)x->was_live)
	    : x->was_visibility ? mem_printf(c->mem, "Make it %s again", x->was_visibility)
				: "Undo the new name";
}

static struct list
acts_shown(struct req *r, const char *agent_id, const struct agent_act_list *acts)
{
	struct act_shown *to = mem_array(r->c->mem, struct act_shown, acts->n + 1);

	for (size_t i = 0; i < acts->n; i++) {
		const struct agent_act *x = &acts->v[i];

		to[i] = (struct act_shown){ .id = x->id,
			.agent_id = agent_id,
			.at = x->at,
			.what = x->what,
			.artifact_id = x->artifact_id,
			.name = x->name,
			.since = x->since,
			.undo = undo_text(r->c, x) };
	}
	return (struct list){ to, acts->n };
}

static enum err
agent_shown_make(struct req *r, const struct agent_granted *a, const char *before, int64_t most,
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
		.opens_to = a->opens_to,
		.over = a->ended_at != 0,
		.changes = a->changes,
		.created_at = a->created_at,
		.expires_at = a->expires_at,
		.last_used_at = a->last_used_at,
		.ended_at = a->ended_at,
		.acts = acts_shown(r, a->id, &acts),
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
		TRY(agent_shown_make(r, &rows.v[i], NULL, ACTS_SHOWN, &to[i]));
	page.agents = (struct list){ to, rows.n };
	return reply_page(r, 0, &page);
}

#define AGENT_PAGE(F, T) \
	F(T, OBJ, agent, .sub = &agent_shown_shape)
SHAPE(agent_page, AGENT_PAGE);

static enum err
h_agent_page(struct req *r)
{
	const struct page_query *q = r->query;
	struct agent_shown out;
	struct agent_granted *a;

	TRY(grant_get(r->c, r->who->user_id, req_param(r, "ogr"), &a));
	TRY(agent_shown_make(r, a, q->cursor, ACTS_A_PAGE, &out));
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
  { POST,   "/v1/auth/agents/{ogr}/acts/{act}/undo", SIGNED_IN,
    TAKES_NOTHING, GIVES("act", agent_act),     h_act_undo,
    .slow = true, .no_transaction = true, .no_agents = true,
    .doc = "Undo what it did, with your own rights, unless something newer has changed it" },
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
  { POST,   "/auth/account/agents/{ogr}/acts/{act}/undo", SESSION,
    DOES("POST /v1/auth/agents/{ogr}/acts/{act}/undo"),
    .then = "/auth/account/agents/{ogr}", .again = "/auth/account/agents/{ogr}",
    .doc = "Undo what it did" },
};
ROUTES(grant, "Connected agents",
    "Programs that work for you at /mcp, because you agreed: what they may, what they did, and an "
    "end to it.");
