/* SPDX-License-Identifier: Apache-2.0
 * Money that goes back: payments that could not be used. */
#ifndef VITRINE_REFUND_H
#define VITRINE_REFUND_H
#include "base/shape.h"
#include "ext/payment.h"

/* The payment is to go back, once; workspace_id NULL: its workspace is gone. */
enum err refund_add(
    struct ctx *c, const char *payment_id, const char *workspace_id, const char *why);
/* Whether that was said. */
enum err refund_said(struct ctx *c, const char *payment_id, bool *yes);
/* Those that are due; each is put off for other runners, and longer with each try. */
enum err refunds_due(struct ctx *c, int64_t limit, struct strs *payment_ids);
/* Asks for it and writes down what came of it; no transaction may be open. E_UPSTREAM and
 * E_UNAVAILABLE: it comes up again. */
enum err refund_send(struct ctx *c, const char *payment_id);
#endif
