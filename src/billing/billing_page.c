/* SPDX-License-Identifier: Apache-2.0
 * The page of a workspace's plan: its seats, price, dates, card and invoices, and the forms that
 * change them. */
#include "billing/billing_page.h"

#include "base/str.h"
#include "billing/account.h"
#include "billing/invoice.h"
#include "core/way.h"
#include "http/form.h"
#include "http/share.h"

enum { INVOICES_A_PAGE = 12 };

/* ---- fields of all pages ---- */

enum err
billing_back(struct req *r, const char *done)
{
	return reply_go(r, "/w/%s/plan?done=%s", r->ws->id, done);
}

bool
billing_may_buy(const struct req *r)
{
	return member_rank(r->ws->role) >= MEMBER_ADMIN && tier_sells(r->c) &&
	    payment_enabled(r->c);
}

enum err
paying_keep(struct req *r, struct paying *p, enum err e)
{
	r->prepared = p;
	p->e = e;
	if (e != E_UPSTREAM && e != E_UNAVAILABLE)
		return e == E_OK ? E_OK : fail(r->c, e, "%s", billing_why(r->c));
	p->why = billing_unpaid_why(r->c, e);
	return ctx_forgive(r->c);
}

/* ---- the page ---- */

/* The page of the plan and the one that asks before it is cancelled share this shape. */
#define PLAN_PAGE(F, T) \
	F(T, STR,  done) \
	F(T, STR,  plan_name) \
	F(T, TIME, given_until, .doc = "Of a plan that an operator gave") \
	F(T, INT,  percent) \
	F(T, INT,  agent_tokens) \
	F(T, OBJ,  taken,       .sub = &seats_shape) \
	F(T, OBJ,  features,    .sub = &tier_features_shape) \
	F(T, BOOL, choice,      .doc = "There are other plans") \
	F(T, BOOL, sells) \
	F(T, BOOL, unset,       .doc = "They are for sale, but nobody could be paid") \
	F(T, BOOL, may_buy) \
	F(T, OBJ,  sub,         .sub = &subscription_shape) \
	F(T, STR,  sub_name) \
	F(T, STR,  unpaid_name, .doc = "The plan that there is without payment") \
	F(T, BOOL, busy) \
	F(T, TIME, ends,        .doc = "When trial, period or plan end") \
	F(T, TIME, works_until) \
	F(T, TIME, next_try) \
	F(T, INT,  left,        .doc = "Days") \
	F(T, OBJ,  later,       .sub = &subscription_shape, \
		.doc = "As of the next period, for admins if it can be changed; else NULL") \
	F(T, INT,  later_cents, .doc = "Charged then") \
	F(T, STR,  next_plan,   .doc = "That comes with the next period; NULL: the same") \
	F(T, OBJ,  card,        .sub = &stored_card_shape) \
	F(T, OBJ,  due,         .sub = &billing_quote_shape, \
		.doc = "NULL: nothing can be paid now") \
	F(T, STR,  cancelled_by) \
	F(T, OBJ,  sleeps,      .sub = &sleeps_shape, .doc = "Of a cancelled one") \
	F(T, INT,  seats_wanted) \
	F(T, INT,  seats_least) \
	F(T, INT,  seats_most,  .doc = "0: no limit") \
	F(T, STR,  seats_plan,  .doc = "NULL: they can't be changed now") \
	F(T, STR,  seats_wrong, .doc = "Why so many can't be had") \
	F(T, OBJ,  price,       .sub = &billing_quote_shape, \
		.doc = "Of the seats that are wanted") \
	F(T, INT,  seat_cents,  .doc = "Of a seat then") \
	F(T, INT,  more,        .doc = "Than what is charged now") \
	F(T, INT,  less) \
	F(T, INT,  keeps,       .doc = "The seats that there are") \
	F(T, INT,  nothing,     .doc = "0 of any currency") \
	F(T, LIST, invoices,    .sub = &invoice_shape) \
	F(T, STR,  next) \
	F(T, OBJ,  details,     .sub = &invoice_details_shape)
