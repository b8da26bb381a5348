/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/tier.h"

static const char *const feature_names[FEATURES] = { "external_sharing", "knowledge", "subdomain",
	"session_policy", "custom_branding" };

enum err
tier_of(struct ctx *c, const char *workspace_id, struct tier *out)
{
	(void)c;
	(void)workspace_id;
	*out = (struct tier){ .plan_id = "free", .tier = "free", .seats = 10, .agent_tokens = 5 };
	return E_OK;
}

enum err
tier_need(struct ctx *c, const char *workspace_id, enum feature feature)
{
	struct tier t;

	TRY(tier_of(c, workspace_id, &t));
	return t.features & 1u << feature
	    ? E_OK
	    : fail(c, E_TIER_REQUIRED, "The plan %s of this workspace does not have %s", t.plan_id,
		  feature_names[feature]);
}
