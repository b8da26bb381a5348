/* SPDX-License-Identifier: Apache-2.0
 * The provider's own page, on which a person pays or leaves a card, and what they come back with: a
 * session, which says nothing by itself. It is looked up at the provider before the transaction
 * that uses it, by the nonce that we gave along. */
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

/* A payment that was looked up, and the link that it was made by. */
struct session_paid {
	struct payment payment;
	const char *nonce_hex, *purpose, *plan_id, *provider_subscription;
	int64_t seats, amount_cents;
};
/* A session as it comes: a text, or an object with paymentId or subscriptionId, as JSON. Looks it
 * up; no transaction. E_INVALID: there is no such session, it is for something else, or its amount,
 * currency, plan or seats aren't those of our link, or not what is due any more, and then it goes
 * back; E_CONFLICT: another workspace's, or used already; E_PAYMENT_REQUIRED: not approved;
 * E_UPSTREAM. */
enum err session_look(struct ctx *c, const char *workspace_id, const char *session_json,
    const char *purpose, struct session_paid *out);
/* Finds the checkout link of a known payment. *workspace_id is NULL if the workspace is gone;
 * E_INVALID if no link of ours made it. E_OK only for an approved payment of our amount. */
enum err session_of(struct ctx *c, const struct payment *, struct session_paid *out,
    const char **workspace_id, bool *used);
/* In a transaction with the workspace's row held: the link is used, its card is stored, and what
 * was paid counts: a period that begins at the trial's end, at the end of what is paid, or now.
 * E_CONFLICT when it was used, or something else is due, meanwhile. user_id NULL: the provider told
 * it by itself. */
enum err session_use(struct ctx *c, const char *workspace_id, const struct session_paid *,
    const char *user_id, const char *event_id);
#endif