SHAPE(plan_page, PLAN_PAGE);

#define PLAN_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 200) \
	F(T, INT, seats,  .lo = -SEATS_MOST, .hi = SEATS_MOST)
SHAPE(plan_query, PLAN_QUERY);

static void
plan_tell(struct req *r, struct plan_page *page)
{
	struct seats *seats = r->ws->seats;
	struct tier_features *features = mem_new(r->c->mem, struct tier_features);
	struct tier t, unpaid;

	tier_read(r->c, TIER_ROW_OF(r->ws), &t);
	tier_unpaid(r->c, r->ws, &unpaid);
	tier_features_tell(&t, features);
	*page = (struct plan_page){ .done = artifact_page_done(r),
		.features = features,
		.plan_name = t.plan->name,
		.unpaid_name = unpaid.plan->name,
		.taken = seats,
		.percent = t.seats <= 0 || seats->used > t.seats ? 100
								 : 100 * seats->used / t.seats,
		.agent_tokens = t.agent_tokens < 0 ? 0 : t.agent_tokens,
		.choice = tier_choice(r->c),
		.sells = tier_sells(r->c),
		.unset = tier_sells(r->c) && !payment_enabled(r->c),
		.may_buy = billing_may_buy(r) };
	if (r->ws->plan_until > r->c->now && str_eq(r->ws->plan_id, t.plan->id))
		page->given_until = r->ws->plan_until;
}

/* Shows the charge of the next period, if nothing else is chosen. */
static enum err
next_tell(struct req *r, const struct subscription *s, struct plan_page *page)
{
	const struct seats *seats = r->ws->seats;
	struct terms *t = mem_new(r->c->mem, struct terms);

	TRY(terms_next(r->c, s, seats->used, t));
	page->later = &t->then;
	page->later_cents = t->due_cents;
	if (s->pending_plan_id)
		page->next_plan = tier_plan_name(r->c, t->then.plan_id);
	return E_OK;
}

/* Shows the amount that a person can pay now. If there is none, the plans are the next step. */
static enum err
due_tell(struct req *r, struct plan_page *page)
{
	struct billing_quote *q = mem_new(r->c->mem, struct billing_quote);

	if (billing_quote_activate(r->c, r->ws, q))
		return ctx_forgive(r->c);
	page->due = q->due_cents ? q : NULL;
	return E_OK;
}

static enum err
cancelled_tell(struct req *r, struct plan_page *page)
{
	struct subscription_moved_list moves;

	TRY(subscription_moves(r->c, r->ws->id, &moves));
	for (size_t i = 0; i < moves.n; i++)
		if (str_eq(moves.v[i].what, "cancelled")) {
			page->cancelled_by = moves.v[i].user_name;
			break;
		}
	page->sleeps = sleeps_of(r->c, r->ws);
	return E_OK;
}

static void
times_tell(struct req *r, const struct subscription *s, enum sub_state state,
    struct plan_page *page)
{
	int64_t paid_until = subscription_paid_until(s);

	page->ends = state == SUB_CANCELLED ? s->ends_at
	    : state == SUB_EXPIRED          ? paid_until
					    : s->current_period_end;
	page->left = (page->ends - r->c->now + 86399) / 86400;
	if (state != SUB_PAST_DUE)
		return;
	page->works_until = paid_until;
	if (s->due_at > r->c->now && s->due_at < paid_until)
		page->next_try = s->due_at;
}

