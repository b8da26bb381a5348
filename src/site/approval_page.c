/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's approvals: a list for people who decide; the form to ask is on the
 * artifact's own page. */
#include "site/approval_page.h"

#include "base/str.h"
#include "core/artifact.h"
#include "core/workspace.h"
#include "http/req.h"
#include "team/workspace_page.h"

SHAPE_DEFINE(approval_part, APPROVAL_PART);

#define APPROVALS_QUERY(F, T) \
	F(T, BOOL, all, .doc = "1: those that are over, too") \
	F(T, STR,  cursor, .hi = 200) \
	F(T, STR,  done,   .hi = 40)
SHAPE(approvals_query, APPROVALS_QUERY);

#define WS_APPROVALS_PAGE(F, T) \
	F(T, LIST, rows, .sub = &approval_shape) \
	F(T, STR,  next)
SHAPE(ws_approvals_page, WS_APPROVALS_PAGE);

static bool
is_asked(const struct approval *p, const char *user_id)
{
	for (size_t i = 0; i < p->approver_ids.n; i++)
		if (str_eq(p->approver_ids.v[i], user_id))
			return true;
	return !p->approver_ids.n;
}

static int64_t
approvals_given(const struct approval *p)
{
	const struct approval_vote *votes = p->approvals.v;
	int64_t n = 0;

	for (size_t i = 0; i < p->approvals.n; i++)
		n += str_eq(votes[i].decision, "approve");
	return n;
}

static bool
is_decidable(const struct req *r, const struct approval *p)
{
	const char *me = r->who->user_id;

	return member_rank(r->ws->role) >= MEMBER_ADMIN && str_eq(p->status, "pending") &&
	    !str_eq(((struct ws_user *)p->requested_by)->user_id, me) &&
	    !str_eq(p->author_id, me) && is_asked(p, me);
}

static enum err
h_ws_approvals(struct req *r)
{
	const struct approvals_query *q = r->query;
	struct ws_approvals_page page = { 0 };
	struct approval_list rows;
	const char *next;

	TRY(approval_list(r->c, r->ws, r->who,
	    &(struct approval_query){ .limit = WS_ROWS,
		.cursor = q->cursor,
		.status = q->all ? NULL : "pending" },
	    &rows, &next));
	for (size_t i = 0; i < rows.n; i++) {
		rows.v[i].given = approvals_given(&rows.v[i]);
		rows.v[i].may_decide = is_decidable(r, &rows.v[i]);
	}
	page.rows = (struct list){ rows.v, rows.n };
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- on the artifact's page ---- */

enum err
approval_part_read(struct req *r, void **out)
{
	const struct artifact *a = r->art;
	struct approval_part *part;
	struct approval *pending;
	struct publish_policy *policy;

	*out = NULL;
	if (!a->workspace_id || a->deleted_at)
		return E_OK;
	part = mem_new(r->c->mem, struct approval_part);
	TRY(approval_pending(r->c, a->id, &pending));
	TRY(publish_policy_get(r->c, a->workspace_id, &policy));
	part->pending = pending;
	part->must_ask = !pending && role_rank(a->role) >= ROLE_EDITOR &&
	    str_eq(policy->policy, "require_approval") &&
	    (!str_eq(a->visibility, "public") || a->last_no > a->version_no);
	if (part->pending || part->must_ask)
		*out = part;
	return E_OK;
}

#define APPROVALS "/w/{ws}/approvals"
static const struct route approval_page_routes[] = {
  { PAGE(APPROVALS, WS_MEMBER, ws_approvals, h_ws_approvals), .query = &approvals_query_shape,
    .title = "Approvals", .doc = "Requests for approval: admins see all, members see their own" },
  { POST, APPROVALS "/{art}/{apr}",
    DOES("POST /v1/artifacts/{art}/publish-approval/{apr}/decision"),
    .then = APPROVALS "?done={decision}", .again = APPROVALS, .doc = "Approve or reject" },
  { POST, APPROVALS "/{art}/{apr}/withdraw",
    DOES("DELETE /v1/artifacts/{art}/publish-approval/{apr}"),
    .then = APPROVALS "?done=withdrawn", .again = APPROVALS, .doc = "Withdraw what you asked for" },
  { POST, "/a/{art}/approval", DOES("POST /v1/artifacts/{art}/publish-approval"),
    .then = "/a/{art}/sharing?done=asked", .again = "/a/{art}/sharing", .doc = "Ask for approval" },
  { POST, "/a/{art}/approval/{apr}/withdraw",
    DOES("DELETE /v1/artifacts/{art}/publish-approval/{apr}"),
    .then = "/a/{art}/sharing?done=withdrawn", .again = "/a/{art}/sharing",
    .doc = "Withdraw what you asked for" },
};
ROUTES(approval_page, "Pages: approvals",
    "What people see of a workspace's approvals in the browser.");
