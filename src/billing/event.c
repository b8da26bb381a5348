/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/event.h"

#include "base/clock.h"
#include "base/str.h"
#include "billing/account.h"
#include "billing/checkout.h"
#include "billing/news.h"
#include "billing/refund.h"

SHAPE_DEFINE(billing_event, BILLING_EVENT);

enum { EVENT_FIRST_S = 60, EVENT_MOST_S = 86400, EVENT_TRIES = 20 };

/* ---- storing and leasing ---- */

enum err
billing_event_add(struct ctx *c, const struct payment_event *e)
{
	return db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO billing_event (id, kind, payment_id, subscription_id,"
		" received_at, due_at) VALUES (?, ?, ?, ?, ?, ?)"),
	    ARGS(e->id, e->kind, e->payment, e->subscription, c->now, c->now), NULL);
}

enum err
events_due(struct ctx *c, int64_t limit, struct billing_event_list *out)
{
	struct billing_event_list rows;

	TRY(db_all(c,
	    ROWS(billing_event,
		"SELECT id, kind, payment_id, subscription_id, tries FROM billing_event"
		" WHERE due_at <= ? ORDER BY due_at LIMIT ?"),
	    ARGS(c->now, limit), &rows));
	*out = (struct billing_event_list){ rows.v, 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct billing_event *e = &rows.v[i];
		int64_t mine, next = c->now + wait_doubled(EVENT_FIRST_S, e->tries, EVENT_MOST_S);

		TRY(db_exec(c,
		    EXEC(
			"UPDATE billing_event SET due_at = ?, tries = tries + 1"
			" WHERE id = ? AND due_at <= ?"),
		    ARGS(e->tries < EVENT_TRIES ? arg_int(next) : arg_null(), e->id, c->now),
		    &mine));
		if (mine)
			out->v[out->n++] = *e;
	}
	return E_OK;
}

/* ---- a payment's present state ---- */

struct found {
	const struct payment *payment;
	const char *event_id;
	const char **says;
};

#define REFUNDED(F, T) \
	F(T, ID,   id,           .arg = "ivc_") \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, ID,   subscription_id, .arg = "sub_") \
	F(T, STR,  status) \
	F(T, INT,  amount_cents) \
	F(T, TIME, period_end)
SHAPE(refunded, REFUNDED);

/* Ends the period that a refunded payment paid for, unless it has ended, or we made the refund
 * because the payment was of no use. */
static enum err
refunded_end(struct ctx *c, const struct refunded *i, const struct found *f, bool ours)
{
	struct move m = { .what = "paid_back",
		.event_id = f->event_id,
		.invoice_id = i->id,
		.amount_cents = -i->amount_cents };
	struct subscription *s;

	TRY(subscription_of(c, i->workspace_id, true, &s));
	if (!s)
		return E_OK;
	if (!ours && !s->ended_at && str_eq(s->id, i->subscription_id) &&
	    s->current_period_end == i->period_end) {
		s->cancelled_at = c->now;
		s->ends_at = c->now;
	}
	TRY(subscription_write(c, s, &m));
	return billing_tell(c,
	    &(struct billing_news){ .kind = NEWS_PAID_BACK,
		.sub = s,
		.invoice_id = i->id,
		.amount_cents = i->amount_cents });
}

static enum err
refunded_settle(struct ctx *c, const struct found *f)
{
	struct refunded *i;
	struct billed *w;
	bool ours;

	*f->says = "it was paid back";
	TRY(db_find(c,
	    ROWS(refunded,
		"SELECT id, workspace_id, subscription_id, status, amount_cents, period_end"
		" FROM invoice WHERE payment_id = ?"),
	    ARGS(f->payment->id), &i));
	if (!i || !str_eq(i->status, "paid"))
		return E_OK;
	TRY(billed_hold(c, i->workspace_id, &w));
	TRY(db_one(c,
	    ROWS(refunded,
		"SELECT id, workspace_id, subscription_id, status, amount_cents, period_end"
		" FROM invoice WHERE payment_id = ? FOR UPDATE"),
	    ARGS(f->payment->id), &i));
	if (!str_eq(i->status, "paid"))
		return E_OK;
	TRY(refund_said(c, f->payment->id, &ours));
	TRY(db_exec1(c, EXEC("UPDATE invoice SET status = 'refunded' WHERE id = ?"),
	    ARGS(i->id)));
	*f->says = "its invoice was paid back";
	return refunded_end(c, i, f, ours);
}

/* ---- by a link ---- */

/* Somebody paid on the provider's page and didn't come back, or is still on the way: then their
 * session counts as used. */
static enum err
linked_settle(struct ctx *c, const struct found *f)
{
	const char *workspace_id;
	struct session_paid sp;
	bool used;
	enum err e = session_of(c, f->payment, &sp, &workspace_id, &used);

	if (e == E_INVALID) {
		*f->says = "it isn't of this service, or not what its link was made for";
		return ctx_forgive(c);
	}
	TRY(e);
	*f->says = !workspace_id ? "its workspace is gone, so it goes back"
	    : used		 ? "its link is used already"
				 : "it isn't approved";
	if (!workspace_id || used || f->payment->outcome != PAYMENT_APPROVED)
		return E_OK;
	*f->says = "its link is used by it";
	return session_use(c, workspace_id, &sp, NULL, f->event_id);
}

static enum err
linked_refund(struct ctx *c, const struct found *f)
{
	*f->says = "what it paid for is due no more, so it goes back";
	return f->payment->amount_cents
	    ? refund_add(c, f->payment->id, f->payment->workspace,
		  "what it paid for was due no more")
	    : E_OK;
}

