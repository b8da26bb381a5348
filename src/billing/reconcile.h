/* SPDX-License-Identifier: Apache-2.0
 * Finds payments that we don't know of: somebody paid on the provider's page and never came back, a
 * lost charge arrived after all, or a payment was refunded or charged back. Each link, try and paid
 * invoice has a time for the next question (check_at): after minutes or an hour at first, then less
 * and less often. Webhooks report the same sooner, if they arrive. */
#ifndef VITRINE_RECONCILE_H
#define VITRINE_RECONCILE_H
#include "base/shape.h"
#include "billing/charge.h"

#define RECONCILE_KINDS "link|try|invoice"
#define RECONCILED(F, T) \
	F(T, WORD, kind,     .arg = RECONCILE_KINDS) \
	F(T, STR,  id,       .doc = "What the provider calls it, or the key of a try") \
	F(T, STR,  row,      .doc = "What we call it") \
	F(T, INT,  no) \
	F(T, INT,  since,    .doc = "When it was made, or paid") \
	F(T, INT,  check_at)
SHAPE_DECLARE(reconciled, RECONCILED);

/* Lists rows of a kind that are due, longest first. With a workspace id, lists all rows of that
 * workspace, due or not. */
enum err reconcile_due(struct ctx *c, const char *kind, int64_t limit, struct reconciled_list *out);
enum err reconcile_of(struct ctx *c, const char *kind, const char *workspace_id,
    struct reconciled_list *out);
/* Leases the row, asks the provider, and settles the answer (charge.h), in transactions of its own.
 * *says is the outcome in words; NULL: nothing new. E_UPSTREAM and E_UNAVAILABLE: it is due
 * again. */
enum err reconcile(struct ctx *c, const struct reconciled *, const char **says);

/* Without a transaction: charge_send(), then charge_settle() in one of its own. While the provider
 * doesn't know the outcome, the charge stays busy: E_UPSTREAM, E_UNAVAILABLE. */
enum err charge_end(struct ctx *c, struct charge *);
#endif
