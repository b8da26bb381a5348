/* SPDX-License-Identifier: Apache-2.0
 * Plans, what a workspace may have by its own, and how long its members stay signed in. Source:
 * interface, "Account and billing", "Policies, …". */
#include "core/tier.h"

#include "core/artifact.h"
#include "core/workspace.h"
#include "http/req.h"
#include "team/sessionpolicy.h"

#define TIER_QUERY(F, T) \
	F(T, ID, workspace_id, .arg = "wsp_", \
		.doc = "Workspace whose tier to return; if absent, the best of yours")
SHAPE(tier_query, TIER_QUERY);

static enum err
h_tier(struct req *r)
{
	const struct tier_query *q = r->query;
	struct account_tier *out;

	TRY(tier_best(r->c, r->who, q->workspace_id, &out));
	return reply_flat(r, out);
}

static enum err
h_plans(struct req *r)
{
	const struct page_query *q = r->query;
	struct tier_plan_list plans;

	tier_plans(r->c, &plans);
	return reply_part(
	    r, &(struct list){ plans.v, plans.n }, LIST_UNSORTED, q->limit, q->cursor);
}

static enum err
h_features(struct req *r)
{
	struct tier_features out;
	struct tier t;

	TRY(tier_of(r->c, r->ws->id, &t));
	tier_features_tell(&t, &out);
	return reply_noun(r, &out);
}

static enum err
h_session_policy(struct req *r)
{
	struct session_policy *out;

	TRY(session_policy_get(r->c, r->ws, r->who, &out));
	return reply_flat(r, out);
}

static enum err
h_session_policy_set(struct req *r)
{
	TRY(session_policy_set(r->c, r->ws, r->who, r->in));
	return h_session_policy(r);
}

static const struct route tier_routes[] = {
/*  method path                                who
    body                       reply                             handler */
  { GET, "/v1/account/tier",                   SIGNED_IN,
    TAKES_NOTHING,             GIVES_FLAT(account_tier),         h_tier,
    .scope = ANY_SCOPE, .query = &tier_query_shape,
    .doc = "Get your tier and features, which come from your workspaces' plans" },
  { GET, "/v1/billing/plans",                  PUBLIC,
    TAKES_NOTHING,             GIVES_LIST("plans", tier_plan),   h_plans,
    .query = &page_query_shape, .doc = "List the plans, smallest first" },
  { GET, "/v1/workspaces/{ws}/features",       WS_MEMBER,
    TAKES_NOTHING,             GIVES("features", tier_features), h_features,
    .doc = "Get the plan's features, and those an operator added or removed" },
  { GET, "/v1/workspaces/{ws}/session-policy", WS_MEMBER,
    TAKES_NOTHING,             GIVES_FLAT(session_policy),       h_session_policy,
    .doc = "Get after how many days members have to sign in again" },
  { PUT, "/v1/workspaces/{ws}/session-policy", WS_ADMIN,
    TAKES(session_policy_new), GIVES_FLAT(session_policy),       h_session_policy_set,
    .doc = "Set after how many days members have to sign in again; older sessions end at once" },
};
ROUTES(tier, "Plans",
    "What a workspace can use.");