static enum err
charged_settle(struct ctx *c, const struct found *f)
{
	return charge_found(c, f->payment, f->event_id, f->says);
}

/* ---- each in a transaction ---- */

static enum err
settle_once(struct ctx *c, const struct found *f,
    enum err (*settle)(struct ctx *, const struct found *))
{
	TRY(db_begin(c));
	TRY(settle(c, f));
	return db_commit(c);
}

static enum err
settle_alone(struct ctx *c, const struct found *f,
    enum err (*settle)(struct ctx *, const struct found *))
{
	int tries = 0;
	enum err e;

	do
		e = settle_once(c, f, settle);
	while (db_again(c, e, &tries));
	return e;
}

/* E_CONFLICT means that a charge of the workspace is busy; the event is due again. */
static enum err
link_payment_settle(struct ctx *c, const struct found *f)
{
	bool busy = false;
	enum err e = settle_alone(c, f, linked_settle);

	if (e != E_CONFLICT)
		return e;
	ctx_forgive(c);
	if (f->payment->workspace)
		TRY(subscription_busy(c, f->payment->workspace, &busy));
	if (busy) {
		*f->says = NULL;
		return fail(c, E_CONFLICT, "another payment of the workspace is being made");
	}
	return settle_alone(c, f, linked_refund);
}

enum err
payment_settle(struct ctx *c, const struct payment *p, const char *event_id, const char **says)
{
	const struct found f = { p, event_id, says };

	if (p->outcome == PAYMENT_REFUNDED)
		return settle_alone(c, &f, refunded_settle);
	if (p->invoice)
		return settle_alone(c, &f, charged_settle);
	if (p->nonce)
		return link_payment_settle(c, &f);
	*says = "it isn't of this service";
	return E_OK;
}

/* ---- the provider's own subscriptions ---- */

#define EVENT_KEPT(F, T) \
	F(T, ID, workspace_id, .arg = "wsp_")
SHAPE(event_kept, EVENT_KEPT);

struct standing_found {
	const struct payment_subscription *theirs;
	const char *event_id;
	const char *workspace_id;
};

/* In a transaction of its own. While the provider retries, the subscription is past due after its
 * period; once the provider has ended it, no period follows. */
static enum err
standing_apply(struct ctx *c, const struct standing_found *f)
{
	bool over = f->theirs->standing >= PAYMENT_SUB_PAUSED;
	struct subscription *s;
	enum sub_state state;
	struct billed *w;

	TRY(db_begin(c));
	TRY(billed_hold(c, f->workspace_id, &w));
	TRY(subscription_of(c, f->workspace_id, true, &s));
	state = subscription_state(s, c->now);
	if (state == SUB_EXPIRED || state == SUB_CANCELLED)
		return db_commit(c);
	if (over) {
		s->cancelled_at = c->now;
		s->ends_at = s->current_period_end > c->now ? s->current_period_end : c->now;
	} else if (s->tries || c->now < s->current_period_end) {
		return db_commit(c);
	} else {
		s->tries = 1;
	}
	TRY(subscription_write(c, s,
	    &(struct move){ .what = over ? "cancelled" : "declined", .event_id = f->event_id }));
	return db_commit(c);
}

static enum err
standing_settle(struct ctx *c, const struct payment_subscription *theirs, const char *event_id,
    const char **says)
{
	struct standing_found f = { .theirs = theirs, .event_id = event_id };
	struct event_kept *row;
	int tries = 0;
	enum err e;

	*says = "it isn't of this service";
	TRY(db_find(c,
	    ROWS(event_kept,
		"SELECT workspace_id FROM subscription WHERE provider_subscription = ?"
		" ORDER BY created_at DESC LIMIT 1"),
	    ARGS(theirs->id), &row));
	if (!row)
		return E_OK;
	f.workspace_id = row->workspace_id;
	*says = theirs->standing == PAYMENT_SUB_DEFAULTED ? "the provider tries again"
							: "the provider has ended it";
	do
		e = standing_apply(c, &f);
	while (db_again(c, e, &tries));
	return e;
}

/* ---- an event ---- */

static enum err
payment_ask(struct ctx *c, const char *payment_id, const char *event_id, const char **says)
{
	struct payment p;

	TRY(payment_find(c, payment_id, &p));
	if (p.outcome == PAYMENT_PENDING)
		return fail(c, E_UPSTREAM, "the payment isn't decided yet");
	if (p.outcome == PAYMENT_ABSENT) {
		*says = "the provider knows no such payment";
		return E_OK;
	}
	return payment_settle(c, &p, event_id, says);
}

static enum err
subscription_ask(struct ctx *c, const struct billing_event *e, const char **says)
{
	struct payment_subscription s;

	TRY(payment_subscription(c, e->subscription_id, &s));
	if (s.standing == PAYMENT_SUB_ABSENT) {
		*says = "the provider knows no such subscription";
		return E_OK;
	}
	if (s.standing != PAYMENT_SUB_ACTIVE)
		return standing_settle(c, &s, e->id, says);
	*says = "nothing was paid by it";
	return s.last_payment ? payment_ask(c, s.last_payment, e->id, says) : E_OK;
}

enum err
event_settle(struct ctx *c, const struct billing_event *e)
{
	const char *says = NULL;

	TRY(e->payment_id ? payment_ask(c, e->payment_id, e->id, &says)
			  : subscription_ask(c, e, &says));
	return db_exec(c, EXEC("UPDATE billing_event SET due_at = NULL, says = ? WHERE id = ?"),
	    ARGS(says, e->id), NULL);
}
