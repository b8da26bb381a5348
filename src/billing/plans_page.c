/* SPDX-License-Identifier: Apache-2.0
 * The pages of all plans, and of a change to another one: what it charges and when it takes effect.
 * A change charges exactly the amount shown, or fails. */
#include "base/str.h"
#include "billing/account.h"
#include "billing/billing_page.h"
#include "billing/money.h"
#include "http/share.h"

/* ---- all plans ---- */

#define PLANS_PAGE(F, T) \
	F(T, STR,  plan_id) \
	F(T, STR,  plan_name) \
	F(T, BOOL, sells) \
	F(T, BOOL, unset) \
	F(T, BOOL, may_buy) \
	F(T, OBJ,  sub,   .sub = &subscription_shape, .doc = "NULL: none, or it has ended") \
	F(T, BOOL, trial, .doc = "A plan begins with a trial")
SHAPE(plans_page, PLANS_PAGE);

static enum err
trial_may(struct req *r, const struct subscription *s, bool *yes)
{
	struct billing_account *a;

	*yes = false;
	if (s)
		return E_OK;
	TRY(billing_account(r->c, r->ws->id, &a));
	return account_trial_may(r->c, a, yes);
}

static enum err
h_plans(struct req *r)
{
	struct plans_page page = { .sells = tier_sells(r->c), .may_buy = billing_may_buy(r) };
	struct subscription *s;
	struct tier t;

	tier_read(r->c, TIER_ROW_OF(r->ws), &t);
	page.plan_id = t.plan->id;
	page.plan_name = t.plan->name;
	page.unset = page.sells && !payment_enabled(r->c);
	TRY(subscription_of(r->c, r->ws->id, false, &s));
	page.sub = s && subscription_state(s, r->c->now) != SUB_EXPIRED ? s : NULL;
	TRY(trial_may(r, page.sub, &page.trial));
	return reply_page(r, 0, &page);
}

/* ---- another plan ---- */

#define PLAN_CHANGE_PAGE(F, T) \
	F(T, STR,  plan) \
	F(T, STR,  plan_title) \
	F(T, OBJ,  sub,         .sub = &subscription_shape, \
		.doc = "The last one, perhaps an ended one; NULL: there never was one") \
	F(T, BOOL, begins,      .doc = "There is no subscription yet") \
	F(T, BOOL, may_buy) \
	F(T, STR,  wrong,       .doc = "Why the plan can't be chosen") \
	F(T, INT,  days_left,   .doc = "Of the period's `days`, when something is charged now") \
	F(T, INT,  days) \
	F(T, INT,  rest_cents,  .doc = "The new plan for those days") \
	F(T, INT,  paid_cents,  .doc = "What was paid for them, as a negative number") \
	F(T, OBJ,  quote,       .sub = &billing_quote_shape) \
	F(T, INT,  seat_cents,  .doc = "Of a seat from then on") \
	F(T, BOOL, card,        .doc = "One is stored, perhaps before there is a subscription") \
	F(T, BOOL, trial) \
	F(T, STR,  before,      .doc = "The plan that there is") \
	F(T, INT,  seats) \
	F(T, INT,  seats_least) \
	F(T, INT,  seats_most) \
	F(T, STR,  gains,       .doc = "What works at once")
SHAPE(plan_change_page, PLAN_CHANGE_PAGE);

#define PLAN_CHANGE_QUERY(F, T) \
	F(T, STR, plan,  .flags = F_REQ, .lo = 1, .hi = 40) \
	F(T, INT, seats, .lo = -SEATS_MOST, .hi = SEATS_MOST)
SHAPE(plan_change_query, PLAN_CHANGE_QUERY);

/* Computes the charge of an upgrade for the rest of the period: the new plan's price, less the
 * amount paid for the old one. */
static void
upgrade_tell(const struct req *r, const struct subscription *s, const struct billing_quote *q,
    struct plan_change_page *page)
{
	int64_t period = s->current_period_end - s->current_period_start,
		left = s->current_period_end - r->c->now;

	page->rest_cents = money_part(page->seat_cents, s->seats, left, period);
	page->paid_cents = q->due_cents - page->rest_cents;
	page->days_left = (left + 86399) / 86400;
	page->days = (period + 43200) / 86400;
}

static void
quote_tell(struct req *r, const struct subscription *s, struct billing_quote *q,
    const struct price_plan *to, struct plan_change_page *page)
{
	page->quote = q;
	page->seat_cents = to->price_cents;
	page->seats = q->seats;
	page->trial = page->begins && !q->due_cents;
	if (!page->begins && q->due_cents)
		upgrade_tell(r, s, q, page);
}

