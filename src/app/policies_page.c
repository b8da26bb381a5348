/* SPDX-License-Identifier: Apache-2.0
 * The page of a workspace's policies: access, approvals, agents, and the length of sessions. */
#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/agentpolicy.h"
#include "http/form.h"
#include "site/approval.h"
#include "team/sessionpolicy.h"
#include "team/workspace_page.h"

enum { SESSION_DAYS_MOST = 30 };

#define SESSION_FORM(F, T) F(T, STR, session_max_days, .hi = 20)
SHAPE(session_form, SESSION_FORM);

static enum err
h_ws_session(struct req *r)
{
	const struct session_form *in = r->in;
	struct session_policy_new policy = { .has = { .session_max_days = NULLED } };
	const char *typed = in->session_max_days ? in->session_max_days : "";

	if (*typed) {
		if (!str_int(typed, &policy.session_max_days) || policy.session_max_days < 1 ||
		    policy.session_max_days > SESSION_DAYS_MOST)
			return fail(r->c, E_INVALID,
			    "session_max_days: must be a number of days from 1 to %d, "
			    "or empty for the default",
			    SESSION_DAYS_MOST);
		TRY(ws_page_plan_need(r, FEATURE_SESSION_POLICY, "session_max_days"));
		policy.has.session_max_days = GIVEN;
	}
	TRY(session_policy_set(r->c, r->ws, r->who, &policy));
	return form_done(r, NULL);
}

#define POLICIES "/w/{ws}/policies"
static const struct route policies_page_routes[] = {
  { SHOWN_PAGE(POLICIES, WS_MEMBER, "ws_policies"),
    .shows = SHOWS({ "access", "GET /v1/workspaces/{ws}/access-policy" },
	{ "publish", "GET /v1/workspaces/{ws}/publish-policy" },
	{ "old", "GET /v1/workspaces/{ws}/retention" },
	{ "connected", "GET /v1/workspaces/{ws}/agent-policy" },
	{ "session", "GET /v1/workspaces/{ws}/session-policy" }, SHOW_PLAN), .title = "Policies",
    .query = &tab_query_shape, .doc = "Who can join, what needs approval, what agents can do, "
	   "how long people stay signed in" },
  { POST, POLICIES "/access", DOES("PUT /v1/workspaces/{ws}/access-policy"),
    .then = POLICIES "?done=saved", .again = POLICIES, .doc = "Choose who can join" },
  { POST, POLICIES "/old-versions", DOES("PUT /v1/workspaces/{ws}/retention"),
    .then = POLICIES "?done=retention", .again = POLICIES,
    .doc = "Choose how long old versions of artifacts stay" },
  { POST, POLICIES "/publish", DOES("PATCH /v1/workspaces/{ws}/publish-policy"),
    .then = POLICIES "?done=saved", .again = POLICIES, .doc = "Choose what needs approval" },
  { POST, POLICIES "/agents", DOES("PATCH /v1/workspaces/{ws}/agent-policy"),
    .then = POLICIES "?done=saved", .again = POLICIES,
    .doc = "Choose what connected agents can do" },
  { FORM(POLICIES "/session", WS_ADMIN, session_form, h_ws_session),
    .then = POLICIES "?done=saved", .again = POLICIES,
    .doc = "Choose how long people stay signed in" },
};
ROUTES(policies_page, "Pages: policies",
    "What people see of a workspace's policies in the browser.");
