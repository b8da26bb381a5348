/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/change.h"

#include "base/log.h"
#include "base/str.h"
#include "billing/account.h"
#include "billing/money.h"
#include "core/audit.h"

SHAPE_DEFINE(price_shown, PRICE_SHOWN);
SHAPE_DEFINE(subscribe_new, SUBSCRIBE_NEW);
SHAPE_DEFINE(seats_edit, SEATS_EDIT);
SHAPE_DEFINE(plan_edit, PLAN_EDIT);
SHAPE_DEFINE(subscription_end, SUBSCRIPTION_END);
SHAPE_DEFINE(activate, ACTIVATE);
SHAPE_DEFINE(card_save, CARD_SAVE);
SHAPE_DEFINE(card_save_old, CARD_SAVE_OLD);
SHAPE_DEFINE(billing_quote, BILLING_QUOTE);

static int64_t
people_of(const struct workspace *w)
{
	return ((const struct seats *)w->seats)->used;
}

static enum err
audit_billing(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct subscription *s)
{
	return audit_workspace(c, w, who, action, NULL,
	    audit_facts(c, "plan|seats|amount_cents|currency", s->plan_id, s->seats,
		money_whole(s->price_cents, s->seats), s->currency));
}

/* ---- common checks ---- */

static enum err
seats_check(struct ctx *c, const struct workspace *w, int64_t seats)
{
	int64_t people = people_of(w);

	return seats >= people
	    ? E_OK
	    : fail(c, E_CONFLICT, "seats: the workspace has %s, so it takes at least as many seats",
		  str_count(c->mem, people, "member"));
}

/* Seats added in a trial are available at once, because they cost nothing before it ends. */
static bool
is_at_once(const struct ctx *c, const struct subscription *s, int64_t seats)
{
	return seats > s->seats && subscription_state(s, c->now) == SUB_TRIALING;
}

/* Finds the live subscription, for a change. */
static enum err
live_find(struct ctx *c, const struct workspace *w, bool lock, struct subscription **out)
{
	enum sub_state state;

	TRY(subscription_of(c, w->id, lock, out));
	state = subscription_state(*out, c->now);
	if (state == SUB_EXPIRED)
		return fail(c, E_CONFLICT,
		    "The workspace has no subscription; POST /v1/billing/subscribe begins one");
	if (state == SUB_CANCELLED)
		return fail(c, E_CONFLICT,
		    "The subscription is cancelled; "
		    "POST /v1/billing/rebill-activate resumes it first");
	return charge_none_busy(c, w->id);
}

/* ---- charging ---- */

/* The charge for a change, decided while the workspace's row is locked. *pays is true if anything
 * is charged. */
struct wanted {
	const struct workspace *w;
	const struct principal *who;
	const char *plan_id;
	int64_t seats;
	bool read_only; /* a quote: nothing is written */
	const struct price_shown *shown;
	enum err (*decide)(struct ctx *, const struct wanted *, struct charge_for *, bool *pays);
};

/* cents: the amount to charge. */
static enum err
shown_check(struct ctx *c, const struct price_shown *shown, int64_t cents)
{
	bool old = shown &&
	    (shown->quoted_at > c->now || shown->quoted_at < c->now - PRICE_KEPT_S);

	if (!shown || (!old && shown->due_cents == cents))
		return E_OK;
	return fail(c, E_CONFLICT,
	    "The price %s, and nothing was charged; GET /v1/billing/quote says what it is now",
	    old ? "was shown too long ago" : "has changed since it was shown");
}

static enum err
wanted_begin(struct ctx *c, const struct wanted *want, struct charge **out)
{
	struct charge_for f;
	struct billed *held;
	bool pays = false;

	*out = NULL;
	TRY(db_begin(c));
	TRY(billed_hold(c, want->w->id, &held));
	TRY(want->decide(c, want, &f, &pays));
	TRY(shown_check(c, want->shown, pays ? f.amount_cents : 0));
	if (pays) {
		TRY(payment_need(c));
		TRY(charge_begin(c, &f, out));
	}
	return db_commit(c);
}

