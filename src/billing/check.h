/* SPDX-License-Identifier: Apache-2.0
 * Whether what is kept of subscriptions and invoices agrees: for fsck. */
#ifndef VITRINE_BILLING_CHECK_H
#define VITRINE_BILLING_CHECK_H
#include "db/db.h"

#define BILLING_ODD(F, T) \
	F(T, ID,  id, .arg = "wsp_") \
	F(T, STR, why)
SHAPE_DECLARE(billing_odd, BILLING_ODD);
enum err billing_check(struct ctx *c, struct billing_odd_list *out);
#endif
