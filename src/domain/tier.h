/* SPDX-License-Identifier: Apache-2.0
 * What a workspace may have: its plan's seats, limits and features. Only tier.c decides it. Source:
 * decisions, "Account and billing". */
#ifndef VITRINE_TIER_H
#define VITRINE_TIER_H
#include "base/ctx.h"

#define TIERS "free|pro|team|enterprise"
enum feature {
	FEATURE_EXTERNAL_SHARING,
	FEATURE_KNOWLEDGE,
	FEATURE_SUBDOMAIN,
	FEATURE_SESSION_POLICY,
	FEATURE_CUSTOM_BRANDING,
	FEATURES
};

struct tier {
	const char *plan_id, *tier;
	int64_t seats, agent_tokens; /* -1: as many as wanted */
	unsigned features;           /* bits: 1 << enum feature */
};
enum err tier_of(struct ctx *c, const char *workspace_id, struct tier *out);
/* E_TIER_REQUIRED unless the workspace has the feature. */
enum err tier_need(struct ctx *c, const char *workspace_id, enum feature);
#endif
