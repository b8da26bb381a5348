/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/checkout.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "billing/account.h"
#include "billing/refund.h"
#include "billing/terms.h"

SHAPE_DEFINE(checkout_new, CHECKOUT_NEW);
SHAPE_DEFINE(checkout, CHECKOUT);

#define CHECKOUT_ROW(F, T) \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, STR,  purpose) \
	F(T, STR,  plan_id) \
	F(T, INT,  seats) \
	F(T, INT,  amount_cents) \
	F(T, STR,  currency) \
	F(T, TIME, used_at) \
	F(T, STR,  payment_id)
SHAPE(checkout_row, CHECKOUT_ROW);

/* ---- links ---- */

static const char *
currency_of(const struct ctx *c)
{
	for (size_t i = 0; i < c->conf->plan_n; i++)
		if (tier_is_sold(&c->conf->plans[i]))
			return c->conf->plans[i].currency;
	return c->conf->plans[0].currency;
}

static enum err
link_for_card(struct ctx *c, const struct workspace *w, struct payment_link *out)
{
	struct subscription *s;

	if (!tier_sells(c))
		return fail(c, E_INVALID, "purpose: no plan can be bought on this service");
	TRY(subscription_of(c, w->id, false, &s));
	out->currency = s ? s->currency : currency_of(c);
	out->title = mem_printf(c->mem, "Card for %s", w->name);
	return E_OK;
}

static enum err
link_for_period(struct ctx *c, const struct workspace *w, struct payment_link *out)
{
	struct subscription *s;
	struct terms t;
	bool busy;

	TRY(subscription_of(c, w->id, false, &s));
	if (!s)
		return fail(c, E_CONFLICT,
		    "There is no subscription to pay for; POST /v1/billing/subscribe begins one");
	/* Only a period that follows a trial is paid ahead. */
	if (c->now < s->current_period_end && !s->ended_at && !subscription_in_trial(s))
		return subscription_state(s, c->now) == SUB_CANCELLED
		    ? fail(c, E_CONFLICT,
			  "Nothing is due until the subscription ends; "
			  "POST /v1/billing/rebill-activate resumes it")
		    : fail(c, E_CONFLICT, "Nothing is due: the period is paid");
	TRY(subscription_busy(c, w->id, &busy));
	if (busy)
		return fail(c, E_CONFLICT,
		    "A payment of this workspace is being made; try again in a few minutes");
	TRY(terms_next(c, s, ((struct seats *)w->seats)->used, &t));
	if (t.plan_gone)
		return fail(c, E_CONFLICT,
		    "The plan %s is no longer there; POST /v1/billing/subscribe chooses another",
		    t.then.plan_id);
	out->title = t.description;
	out->currency = t.then.currency;
	out->amount_cents = t.due_cents;
	out->plan = t.then.plan_id;
	out->seats = t.then.seats;
	return E_OK;
}

static const char *
nonce_hex(struct ctx *c, const char *nonce)
{
	uint8_t digest[SHA256_BYTES];

	token_hash(nonce, digest);
	return crypto_hex(c->mem, digest, sizeof digest);
}

enum err
checkout_make(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *purpose, struct checkout *out)
{
	struct payment_link l = { .workspace = w->id,
		.purpose = purpose,
		.nonce = token_new(c->mem, ""),
		.redirect_url = mem_printf(
		    c->mem, "%s" CHECKOUT_BACK, c->conf->base_url, w->id, purpose) };
	const char *hash = nonce_hex(c, l.nonce), *id;

	TRY(payment_need(c));
	TRY(str_eq(purpose, "card") ? link_for_card(c, w, &l) : link_for_period(c, w, &l));
	/* We insert the row before the provider makes the link, so that every payment is known. */
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO billing_checkout (nonce_sha256, workspace_id, purpose, plan_id,"
		" seats, amount_cents, currency, made_by, made_at, expires_at)"
		" VALUES (UNHEX(?), ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(hash, l.workspace, l.purpose, l.plan, l.seats, l.amount_cents, l.currency,
		who->user_id, c->now, c->now + CHECKOUT_KEPT_S),
	    NULL));
	TRY(payment_link(c, &l, &id, &out->url));
	return db_exec(c,
	    EXEC("UPDATE billing_checkout SET link_id = ? WHERE nonce_sha256 = UNHEX(?)"),
	    ARGS(id, hash), NULL);
}

/* ---- sessions ---- */

static enum err
session_wrong(struct ctx *c)
{
	return fail(c, E_INVALID,
	    "session: must be a text, or an object with paymentId or subscriptionId");
}

