/* SPDX-License-Identifier: Apache-2.0
 * The page of an approval, where people decide; the form to ask is on the artifact's own page. */
#include "site/approval_page.h"

#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/workspace.h"
#include "db/db.h"
#include "site/compare_page.h"

SHAPE_DEFINE(approval_part, APPROVAL_PART);

static enum err
approval_find(struct req *r, struct shown *out)
{
	const struct workspace w = { .role = r->art->workspace_role };
	struct approval *p;

	TRY(approval_get(r->c, req_param(r, "apr"), &p));
	if (!str_eq(p->artifact_id, r->art->id))
		return fail(r->c, E_NOT_FOUND, "This artifact has no approval request %s", p->id);
	approvals_say(&w, r->who, &(struct approval_list){ .v = p, .n = 1 });
	*out = SHOWN(approval, p);
	return E_OK;
}

#define APPROVAL_OF(F, T) F(T, INT, version_no)
SHAPE(approval_of, APPROVAL_OF);

/* Finds what differs, as long as there is something to decide. */
static enum err
approval_pictures(struct req *r, struct shown *out)
{
	struct approval_of *row;

	TRY(db_find(r->c,
	    ROWS(approval_of, "SELECT version_no FROM approval WHERE id = ? AND pending_of = ?"),
	    ARGS(req_param(r, "apr"), r->art->id), &row));
	return row ? pictures_part_find(r, row->version_no, out) : E_OK;
}

/* Earlier mails have this address. */
static enum err
h_approvals(struct req *r)
{
	return reply_redirect(r, "/inbox?kind=approval");
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

#define APPROVAL_PAGE "/a/{art}/approval/{apr}"
static const struct route approval_page_routes[] = {
  { .method = GET, .path = "/w/{ws}/approvals", .who = WS_MEMBER, .answer = GIVES_REDIRECT,
    .handler = h_approvals, .doc = "Go to the approvals in the inbox" },
  { SHOWN_PAGE(APPROVAL_PAGE, ART_LEAVE, "approval_one"),
    .shows = SHOWS({ "approval", .find = approval_find, .of = &approval_shape },
	{ "pictures", .find = approval_pictures, .of = &pictured_shape }),
    .query = &tab_query_shape,
    .title = "Approval", .doc = "A request for approval" },
  { POST, APPROVAL_PAGE, DOES("POST /v1/artifacts/{art}/publish-approval/{apr}/decision"),
    .then = APPROVAL_PAGE "?done={decision}", .again = APPROVAL_PAGE, .doc = "Approve or reject" },
  { POST, "/a/{art}/approval", DOES("POST /v1/artifacts/{art}/publish-approval"),
    .then = "/a/{art}/sharing?done=asked", .again = "/a/{art}/sharing", .doc = "Ask for approval" },
  { POST, "/a/{art}/approval/{apr}/withdraw",
    DOES("DELETE /v1/artifacts/{art}/publish-approval/{apr}"),
    .then = "/a/{art}/sharing?done=withdrawn", .again = "/a/{art}/sharing",
    .doc = "Withdraw what you asked for" },
};
ROUTES(approval_page, "Pages: approvals",
    "What people see of a workspace's approvals in the browser.");
