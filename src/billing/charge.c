/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/charge.h"

#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "billing/account.h"
#include "billing/news.h"
#include "billing/refund.h"

/* The terms of the subscription once the charge is paid. */
#define INTENT(F, T) \
	F(T, STR,  plan_id) \
	F(T, INT,  price_cents) \
	F(T, STR,  currency) \
	F(T, INT,  seats) \
	F(T, INT,  pending_seats) \
	F(T, TIME, trial_ends_at) \
	F(T, TIME, anchor_at) \
	F(T, TIME, period_start) \
	F(T, TIME, period_end)
SHAPE(intent, INTENT);

#define CHARGED(F, T) \
	F(T, ID,   id,              .arg = "ivc_") \
	F(T, ID,   workspace_id,    .arg = "wsp_") \
	F(T, ID,   subscription_id, .arg = "sub_") \
	F(T, STR,  kind) \
	F(T, STR,  status) \
	F(T, INT,  amount_cents) \
	F(T, STR,  currency) \
	F(T, TIME, period_start) \
	F(T, STR,  description) \
	F(T, JSON, intent) \
	F(T, ID,   asked_by,        .arg = "usr_") \
	F(T, INT,  tries) \
	F(T, STR,  busy_of) \
	F(T, STR,  payment_id) \
	F(T, TIME, created_at)
SHAPE(charged, CHARGED);
#define CHARGED_ROWS \
	"SELECT id, workspace_id, subscription_id, kind, status, amount_cents, currency," \
	" period_start, description, intent, asked_by, tries, busy_of, payment_id, created_at" \
	" FROM invoice"

/* ---- invoices ---- */

static const char *
intent_of(struct ctx *c, const struct subscription *s)
{
	const struct intent in = { .plan_id = s->plan_id,
		.price_cents = s->price_cents,
		.currency = s->currency,
		.seats = s->seats,
		.pending_seats = s->pending_seats,
		.trial_ends_at = s->trial_ends_at,
		.anchor_at = s->anchor_at,
		.period_start = s->current_period_start,
		.period_end = s->current_period_end };

	return shape_text(c->mem, &intent_shape, &in);
}

static enum err
invoice_add(struct ctx *c, const struct charge_for *f, const struct billing_account *a,
    struct charged **out)
{
	const char *id = id_new(c->mem, "ivc_");
	int64_t no;

	TRY(account_invoice_no(c, f->then->workspace_id, &no));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO invoice (id, workspace_id, no, subscription_id, kind, amount_cents,"
		" currency, period_start, period_end, description, line_items, intent, name_line,"
		" tax_line, asked_by, created_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id, f->then->workspace_id, no, f->then->id, f->kind, f->amount_cents,
		f->then->currency, f->period_start, f->period_end, f->description, f->lines,
		intent_of(c, f->then), a->name_line, a->tax_line, f->user_id, c->now),
	    NULL));
	return db_one(c, ROWS(charged, CHARGED_ROWS " WHERE id = ? FOR UPDATE"), ARGS(id), out);
}

static enum err
intent_read(struct ctx *c, const struct charged *i, struct intent **out)
{
	struct json *tree;
	void *into;

	TRY(json_parse(c, i->intent, strlen(i->intent), &tree));
	TRY(shape_read(c, &intent_shape, tree, &into));
	*out = into;
	return E_OK;
}

/* *out = the subscription's open invoice if it is for the same plan, seats, period and amount, else
 * a new one. An open invoice for something else, such as a period that is over, becomes failed. */
static enum err
invoice_for(struct ctx *c, const struct charge_for *f, const struct billing_account *a,
    struct charged **out)
{
	struct charged *open;
	struct intent *in;

