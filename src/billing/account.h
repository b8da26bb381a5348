/* SPDX-License-Identifier: Apache-2.0
 * The billing account of a workspace: the stored card by the provider’s id, the trial, the number
 * of the last invoice. All functions but billing_account() require that the caller has locked
 * the workspace’s row. */
#ifndef VITRINE_BILLING_ACCOUNT_H
#define VITRINE_BILLING_ACCOUNT_H
#include "base/shape.h"
#include "ext/payment.h"

#define BILLING_ACCOUNT(F, T) \
	F(T, ID,   workspace_id,   .arg = "wsp_") \
	F(T, STR,  customer) \
	F(T, STR,  card_id) \
	F(T, STR,  card_print) \
	F(T, TIME, trial_used_at) \
	F(T, INT,  last_invoice_no) \
	F(T, STR,  name_line) \
	F(T, STR,  tax_line)
SHAPE_DECLARE(billing_account, BILLING_ACCOUNT);

/* Reads the account of a workspace; never NULL. Without a row, it has only workspace_id. */
enum err billing_account(
    struct ctx *c, const char *workspace_id, struct billing_account **out);
/* Stores the card of a payment for later charges. E_INVALID: the provider stored none. */
enum err account_card_save(struct ctx *c, const char *workspace_id, const struct payment *,
    const char *user_id);
/* *yes: neither the workspace nor its stored card has had a trial. */
enum err account_trial_may(struct ctx *c, const struct billing_account *, bool *yes);
enum err account_trial_use(struct ctx *c, const struct billing_account *);
enum err account_invoice_no(struct ctx *c, const char *workspace_id, int64_t *no);
/* Locks the workspace's row, for callers without a request. */
#define BILLED(F, T) \
	F(T, ID,   id,         .arg = "wsp_") \
	F(T, STR,  name) \
	F(T, INT,  people) \
	F(T, TIME, deleted_at)
SHAPE_DECLARE(billed, BILLED);
/* Locks the workspace's row. *out is NULL if it was purged. */
enum err billed_hold(struct ctx *c, const char *workspace_id, struct billed **out);
#endif