/* Settles a charge that failed, because the request fails too. The handler settles one that
 * succeeded. */
static enum err
unpaid_refuse(struct ctx *c, struct charge *ch, enum err why)
{
	if (why)
		log_line(LOG_LEVEL_WARN, "not paid", "request_id", c->request_id, "invoice",
		    ch->invoice_id, "why", ctx_why(c), NULL);
	ctx_forgive(c);
	TRY(charge_settle_alone(c, ch));
	if (ch->came == CHARGE_DECLINED)
		return fail(c, E_PAYMENT_REQUIRED,
		    "The card was declined: %s. Nothing has changed; "
		    "POST /v1/billing/checkout with purpose card stores another card",
		    ch->payment.why);
	/* The text is the same for all such failures; details tell programs whether to wait. */
	c->details = ch->came == CHARGE_LOST ? "{\"payment\":\"not_made\"}"
					     : "{\"payment\":\"unknown\"}";
	return fail(c, why == E_UNAVAILABLE ? E_UNAVAILABLE : E_UPSTREAM, "%s",
	    err_table[why == E_UNAVAILABLE ? E_UNAVAILABLE : E_UPSTREAM].text);
}

/* Begins and sends the charge. */
static enum err
wanted_charge(struct ctx *c, const struct wanted *want, struct charge **out)
{
	int tries = 0;
	enum err e;

	do
		e = wanted_begin(c, want, out);
	while (db_again(c, e, &tries));
	TRY(e);
	if (!*out)
		return E_OK;
	e = charge_send(c, *out);
	return (*out)->came == CHARGE_PAID ? E_OK : unpaid_refuse(c, *out, e);
}

/* In the handler: applies the change that was paid before the transaction; without one, nothing may
 * be due. *done is true if it was applied. */
static enum err
wanted_settle(struct ctx *c, const struct wanted *want, struct charge *ch, bool *done)
{
	struct charge_for f;
	bool pays = false;

	*done = ch != NULL;
	if (ch)
		return charge_settle(c, ch);
	TRY(want->decide(c, want, &f, &pays));
	return pays ? fail(c, E_CONFLICT, "Something else was changed meanwhile; try again") : E_OK;
}

/* ---- subscribing ---- */

/* Ends a subscription that has expired; for a read, only in the struct. */
static enum err
expiry_apply(struct ctx *c, const struct wanted *want, struct subscription *s)
{
	if (!want->read_only)
		return subscription_expire(c, s);
	if (!s->ended_at && subscription_state(s, c->now) == SUB_EXPIRED)
		s->ended_at = subscription_paid_until(s);
	return E_OK;
}

static enum err
live_refuse(struct ctx *c, const struct wanted *want)
{
	struct subscription *s;

	TRY(subscription_of(c, want->w->id, !want->read_only, &s));
	if (!s)
		return E_OK;
	TRY(expiry_apply(c, want, s));
	return s->ended_at
	    ? E_OK
	    : fail(c, E_CONFLICT, "The workspace has a subscription already; %s",
		  s->cancelled_at ? "POST /v1/billing/rebill-activate resumes it"
				  : "PATCH /v1/billing/subscription/plan changes its plan");
}

static enum err
subscribe_check(struct ctx *c, const struct wanted *want, const struct price_plan **plan,
    struct billing_account **a, bool *trial)
{
	const struct seats *now = want->w->seats;