	TRY(db_find(c,
	    ROWS(charged,
		CHARGED_ROWS " WHERE subscription_id = ? AND status = 'open' LIMIT 1 FOR UPDATE"),
	    ARGS(f->then->id), &open));
	if (!open)
		return invoice_add(c, f, a, out);
	TRY(intent_read(c, open, &in));
	if (open->amount_cents == f->amount_cents && str_eq(open->kind, f->kind) &&
	    str_eq(in->plan_id, f->then->plan_id) && in->seats == f->then->seats &&
	    in->period_start == f->then->current_period_start &&
	    in->period_end == f->then->current_period_end) {
		*out = open;
		return E_OK;
	}
	TRY(db_exec1(c, EXEC("UPDATE invoice SET status = 'failed' WHERE id = ?"),
	    ARGS(open->id)));
	return invoice_add(c, f, a, out);
}

enum err
charge_none_busy(struct ctx *c, const char *workspace_id)
{
	bool busy;

	TRY(subscription_busy(c, workspace_id, &busy));
	return busy ? fail(c, E_CONFLICT,
			  "A payment of this workspace is being made; "
			  "try again when it is known what became of it, in a few minutes")
		    : E_OK;
}

/* ---- beginning ---- */

static void
charge_fill(struct ctx *c, const struct charged *i, const struct billing_account *a,
    struct charge *out)
{
	*out = (struct charge){ .invoice_id = i->id,
		.workspace_id = i->workspace_id,
		.subscription_id = i->subscription_id,
		.kind = i->kind,
		.key = mem_printf(c->mem, "%s.%lld", i->id, (long long)i->tries),
		.description = i->description,
		.currency = i->currency,
		.customer = a->customer,
		.card = a->card_id,
		.try_no = i->tries,
		.amount_cents = i->amount_cents,
		.user_id = i->asked_by };
}

enum err
charge_begin(struct ctx *c, const struct charge_for *f, struct charge **out)
{
	const char *workspace_id = f->then->workspace_id;
	struct billing_account *a;
	struct charged *i;

	TRY(charge_none_busy(c, workspace_id));
	TRY(billing_account(c, workspace_id, &a));
	if (!a->card_id)
		return fail(c, E_PAYMENT_REQUIRED,
		    "No card is stored; store one first: POST /v1/billing/checkout with purpose "
		    "card gives the address where to do so");
	TRY(invoice_for(c, f, a, &i));
	i->tries++;
	TRY(db_exec1(c,
	    EXEC("UPDATE invoice SET tries = ?, busy_of = ?, busy_at = ? WHERE id = ?"),
	    ARGS(i->tries, workspace_id, c->now, i->id)));
	TRY(db_exec(c, EXEC("INSERT INTO invoice_try (invoice_id, no, at) VALUES (?, ?, ?)"),
	    ARGS(i->id, i->tries, c->now), NULL));
	*out = mem_new(c->mem, struct charge);
	charge_fill(c, i, a, *out);
	(*out)->user_id = f->user_id;
	return E_OK;
}

/* ---- asking ---- */

static bool
payment_matches(const struct charge *ch, const struct payment *p)
{
	return p->amount_cents == ch->amount_cents && str_eq(p->currency, ch->currency) &&
	    (!p->invoice || str_eq(p->invoice, ch->invoice_id));
}

void
charge_hear(struct charge *ch, const struct payment *p)
{
	ch->payment = *p;
	switch (p->outcome) {
	case PAYMENT_APPROVED:
		/* A payment of another amount is refunded. */
		ch->came = payment_matches(ch, p) ? CHARGE_PAID : CHARGE_LOST;
		break;
	case PAYMENT_PENDING: ch->came = CHARGE_PENDING; break;
	case PAYMENT_DECLINED: ch->came = CHARGE_DECLINED; break;
	default: ch->came = CHARGE_LOST;
	}
}

