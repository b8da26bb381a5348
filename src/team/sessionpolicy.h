/* SPDX-License-Identifier: Apache-2.0
 * How long the members of a workspace stay signed in in a browser, counted from the sign-in. If
 * somebody is in several workspaces, the shortest time applies. Each request checks it
 * (SESSION_RUNS in core/session.h), so a lower number ends running sessions at once. It doesn't
 * concern tokens. Setting it needs the plan. It stays in force when the plan ends, until an admin
 * removes it, because an expired card must not loosen it. Source: team/README.md. */
#ifndef VITRINE_SESSIONPOLICY_H
#define VITRINE_SESSIONPOLICY_H
#include "core/workspace.h"

#define SESSION_POLICY(F, T) \
	F(T, INT, session_max_days, .flags = F_NUL, .doc = "null: the service's default") \
	F(T, INT, effective_days,   .doc = "Days that apply to you, across all your workspaces")
SHAPE_DECLARE(session_policy, SESSION_POLICY);

#define SESSION_POLICY_NEW(F, T) \
	F(T, INT, session_max_days, .flags = F_NUL | F_REQ, .lo = 1, .hi = 30, .eg = "7")
SHAPE_DECLARE(session_policy_new, SESSION_POLICY_NEW);

/* The session limits of a user are in their row. They are updated when a workspace changes them,
 * enters or leaves the trash, and when a member joins or leaves. These are users whose row differs:
 * for fsck, which can mend them. */
#define SESSION_ODD(F, T) F(T, ID, id, .arg = "usr_")
SHAPE_DECLARE(session_odd, SESSION_ODD);
enum err session_policy_check(struct ctx *c, struct session_odd_list *out);
enum err session_policy_mend(struct ctx *c, int64_t *mended);

enum err session_policy_get(struct ctx *c, const struct workspace *, const struct principal *who,
    struct session_policy **out);
/* E_TIER_REQUIRED, unless the change removes the policy. */
enum err session_policy_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct session_policy_new *);
#endif
