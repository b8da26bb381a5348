/* SPDX-License-Identifier: Apache-2.0
 * Charging a stored card for an invoice, never lost and never twice:
 *
 *	charge_begin()   in a transaction: inserts the open invoice, with the subscription as it
 *	                 will be once paid, and a row of the try; the caller commits
 *	charge_send()    outside of any: sends the charge, with the try's own key
 *	charge_settle()  in a transaction: records the outcome and applies it; the caller commits
 *
 * If the process dies or gets no answer in between, the invoice stays busy. After CHARGE_LOST_S the
 * runner finds it by charges_lost(), asks the provider for that key by charge_recall(), and settles
 * it. Meanwhile nobody can change the workspace's subscription: E_CONFLICT. */
#ifndef VITRINE_CHARGE_H
#define VITRINE_CHARGE_H
#include "billing/subscription.h"
#include "ext/payment.h"

enum { CHARGE_LOST_S = 120 };

struct charge {
	const char *invoice_id, *workspace_id, *subscription_id, *kind;
	const char *key;          /* <invoice>.<try> */
	const char *description, *currency, *customer, *card;
	int64_t try_no, amount_cents;
	const char *user_id;      /* who asked; NULL: the runner */
	const char *event_id;     /* the provider's, by which it came; or NULL */
	bool asked;               /* found by charges_lost(): the provider is asked, not charged */
	enum { CHARGE_UNKNOWN, CHARGE_PAID, CHARGE_DECLINED, CHARGE_LOST, CHARGE_PENDING } came;
	struct payment payment;   /* of PAID and DECLINED */
};

/* The purpose of a charge: a new invoice, or for a renewal the open one of the period. */
struct charge_for {
	const char *kind;                  /* INVOICE_KINDS */
	const struct subscription *was;    /* NULL: none yet */
	const struct subscription *then;   /* as it is once paid, with its new id */
	int64_t amount_cents;
	const char *description, *lines;   /* JSON array of invoice_line */
	int64_t period_start, period_end;
	const char *user_id;
};
/* E_CONFLICT while the outcome of a charge of the workspace is unknown. */
enum err charge_none_busy(struct ctx *c, const char *workspace_id);
/* The caller has locked the workspace's row. E_CONFLICT while another charge is busy,
 * E_PAYMENT_REQUIRED without a stored card. The caller commits. */
enum err charge_begin(struct ctx *c, const struct charge_for *, struct charge **out);
/* Sends the charge to the provider; no transaction may be open. E_OK: the outcome is known or
 * pending. E_UPSTREAM, E_UNAVAILABLE: `came` is CHARGE_UNKNOWN, or CHARGE_LOST if the charge was
 * never sent. */
enum err charge_send(struct ctx *c, struct charge *);
/* In a transaction of the caller's. PAID applies the change. DECLINED counts a failed try of a
 * renewal, or fails the invoice of any other change. LOST fails the invoice without counting.
 * UNKNOWN and PENDING leave it busy, for the runner. A second call does nothing. */
enum err charge_settle(struct ctx *c, const struct charge *);
/* Without a transaction: charge_settle() in one of its own, again after a deadlock. */
enum err charge_settle_alone(struct ctx *c, const struct charge *);

/* Records in the charge what the provider answered. */
void charge_hear(struct charge *, const struct payment *);
/* In a transaction: settles a payment of an invoice that was found otherwise than by its charge. */
enum err charge_found(
    struct ctx *c, const struct payment *, const char *event_id, const char **says);

/* Lists invoices whose charge has been busy for CHARGE_LOST_S, and leases each for as long. */
enum err charges_lost(struct ctx *c, int64_t limit, struct strs *invoice_ids);
/* Reads the charge of such an invoice, with its last try; NULL if it isn't busy any more. */
enum err charge_recall(struct ctx *c, const char *invoice_id, struct charge **out);

/* For a payment by a link. In a transaction, under the workspace's lock: marks the open invoice, or
 * a new one, as paid, and applies the change. */
enum err charge_paid(struct ctx *c, const struct charge_for *, const char *payment_id,
    const char *event_id);
#endif