enum err
charge_send(struct ctx *c, struct charge *ch)
{
	const struct payment_charge ask = { .key = ch->key,
		.customer = ch->customer,
		.card = ch->card,
		.currency = ch->currency,
		.description = ch->description,
		.invoice = ch->invoice_id,
		.workspace = ch->workspace_id,
		.amount_cents = ch->amount_cents };
	struct payment answer;
	enum err e;

	ch->came = CHARGE_UNKNOWN;
	e = ch->asked ? payment_by_key(c, ch->key, &answer) : payment_charge(c, &ask, &answer);
	/* Without a provider, or a valid key, the charge was never sent. */
	if (e == E_UNAVAILABLE && !ch->asked)
		ch->came = CHARGE_LOST;
	TRY(e);
	charge_hear(ch, &answer);
	return E_OK;
}

/* ---- settling ---- */

static enum err
try_end(struct ctx *c, const struct charge *ch, const char *state, const char *why)
{
	return db_exec(c,
	    EXEC(
		"UPDATE invoice_try SET state = ?, payment_id = ?, why = ?"
		" WHERE invoice_id = ? AND no = ?"),
	    ARGS(state, ch->payment.id, why, ch->invoice_id, ch->try_no), NULL);
}

static const char *
move_word(const struct charged *i)
{
	return str_eq(i->kind, "start") ? "subscribed"
	    : str_eq(i->kind, "renew")  ? "renewed"
	    : str_eq(i->kind, "upgrade") ? "plan_changed"
					 : "activated";
}

static void
intent_apply(const struct intent *in, struct subscription *s)
{
	s->plan_id = in->plan_id;
	s->price_cents = in->price_cents;
	s->currency = in->currency;
	s->seats = in->seats;
	s->pending_seats = in->pending_seats;
	s->pending_plan_id = NULL;
	s->trial_ends_at = in->trial_ends_at;
	s->anchor_at = in->anchor_at;
	s->current_period_start = in->period_start;
	s->current_period_end = in->period_end;
	s->tries = 0;
}

/* A subscription that was cancelled while the charge was under way still ends with the paid period;
 * only an activation undoes a cancellation. */
static void
cancellation_apply(const struct charged *i, const struct billed *w, struct subscription *s,
    int64_t now)
{
	if (str_eq(i->kind, "activate"))
		s->cancelled_at = s->ends_at = 0;
	/* The subscription may have ended before the payment was known. */
	s->ended_at = 0;
	if (w->deleted_at && !s->cancelled_at)
		s->cancelled_at = now;
	if (s->cancelled_at)
		s->ends_at = s->current_period_end;
}

static enum err
settle_paid(struct ctx *c, struct charged *i, const struct billed *w, const char *payment_id,
    const char *event_id)
{
	struct subscription *last, s;
	struct intent *in;

	TRY(db_exec1(c,
	    EXEC(
		"UPDATE invoice SET status = 'paid', busy_of = NULL, busy_at = NULL,"
		" payment_id = ?, paid_at = ? WHERE id = ?"),
	    ARGS(payment_id, c->now, i->id)));
	i->payment_id = payment_id;
	TRY(intent_read(c, i, &in));
	TRY(subscription_of(c, i->workspace_id, true, &last));
	/* A workspace can't have two live subscriptions. */
	if (last && !last->ended_at && !str_eq(last->id, i->subscription_id))
		return refund_add(c, payment_id, i->workspace_id,
		    "another subscription of the workspace was there");
	if (last && str_eq(last->id, i->subscription_id))
		s = *last;
	else
		s = (struct subscription){ .id = i->subscription_id,
			.workspace_id = i->workspace_id,
			.created_at = i->created_at };
	intent_apply(in, &s);
	cancellation_apply(i, w, &s, c->now);
	TRY(subscription_write(c, &s,
	    &(struct move){ .what = move_word(i),
		.user_id = i->asked_by,
		.event_id = event_id,
		.invoice_id = i->id,
		.amount_cents = i->amount_cents }));
	return billing_tell(c,
	    &(struct billing_news){ .kind = NEWS_RECEIPT,
		.sub = &s,
		.invoice_id = i->id,
		.amount_cents = i->amount_cents });
}

