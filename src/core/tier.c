/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tier.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/role.h"
#include "db/db.h"

SHAPE_DEFINE(tier_features, TIER_FEATURES);
SHAPE_DEFINE(tier_limits, TIER_LIMITS);
SHAPE_DEFINE(account_tier, ACCOUNT_TIER);
SHAPE_DEFINE(tier_plan, TIER_PLAN);
SHAPE_DEFINE(tier_row, TIER_ROW);

/* ---- plans ---- */

/* Returns the place of a word in "a|b|c", or -1. */
static int
word_index(const char *word, const char *words)
{
	size_t n = strlen(word);
	int i = 0;

	for (const char *at = words; at; at = strchr(at, '|'), i++) {
		at += *at == '|';
		if (strncmp(at, word, n) == 0 && (at[n] == '|' || !at[n]))
			return i;
	}
	return -1;
}

static unsigned
plan_features(const struct price_plan *p)
{
	const char *at = p->features;
	unsigned bits = 0;
	char word[40];

	while (*(at += strspn(at, " "))) {
		size_t n = strcspn(at, " ");
		int i;

		snprintf(word, sizeof word, "%.*s", (int)n, at);
		i = word_index(word, PLAN_FEATURES);
		bits |= i < 0 ? 0 : 1u << i;
		at += n;
	}
	return bits;
}

static const struct price_plan *
plan_find(const struct conf *conf, const char *id)
{
	for (size_t i = 0; i < conf->plan_n; i++)
		if (str_eq(conf->plans[i].id, id))
			return &conf->plans[i];
	return NULL;
}

const struct price_plan *
tier_plan_named(const struct ctx *c, const char *id)
{
	return id ? plan_find(c->conf, id) : NULL;
}

const char *
tier_plan_name(const struct ctx *c, const char *id)
{
	const struct price_plan *p = tier_plan_named(c, id);

	return p ? p->name : id;
}

int
tier_rank(const struct price_plan *p)
{
	return word_index(p->tier, PLAN_TIERS);
}

bool
tier_is_sold(const struct price_plan *p)
{
	return p->self_serve && p->price_cents > 0;
}

bool
tier_sells(const struct ctx *c)
{
	for (size_t i = 0; i < c->conf->plan_n; i++)
		if (tier_is_sold(&c->conf->plans[i]))
			return true;
	return false;
}

const char *
tier_plans_to_buy(struct ctx *c)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < c->conf->plan_n; i++)
		if (tier_is_sold(&c->conf->plans[i]))
			buf_fmt(&b, "%s%s", b.n ? ", " : "", c->conf->plans[i].id);
	return buf_done(&b);
}

/* Returns a plan of the highest tier. If an operator deletes a plan from the file, nothing says
 * which features it had, and people who paid for it must not lose them. */
static const struct price_plan *
plan_highest(const struct conf *conf)
{
	const struct price_plan *best = &conf->plans[0];

	for (size_t i = 1; i < conf->plan_n; i++)
		if (tier_rank(&conf->plans[i]) > tier_rank(best))
			best = &conf->plans[i];
	return best;
}

/* An operator's plan that is no longer in the file counts as the default one. */
void
tier_read(const struct ctx *c, const struct tier_row *row, struct tier *out)
{
	bool over = row->plan_until && row->plan_until <= c->now;
	const struct price_plan *p =
	    row->plan_id && !over ? plan_find(c->conf, row->plan_id) : NULL;
	int64_t seats; /* negative: no limit */

	p = p ? p : plan_find(c->conf, c->conf->default_plan);
	seats = p->seats_max ? p->seats_max : -1;
	if (row->paid_plan && c->now < row->paid_until) {
		const struct price_plan *paid = plan_find(c->conf, row->paid_plan);
		int64_t bought = row->paid_seats;
		int higher;

		paid = paid ? paid : plan_highest(c->conf);
		if (paid->seats_max && paid->seats_max < bought)
			bought = paid->seats_max;
		higher = tier_rank(paid) - tier_rank(p);
		if (higher > 0 || (!higher && seats >= 0 && (bought < 0 || bought > seats))) {
			p = paid;
			seats = bought;
		}
	}
	*out = (struct tier){ .plan = p,
		.seats = seats,
		.agent_tokens = p->agent_tokens ? p->agent_tokens : -1,
		.features = (plan_features(p) | (unsigned)row->features_on) &
		    ~(unsigned)row->features_off };
}