static enum err
seats_tell(struct req *r, const struct subscription *s, struct plan_page *page)
{
	const struct plan_query *q = r->query;
	const char *plan = s->pending_plan_id ? s->pending_plan_id : s->plan_id;
	const struct price_plan *p = tier_plan_named(r->c, plan);
	int64_t has = s->pending_seats ? s->pending_seats : s->seats,
		used = ((const struct seats *)r->ws->seats)->used;
	struct billing_quote *quote = mem_new(r->c->mem, struct billing_quote);

	page->seats_plan = tier_plan_name(r->c, plan);
	page->seats_least = p && p->seats_min > used ? p->seats_min : used;
	page->seats_most = p ? p->seats_max : 0;
	page->seats_wanted = q->has.seats == GIVEN ? q->seats : has;
	page->keeps = has;
	if (q->has.seats != GIVEN)
		return E_OK;
	if (billing_quote_seats(r->c, r->ws, q->seats, quote)) {
		const char *why = billing_why(r->c);

		page->seats_wrong = str_starts(why, "seats: ") ? why + strlen("seats: ") : why;
		return ctx_forgive(r->c);
	}
	page->price = quote;
	page->seat_cents = quote->later_cents / quote->seats;
	if (quote->later_cents > s->amount_cents)
		page->more = quote->later_cents - s->amount_cents;
	else
		page->less = s->amount_cents - quote->later_cents;
	return E_OK;
}

static enum err
subscription_tell(struct req *r, struct subscription *s, struct plan_page *page)
{
	enum sub_state state = subscription_state(s, r->c->now);
	bool live = state != SUB_EXPIRED && state != SUB_CANCELLED;

	page->sub = s;
	page->sub_name = tier_plan_name(r->c, s->plan_id);
	times_tell(r, s, state, page);
	if (member_rank(r->ws->role) < MEMBER_ADMIN)
		return E_OK;
	TRY(subscription_busy(r->c, r->ws->id, &page->busy));
	page->card = s->card;
	if (live)
		TRY(next_tell(r, s, page));
	/* An amount that is due must be paid before seats change. */
	if (live && !page->busy && state != SUB_PAST_DUE)
		TRY(seats_tell(r, s, page));
	if (state == SUB_CANCELLED)
		TRY(cancelled_tell(r, page));
	return page->busy || (live && state != SUB_PAST_DUE) ? E_OK : due_tell(r, page);
}

static enum err
invoices_tell(struct req *r, struct plan_page *page)
{
	const struct plan_query *q = r->query;
	struct invoice_details *d;
	struct invoice_list rows;
	const char *cursor;

	TRY(invoice_list(r->c, r->ws->id,
	    &(struct invoice_query){ .limit = INVOICES_A_PAGE, .cursor = q->cursor }, &rows,
	    &cursor));
	page->invoices = (struct list){ rows.v, rows.n };
	page->next = req_next(r, cursor, NEXT_WITHOUT "|seats");
	TRY(invoice_details_get(r->c, r->ws->id, &d));
	page->details = d;
	return E_OK;
}

static enum err
plan_read(struct req *r, struct plan_page *page)
{
	struct subscription *s;

	plan_tell(r, page);
	TRY(subscription_of(r->c, r->ws->id, false, &s));
	if (s)
		TRY(subscription_tell(r, s, page));
	if (page->later && str_eq(((const struct plan_query *)r->query)->done, "plan_card"))
		page->done = mem_printf(r->c->mem, "Card saved. The first charge is %s on %s.",
		    str_money(r->c->mem, page->later_cents, s->currency),
		    str_date_day(r->c->mem, page->ends));
	return member_rank(r->ws->role) >= MEMBER_ADMIN ? invoices_tell(r, page) : E_OK;
}

static enum err
h_plan(struct req *r)
{
	struct plan_page page;

	TRY(plan_read(r, &page));
	return reply_page(r, 0, &page);
}

/* ---- its seats ---- */

#define SEATS_FORM(F, T) \
	F(T, INT, seats, .flags = F_REQ, .lo = -SEATS_MOST, .hi = SEATS_MOST) \
	F(T, INT, price, .flags = F_REQ, .doc = "What was shown, of a period with them")
SHAPE(seats_form, SEATS_FORM);

static enum err
h_seats(struct req *r)
{
	const struct seats_form *in = r->in;
	struct billing_quote q;
	enum err e = billing_quote_seats(r->c, r->ws, in->seats, &q);

	if (!e && q.later_cents != in->price)
		return fail(r->c, E_CONFLICT,
		    "The price has changed since you opened this page. Check the new one below. "
		    "Nothing was changed");
	e = e ? e : seats_change(r->c, r->ws, r->who, in->seats);
	if (e)
		return fail(r->c, e, "%s", billing_why(r->c));
	return billing_back(r, q.from <= r->c->now ? "plan_seats_now" : "plan_seats");
}