/* again: the invoice stays open for another try. */
static enum err
invoice_release(struct ctx *c, const struct charged *i, bool again)
{
	return db_exec1(c,
	    EXEC("UPDATE invoice SET status = ?, busy_of = NULL, busy_at = NULL WHERE id = ?"),
	    ARGS(again ? "open" : "failed", i->id));
}

static bool
renewal_continues(const struct charged *i, const struct subscription *s)
{
	return str_eq(i->kind, "renew") && s && str_eq(s->id, i->subscription_id) &&
	    !s->ended_at && !s->cancelled_at;
}

static enum err
settle_declined(struct ctx *c, const struct charge *ch, const struct charged *i)
{
	enum { LEAST_S = 86400 };
	struct subscription *s;

	TRY(try_end(c, ch, "declined", ch->payment.why));
	TRY(subscription_of(c, i->workspace_id, true, &s));
	TRY(invoice_release(c, i, renewal_continues(i, s)));
	if (!renewal_continues(i, s))
		return E_OK;
	/* Charges that people start don't count against the runner's four tries. */
	s->tries += !ch->user_id;
	TRY(subscription_write(c, s,
	    &(struct move){ .what = "declined",
		.user_id = ch->user_id,
		.event_id = ch->event_id,
		.invoice_id = i->id }));
	/* A runner that was down for some days doesn't make up for them with several tries. */
	TRY(db_exec(c,
	    EXEC("UPDATE subscription SET due_at = GREATEST(due_at, ?) WHERE id = ?"),
	    ARGS(c->now + LEAST_S, s->id), NULL));
	return billing_tell(c,
	    &(struct billing_news){ .kind = NEWS_DECLINED,
		.sub = s,
		.invoice_id = i->id,
		.why = ch->payment.why,
		.amount_cents = i->amount_cents,
		.at = s->current_period_end + GRACE_S,
		.try_no = s->tries });
}

/* Refunds a payment that nothing needs any more. */
static enum err
settle_lost(struct ctx *c, const struct charge *ch, const struct charged *i)
{
	enum { AGAIN_S = 3600 };
	struct subscription *s;

	TRY(try_end(c, ch, "lost", NULL));
	if (ch->payment.outcome == PAYMENT_APPROVED)
		TRY(refund_add(c, ch->payment.id, i->workspace_id,
		    "another amount was charged than asked for"));
	TRY(subscription_of(c, i->workspace_id, true, &s));
	TRY(invoice_release(c, i, renewal_continues(i, s)));
	return !renewal_continues(i, s) ? E_OK
			      : db_exec(c,
				    EXEC(
					"UPDATE subscription SET due_at = ?, lease_until = NULL"
					" WHERE id = ?"),
				    ARGS(c->now + AGAIN_S, s->id), NULL);
}

enum err
charge_settle(struct ctx *c, const struct charge *ch)
{
	struct charged *i;
	struct billed *w;

	TRY(billed_hold(c, ch->workspace_id, &w));
	TRY(db_find(c, ROWS(charged, CHARGED_ROWS " WHERE id = ? FOR UPDATE"),
	    ARGS(ch->invoice_id), &i));
	if (!w || !i || !i->busy_of || i->tries != ch->try_no)
		return E_OK;
	switch (ch->came) {
	case CHARGE_PAID:
		TRY(try_end(c, ch, "paid", NULL));
		return settle_paid(c, i, w, ch->payment.id, ch->event_id);
	case CHARGE_DECLINED: return settle_declined(c, ch, i);
	case CHARGE_LOST: return settle_lost(c, ch, i);
	default: return E_OK;
	}
}

static enum err
settle_once(struct ctx *c, const struct charge *ch)
{
	TRY(db_begin(c));
	TRY(charge_settle(c, ch));
	return db_commit(c);
}

enum err
charge_settle_alone(struct ctx *c, const struct charge *ch)
{
	int tries = 0;
	enum err e;

	do
		e = settle_once(c, ch);
	while (db_again(c, e, &tries));
	return e;
}

