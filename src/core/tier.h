/* SPDX-License-Identifier: Apache-2.0
 * The tier of a workspace: the seats, limits and features of its plan, and an operator’s changes to
 * these. Only tier.c decides it. The setting plans_file has the plans. Source: core/README.md. */
#ifndef VITRINE_TIER_H
#define VITRINE_TIER_H
#include "base/conf.h"
#include "base/principal.h"
#include "base/shape.h"

/* The features, in the order of PLAN_FEATURES. */
enum feature {
	FEATURE_EXTERNAL_SHARING,
	FEATURE_KNOWLEDGE,
	FEATURE_SUBDOMAIN,
	FEATURE_SESSION_POLICY,
	FEATURE_CUSTOM_BRANDING,
	FEATURE_CUSTOM_DOMAINS,
	FEATURES
};

#define TIER_FEATURES(F, T) \
	F(T, BOOL, external_sharing) \
	F(T, BOOL, knowledge) \
	F(T, BOOL, subdomain) \
	F(T, BOOL, session_policy) \
	F(T, BOOL, custom_branding) \
	F(T, BOOL, custom_domains)
SHAPE_DECLARE(tier_features, TIER_FEATURES);

#define TIER_LIMITS(F, T) \
	F(T, INT, seats,        .flags = F_NUL, .doc = "null: no limit, here and below") \
	F(T, INT, agent_tokens, .flags = F_NUL)
SHAPE_DECLARE(tier_limits, TIER_LIMITS);

#define ACCOUNT_TIER(F, T) \
	F(T, WORD, tier,         .arg = PLAN_TIERS) \
	F(T, STR,  plan_id) \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_", \
		.doc = "The workspace that has this tier; null: you aren't in a workspace") \
	F(T, OBJ,  features,     .sub = &tier_features_shape) \
	F(T, OBJ,  limits,       .sub = &tier_limits_shape)
SHAPE_DECLARE(account_tier, ACCOUNT_TIER);

#define TIER_PLAN(F, T) \
	F(T, STR,  id) \
	F(T, STR,  name) \
	F(T, WORD, tier,        .arg = PLAN_TIERS) \
	F(T, INT,  price_cents, .doc = "Price per seat per month") \
	F(T, STR,  currency) \
	F(T, STR,  interval) \
	F(T, INT,  trial_days) \
	F(T, INT,  seats_min) \
	F(T, INT,  seats_max,   .flags = F_NUL) \
	F(T, BOOL, self_serve,  .doc = "Whether it can be bought here") \
	F(T, OBJ,  features,    .sub = &tier_features_shape) \
	F(T, OBJ,  limits,      .sub = &tier_limits_shape) \
	F(T, BOOL, asked,       .flags = F_HID, .doc = "Only the operator gives it")
SHAPE_DECLARE(tier_plan, TIER_PLAN);

struct tier {
	const struct price_plan *plan;
	int64_t seats, agent_tokens; /* -1: no limit */
	unsigned features;           /* bits: 1 << enum feature */
};
/* Columns of the workspace `w` for TIER_ROW: the plan that an operator gave it, and the plan that
 * its subscription pays for (billing/subscription.c). */
#define TIER_COLUMNS(w) \
	w ".plan_id, " w ".plan_until, " w ".features_on, " w ".features_off, " \
	w ".paid_plan, " w ".paid_until, " w ".paid_seats"
/* TIER_COLUMNS for an object within a row ("art."). */
#define TIER_COLUMNS_AS(w, p) \
	w ".plan_id AS `" p "plan_id`, " w ".plan_until AS `" p "plan_until`, " \
	w ".features_on AS `" p "features_on`, " w ".features_off AS `" p "features_off`, " \
	w ".paid_plan AS `" p "paid_plan`, " w ".paid_until AS `" p "paid_until`, " \
	w ".paid_seats AS `" p "paid_seats`"
#define TIER_ROW(F, T) \
	F(T, STR,  plan_id,      .flags = F_HID) \
	F(T, TIME, plan_until,   .flags = F_HID) \
	F(T, INT,  features_on,  .flags = F_HID) \
	F(T, INT,  features_off, .flags = F_HID) \
	F(T, STR,  paid_plan,    .flags = F_HID) \
	F(T, TIME, paid_until,   .flags = F_HID) \
	F(T, INT,  paid_seats,   .flags = F_HID)
SHAPE_DECLARE(tier_row, TIER_ROW);
/* The tier of any row with these fields. */
#define TIER_ROW_OF(r) \
	&(struct tier_row){ .plan_id = (r)->plan_id, .plan_until = (r)->plan_until, \
		.features_on = (r)->features_on, .features_off = (r)->features_off, \
		.paid_plan = (r)->paid_plan, .paid_until = (r)->paid_until, \
		.paid_seats = (r)->paid_seats }
/* Of two plans that haven't ended, the better one: first by tier, then by seats. */
void tier_read(const struct ctx *c, const struct tier_row *, struct tier *out);
/* Returns NULL if plans_file has no plan with this id. */
const struct price_plan *tier_plan_named(const struct ctx *c, const char *id);
/* Returns the plan’s name; its id if the file no longer has it. */
const char *tier_plan_name(const struct ctx *c, const char *id);
int tier_rank(const struct price_plan *); /* the place of its tier in PLAN_TIERS */
/* Returns the ids of the plans that are for sale: "pro, team"; "" if none is. */
const char *tier_plans_to_buy(struct ctx *c);
/* True if there is no plans_file, or none of its plans is for sale. */
bool tier_sells(const struct ctx *c);
bool tier_is_sold(const struct price_plan *);

enum err tier_of(struct ctx *c, const char *workspace_id, struct tier *out);
/* E_TIER_REQUIRED unless the workspace has the feature. */
enum err tier_need(struct ctx *c, const char *workspace_id, enum feature);
void tier_features_tell(const struct tier *, struct tier_features *out);
/* Returns the best tier of all workspaces that a user is in, or of one workspace (not NULL).
 * E_NOT_FOUND. */
enum err tier_best(struct ctx *c, const struct principal *who, const char *workspace_id,
    struct account_tier **out);
/* Returns the names of the plans with this feature: "Pro, Team or Enterprise"; NULL: none has
 * it. */
const char *tier_plans_with(struct ctx *c, enum feature);
bool tier_choice(const struct ctx *c); /* True if there is more than one plan. */
/* Lists the plans in the order of their tiers. */
void tier_plans(struct ctx *c, struct tier_plan_list *out);

/* ---- for vitrinectl ---- */

/* Returns the names of these features: "subdomain, knowledge". */
const char *tier_feature_words(struct ctx *c, unsigned bits);
/* Gives the workspace a plan (NULL: the default one) until a time (0: without end). E_INVALID if
 * there is no such plan. */
enum err tier_give(struct ctx *c, const char *workspace_id, const char *plan_id, int64_t until);
/* state: "on", "off" or "plan" (as the plan has it). */
enum err tier_feature(
    struct ctx *c, const char *workspace_id, const char *feature, const char *state);
#endif
