/* SPDX-License-Identifier: Apache-2.0
 * Computes the new terms of a subscription for an act, and their cost: once before the change, and
 * again when it is made. Writes nothing. */
#ifndef VITRINE_BILLING_TERMS_H
#define VITRINE_BILLING_TERMS_H
#include "billing/charge.h"

/* Finds a plan that is for sale. E_INVALID names those that are. */
enum err plan_to_buy(struct ctx *c, const char *plan_id, const struct price_plan **out);
/* E_INVALID if a plan doesn't allow this number of seats; names its bounds. */
enum err plan_seats(struct ctx *c, const struct price_plan *, int64_t seats);

struct terms {
	struct subscription then; /* the subscription after the change */
	int64_t due_cents;        /* to pay first; 0: nothing */
	bool plan_gone;           /* the next period's plan is no longer in plans_file */
	const char *description, *lines;
};
/* The next period: after the paid one, after the trial or, once expired, from now. Uses the plan
 * and seats that are scheduled for it; people: the members. */
enum err terms_next(
    struct ctx *c, const struct subscription *, int64_t people, struct terms *out);
/* The first period of a plan, paid at once. */
enum err terms_start(struct ctx *c, const char *workspace_id, const struct price_plan *,
    int64_t seats, struct terms *out);
/* Another plan from now on. The price depends on the seconds left of the period. */
enum err terms_upgrade(struct ctx *c, const struct subscription *, const struct price_plan *,
    int64_t then, struct terms *out);
/* The arguments of charge_begin() and charge_paid(). */
struct charge_for terms_charge(const struct terms *, const char *kind,
    const struct subscription *was, const char *user_id);
#endif
