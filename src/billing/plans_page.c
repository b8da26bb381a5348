/* SPDX-License-Identifier: Apache-2.0
 * The pages of all plans, and of a change to another one: what it charges and when it takes effect.
 * A change charges exactly the amount shown, or fails. */
#include "base/str.h"
#include "billing/account.h"
#include "billing/billing_page.h"
#include "billing/money.h"
#include "http/share.h"

/* ---- all plans ---- */

#define PLAN_OFFER(F, T) \
	F(T, OBJ,  plan,     .sub = &tier_plan_shape) \
	F(T, BOOL, current) \
	F(T, BOOL, sold) \
	F(T, BOOL, asked,    .doc = "Whoever runs the service gives it") \
	F(T, BOOL, ends,     .doc = "One has it when the paid one has ended") \
	F(T, BOOL, chosen,   .doc = "For the next period")
SHAPE(plan_offer, PLAN_OFFER);

#define COMPARE_CELL(F, T) \
	F(T, STR,  text) \
	F(T, BOOL, yes)
SHAPE(compare_cell, COMPARE_CELL);
#define COMPARE_ROW(F, T) \
	F(T, STR,  label) \
	F(T, LIST, cells, .sub = &compare_cell_shape)
SHAPE(compare_row, COMPARE_ROW);

#define PLANS_PAGE(F, T) \
	F(T, STR,  plan_name) \
	F(T, BOOL, sells) \
	F(T, BOOL, unset) \
	F(T, BOOL, may_buy) \
	F(T, BOOL, live,    .doc = "There is a subscription that can be changed") \
	F(T, BOOL, stopped, .doc = "It is cancelled, and has to be resumed first") \
	F(T, BOOL, trial,   .doc = "A plan begins with a trial") \
	F(T, LIST, plans,   .sub = &plan_offer_shape) \
	F(T, LIST, rows,    .sub = &compare_row_shape)
SHAPE(plans_page, PLANS_PAGE);

static const char *
bound(struct ctx *c, int64_t n)
{
	return n > 0 ? str_number(c->mem, n) : "Unlimited";
}

/* A price without a fraction is easier to compare. */
static const char *
price_text(struct ctx *c, const struct tier_plan *p)
{
	return p->price_cents ? str_money(c->mem, p->price_cents, p->currency) : NULL;
}

static struct plan_offer
offer_of(struct ctx *c, const struct tier_plan *p, const struct price_plan *current,
    const struct subscription *s)
{
	const struct price_plan *plan = tier_plan_named(c, p->id);

	return (struct plan_offer){ .plan = (void *)(uintptr_t)p,
		.current = str_eq(p->id, current->id),
		.sold = tier_is_sold(plan),
		.asked = !plan->self_serve,
		.ends = s && plan->self_serve && !p->price_cents,
		.chosen = s && str_eq(s->pending_plan_id, p->id) };
}

/* ---- everything, compared ---- */

enum { PRICE, SEATS_ROW, AGENTS, FEATURE_ROWS, COMPARED = FEATURE_ROWS + FEATURES };

static const char *const labels[COMPARED] = { [PRICE] = "Price per seat and month",
	[SEATS_ROW] = "Seats",
	[AGENTS] = "Agents at a time",
	[FEATURE_ROWS + FEATURE_EXTERNAL_SHARING] = "Clients and shared folders",
	[FEATURE_ROWS + FEATURE_KNOWLEDGE] = "Notes that learn from pages",
	[FEATURE_ROWS + FEATURE_SUBDOMAIN] = "Subdomain",
	[FEATURE_ROWS + FEATURE_SESSION_POLICY] = "Session policy",
	[FEATURE_ROWS + FEATURE_CUSTOM_BRANDING] = "Branding" };

static bool
has_feature(const struct tier_features *f, enum feature feature)
{
	const bool all[FEATURES] = { [FEATURE_EXTERNAL_SHARING] = f->external_sharing,
		[FEATURE_KNOWLEDGE] = f->knowledge,
		[FEATURE_SUBDOMAIN] = f->subdomain,
		[FEATURE_SESSION_POLICY] = f->session_policy,
		[FEATURE_CUSTOM_BRANDING] = f->custom_branding };

	return all[feature];
}