	TRY(plan_to_buy(c, want->plan_id, plan));
	TRY(plan_seats(c, *plan, want->seats));
	TRY(seats_check(c, want->w, want->seats));
	TRY(charge_none_busy(c, want->w->id));
	TRY(live_refuse(c, want));
	TRY(billing_account(c, want->w->id, a));
	*trial = false;
	if ((*plan)->trial_days)
		TRY(account_trial_may(c, *a, trial));
	/* A trial must have seats for people with invites, too. */
	if (*trial && want->seats < now->used + now->pending)
		return fail(c, E_CONFLICT,
		    "seats: the workspace has %s and %s, so the trial takes at least %s seats",
		    str_count(c->mem, now->used, "member"),
		    str_count(c->mem, now->pending, "open invitation"),
		    str_number(c->mem, now->used + now->pending));
	return E_OK;
}

static enum err
subscribe_decide(struct ctx *c, const struct wanted *want, struct charge_for *f, bool *pays)
{
	const struct price_plan *plan;
	struct billing_account *a;
	struct terms *t = mem_new(c->mem, struct terms);
	bool trial;

	TRY(subscribe_check(c, want, &plan, &a, &trial));
	*pays = !trial;
	if (trial)
		return E_OK;
	if (!a->card_id)
		return fail(c, E_PAYMENT_REQUIRED,
		    "This workspace has had its trial, so a card must be stored first; "
		    "POST /v1/billing/checkout with purpose card gives the address");
	TRY(terms_start(c, want->w->id, plan, want->seats, t));
	*f = terms_charge(t, "start", NULL, want->who->user_id);
	return E_OK;
}

enum err
subscribe_prepare(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct subscribe_new *in, const struct price_shown *shown, struct charge **ch)
{
	const struct wanted want = { .w = w,
		.who = who,
		.plan_id = in->plan_id,
		.seats = in->seats,
		.shown = shown,
		.decide = subscribe_decide };

	return wanted_charge(c, &want, ch);
}

static enum err
trial_begin(struct ctx *c, const struct wanted *want)
{
	const struct price_plan *plan = tier_plan_named(c, want->plan_id);
	struct billing_account *a;
	struct terms t;

	TRY(billing_account(c, want->w->id, &a));
	TRY(terms_start(c, want->w->id, plan, want->seats, &t));
	t.then.trial_ends_at = c->now + plan->trial_days * 86400;
	t.then.anchor_at = t.then.current_period_end = t.then.trial_ends_at;
	TRY(account_trial_use(c, a));
	return subscription_write(c, &t.then,
	    &(struct move){ .what = "trial_begun", .user_id = want->who->user_id });
}

enum err
subscribe(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct subscribe_new *in, struct charge *ch)
{
	const struct wanted want = { .w = w,
		.who = who,
		.plan_id = in->plan_id,
		.seats = in->seats,
		.decide = subscribe_decide };
	struct subscription *s;
	bool done;

	TRY(wanted_settle(c, &want, ch, &done));
	if (!done)
		TRY(trial_begin(c, &want));
	TRY(subscription_of(c, w->id, false, &s));
	return audit_billing(c, w, who, "billing.subscribed", s);
}

/* ---- seats ---- */

enum err
seats_change(struct ctx *c, const struct workspace *w, const struct principal *who, int64_t seats)
{
	const struct price_plan *p;
	struct subscription *s;

	TRY(live_find(c, w, true, &s));
	TRY(seats_check(c, w, seats));
	p = tier_plan_named(c, s->pending_plan_id ? s->pending_plan_id : s->plan_id);
	if (p)
		TRY(plan_seats(c, p, seats));
	if (money_whole(s->price_cents, seats) < 0)
		return fail(c, E_INVALID, "seats: so many cost more than can be charged");
	if (is_at_once(c, s, seats))
		s->seats = seats;
	s->pending_seats = seats == s->seats ? 0 : seats;
	TRY(subscription_write(c, s,
	    &(struct move){ .what = "seats_changed", .user_id = who->user_id }));
	return audit_workspace(
	    c, w, who, "billing.seats", NULL, audit_facts(c, "seats", seats));
}

/* ---- plans ---- */

/* The wanted plan, compared with the present one. */
enum step { SAME, UP, DOWN };

