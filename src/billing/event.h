/* SPDX-License-Identifier: Apache-2.0
 * Events of the provider’s webhooks. The route only stores an event. The runner asks the provider
 * for the present state and acts on that alone, so a forged, late, repeated or reordered event does
 * no harm. */
#ifndef VITRINE_BILLING_EVENT_H
#define VITRINE_BILLING_EVENT_H
#include "base/shape.h"
#include "billing/charge.h"

/* In the route's transaction: stores an event once, due at once. */
enum err billing_event_add(struct ctx *c, const struct payment_event *);
#define BILLING_EVENT(F, T) \
	F(T, STR, id) \
	F(T, STR, kind) \
	F(T, STR, payment_id) \
	F(T, STR, subscription_id) \
	F(T, INT, tries)
SHAPE_DECLARE(billing_event, BILLING_EVENT);
/* Lists events that are due and postpones each, longer with each try, so that no other runner takes
 * it. */
enum err events_due(struct ctx *c, int64_t limit, struct billing_event_list *out);
/* Asks the provider about the event and settles it in transactions of its own; none may be open.
 * E_UPSTREAM and E_UNAVAILABLE leave it to the next try. */
enum err event_settle(struct ctx *c, const struct billing_event *);

/* Applies the present state of a payment, in transactions of its own, for reconcile and events. A
 * charge: as charge_settle() does. A payment by a link: as its session would be used (checkout.h).
 * A refund or chargeback: refunds its invoice, and ends the paid period now. We refund a payment
 * that is of no use any more (refund.h), and ignore payments of other installations. event_id may
 * be NULL. *says is the outcome in words. */
enum err payment_settle(struct ctx *c, const struct payment *, const char *event_id,
    const char **says);
#endif
