/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/terms.h"

#include "base/id.h"
#include "base/str.h"
#include "billing/money.h"

/* ---- plans ---- */

enum err
plan_to_buy(struct ctx *c, const char *plan_id, const struct price_plan **out)
{
	*out = tier_plan_named(c, plan_id);
	if (*out && tier_is_sold(*out))
		return E_OK;
	if (!tier_sells(c))
		return fail(c, E_INVALID, "plan_id: no plan can be bought on this service");
	return fail(c, E_INVALID, "plan_id: %s %s; the plans to choose from are %s", plan_id,
	    *out ? "can't be bought here; contact the operator of this service" : "isn't a plan",
	    tier_plans_to_buy(c));
}

enum err
plan_seats(struct ctx *c, const struct price_plan *p, int64_t seats)
{
	if (seats < p->seats_min)
		return fail(c, E_INVALID, "seats: %s takes at least %s, not %s", p->name,
		    str_count(c->mem, p->seats_min, "seat"), str_number(c->mem, seats));
	if (p->seats_max && seats > p->seats_max)
		return fail(c, E_INVALID, "seats: %s takes at most %s, not %s", p->name,
		    str_count(c->mem, p->seats_max, "seat"), str_number(c->mem, seats));
	return E_OK;
}

/* ---- words ---- */

/* part: how much of the price per period the line is for; NULL: all of it. */
static void
terms_describe(struct ctx *c, struct terms *t, const char *what, int64_t from, int64_t unit,
    const char *part)
{
	const struct subscription *s = &t->then;
	struct buf b = BUF(c->mem);

	what = mem_printf(
	    c->mem, "%s, %s to %s", what, str_day(c->mem, from),
	    str_day(c->mem, s->current_period_end));
	t->description = mem_printf(
	    c->mem, "%s, %s", what, str_count(c->mem, s->seats, "seat"));
	buf_str(&b, "[{\"what\":");
	buf_json(&b, part ? mem_printf(c->mem, "%s, %s", what, part) : what);
	buf_fmt(&b, ",\"seats\":%lld,\"unit_cents\":%lld,\"amount_cents\":%lld}]",
	    (long long)s->seats, (long long)unit, (long long)t->due_cents);
	t->lines = buf_done(&b);
}

static enum err
due_check(struct ctx *c, const struct terms *t)
{
	return t->due_cents >= 0
	    ? E_OK
	    : fail(c, E_INVALID, "seats: so many of this plan cost more than can be charged");
}

/* ---- terms ---- */

enum err
terms_next(struct ctx *c, const struct subscription *s, int64_t people, struct terms *out)
{
	enum sub_state state = subscription_state(s, c->now);
	const struct price_plan *p =
	    tier_plan_named(c, s->pending_plan_id ? s->pending_plan_id : s->plan_id);
	struct subscription *n = &out->then;
	int64_t start = s->current_period_end;

	*out = (struct terms){ .then = *s, .plan_gone = !p };
	if (p && s->pending_plan_id) {
		n->plan_id = p->id;
		n->price_cents = p->price_cents;
		n->currency = p->currency;
	}
	n->seats = s->pending_seats ? s->pending_seats : s->seats;
	if ((s->pending_seats || state == SUB_EXPIRED) && n->seats < people)
		n->seats = people;
	if (p && n->seats < p->seats_min)
		n->seats = p->seats_min;
	if (p && p->seats_max && n->seats > p->seats_max)
		n->seats = p->seats_max;
	n->pending_plan_id = NULL;
	n->pending_seats = n->cancelled_at = n->ends_at = n->ended_at = n->tries = 0;
	/* Time without a plan isn't charged, and refunded time isn't counted as paid ahead. */
	if (state == SUB_EXPIRED)
		start = c->now;
	if (start != s->current_period_end || subscription_in_trial(s))
		n->anchor_at = start;
	n->current_period_start = start;
	/* A period is never shorter than half a month, whatever the rows say. */
	n->current_period_end = period_after(n->anchor_at, start + GRACE_S);
	out->due_cents = money_whole(n->price_cents, n->seats);
	terms_describe(c, out, tier_plan_name(c, n->plan_id), n->current_period_start,
	    n->price_cents, NULL);
	return due_check(c, out);
}

enum err
terms_start(struct ctx *c, const char *workspace_id, const struct price_plan *p, int64_t seats,
    struct terms *out)
{
	*out = (struct terms){ .then = { .id = id_new(c->mem, "sub_"),
				   .workspace_id = workspace_id,
				   .plan_id = p->id,
				   .price_cents = p->price_cents,
				   .currency = p->currency,
				   .seats = seats,
				   .anchor_at = c->now,
				   .current_period_start = c->now,
				   .current_period_end = period_after(c->now, c->now),
				   .created_at = c->now },
		.due_cents = money_whole(p->price_cents, seats) };
	terms_describe(c, out, p->name, out->then.current_period_start, p->price_cents, NULL);
	return due_check(c, out);
}

enum err
terms_upgrade(struct ctx *c, const struct subscription *s, const struct price_plan *p,
    int64_t then, struct terms *out)
{
	int64_t more = p->price_cents - s->price_cents;
	int64_t period = s->current_period_end - s->current_period_start;
	int64_t left = s->current_period_end - then;
	const char *what;

	*out = (struct terms){ .then = *s };
	out->then.plan_id = p->id;
	out->then.price_cents = p->price_cents;
	out->then.pending_plan_id = NULL;
	out->due_cents = subscription_in_trial(s) || more <= 0
	    ? 0
	    : money_part(more, s->seats, left, period);
	what = mem_printf(c->mem, "%s instead of %s", p->name, tier_plan_name(c, s->plan_id));
	if (then <= s->current_period_start || left <= 0)
		terms_describe(c, out, what, s->current_period_start, more, NULL);
	else
		terms_describe(c, out, what, then, more,
		    mem_printf(c->mem, "%.2f%% of the period",
			100 * (double)left / (double)period));
	return due_check(c, out);
}

struct charge_for
terms_charge(const struct terms *t, const char *kind, const struct subscription *was,
    const char *user_id)
{
	return (struct charge_for){ .kind = kind,
		.was = was,
		.then = &t->then,
		.amount_cents = t->due_cents,
		.description = t->description,
		.lines = t->lines,
		.period_start = t->then.current_period_start,
		.period_end = t->then.current_period_end,
		.user_id = user_id };
}