/* Refuses a plan that the members, or the seats of the present plan, don't fit. */
static enum err
seats_fit(struct ctx *c, const struct price_plan *p, int64_t seats, int64_t people)
{
	if (p->seats_max && people > p->seats_max)
		return fail(c, E_CONFLICT, "plan_id: %s takes at most %s, and the workspace has %s",
		    p->name, str_count(c->mem, p->seats_max, "seat"),
		    str_count(c->mem, people, "member"));
	if (seats < p->seats_min || (p->seats_max && seats > p->seats_max))
		return fail(c, E_CONFLICT,
		    "plan_id: %s takes %s or more%s, and the subscription has %s; "
		    "PATCH /v1/billing/subscription/seats changes that for the next period",
		    p->name, str_count(c->mem, p->seats_min, "seat"),
		    p->seats_max ? mem_printf(c->mem, ", at most %s",
				       str_number(c->mem, p->seats_max))
				 : "",
		    str_number(c->mem, seats));
	return E_OK;
}

static enum err
plan_change_check(struct ctx *c, const struct wanted *want, struct subscription **s,
    const struct price_plan **to, enum step *step)
{
	const struct price_plan *from;
	int rank;

	TRY(plan_to_buy(c, want->plan_id, to));
	TRY(live_find(c, want->w, !want->read_only, s));
	from = tier_plan_named(c, (*s)->plan_id);
	rank = from ? tier_rank(*to) - tier_rank(from) : 1;
	*step = str_eq((*to)->id, (*s)->plan_id) ? SAME
	    : rank > 0 || (!rank && (*to)->price_cents > (*s)->price_cents) ? UP
									     : DOWN;
	if (*step == SAME)
		return E_OK;
	if (!str_eq((*to)->currency, (*s)->currency))
		return fail(c, E_CONFLICT,
		    "plan_id: %s is paid in %s, and the subscription in %s; cancel it, and "
		    "subscribe again when it has ended",
		    (*to)->name, (*to)->currency, (*s)->currency);
	if (*step == UP)
		return seats_fit(c, *to, (*s)->seats, people_of(want->w));
	return seats_fit(c, *to, (*to)->seats_min, people_of(want->w));
}

static enum err
plan_decide(struct ctx *c, const struct wanted *want, struct charge_for *f, bool *pays)
{
	struct terms *t = mem_new(c->mem, struct terms);
	const struct price_plan *to;
	struct subscription *s;
	enum step step;

	TRY(plan_change_check(c, want, &s, &to, &step));
	if (step != UP)
		return E_OK;
	if (subscription_state(s, c->now) == SUB_PAST_DUE)
		return fail(c, E_PAYMENT_REQUIRED,
		    "The last renewal hasn't been paid; POST /v1/billing/rebill-activate pays it");
	TRY(terms_upgrade(c, s, to, want->shown ? want->shown->quoted_at : c->now, t));
	*pays = t->due_cents > 0;
	if (*pays)
		*f = terms_charge(t, "upgrade", s, want->who->user_id);
	if (*pays && f->period_start < c->now)
		f->period_start = c->now;
	return E_OK;
}

enum err
plan_change_prepare(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *plan_id, const struct price_shown *shown, struct charge **ch)
{
	const struct wanted want = { .w = w,
		.who = who,
		.plan_id = plan_id,
		.shown = shown,
		.decide = plan_decide };

	return wanted_charge(c, &want, ch);
}

enum err
plan_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *plan_id, struct charge *ch)
{
	const struct wanted want = {
		.w = w, .who = who, .plan_id = plan_id, .decide = plan_decide };
	const struct price_plan *to;
	struct subscription *s;
	struct terms t;
	enum step step;
	bool done;

	TRY(wanted_settle(c, &want, ch, &done));
	if (!done) {
		TRY(plan_change_check(c, &want, &s, &to, &step));
		if (step == UP) {
			TRY(terms_upgrade(c, s, to, c->now, &t));
			*s = t.then;
		} else {
			s->pending_plan_id = step == DOWN ? to->id : NULL;
		}
		TRY(subscription_write(c, s,
		    &(struct move){ .what = step == UP ? "plan_changed" : "plan_chosen",
			.user_id = who->user_id }));
	}
	return audit_workspace(
	    c, w, who, "billing.plan", NULL, audit_facts(c, "plan", plan_id));
}