/* ---- its end ---- */

static enum err
h_cancel_ask(struct req *r)
{
	struct plan_page page = { 0 };
	struct subscription *s;
	struct tier unpaid;
	enum sub_state state;

	TRY(subscription_of(r->c, r->ws->id, false, &s));
	state = s ? subscription_state(s, r->c->now) : SUB_EXPIRED;
	if (state == SUB_EXPIRED || state == SUB_CANCELLED)
		return reply_go(r, "/w/%s/plan", r->ws->id);
	tier_unpaid(r->c, r->ws, &unpaid);
	page.sub_name = tier_plan_name(r->c, s->plan_id);
	page.unpaid_name = unpaid.plan->name;
	page.ends = s->current_period_end;
	page.taken = r->ws->seats;
	page.sleeps = sleeps_of(r->c, r->ws);
	return reply_page(r, 0, &page);
}

static enum err
h_cancel(struct req *r)
{
	enum err e = subscription_cancel(r->c, r->ws, r->who);

	return e ? fail(r->c, e, "%s", billing_why(r->c)) : form_done(r, NULL);
}

/* ---- resuming, and paying an amount that is due ---- */

#define ACTIVATE_FORM(F, T) F(T, INT, price, .flags = F_REQ, .doc = "What was shown")
SHAPE(activate_form, ACTIVATE_FORM);

static enum err
p_activate(struct req *r)
{
	const struct activate_form *in = r->in;
	const struct price_shown shown = { .due_cents = in->price, .quoted_at = r->c->now };
	struct paying *p = mem_new(r->c->mem, struct paying);

	TRY(share_outside(r));
	return paying_keep(
	    r, p, activate_prepare(r->c, r->ws, r->who, &shown, &p->charge));
}

static enum err
h_activate(struct req *r)
{
	const struct activate_form *in = r->in;
	const struct paying *p = r->prepared;
	struct plan_page page;
	enum err e;

	if (p->why) {
		r->query = mem_new(r->c->mem, struct plan_query);
		TRY(plan_read(r, &page));
		return reply_refused(r, err_table[p->e].status, p->why, &page);
	}
	e = activate(r->c, r->ws, r->who, p->charge);
	return e ? fail(r->c, e, "%s", billing_why(r->c))
		 : billing_back(r, in->price ? "plan_paid" : "plan_resumed");
}

#define PLAN "/w/{ws}/plan"
static const struct route billing_page_routes[] = {
  { PAGE(PLAN, WS_MEMBER, plan, h_plan), .query = &plan_query_shape, .title = BILLING_TITLE,
    .doc = "Its plan: seats, features, what is paid for it, and the price of other seats" },
  { FORM(PLAN "/seats", WS_ADMIN, seats_form, h_seats), .again = PLAN,
    .doc = "Change the seats from the next period on" },
  { PAGE_OF(PLAN "/cancel", WS_ADMIN, "plan_cancel", &plan_page_shape, h_cancel_ask),
    .title = BILLING_TITLE, .query = &tab_query_shape,
    .doc = "Asks whether to cancel it, and says what then sleeps" },
  { FORM(PLAN "/cancel", WS_ADMIN, button, h_cancel), .then = PLAN "?done=plan_cancelled",
    .again = PLAN "/cancel", .doc = "Cancel it" },
  { FORM_PAGE(PLAN "/activate", WS_ADMIN, activate_form, plan, h_activate), .again = PLAN,
    .title = BILLING_TITLE, .slow = true, .prepare = p_activate, .limit = LIM_PAYMENT,
    .doc = "Resume it, or pay what is due with the stored card" },
};
ROUTES(billing_page, "Pages: plan and billing",
    "What a workspace has and pays, as its people see it in the browser.");