static struct compare_cell
cell_of(struct ctx *c, const struct tier_plan *p, int row)
{
	const struct tier_limits *limits = p->limits;

	if (row == PRICE)
		return (struct compare_cell){ .text = p->price_cents ? price_text(c, p)
			    : tier_plan_named(c, p->id)->self_serve  ? "Free"
								     : "On request" };
	if (row == SEATS_ROW)
		return (struct compare_cell){ .text = bound(c, limits->seats) };
	if (row == AGENTS)
		return (struct compare_cell){ .text = bound(c, limits->agent_tokens) };
	return (struct compare_cell){ .yes =
		has_feature(p->features, (enum feature)(row - FEATURE_ROWS)) };
}

static struct list
compared(struct ctx *c, const struct tier_plan_list *plans)
{
	struct compare_row *out = mem_array(c->mem, struct compare_row, COMPARED);

	for (int i = 0; i < COMPARED; i++)
		out[i] = (struct compare_row){ .label = labels[i],
			.cells = list_made(c->mem, plans, p, cell_of(c, p, i)) };
	return (struct list){ out, COMPARED };
}

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
	struct plans_page page = { .sells = tier_sells(r->c) };
	struct tier_plan_list plans;
	struct subscription *s;
	enum sub_state state;
	struct tier t;

	tier_read(r->c, TIER_ROW_OF(r->ws), &t);
	TRY(subscription_of(r->c, r->ws->id, false, &s));
	state = s ? subscription_state(s, r->c->now) : SUB_EXPIRED;
	if (state == SUB_EXPIRED)
		s = NULL;
	page.plan_name = t.plan->name;
	page.unset = page.sells && !payment_enabled(r->c);
	page.may_buy = billing_may_buy(r);
	page.stopped = state == SUB_CANCELLED;
	page.live = s && !page.stopped;
	TRY(trial_may(r, s, &page.trial));
	tier_plans(r->c, &plans);
	page.plans = list_made(r->c->mem, &plans, p, offer_of(r->c, p, t.plan, s));
	page.rows = compared(r->c, &plans);
	return reply_page(r, 0, &page);
}

/* ---- another plan ---- */

#define PRICE_LINE(F, T) \
	F(T, STR, what) \
	F(T, STR, detail) \
	F(T, STR, amount)
SHAPE(price_line, PRICE_LINE);

#define PLAN_CHANGE_PAGE(F, T) \
	F(T, STR,  plan) \
	F(T, STR,  plan_title) \
	F(T, BOOL, begins,      .doc = "There is no subscription yet") \
	F(T, BOOL, may_buy) \
	F(T, BOOL, keeps,       .doc = "It takes back a change that was chosen") \
	F(T, STR,  wrong,       .doc = "Why it can't be had") \
	F(T, BOOL, at_once) \
	F(T, STR,  left,        .doc = "9 of 30 days left") \
	F(T, LIST, lines,       .sub = &price_line_shape) \
	F(T, BOOL, pays) \
	F(T, OBJ,  quote,       .sub = &billing_quote_shape) \
	F(T, INT,  seat_cents,  .doc = "Of a seat from then on") \
	F(T, STR,  card,        .doc = "Visa ending in 4242; NULL: none is stored") \
	F(T, TIME, from) \
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

/* The name of the card on the page that charges it. */
static const char *
card_text(struct ctx *c, const struct stored_card *card)
{
	return card ? mem_printf(c->mem, "the card ending in %s", card->last4) : NULL;
}

/* The rest of the period: the new plan's price, less the amount paid for the old one. */
static struct list
lines_up(struct req *r, const struct subscription *s, const struct billing_quote *q,
    const struct price_plan *to)
{
	struct price_line *v = mem_array(r->c->mem, struct price_line, 2);
	int64_t period = s->current_period_end - s->current_period_start,
		left = s->current_period_end - r->c->now, whole;

	whole = money_part(to->price_cents, s->seats, left, period);
	v[0] = (struct price_line){
		.what = mem_printf(r->c->mem, "%s, %s", to->name,
		    billing_seats_text(r->c, s->seats, to->price_cents, q->currency)),
		.detail = "for the rest of the period",
		.amount = str_money(r->c->mem, whole, q->currency)
	};
	v[1] = (struct price_line){
		.what = mem_printf(
		    r->c->mem, "%s, already paid", tier_plan_name(r->c, s->plan_id)),
		.detail = mem_printf(r->c->mem, "%s, for the same period",
		    billing_seats_text(r->c, s->seats, s->price_cents, q->currency)),
		.amount = str_money(r->c->mem, q->due_cents - whole, q->currency)
	};
	return (struct list){ v, 2 };
}

