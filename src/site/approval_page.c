/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's approvals: a list for people who decide; the form to ask is on the
 * artifact's own page. */
#include "site/approval_page.h"

#include "base/str.h"
#include "team/workspace_page.h"

SHAPE_DEFINE(approval_part, APPROVAL_PART);

#define APPROVALS_QUERY(F, T) \
	F(T, BOOL, all, .doc = "1: those that are over, too") \
	F(T, STR,  cursor, .hi = 200) \
	F(T, STR,  done,   .hi = 40)
SHAPE(approvals_query, APPROVALS_QUERY);

static enum err
approvals_find(struct req *r, struct shown *out)
{
	const struct approvals_query *q = r->query;
	struct approval_list rows;
	const char *next;

	TRY(approval_list(r->c, r->ws, r->who,
	    &(struct approval_query){ .limit = WS_ROWS,
		.cursor = q->cursor,
		.status = q->all ? NULL : "pending" },
	    &rows, &next));
	approvals_say(r->ws, r->who, &rows);
	*out = SHOWN_ROWS(rows, next);
	return E_OK;
}

/* ---- on the artifact's page ---- */

enum err
approval_part_find(struct req *r, struct shown *out)
{
	const struct artifact *a = r->art;
	struct approval_part *part;
	struct approval *pending;
	struct publish_policy *policy;

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
		*out = SHOWN(approval_part, part);
	return E_OK;
}

#define APPROVALS "/w/{ws}/approvals"
static const struct route approval_page_routes[] = {
  { SHOWN_PAGE(APPROVALS, WS_MEMBER, "ws_approvals"),
    .shows = SHOWS({ "rows", .find = approvals_find, .rows_of = &approval_shape }),
    .query = &approvals_query_shape,
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