static enum err
payment_of_subscription(struct ctx *c, const char *id, struct session_paid *out)
{
	struct payment_subscription s;

	TRY(payment_subscription(c, id, &s));
	if (s.standing == PAYMENT_SUB_ABSENT)
		return fail(c, E_INVALID, "session: there is no such subscription");
	if (!s.last_payment)
		return fail(c, E_PAYMENT_REQUIRED, "session: nothing has been paid yet");
	out->provider_subscription = id;
	return payment_find(c, s.last_payment, &out->payment);
}

static enum err
session_find(struct ctx *c, const char *session_json, struct session_paid *out)
{
	const char *payment, *subscription = NULL;
	struct json *tree;

	TRY(json_parse(c, session_json, strlen(session_json), &tree));
	if (json_kind(tree) != J_STR && json_kind(tree) != J_OBJ)
		return session_wrong(c);
	payment = json_kind(tree) == J_STR ? json_str(tree) : json_word(tree, "paymentId");
	if (!payment)
		subscription = json_word(tree, "subscriptionId");
	if (subscription)
		TRY(payment_of_subscription(c, subscription, out));
	else if (payment)
		TRY(payment_find(c, payment, &out->payment));
	else
		return session_wrong(c);
	return out->payment.outcome == PAYMENT_ABSENT
	    ? fail(c, E_INVALID, "session: there is no such session")
	    : E_OK;
}

/* Returns the first fact in which the payment differs from its link, or NULL. */
static const char *
difference_from_link(const struct payment *p, const struct checkout_row *row)
{
	if (p->amount_cents != row->amount_cents)
		return "amount";
	if (!str_eq(p->currency, row->currency))
		return "currency";
	if (!str_eq(p->purpose, row->purpose) || !str_eq(p->workspace, row->workspace_id))
		return "purpose";
	if (!row->plan_id)
		return NULL;
	return !str_eq(p->plan, row->plan_id) ? "plan" : p->seats != row->seats ? "seats" : NULL;
}

/* Refunds a payment that can't be used, once. */
static enum err
refund_unusable(struct ctx *c, const struct payment *p, const char *workspace_id, const char *why)
{
	return p->amount_cents > 0 ? refund_add(c, p->id, workspace_id, why) : E_OK;
}

static enum err
link_row_find(struct ctx *c, const struct payment *p, struct checkout_row **out)
{
	*out = NULL;
	if (p->nonce)
		TRY(db_find(c,
		    ROWS(checkout_row,
			"SELECT workspace_id, purpose, plan_id, seats, amount_cents, currency,"
			" used_at, payment_id FROM billing_checkout WHERE nonce_sha256 = UNHEX(?)"),
		    ARGS(nonce_hex(c, p->nonce)), out));
	return *out ? E_OK
		    : fail(c, E_INVALID,
			  "session: it isn't of a link that POST /v1/billing/checkout made");
}

static enum err
link_row_check(struct ctx *c, const struct checkout_row *row, struct session_paid *out)
{
	const struct payment *p = &out->payment;
	const char *wrong = difference_from_link(p, row);

	switch (p->outcome) {
	case PAYMENT_APPROVED: break;
	case PAYMENT_PENDING:
		return fail(c, E_PAYMENT_REQUIRED,
		    "session: the payment hasn't been approved yet; try again in a minute");
	case PAYMENT_DECLINED:
		return fail(c, E_PAYMENT_REQUIRED, "session: the payment was declined: %s", p->why);
	default: return fail(c, E_PAYMENT_REQUIRED, "session: the payment was paid back");
	}
	if (wrong) {
		TRY(refund_unusable(c, p, row->workspace_id,
		    mem_printf(c->mem, "its %s isn't that of the link", wrong)));
		return fail(c, E_INVALID,
		    "session: its %s isn't that of the link that was made; "
		    "what was paid goes back", wrong);
	}
	out->nonce_hex = nonce_hex(c, p->nonce);
	out->purpose = row->purpose;
	out->plan_id = row->plan_id;
	out->seats = row->seats;
	out->amount_cents = row->amount_cents;
	return E_OK;
}

enum err
session_of(struct ctx *c, const struct payment *p, struct session_paid *out,
    const char **workspace_id, bool *used)
{
	struct checkout_row *row;

	*out = (struct session_paid){ .payment = *p };
	TRY(link_row_find(c, p, &row));
	*workspace_id = row->workspace_id;
	*used = row->used_at && str_eq(row->payment_id, p->id);
	if (*used || p->outcome != PAYMENT_APPROVED)
		return E_OK;
	if (!row->workspace_id)
		return refund_unusable(c, p, NULL, "its workspace is gone");
	if (row->used_at) {
		*used = true;
		return refund_unusable(c, p, row->workspace_id, "its link was paid twice");
	}
	return link_row_check(c, row, out);
}

