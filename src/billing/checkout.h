/* SPDX-License-Identifier: Apache-2.0
 * The provider's own page, on which a person pays or stores a card. They come back with a session,
 * which proves nothing. Before the transaction that uses it, we look it up at the provider by our
 * nonce. */
#ifndef VITRINE_CHECKOUT_H
#define VITRINE_CHECKOUT_H
#include "billing/subscription.h"
#include "ext/payment.h"

enum { CHECKOUT_S = 7 * 86400, CHECKOUT_KEPT_S = 90 * 86400 };

#define CHECKOUT_NEW(F, T) \
	F(T, ID,   workspace_id, .flags = F_REQ, .arg = "wsp_") \
	F(T, WORD, purpose,      .flags = F_REQ, .arg = "activate|card", \
		.doc = "activate: pay what is due; card: store a card, of which nothing is charged")
SHAPE_DECLARE(checkout_new, CHECKOUT_NEW);
#define CHECKOUT(F, T) F(T, URL, url, .doc = "Of the provider; good for one payment")
SHAPE_DECLARE(checkout, CHECKOUT);

/* Before the transaction: has a link made, which leads back to CHECKOUT_BACK of the workspace, with
 * payment_id in the query once it is paid. E_CONFLICT when nothing is due, or there is no
 * subscription to pay for; E_UPSTREAM, E_UNAVAILABLE. */
#define CHECKOUT_BACK "/w/%s/plan/paid?purpose=%s"
enum err checkout_make(struct ctx *c, const struct workspace *, const struct principal *,
    const char *purpose, struct checkout *out);

/* A payment that was looked up, and its link. */
struct session_paid {
	struct payment payment;
	const char *nonce_hex, *purpose, *plan_id, *provider_subscription;
	int64_t seats, amount_cents;
};
/* Looks up a session; no transaction. The session is a text, or JSON with paymentId or
 * subscriptionId. E_INVALID: there is no such session, it is for something else, or its amount,
 * currency, plan or seats differ from our link's, or from the amount due by now: then we refund it.
 * E_CONFLICT: another workspace's, or used already; E_PAYMENT_REQUIRED: not approved;
 * E_UPSTREAM. */
enum err session_look(struct ctx *c, const char *workspace_id, const char *session_json,
    const char *purpose, struct session_paid *out);
/* Finds the checkout link of a known payment. *workspace_id is NULL if the workspace is gone;
 * E_INVALID if no link of ours made it. E_OK only for an approved payment of our amount. */
enum err session_of(struct ctx *c, const struct payment *, struct session_paid *out,
    const char **workspace_id, bool *used);
/* In a transaction, under the workspace's lock: consumes the link, stores its card, and applies the
 * payment. The paid period begins at the trial's end, at the end of the present one, or now.
 * E_CONFLICT if the link was used, or another amount is due, meanwhile. user_id NULL: the provider
 * reported it. */
enum err session_use(struct ctx *c, const char *workspace_id, const struct session_paid *,
    const char *user_id, const char *event_id);
#endif
