/* SPDX-License-Identifier: Apache-2.0
 * Timed changes of subscriptions: ends of trials and periods, renewals and their retries. The
 * runner's lane is
 *
 *	subscriptions_due(c, n, &ids)     takes them from other runners for LEASE_S
 *	for each: subscription_step(c, id, &charge)
 *	          if (charge) charge_send(c, charge), then charge_settle() in a transaction
 *
 * None may be called within a transaction. */
#ifndef VITRINE_BILLING_DUE_H
#define VITRINE_BILLING_DUE_H
#include "billing/charge.h"

enum { LEASE_S = 120 };
enum err subscriptions_due(struct ctx *c, int64_t limit, struct strs *ids);
/* Makes one change of the subscription in a transaction of its own, as its times require now:
 * announces the end of a trial, renews (*charge must be sent and settled, else NULL), or ends it.
 * Does nothing if it isn’t due. */
enum err subscription_step(struct ctx *c, const char *id, struct charge **charge);
#endif