static enum err
change_read(struct req *r, const struct plan_change_query *in, struct plan_change_page *page)
{
	const struct price_plan *to = tier_plan_named(r->c, in->plan);
	const struct seats *now = r->ws->seats;
	int64_t least = now->used, wanted;
	struct billing_account *a;
	struct subscription *s;
	struct billing_quote *q = mem_new(r->c->mem, struct billing_quote);
	enum err e;
	bool fresh;

	if (!to || !tier_is_sold(to))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	least = to->seats_min > least ? to->seats_min : least;
	wanted = in->has.seats == GIVEN      ? in->seats
	    : least < now->used + now->pending ? now->used + now->pending
					       : least;
	TRY(subscription_of(r->c, r->ws->id, false, &s));
	fresh = !s || subscription_state(s, r->c->now) == SUB_EXPIRED;
	*page = (struct plan_change_page){ .plan = to->id,
		.plan_title = to->name,
		.sub = s,
		.begins = fresh,
		.may_buy = billing_may_buy(r),
		.card = s && s->card,
		.before = s ? tier_plan_name(r->c, s->plan_id) : NULL,
		.seats_least = least,
		.seats_most = to->seats_max,
		.gains = plan_gains(r->c, r->ws, to) };
	if (!page->card) {
		TRY(billing_account(r->c, r->ws->id, &a));
		page->card = a->card_id;
	}
	page->seats = wanted;
	e = fresh ? billing_quote_start(r->c, r->ws, to->id, wanted, q)
		  : billing_quote_plan(r->c, r->ws, to->id, q);
	if (e) {
		page->wrong = billing_why(r->c);
		if (str_starts(page->wrong, "seats: ") || str_starts(page->wrong, "plan_id: "))
			page->wrong = strchr(page->wrong, ' ') + 1;
		return ctx_forgive(r->c);
	}
	quote_tell(r, s, q, to, page);
	return E_OK;
}

static enum err
h_change(struct req *r)
{
	struct plan_change_page page;

	TRY(change_read(r, r->query, &page));
	return reply_page(r, 0, &page);
}

#define PLAN_CHANGE_FORM(F, T) \
	F(T, STR, plan,  .flags = F_REQ, .lo = 1, .hi = 40) \
	F(T, INT, seats, .lo = -SEATS_MOST, .hi = SEATS_MOST) \
	F(T, INT, price, .flags = F_REQ, .doc = "What was shown to be charged now") \
	F(T, INT, at,    .flags = F_REQ, .doc = "When")
SHAPE(plan_change_form, PLAN_CHANGE_FORM);

/* Returns true if the form begins a subscription: only then its page gave it seats. */
static bool
is_start(const struct plan_change_form *in)
{
	return in->has.seats == GIVEN;
}

static struct subscribe_new
start_of(const struct req *r, const struct plan_change_form *in)
{
	return (struct subscribe_new){
		.workspace_id = r->ws->id, .plan_id = in->plan, .seats = in->seats
	};
}

static enum err
p_change(struct req *r)
{
	const struct plan_change_form *in = r->in;
	const struct price_shown shown = { .due_cents = in->price, .quoted_at = in->at };
	const struct subscribe_new start = start_of(r, in);
	struct paying *p = mem_new(r->c->mem, struct paying);

	TRY(share_outside(r));
	return paying_keep(r, p,
	    is_start(in)
		? subscribe_prepare(r->c, r->ws, r->who, &start, &shown, &p->charge)
		: plan_change_prepare(r->c, r->ws, r->who, in->plan, &shown, &p->charge));
}

static enum err
change_refuse(struct req *r, const struct paying *p)
{
	const struct plan_change_form *in = r->in;
	struct plan_change_query q = { .plan = in->plan, .seats = in->seats };
	struct plan_change_page page;

	q.has.seats = in->has.seats;
	TRY(change_read(r, &q, &page));
	return reply_refused(r, err_table[p->e].status, p->why, &page);
}

static const char *
changed_word(const struct req *r, const struct plan_change_form *in, const struct paying *p)
{
	struct subscription *s;

	if (is_start(in))
		return p->charge ? "plan_begun" : "plan_trial";
	if (subscription_of(r->c, r->ws->id, false, &s) || !s)
		return "saved";
	return str_eq(s->plan_id, in->plan) ? (p->charge ? "plan_up_paid" : "plan_up")
					    : "plan_later";
}

static enum err
h_change_save(struct req *r)
{
	const struct plan_change_form *in = r->in;
	const struct paying *p = r->prepared;
	const struct subscribe_new start = start_of(r, in);
	enum err e;

	if (p->why)
		return change_refuse(r, p);
	e = is_start(in) ? subscribe(r->c, r->ws, r->who, &start, p->charge)
			 : plan_change(r->c, r->ws, r->who, in->plan, p->charge);
	return e ? fail(r->c, e, "%s", billing_why(r->c))
		 : billing_back(r, changed_word(r, in, p));
}

#define PLANS "/w/{ws}/plan/plans"
#define CHANGE "/w/{ws}/plan/change"
static const struct route plans_page_routes[] = {
  { PAGE(PLANS, WS_MEMBER, plans, h_plans),
    .shows = SHOWS({ "plans", "GET /v1/billing/plans?limit=200" }), .title = BILLING_TITLE,
    .query = &tab_query_shape, .doc = "All plans, compared" },
  { PAGE(CHANGE, WS_ADMIN, plan_change, h_change), .query = &plan_change_query_shape,
    .doc = "What another plan costs, today and later, before it is chosen" },
  { FORM_PAGE(CHANGE, WS_ADMIN, plan_change_form, plan_change, h_change_save), .again = CHANGE,
    .slow = true, .prepare = p_change, .limit = LIM_PAYMENT,
    .doc = "Begin or change a plan, at the price that was shown" },
};
ROUTES(plans_page, "Pages: plans",
    "What plans there are, and what another one costs, as a workspace's people see it.");
