/* SPDX-License-Identifier: Apache-2.0
 * What time does to subscriptions: trials and periods that end, renewals and their retries. The
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
/* One move of it, in a transaction of its own, by what its times say now: told that its trial is to
 * end, renewed (*charge: to be sent and settled; else NULL), ended. Nothing when it isn't due. */
enum err subscription_step(struct ctx *c, const char *id, struct charge **charge);
#endif