static struct list
lines_start(struct req *r, const struct billing_quote *q, const struct price_plan *to)
{
	struct price_line *v = mem_array(r->c->mem, struct price_line, 1);

	v[0] = (struct price_line){
		.what = mem_printf(r->c->mem, "%s, %s", to->name,
		    billing_seats_text(r->c, q->seats, to->price_cents, q->currency)),
		.detail = "for the first month",
		.amount = str_money(r->c->mem, q->due_cents, q->currency)
	};
	return (struct list){ v, 1 };
}

/* Shows later charges by day, and present charges line by line. */
static void
quote_tell(struct req *r, const struct subscription *s, struct billing_quote *q,
    const struct price_plan *to, struct plan_change_page *page)
{
	page->at_once = q->from <= r->c->now;
	page->pays = q->due_cents > 0;
	page->quote = q;
	page->seat_cents = to->price_cents;
	page->seats = q->seats;
	if (page->begins) {
		page->trial = !page->pays;
		page->from = q->later_at;
		if (page->pays)
			page->lines = lines_start(r, q, to);
		return;
	}
	page->trial = subscription_in_trial(s);
	page->from = s->current_period_end;
	page->keeps = str_eq(to->id, s->plan_id);
	if (page->pays) {
		page->lines = lines_up(r, s, q, to);
		page->left = mem_printf(r->c->mem, "%s of %s left",
		    str_number(
			r->c->mem, (s->current_period_end - r->c->now + 86399) / 86400),
		    str_count(r->c->mem,
			(s->current_period_end - s->current_period_start + 43200) / 86400,
			"day"));
	}
}

static const char *
gains_text(struct req *r, const struct price_plan *to)
{
	static const char *const words[FEATURES] = { [FEATURE_EXTERNAL_SHARING] = "clients",
		[FEATURE_KNOWLEDGE] = "learning notes",
		[FEATURE_SUBDOMAIN] = "a subdomain",
		[FEATURE_SESSION_POLICY] = "the session policy",
		[FEATURE_CUSTOM_BRANDING] = "branding" };
	struct tier_plan_list plans;
	const char *names[FEATURES];
	struct tier t;
	size_t n = 0;

	tier_read(r->c, TIER_ROW_OF(r->ws), &t);
	tier_plans(r->c, &plans);
	for (size_t i = 0; i < plans.n; i++)
		for (int f = 0; f < FEATURES && str_eq(plans.v[i].id, to->id); f++)
			if (!(t.features & 1u << f) &&
			    has_feature(plans.v[i].features, (enum feature)f))
				names[n++] = words[f];
	return n ? str_some(r->c->mem, names, n) : NULL;
}

/* A person can store a card before there is a subscription. */
static enum err
card_alone(struct req *r, struct plan_change_page *page)
{
	struct billing_account *a;

	TRY(billing_account(r->c, r->ws->id, &a));
	page->card = a->card_id ? "the stored card" : NULL;
	return E_OK;
}

static enum err
change_read(struct req *r, const struct plan_change_query *in, struct plan_change_page *page)
{
	const struct price_plan *to = tier_plan_named(r->c, in->plan);
	const struct seats *now = r->ws->seats;
	int64_t least = now->used, wanted;
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
		.begins = fresh,
		.may_buy = billing_may_buy(r),
		.card = s ? card_text(r->c, s->card) : NULL,
		.before = s ? tier_plan_name(r->c, s->plan_id) : NULL,
		.seats_least = least,
		.seats_most = to->seats_max,
		.gains = gains_text(r, to) };
	if (!page->card)
		TRY(card_alone(r, page));
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

/* Whether it begins one was decided when it was shown: then its form has seats. */
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
/*  method path   who
    body                          reply                    handler */
  { GET,  PLANS,  WS_MEMBER,
    TAKES_NOTHING,                GIVES_PAGE(plans),       h_plans,
    .title = BILLING_TITLE, .query = &tab_query_shape, .doc = "All plans, compared" },
  { GET,  CHANGE, WS_ADMIN,
    TAKES_NOTHING,                GIVES_PAGE(plan_change), h_change,
    .query = &plan_change_query_shape,
    .doc = "What another plan costs, today and later, before it is chosen" },
  { POST, CHANGE, WS_ADMIN,
    TAKES_FORM(plan_change_form), GIVES_PAGE(plan_change), h_change_save,
    .again = CHANGE, .slow = true, .prepare = p_change, .limit = LIM_PAYMENT,
    .doc = "Begin or change a plan, at the price that was shown" },
};
ROUTES(plans_page, "Pages: plans",
    "What plans there are, and what another one costs, as a workspace's people see it.");