/* ---- activating ---- */

static enum err
activate_terms(struct ctx *c, const struct wanted *want, struct subscription **s,
    struct terms *t)
{
	const struct workspace *w = want->w;
	enum sub_state state;

	TRY(subscription_of(c, w->id, !want->read_only, s));
	if (!*s)
		return fail(c, E_CONFLICT,
		    "The workspace has no subscription; POST /v1/billing/subscribe begins one");
	TRY(charge_none_busy(c, w->id));
	TRY(expiry_apply(c, want, *s));
	*t = (struct terms){ .then = **s };
	state = subscription_state(*s, c->now);
	if (state == SUB_CANCELLED ||
	    (state == SUB_ACTIVE && c->now < (*s)->current_period_end))
		return E_OK;
	TRY(terms_next(c, *s, people_of(w), t));
	if (t->plan_gone || (state == SUB_EXPIRED &&
				!tier_is_sold(tier_plan_named(c, t->then.plan_id))))
		return fail(c, E_CONFLICT,
		    "The plan %s can't be bought any more; POST /v1/billing/subscribe chooses "
		    "another",
		    t->then.plan_id);
	return E_OK;
}

static enum err
activate_decide(struct ctx *c, const struct wanted *want, struct charge_for *f, bool *pays)
{
	struct terms *t = mem_new(c->mem, struct terms);
	struct subscription *s;
	enum sub_state state;

	TRY(activate_terms(c, want, &s, t));
	*pays = t->due_cents > 0;
	state = subscription_state(s, c->now);
	/* A continuing subscription keeps the invoice of the renewal that the runner tries. */
	if (*pays)
		*f = terms_charge(t,
		    state == SUB_ACTIVE || state == SUB_PAST_DUE ? "renew" : "activate", s,
		    want->who->user_id);
	return E_OK;
}

enum err
activate_prepare(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct price_shown *shown, struct charge **ch)
{
	const struct wanted want = {
		.w = w, .who = who, .shown = shown, .decide = activate_decide };

	return wanted_charge(c, &want, ch);
}

enum err
activate(struct ctx *c, const struct workspace *w, const struct principal *who, struct charge *ch)
{
	const struct wanted want = { .w = w, .who = who, .decide = activate_decide };
	struct subscription *s;
	bool done;

	TRY(wanted_settle(c, &want, ch, &done));
	if (!done) {
		TRY(subscription_of(c, w->id, true, &s));
		done = subscription_state(s, c->now) == SUB_CANCELLED;
		if (done) {
			s->cancelled_at = s->ends_at = 0;
			TRY(subscription_write(c, s,
			    &(struct move){ .what = "resumed", .user_id = who->user_id }));
		}
	}
	TRY(subscription_of(c, w->id, false, &s));
	return !done ? E_OK : audit_billing(c, w, who, "billing.activated", s);
}

enum err
activate_by(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct session_paid *sp)
{
	struct subscription *s;

	TRY(session_use(c, w->id, sp, who->user_id, NULL));
	TRY(subscription_of(c, w->id, false, &s));
	return audit_billing(c, w, who, "billing.activated", s);
}

enum err
card_keep(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct session_paid *sp)
{
	TRY(session_use(c, w->id, sp, who->user_id, NULL));
	return audit_workspace(c, w, who, "billing.card", NULL,
	    audit_facts(c, "card", sp->payment.card.last4 ? sp->payment.card.last4 : ""));
}

/* ---- cancelling ---- */

