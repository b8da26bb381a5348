/* SPDX-License-Identifier: Apache-2.0
 * Words and facts about plans that pages show and the API doesn't. */
#ifndef VITRINE_PLAN_LOOK_H
#define VITRINE_PLAN_LOOK_H
#include "core/tier.h"
#include "core/workspace.h"

/* Why something was refused, without what the API advises there; of c->message. */
const char *billing_why(struct ctx *c);
/* Why a payment failed with e. Uses the reason that change.c sets for programs. */
const char *billing_unpaid_why(struct ctx *c, enum err e);

/* The plan that the workspace has without payment. */
void tier_unpaid(const struct ctx *c, const struct workspace *, struct tier *out);

/* The losses of a workspace whose paid plan ends. */
#define SLEEPS(F, T) \
	F(T, INT, seats,        .doc = "Of the plan that there is without payment; 0: no limit") \
	F(T, INT, agent_tokens, .doc = "As seats") \
	F(T, OBJ, lost,         .sub = &tier_features_shape)
SHAPE_DECLARE(sleeps, SLEEPS);

struct sleeps *sleeps_of(const struct ctx *c, const struct workspace *);
/* Names what works at once with another plan; NULL: nothing more. */
const char *plan_gains(struct ctx *c, const struct workspace *, const struct price_plan *to);
#endif
