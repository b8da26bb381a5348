/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/plan_look.h"

#include "base/str.h"

SHAPE_DEFINE(sleeps, SLEEPS);

const char *
billing_why(struct ctx *c)
{
	const char *why = c->message ? c->message : err_table[c->err].text;
	const char *alone = str_unadvised(c->mem, why);

	return alone ? alone : why;
}

const char *
billing_unpaid_why(struct ctx *c, enum err e)
{
	if (!c->details && e == E_UPSTREAM)
		return "We couldn’t reach the payment provider. "
		       "Nothing was charged, and nothing has changed";
	if (!c->details || strstr(c->details, "not_set_up"))
		return billing_why(c);
	return strstr(c->details, "not_made")
	    ? "The payment provider didn’t accept the payment. "
	      "Nothing was charged, and nothing has changed; try again later"
	    : "The payment provider hasn’t confirmed the payment yet. "
	      "Nothing has changed so far; once it’s confirmed, the change follows in a few "
	      "minutes";
}

void
tier_unpaid(const struct ctx *c, const struct workspace *w, struct tier *out)
{
	struct tier_row row = *TIER_ROW_OF(w);

	row.paid_plan = NULL;
	tier_read(c, &row, out);
}

struct sleeps *
sleeps_of(const struct ctx *c, const struct workspace *w)
{
	struct tier_features *lost = mem_new(c->mem, struct tier_features);
	struct sleeps *out = mem_new(c->mem, struct sleeps);
	struct tier now, then;

	tier_read(c, TIER_ROW_OF(w), &now);
	tier_unpaid(c, w, &then);
	now.features &= ~then.features;
	tier_features_tell(&now, lost);
	*out = (struct sleeps){ .seats = then.seats < 0 ? 0 : then.seats,
		.agent_tokens = then.agent_tokens < 0 ? 0 : then.agent_tokens,
		.lost = lost };
	return out;
}

const char *
plan_gains(struct ctx *c, const struct workspace *w, const struct price_plan *to)
{
	static const char *const words[FEATURES] = { [FEATURE_EXTERNAL_SHARING] = "clients",
		[FEATURE_KNOWLEDGE] = "learning notes",
		[FEATURE_SUBDOMAIN] = "a subdomain",
		[FEATURE_SESSION_POLICY] = "the session policy",
		[FEATURE_CUSTOM_BRANDING] = "branding",
		[FEATURE_CUSTOM_DOMAINS] = "domains of your own" };
	const char *names[FEATURES];
	struct tier now, then;
	size_t n = 0;

	tier_read(c, TIER_ROW_OF(w), &now);
	tier_read(c, &(struct tier_row){ .plan_id = to->id }, &then);
	for (int f = 0; f < FEATURES; f++)
		if (then.features & ~now.features & 1u << f)
			names[n++] = words[f];
	return n ? str_some(c->mem, names, n) : NULL;
}