enum err
subscription_cancel(struct ctx *c, const struct workspace *w, const struct principal *who)
{
	enum sub_state state;
	struct subscription *s;

	TRY(subscription_of(c, w->id, true, &s));
	state = subscription_state(s, c->now);
	if (state == SUB_EXPIRED)
		return fail(c, E_CONFLICT, "The workspace has no subscription that could be ended");
	if (state == SUB_CANCELLED)
		return E_OK;
	TRY(charge_none_busy(c, w->id));
	s->cancelled_at = c->now;
	s->ends_at = s->current_period_end > c->now ? s->current_period_end : c->now;
	TRY(subscription_write(
	    c, s, &(struct move){ .what = "cancelled", .user_id = who->user_id }));
	return audit_billing(c, w, who, "billing.cancelled", s);
}

/* ---- quotes ---- */

static void
quote_fill(const struct ctx *c, const struct terms *t, int64_t from, int64_t later,
    struct billing_quote *out)
{
	*out = (struct billing_quote){ .plan_id = t->then.plan_id,
		.seats = t->then.seats,
		.from = from,
		.due_cents = t->due_cents,
		.later_cents = money_whole(t->then.price_cents, t->then.seats),
		.later_at = later,
		.currency = t->then.currency,
		.quoted_at = c->now };
}

enum err
billing_quote_start(struct ctx *c, const struct workspace *w, const char *plan_id,
    int64_t seats, struct billing_quote *out)
{
	const struct wanted want = {
		.w = w, .plan_id = plan_id, .seats = seats, .read_only = true };
	const struct price_plan *plan;
	struct billing_account *a;
	struct terms t;
	bool trial;

	TRY(subscribe_check(c, &want, &plan, &a, &trial));
	TRY(terms_start(c, w->id, plan, seats, &t));
	if (trial)
		t.due_cents = 0;
	quote_fill(c, &t, c->now,
	    trial ? c->now + plan->trial_days * 86400 : t.then.current_period_end, out);
	return E_OK;
}

enum err
billing_quote_plan(
    struct ctx *c, const struct workspace *w, const char *plan_id, struct billing_quote *out)
{
	const struct wanted want = { .w = w, .plan_id = plan_id, .read_only = true };
	const struct price_plan *to;
	struct subscription *s;
	struct terms t;
	enum step step;

	TRY(plan_change_check(c, &want, &s, &to, &step));
	if (step == UP) {
		TRY(terms_upgrade(c, s, to, c->now, &t));
		quote_fill(c, &t, c->now, t.then.current_period_end, out);
		return E_OK;
	}
	s->pending_plan_id = step == DOWN ? to->id : NULL;
	TRY(terms_next(c, s, people_of(w), &t));
	t.due_cents = 0;
	quote_fill(c, &t, step == SAME ? c->now : s->current_period_end, s->current_period_end,
	    out);
	return E_OK;
}

enum err
billing_quote_seats(
    struct ctx *c, const struct workspace *w, int64_t seats, struct billing_quote *out)
{
	const struct price_plan *p;
	struct subscription *s;
	struct terms t;
	bool at_once;

	TRY(live_find(c, w, false, &s));
	TRY(seats_check(c, w, seats));
	p = tier_plan_named(c, s->pending_plan_id ? s->pending_plan_id : s->plan_id);
	if (p)
		TRY(plan_seats(c, p, seats));
	at_once = is_at_once(c, s, seats);
	s->pending_seats = seats;
	TRY(terms_next(c, s, people_of(w), &t));
	t.due_cents = 0;
	quote_fill(c, &t, at_once ? c->now : s->current_period_end, s->current_period_end, out);
	return E_OK;
}

enum err
billing_quote_activate(struct ctx *c, const struct workspace *w, struct billing_quote *out)
{
	const struct wanted want = { .w = w, .read_only = true };
	struct subscription *s;
	struct terms t;

	TRY(activate_terms(c, &want, &s, &t));
	quote_fill(c, &t, t.due_cents ? t.then.current_period_start : c->now,
	    t.then.current_period_end, out);
	return E_OK;
}
