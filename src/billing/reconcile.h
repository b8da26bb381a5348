/* SPDX-License-Identifier: Apache-2.0
 * Finds payments that the provider made without our knowledge: somebody paid on its page and never
 * came back, a charge that was taken as lost got there after all, a payment was paid back or
 * charged back. Each link, each try and each paid invoice has a time at which it is asked about
 * next (check_at): at first after minutes or an hour, then ever less often. Webhooks tell the same
 * sooner, where they arrive. */
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
/* Takes it from other runners, asks, and settles what came (charge.h), in transactions of its own.
 * *says: what came of it, in words; NULL: nothing new. E_UPSTREAM and E_UNAVAILABLE: it comes up
 * again. */
enum err reconcile(struct ctx *c, const struct reconciled *, const char **says);

/* Without a transaction: charge_send(), then charge_settle() in one of its own. While the provider
 * hasn't said what came of it, that stays in the open: E_UPSTREAM, E_UNAVAILABLE. */
enum err charge_end(struct ctx *c, struct charge *);
#endif