const char *
tier_plans_with(struct ctx *c, enum feature feature)
{
	const char **names = mem_array(c->mem, const char *, c->conf->plan_n);
	struct buf b = BUF(c->mem);
	size_t n = 0;

	for (int rank = 0; rank < 4; rank++)
		for (size_t i = 0; i < c->conf->plan_n; i++)
			if (tier_rank(&c->conf->plans[i]) == rank &&
			    plan_features(&c->conf->plans[i]) & 1u << feature)
				names[n++] = c->conf->plans[i].name;
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", names[i]);
	return n ? buf_done(&b) : NULL;
}

/* ---- the tier of a workspace ---- */

enum err
tier_of(struct ctx *c, const char *workspace_id, struct tier *out)
{
	struct tier_row *row;

	TRY(db_one(c,
	    ROWS(tier_row, "SELECT " TIER_COLUMNS("w") " FROM workspace w WHERE w.id = ?"),
	    ARGS(workspace_id), &row));
	tier_read(c, row, out);
	return E_OK;
}

enum err
tier_need(struct ctx *c, const char *workspace_id, enum feature feature)
{
	struct tier t;

	TRY(tier_of(c, workspace_id, &t));
	return t.features & 1u << feature
	    ? E_OK
	    : fail(c, E_TIER_REQUIRED,
		  "This workspace's plan, %s, doesn't include this feature; "
		  "GET /v1/billing/plans lists the plans that do",
		  t.plan->name);
}

void
tier_features_tell(const struct tier *t, struct tier_features *out)
{
	*out = (struct tier_features){
		.external_sharing = t->features & 1u << FEATURE_EXTERNAL_SHARING,
		.knowledge = t->features & 1u << FEATURE_KNOWLEDGE,
		.subdomain = t->features & 1u << FEATURE_SUBDOMAIN,
		.session_policy = t->features & 1u << FEATURE_SESSION_POLICY,
		.custom_branding = t->features & 1u << FEATURE_CUSTOM_BRANDING,
		.custom_domains = t->features & 1u << FEATURE_CUSTOM_DOMAINS
	};
}

static struct tier_limits *
limits_of(struct ctx *c, const struct tier *t)
{
	struct tier_limits *out = mem_new(c->mem, struct tier_limits);

	*out = (struct tier_limits){ .seats = t->seats < 0 ? 0 : t->seats,
		.agent_tokens = t->agent_tokens < 0 ? 0 : t->agent_tokens };
	out->has.seats = t->seats < 0 ? NULLED : GIVEN;
	out->has.agent_tokens = t->agent_tokens < 0 ? NULLED : GIVEN;
	return out;
}

#define TIER_OF_MINE(F, T) \
	F(T, ID,  id, .arg = "wsp_") \
	F(T, STR, agent_bound) \
	TIER_ROW(F, T)
SHAPE(tier_of_mine, TIER_OF_MINE);

enum err
tier_best(struct ctx *c, const struct principal *who, const char *workspace_id,
    struct account_tier **out)
{
	const char *only = workspace_id ? workspace_id : who->workspace_id;
	struct tier_of_mine_list all;
	const char *whose = NULL;
	struct tier best;

	tier_read(c, &(struct tier_row){ 0 }, &best);
	TRY(db_all(c,
	    ROWS(tier_of_mine,
		"SELECT w.id, " AGENT_BOUND("w", "?") " AS agent_bound, "
		TIER_COLUMNS("w") " FROM member m JOIN workspace w ON w.id = m.workspace_id"
		" WHERE m.user_id = ? AND w.deleted_at IS NULL AND w.id = COALESCE(?, w.id)"
		" AND w.id = COALESCE(?, w.id)"),
	    ARGS(AGENT_ARGS(who), who->user_id, only, who->workspace_id), &all));
	if (workspace_id && !all.n)
		return fail(c, E_NOT_FOUND,
		    "workspace_id: there is no such workspace, or you aren't a member of it");
	for (size_t i = 0; i < all.n; i++) {
		struct tier t;

		tier_read(c, TIER_ROW_OF(&all.v[i]), &t);
		if (workspace_id)
			TRY(agent_reads(c, who, all.v[i].agent_bound));
		if (agent_is_barred(all.v[i].agent_bound))
			continue;
		if (whose && tier_rank(t.plan) <= tier_rank(best.plan))
			continue;
		best = t;
		whose = all.v[i].id;
	}
	*out = mem_new(c->mem, struct account_tier);
	**out = (struct account_tier){ .tier = best.plan->tier,
		.plan_id = best.plan->id,
		.workspace_id = whose,
		.features = mem_new(c->mem, struct tier_features),
		.limits = limits_of(c, &best) };
	tier_features_tell(&best, (*out)->features);
	return E_OK;
}

