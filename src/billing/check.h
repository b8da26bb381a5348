/* SPDX-License-Identifier: Apache-2.0
 * Checks that subscriptions and invoices agree: for fsck. */
#ifndef VITRINE_BILLING_CHECK_H
#define VITRINE_BILLING_CHECK_H
#include "db/db.h"

#define BILLING_ODD(F, T) \
	F(T, ID,  id, .arg = "wsp_") \
	F(T, STR, why)
SHAPE_DECLARE(billing_odd, BILLING_ODD);

/* SQL: the paid-until time of subscription s of account a, as subscription_paid_until() computes
 * it. */
#define PAID_UNTIL \
	"CASE WHEN s.cancelled_at IS NOT NULL THEN s.ends_at" \
	" WHEN a.card_id IS NOT NULL THEN s.period_end + 1209600 ELSE s.period_end END"
enum err billing_check(struct ctx *c, struct billing_odd_list *out);
#endif
