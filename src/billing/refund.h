/* SPDX-License-Identifier: Apache-2.0
 * Refunds of payments that could not be used. */
#ifndef VITRINE_REFUND_H
#define VITRINE_REFUND_H
#include "base/shape.h"
#include "ext/payment.h"

/* Queues a refund of the payment, once. workspace_id NULL: its workspace is gone. */
enum err refund_add(
    struct ctx *c, const char *payment_id, const char *workspace_id, const char *why);
/* *yes is true if a refund of the payment was asked for. */
enum err refund_said(struct ctx *c, const char *payment_id, bool *yes);
/* Lists refunds that are due and postpones each, longer with each try, so that no other runner
 * takes it. */
enum err refunds_due(struct ctx *c, int64_t limit, struct strs *payment_ids);
/* Asks the provider for the refund and records the answer; no transaction may be open. E_UPSTREAM
 * and E_UNAVAILABLE leave it to the next try. */
enum err refund_send(struct ctx *c, const char *payment_id);
#endif