static void
plan_fill(struct ctx *c, const struct price_plan *p, struct tier_plan *out)
{
	struct tier t;

	tier_read(c, &(struct tier_row){ .plan_id = p->id }, &t);
	*out = (struct tier_plan){ .id = p->id,
		.name = p->name,
		.tier = p->tier,
		.price_cents = p->price_cents,
		.currency = p->currency,
		.interval = "month",
		.trial_days = tier_is_sold(p) ? p->trial_days : 0,
		.seats_min = p->seats_min,
		.seats_max = p->seats_max,
		.self_serve = tier_is_sold(p),
		.features = mem_new(c->mem, struct tier_features),
		.limits = limits_of(c, &t),
		.asked = !p->self_serve };
	out->has.seats_max = p->seats_max ? GIVEN : NULLED;
	tier_features_tell(&t, out->features);
}

void
tier_plans(struct ctx *c, struct tier_plan_list *out)
{
	*out = (struct tier_plan_list){ mem_array(c->mem, struct tier_plan, c->conf->plan_n), 0 };
	for (int rank = 0; rank < 4; rank++)
		for (size_t i = 0; i < c->conf->plan_n; i++)
			if (tier_rank(&c->conf->plans[i]) == rank)
				plan_fill(c, &c->conf->plans[i], &out->v[out->n++]);
}

bool
tier_choice(const struct ctx *c)
{
	return c->conf->plan_n > 1;
}

/* ---- for vitrinectl ---- */

const char *
tier_feature_words(struct ctx *c, unsigned bits)
{
	char *rest = mem_strdup(c->mem, PLAN_FEATURES), *word;
	struct buf b = BUF(c->mem);

	for (unsigned i = 0; (word = str_split(&rest, '|')); i++)
		if (bits & 1u << i)
			buf_fmt(&b, "%s%s", b.n ? ", " : "", word);
	return buf_done(&b);
}

static enum err
tier_audit(struct ctx *c, const char *workspace_id, const char *action, const char *what)
{
	struct buf b = BUF(c->mem);

	buf_json(&b, what);
	return audit_add(c, workspace_id, NULL,
	    &(struct audit){ .action = action,
		.type = "workspace",
		.id = workspace_id,
		.name = "",
		.after = buf_done(&b) });
}

enum err
tier_give(struct ctx *c, const char *workspace_id, const char *plan_id, int64_t until)
{
	if (plan_id && !plan_find(c->conf, plan_id)) {
		struct buf plans = BUF(c->mem);

		for (size_t i = 0; i < c->conf->plan_n; i++)
			buf_fmt(&plans, "%s%s", i ? ", " : "", c->conf->plans[i].id);
		return fail(c, E_INVALID, "there is no plan %s in %s; its plans are %s", plan_id,
		    c->conf->plans_file, buf_done(&plans));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET plan_id = ?, plan_until = ?, plan_due = ?, updated_at = ?"
		" WHERE id = ?"),
	    ARGS(plan_id, until ? arg_int(until) : arg_null(), c->now, c->now, workspace_id)));
	return tier_audit(
	    c, workspace_id, "plan.given", plan_id ? plan_id : c->conf->default_plan);
}

enum err
tier_feature(struct ctx *c, const char *workspace_id, const char *feature, const char *state)
{
	int i = word_index(feature, PLAN_FEATURES);
	int64_t bit = i < 0 ? 0 : 1 << i;

	if (i < 0)
		return fail(c, E_INVALID, "there is no feature %s; the features are %s", feature,
		    tier_feature_words(c, ~0u));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET features_on = (features_on & ~?) | ?,"
		" features_off = (features_off & ~?) | ?, plan_due = ?, updated_at = ?"
		" WHERE id = ?"),
	    ARGS(bit, str_eq(state, "on") ? bit : 0, bit, str_eq(state, "off") ? bit : 0, c->now,
		c->now, workspace_id)));
	return tier_audit(
	    c, workspace_id, "feature.set", mem_printf(c->mem, "%s %s", feature, state));
}
