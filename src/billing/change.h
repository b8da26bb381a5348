/* SPDX-License-Identifier: Apache-2.0
 * Changes of a subscription by admins. A change that may charge a card has two parts. x_prepare()
 * runs before the request's transaction, checks under the workspace's lock, and charges; *charge is
 * NULL if nothing was charged. x() makes the change, or applies that charge, in the transaction;
 * E_CONFLICT if another amount would be due by then. billing_quote_x() says what x() would cost. */
#ifndef VITRINE_BILLING_CHANGE_H
#define VITRINE_BILLING_CHANGE_H
#include "billing/checkout.h"
#include "billing/terms.h"

/* The price that a person or program was shown and agreed to. A charge of another amount, or later
 * than PRICE_KEPT_S after quoted_at, fails with E_CONFLICT. NULL means that any price is agreed to.
 * Forms send it; programs get it from GET /v1/billing/quote. */
#define PRICE_SHOWN(F, T) \
	F(T, INT,  due_cents, .flags = F_REQ, .eg = "1860") \
	F(T, TIME, quoted_at, .flags = F_REQ)
SHAPE_DECLARE(price_shown, PRICE_SHOWN);
enum { PRICE_KEPT_S = 15 * 60 };
#define PRICE_AGREED(F, T) \
	F(T, OBJ, agreed, .sub = &price_shown_shape, .doc = "What was quoted: 409 if something " \
		"else would be charged, or after 15 minutes. Without it, what is due is charged")

#define SUBSCRIBE_NEW(F, T) \
	F(T, ID,  workspace_id, .flags = F_REQ, .arg = "wsp_") \
	F(T, STR, plan_id,      .flags = F_REQ, .lo = 1, .hi = 40, .eg = "\"team\"") \
	F(T, INT, seats,        .flags = F_REQ, .lo = 1, .hi = SEATS_MOST, .eg = "3") \
	PRICE_AGREED(F, T)
SHAPE_DECLARE(subscribe_new, SUBSCRIBE_NEW);
#define SUBSCRIPTION_NAMED(F, T) \
	F(T, ID,  workspace_id,    .arg = "wsp_", .doc = "This or subscription_id") \
	F(T, ID,  subscription_id, .arg = "sub_")
#define SEATS_EDIT(F, T) \
	SUBSCRIPTION_NAMED(F, T) \
	F(T, INT, seats, .flags = F_REQ, .lo = 1, .hi = SEATS_MOST, .eg = "5")
SHAPE_DECLARE(seats_edit, SEATS_EDIT);
#define PLAN_EDIT(F, T) \
	SUBSCRIPTION_NAMED(F, T) \
	F(T, STR, plan_id, .flags = F_REQ, .lo = 1, .hi = 40, .eg = "\"team\"") \
	PRICE_AGREED(F, T)
SHAPE_DECLARE(plan_edit, PLAN_EDIT);
#define SUBSCRIPTION_END(F, T) SUBSCRIPTION_NAMED(F, T)
SHAPE_DECLARE(subscription_end, SUBSCRIPTION_END);
#define ACTIVATE(F, T) \
	SUBSCRIPTION_NAMED(F, T) \
	F(T, JSON, session, .hi = 500, .doc = "What the provider's page came back with: " \
		"a text, or an object with paymentId or subscriptionId; without it the stored " \
		"card is charged where something is due") \
	PRICE_AGREED(F, T)
SHAPE_DECLARE(activate, ACTIVATE);
#define CARD_SAVE(F, T) \
	SUBSCRIPTION_NAMED(F, T) \
	F(T, JSON, session, .flags = F_REQ, .hi = 500)
SHAPE_DECLARE(card_save, CARD_SAVE);
#define CARD_SAVE_OLD(F, T) \
	F(T, ID,   subscription_id, .flags = F_REQ, .arg = "sub_") \
	F(T, JSON, token,           .flags = F_REQ, .hi = 500, .doc = "A session")
SHAPE_DECLARE(card_save_old, CARD_SAVE_OLD);

/* E_CONFLICT: a live one, or fewer seats than members; E_PAYMENT_REQUIRED: the trial was used, and
 * no card is stored, or it was declined. */
enum err subscribe_prepare(struct ctx *c, const struct workspace *, const struct principal *,
    const struct subscribe_new *, const struct price_shown *, struct charge **);
enum err subscribe(struct ctx *c, const struct workspace *, const struct principal *,
    const struct subscribe_new *, struct charge *);
enum err seats_change(struct ctx *c, const struct workspace *, const struct principal *,
    int64_t seats);
enum err plan_change_prepare(struct ctx *c, const struct workspace *, const struct principal *,
    const char *plan_id, const struct price_shown *, struct charge **);
enum err plan_change(struct ctx *c, const struct workspace *, const struct principal *,
    const char *plan_id, struct charge *);
enum err activate_prepare(struct ctx *c, const struct workspace *, const struct principal *,
    const struct price_shown *, struct charge **);
enum err activate(struct ctx *c, const struct workspace *, const struct principal *,
    struct charge *);
/* Pays, or stores a card, by a session that was looked up at the provider. */
enum err activate_by(struct ctx *c, const struct workspace *, const struct principal *,
    const struct session_paid *);
enum err card_keep(struct ctx *c, const struct workspace *, const struct principal *,
    const struct session_paid *);
enum err subscription_cancel(
    struct ctx *c, const struct workspace *, const struct principal *);

/* The state of a subscription after a change, and the charge for it, if the change were made now.
 */
#define BILLING_QUOTE(F, T) \
	F(T, STR,  plan_id) \
	F(T, INT,  seats) \
	F(T, TIME, from,        .doc = "When it begins to count") \
	F(T, INT,  due_cents,   .doc = "Charged now") \
	F(T, INT,  later_cents, .doc = "Charged per period") \
	F(T, TIME, later_at,    .doc = "When that is charged first") \
	F(T, STR,  currency) \
	F(T, TIME, quoted_at)
SHAPE_DECLARE(billing_quote, BILLING_QUOTE);
/* Computes what starting, another plan, or another number of seats would cost now. Each function
 * fails as the change itself would. */
enum err billing_quote_start(struct ctx *c, const struct workspace *, const char *plan_id,
    int64_t seats, struct billing_quote *out);
enum err billing_quote_plan(
    struct ctx *c, const struct workspace *, const char *plan_id, struct billing_quote *out);
enum err billing_quote_seats(
    struct ctx *c, const struct workspace *, int64_t seats, struct billing_quote *out);
/* Quotes the activation of the subscription; due_cents is 0 if nothing is due. */
enum err billing_quote_activate(
    struct ctx *c, const struct workspace *, struct billing_quote *out);
#endif