enum err
charge_paid(struct ctx *c, const struct charge_for *f, const char *payment_id,
    const char *event_id)
{
	struct billing_account *a;
	struct charged *i;
	struct billed *w;

	TRY(charge_none_busy(c, f->then->workspace_id));
	TRY(billed_hold(c, f->then->workspace_id, &w));
	TRY(billing_account(c, f->then->workspace_id, &a));
	TRY(invoice_for(c, f, a, &i));
	return w ? settle_paid(c, i, w, payment_id, event_id) : E_OK;
}

/* Settles a payment that arrived after its charge was recorded as lost. */
static enum err
settle_late(struct ctx *c, struct charged *i, const struct billed *w, const struct payment *p,
    const char *event_id, const char **says)
{
	struct charge ch = { .invoice_id = i->id,
		.currency = i->currency,
		.amount_cents = i->amount_cents };
	struct subscription *s;

	TRY(subscription_of(c, i->workspace_id, true, &s));
	if (str_eq(i->status, "open") && payment_matches(&ch, p) && renewal_continues(i, s)) {
		*says = "its invoice is paid by it";
		return settle_paid(c, i, w, p->id, event_id);
	}
	*says = "its invoice isn't open any more, so it goes back";
	return refund_add(c, p->id, i->workspace_id, "its invoice wasn't open any more");
}

enum err
charge_found(struct ctx *c, const struct payment *p, const char *event_id, const char **says)
{
	struct charge *ch;
	struct charged *i;
	struct billed *w;

	*says = "it is of no invoice here";
	TRY(db_find(c, ROWS(charged, CHARGED_ROWS " WHERE id = ?"), ARGS(p->invoice), &i));
	if (!i)
		return E_OK;
	TRY(billed_hold(c, i->workspace_id, &w));
	TRY(charge_recall(c, i->id, &ch));
	TRY(db_find(c, ROWS(charged, CHARGED_ROWS " WHERE id = ? FOR UPDATE"), ARGS(i->id), &i));
	*says = "it is known already";
	if (!w || !i || str_eq(i->payment_id, p->id))
		return E_OK;
	if (ch) {
		charge_hear(ch, p);
		ch->event_id = event_id;
		*says = "its invoice is settled by it";
		return charge_settle(c, ch);
	}
	return p->outcome == PAYMENT_APPROVED ? settle_late(c, i, w, p, event_id, says) : E_OK;
}

/* ---- unsettled charges ---- */

#define CHARGE_ID(F, T) F(T, ID, id, .arg = "ivc_")
SHAPE(charge_id, CHARGE_ID);

enum err
charges_lost(struct ctx *c, int64_t limit, struct strs *invoice_ids)
{
	struct charge_id_list rows;

	TRY(db_all(c,
	    ROWS(charge_id, "SELECT id FROM invoice WHERE busy_at <= ? ORDER BY busy_at LIMIT ?"),
	    ARGS(c->now - CHARGE_LOST_S, limit), &rows));
	*invoice_ids = (struct strs){ mem_array(c->mem, const char *, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		int64_t mine;

		TRY(db_exec(c,
		    EXEC("UPDATE invoice SET busy_at = ? WHERE id = ? AND busy_at <= ?"),
		    ARGS(c->now, rows.v[i].id, c->now - CHARGE_LOST_S), &mine));
		if (mine)
			invoice_ids->v[invoice_ids->n++] = rows.v[i].id;
	}
	return E_OK;
}

enum err
charge_recall(struct ctx *c, const char *invoice_id, struct charge **out)
{
	struct billing_account *a;
	struct charged *i;

	*out = NULL;
	TRY(db_find(c, ROWS(charged, CHARGED_ROWS " WHERE id = ?"), ARGS(invoice_id), &i));
	if (!i || !i->busy_of)
		return E_OK;
	TRY(billing_account(c, i->workspace_id, &a));
	*out = mem_new(c->mem, struct charge);
	charge_fill(c, i, a, *out);
	(*out)->asked = true;
	return E_OK;
}
