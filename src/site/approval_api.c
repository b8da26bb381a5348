/* SPDX-License-Identifier: Apache-2.0
 * The publish policy of a workspace, and approvals. Source: interface, "Policies, …". */
#include "core/workspace.h"
#include "http/req.h"
#include "site/approval.h"

static enum err
h_publish_policy(struct req *r)
{
	struct publish_policy *p;

	TRY(publish_policy_get(r->c, r->ws->id, &p));
	return reply_flat(r, p);
}

static enum err
h_publish_policy_change(struct req *r)
{
	TRY(publish_policy_change(r->c, r->ws, r->who, r->in));
	return h_publish_policy(r);
}

static enum err
h_approval_list(struct req *r)
{
	return reply_list_of(r, struct approval_list, approval_list, r->ws, r->who, r->query);
}

static enum err
approval_reply(struct req *r, const char *id)
{
	struct approval *p;

	TRY(approval_get(r->c, id, &p));
	return reply_noun(r, p);
}

static enum err
h_approval_ask(struct req *r)
{
	const char *id;

	TRY(approval_ask(r->c, r->art, r->who, r->in, &id));
	return approval_reply(r, id);
}

static enum err
h_approval_decide(struct req *r)
{
	TRY(approval_decide(r->c, r->art, r->who, req_param(r, "apr"), r->in));
	return approval_reply(r, req_param(r, "apr"));
}

static enum err
h_approval_withdraw(struct req *r)
{
	TRY(approval_withdraw(r->c, r->art, r->who, req_param(r, "apr")));
	return reply_none(r);
}

static const struct route approval_routes[] = {
/*  method  path                                                   who
    body                        reply                              handler */
  { GET,    "/v1/workspaces/{ws}/publish-policy",                  WS_MEMBER,
    TAKES_NOTHING,              GIVES_FLAT(publish_policy),        h_publish_policy,
    .doc = "Get the publish policy: whether others must approve what becomes public or unlisted" },
  { PATCH,  "/v1/workspaces/{ws}/publish-policy",                  WS_ADMIN,
    TAKES(publish_policy_edit), GIVES_FLAT(publish_policy),        h_publish_policy_change,
    .doc = "Change the publish policy; what is already public or unlisted stays so" },
  { GET,    "/v1/workspaces/{ws}/publish-approvals",               WS_MEMBER,
    TAKES_NOTHING,              GIVES_LIST("approvals", approval), h_approval_list,
    .query = &approval_query_shape,
    .doc = "List approval requests, newest first: admins see all, members only their own" },
  { POST,   "/v1/artifacts/{art}/publish-approval",                ART_EDIT,
    TAKES(approval_new),        GIVES("approval", approval),       h_approval_ask,
    .success = 201, .whole = true,
    .doc = "Request approval to make the newest version public or unlisted" },
  { POST,   "/v1/artifacts/{art}/publish-approval/{apr}/decision", ART_LEAVE,
    TAKES(approval_decision),   GIVES("approval", approval),       h_approval_decide,
    .whole = true,
    .doc = "Approve or reject a request; "
	   "the last approval needed makes the version live and visible" },
  { DELETE, "/v1/artifacts/{art}/publish-approval/{apr}",          ART_LEAVE,
    TAKES_NOTHING,              GIVES_NOTHING,                     h_approval_withdraw,
    .whole = true, .doc = "Withdraw your request" },
};
ROUTES(approval, "Approvals",
    "Review of what a workspace makes public or unlisted.");
