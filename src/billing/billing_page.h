/* SPDX-License-Identifier: Apache-2.0
 * Shared by the pages of a workspace’s plan. All are beneath /w/{ws}/plan, CHECKOUT_BACK among
 * them, to which the payment provider returns. */
#ifndef VITRINE_BILLING_PAGE_H
#define VITRINE_BILLING_PAGE_H
#include "billing/change.h"
#include "billing/plan_look.h"
#include "core/artifact_top_page.h"
#include "http/quota.h"

extern const struct limit LIM_PAYMENT[1];

#define BILLING_TITLE "Plan and billing" /* Fields of each page. */

enum err billing_back(struct req *, const char *done);
/* Plans are for sale here: there is a provider, and the viewer may buy. */
bool billing_may_buy(const struct req *);
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
