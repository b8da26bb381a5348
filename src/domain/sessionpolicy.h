/* SPDX-License-Identifier: Apache-2.0
 * How long the members of a workspace stay signed in in a browser: counted from the sign-in, the
 * least of all workspaces that somebody is in, judged at each request (SESSION_RUNS in
 * domain/session.h), so a lower number ends running sessions at once. Tokens are not concerned. It
 * takes the plan to set it, and stays in force when the plan ends, until somebody takes it away: a
 * card that has expired must not loosen it. Source: decisions, "Policies". */
#ifndef VITRINE_SESSIONPOLICY_H
#define VITRINE_SESSIONPOLICY_H
#include "domain/workspace.h"

#define SESSION_POLICY(F, T) \
	F(T, INT, session_max_days, .flags = F_NUL, .doc = "null: as everybody") \
	F(T, INT, effective_days,   .doc = "For you, by all workspaces that you are in")
SHAPE_DECLARE(session_policy, SESSION_POLICY);

#define SESSION_POLICY_NEW(F, T) F(T, INT, session_max_days, .flags = F_NUL | F_REQ, .lo = 1, .hi = 30, .eg = "7")
SHAPE_DECLARE(session_policy_new, SESSION_POLICY_NEW);

/* What a member of workspace w is held to; it stands in the member's row. */
#define SESSION_DAYS_OF(w) "IF(" w ".deleted_at IS NULL, " w ".session_max_days, NULL)"
/* All its members are; for whoever changes one of these columns. */
enum err session_policy_follow(struct ctx *c, const char *workspace_id);

enum err session_policy_get(struct ctx *c, const struct workspace *, const struct principal *who,
    struct session_policy **out);
/* E_TIER_REQUIRED, unless it takes the policy away. */
enum err session_policy_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct session_policy_new *);
#endif
