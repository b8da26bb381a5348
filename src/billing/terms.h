/* SPDX-License-Identifier: Apache-2.0
 * Computes the new terms of a subscription for an act, and their cost: once before the change, and
 * again when it is made. Writes nothing. */
#ifndef VITRINE_BILLING_TERMS_H
#define VITRINE_BILLING_TERMS_H
#include "billing/charge.h"

/* A plan that can be bought: E_INVALID, naming those that can. */
enum err plan_to_buy(struct ctx *c, const char *plan_id, const struct price_plan **out);
/* E_INVALID when a plan doesn't have so many seats, naming its bounds. */
enum err plan_seats(struct ctx *c, const struct price_plan *, int64_t seats);

struct terms {
	struct subscription then; /* as it is afterwards */
	int64_t due_cents;        /* to be paid first; 0: nothing */
	bool plan_gone;           /* the next period's plan is no longer in plans_file */
	const char *description, *lines;
};
/* The next period: of what is paid, of the trial, or, once expired, one that begins now. Plan and
 * seats are those that wait for it; people: the members. */
enum err terms_next(
    struct ctx *c, const struct subscription *, int64_t people, struct terms *out);
/* The first one of a plan, paid at once. */
enum err terms_start(struct ctx *c, const char *workspace_id, const struct price_plan *,
    int64_t seats, struct terms *out);
/* Another plan from now on, at its price of then: what is left of the period changes by the
 * second. */
enum err terms_upgrade(struct ctx *c, const struct subscription *, const struct price_plan *,
    int64_t then, struct terms *out);
/* The arguments of charge_begin() and charge_paid(). */
struct charge_for terms_charge(const struct terms *, const char *kind,
    const struct subscription *was, const char *user_id);
#endif