/* Fails unless the link was for what is due now. */
static enum err
still_due_check(struct ctx *c, const struct subscription *s, const struct session_paid *sp,
    int64_t people, struct terms *t)
{
	if (!s)
		return fail(c, E_CONFLICT, "There is no subscription to pay for");
	TRY(terms_next(c, s, people, t));
	return t->plan_gone || !str_eq(t->then.plan_id, sp->plan_id) ||
		t->then.seats != sp->seats || t->due_cents != sp->amount_cents
	    ? fail(c, E_CONFLICT,
		  "session: the subscription has changed since its link was made; "
		  "what was paid goes back")
	    : E_OK;
}

#define PEOPLE(F, T) F(T, INT, people)
SHAPE(people, PEOPLE);

static enum err
due_check(struct ctx *c, const char *workspace_id, const struct session_paid *sp)
{
	struct subscription *s;
	struct people *w;
	struct terms t;
	enum err e;

	TRY(db_one(c, ROWS(people, "SELECT people FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), &w));
	TRY(subscription_of(c, workspace_id, false, &s));
	e = still_due_check(c, s, sp, w->people, &t);
	if (e != E_CONFLICT)
		return e;
	TRY(refund_unusable(c, &sp->payment, workspace_id, "what it paid for was due no more"));
	return fail(c, E_INVALID,
	    "session: the subscription has changed since its link was made; "
	    "what was paid goes back");
}

enum err
session_look(struct ctx *c, const char *workspace_id, const char *session_json,
    const char *purpose, struct session_paid *out)
{
	struct checkout_row *row;

	*out = (struct session_paid){ 0 };
	TRY(payment_need(c));
	TRY(session_find(c, session_json, out));
	TRY(link_row_find(c, &out->payment, &row));
	if (!str_eq(row->workspace_id, workspace_id))
		return fail(c, E_CONFLICT, "session: it is another workspace's");
	if (row->used_at)
		return fail(c, E_CONFLICT, "session: it has been used already");
	TRY(link_row_check(c, row, out));
	if (!str_eq(row->purpose, purpose))
		return fail(c, E_INVALID, "session: its link was made to %s",
		    str_eq(row->purpose, "card") ? "store a card; POST /v1/billing/rebill-save-card"
						 : "pay; POST /v1/billing/rebill-activate");
	return str_eq(purpose, "activate") ? due_check(c, workspace_id, out) : E_OK;
}

/* ---- using one ---- */

static enum err
period_pay(struct ctx *c, const struct billed *w, const struct session_paid *sp,
    const char *user_id, const char *event_id)
{
	struct charge_for f;
	struct subscription *s;
	struct terms t;
	enum sub_state state;

	TRY(subscription_of(c, w->id, true, &s));
	TRY(still_due_check(c, s, sp, w->people, &t));
	state = subscription_state(s, c->now);
	/* A continuing subscription keeps the open invoice. */
	f = terms_charge(&t,
	    state == SUB_ACTIVE || state == SUB_PAST_DUE ? "renew" : "activate", s, user_id);
	TRY(charge_paid(c, &f, sp->payment.id, event_id));
	return sp->provider_subscription
	    ? db_exec(c, EXEC("UPDATE subscription SET provider_subscription = ? WHERE id = ?"),
		  ARGS(sp->provider_subscription, s->id), NULL)
	    : E_OK;
}

enum err
session_use(struct ctx *c, const char *workspace_id, const struct session_paid *sp,
    const char *user_id, const char *event_id)
{
	bool pays = str_eq(sp->purpose, "activate");
	struct subscription *s;
	struct billed *w;
	int64_t mine;

	TRY(billed_hold(c, workspace_id, &w));
	if (!w)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(db_exec(c,
	    EXEC(
		"UPDATE billing_checkout SET used_at = ?, payment_id = ?"
		" WHERE nonce_sha256 = UNHEX(?) AND used_at IS NULL"),
	    ARGS(c->now, sp->payment.id, sp->nonce_hex), &mine));
	if (!mine)
		return fail(c, E_CONFLICT, "session: it has been used already");
	/* A new card doesn't revive a subscription that ended without one. */
	TRY(subscription_of(c, w->id, true, &s));
	if (s)
		TRY(subscription_expire(c, s));
	if (!pays || (sp->payment.card.id && sp->payment.customer)) {
		TRY(account_card_save(c, w->id, &sp->payment, user_id));
		TRY(subscription_card_came(c, w->id));
	}
	return pays ? period_pay(c, w, sp, user_id, event_id) : E_OK;
}
