/* SPDX-License-Identifier: Apache-2.0
 * Shared by the pages of a workspace’s plan. All are beneath /w/{ws}/plan, CHECKOUT_BACK among
 * them, to which the payment provider returns. */
#ifndef VITRINE_BILLING_PAGE_H
#define VITRINE_BILLING_PAGE_H
#include "billing/change.h"
#include "core/artifact_top_page.h"
#include "http/req.h"

#define BILLING_TITLE "Plan and billing" /* Fields of each page. */

/* The path of a page beneath the workspace's plan, such as "/plans". */
const char *billing_at(const struct req *, const char *beneath);
enum err billing_back(struct req *, const char *done);
/* "18 seats × 12.00 USD" */
const char *billing_seats_text(
    struct ctx *c, int64_t seats, int64_t price_cents, const char *currency);
/* Why something was refused, without what the API advises there; of c->message. */
const char *billing_why(struct ctx *c);
bool billing_is_admin(const struct req *);
/* Plans are for sale here: there is a provider, and the viewer may buy. */
bool billing_may_buy(const struct req *);
/* Returns the tier that the workspace has without its paid plan. */
void billing_tier_unpaid(const struct req *, struct tier *out);

/* A line that says what the workspace keeps and loses when the paid plan ends. */
#define SLEEPS(F, T) \
	F(T, STR, what) \
	F(T, STR, stays) \
	F(T, STR, asleep)
SHAPE_DECLARE(sleeps, SLEEPS);
struct list billing_sleeps(struct req *);

/* The outcome of a charge that ran before a form’s handler. The handler shows it on the form’s own
 * page, because a missing answer from the provider is no error of the page. */
struct paying {
	struct charge *charge;
	enum err e;
	const char *why;
};
/* Handles the error e of x_prepare(): returns errors that a person can correct unchanged. */
enum err paying_keep(struct req *, struct paying *, enum err e);
#endif
