/* SPDX-License-Identifier: Apache-2.0
 * Routes of members: list, role, removal, joining, and tokens that act as one member in the
 * workspace. Source: interface, "Workspaces". */
#include "core/member.h"
#include "core/workspace.h"
#include "http/req.h"
#include "people/invite.h"
#include "people/people.h"

/* The page of members also shows admins what each does. */
static enum err
h_member_list(struct req *r)
{
	struct member_query ask = *(const struct member_query *)r->query;

	ask.counted = r->shown && member_rank(r->ws->role) >= MEMBER_ADMIN;
	return reply_list_of(r, struct member_list, member_list, r->ws, &ask);
}

static enum err
h_member_add(struct req *r)
{
	const struct member_new *in = r->in;
	struct member_added out = { 0 };
	bool joins = !r->ws->role;
	struct member *m;

	/* A caller who isn’t a member may only join. */
	if (joins && (in->email || in->user_id || in->role))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	if (joins) {
		TRY(member_self_join(r->c, r->ws, r->who, &m));
		out.member = m;
	} else {
		TRY(member_add(r->c, r->ws, r->who, in, &out));
	}
	TRY(reply_flat(r, &out));
	reply_status(r, out.member ? 201 : 202);
	return E_OK;
}

static enum err
h_member_role(struct req *r)
{
	const struct member_edit *in = r->in;
	struct member *m;

	TRY(member_set_role(r->c, r->ws, r->who, req_param(r, "user"), in->role, &m));
	return reply_noun(r, m);
}

static enum err
h_member_remove(struct req *r)
{
	struct member_ended out = { 0 };

	TRY(member_remove(r->c, r->ws, r->who, req_param(r, "user"), r->query, &out));
	return reply_flat(r, &out);
}

static enum err
h_member_metrics(struct req *r)
{
	return reply_list_of(r, struct member_metrics_list, member_metrics_list, r->ws, r->query);
}

static enum err
h_people(struct req *r)
{
	return reply_list_of(r, struct ws_person_list, people_list, r->ws, r->query);
}

static enum err
h_transfer(struct req *r)
{
	struct workspace *w;

	TRY(member_transfer(r->c, r->ws, r->who, r->in));
	TRY(workspace_get(r->c, r->ws->id, r->who, false, &w));
	return reply_noun(r, w);
}

static enum err
h_member_token(struct req *r)
{
	struct member_token out = { 0 };

	TRY(member_token_make(
	    r->c, r->ws, r->who, req_param(r, "user"), r->in, &out));
	return reply_flat(r, &out);
}

static enum err
h_member_tokens_end(struct req *r)
{
	struct member_tokens_ended out = { 0 };

	TRY(member_tokens_end(r->c, r->ws, r->who, req_param(r, "user"), &out.revoked));
	return reply_flat(r, &out);
}

static const struct route member_routes[] = {
/*  method  path                                         who
    body                     reply                                  handler */
  { GET,    "/v1/workspaces/{ws}/members",               WS_MEMBER,
    TAKES_NOTHING,           GIVES_LIST("members", member),         h_member_list,
    .query = &member_query_shape, .doc = "List the workspace's members" },
  { POST,   "/v1/workspaces/{ws}/members",               WS_JOIN,
    TAKES(member_new),       GIVES_FLAT(member_added),              h_member_add,
    .success = 202, .makes = true, .whole = true,
    .doc = "Add someone: 201 if they have an account, 202 if they are invited. "
	   "To join a workspace whose access policy names your address, send {}" },
  { PATCH,  "/v1/workspaces/{ws}/members/{user}",        WS_OWN,
    TAKES(member_edit),      GIVES("member", member),               h_member_role,
    .doc = "Make a member an admin, or an admin a member" },
  { DELETE, "/v1/workspaces/{ws}/members/{user}",        WS_MEMBER,
    TAKES_NOTHING,           GIVES_FLAT(member_ended),              h_member_remove,
    .query = &member_end_shape,
    .doc = "Leave, or remove someone whose role is below yours. Their access ends at once" },
  { GET,    "/v1/workspaces/{ws}/members/metrics",       WS_ADMIN,
    TAKES_NOTHING,           GIVES_LIST("metrics", member_metrics), h_member_metrics,
    .query = &metrics_query_shape, .doc = "Get what each member and agent does in the workspace" },
  { GET,    "/v1/workspaces/{ws}/people",                WS_MEMBER,
    TAKES_NOTHING,           GIVES_LIST("people", ws_person),       h_people,
    .query = &people_query_shape,
    .doc = "Find people to choose from: members, agents and, for admins, people who are invited" },
  { POST,   "/v1/workspaces/{ws}/transfer-ownership",    WS_OWN,
    TAKES(ws_heir),          GIVES("workspace", workspace),         h_transfer,
    .doc = "Make another member the owner; you stay as an admin" },
  { POST,   "/v1/workspaces/{ws}/members/{user}/tokens", WS_ADMIN,
    TAKES(member_token_new), GIVES_FLAT(member_token),              h_member_token,
    .success = 201, .whole = true,
    .doc = "Create a token that acts as a member in this workspace only: "
	   "yourself, or someone whose role is below yours" },
  { DELETE, "/v1/workspaces/{ws}/members/{user}/tokens", WS_ADMIN,
    TAKES_NOTHING,           GIVES_FLAT(member_tokens_ended),       h_member_tokens_end,
    .whole = true,
    .doc = "Revoke a member's tokens for this workspace, but not their personal tokens" },
};
ROUTES(member, "Members",
    "Who is in a workspace, and in what role.");
