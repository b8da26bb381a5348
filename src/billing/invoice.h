/* SPDX-License-Identifier: Apache-2.0
 * Invoices of a workspace, for past and coming charges, numbered without gaps. */
#ifndef VITRINE_INVOICE_H
#define VITRINE_INVOICE_H
#include "core/workspace.h"

#define INVOICE_STATES "paid|open|failed|refunded"
#define INVOICE_KINDS "start|renew|upgrade|activate"

#define INVOICE_LINE(F, T) \
	F(T, STR, what) \
	F(T, INT, seats) \
	F(T, INT, unit_cents,   .doc = "Per seat and period") \
	F(T, INT, amount_cents)
SHAPE_DECLARE(invoice_line, INVOICE_LINE);

#define INVOICE(F, T) \
	F(T, ID,   id,           .arg = "ivc_") \
	F(T, STR,  number,       .doc = "Such as 2026-0007; without a gap in a workspace") \
	F(T, INT,  amount_cents) \
	F(T, STR,  currency) \
	F(T, WORD, status,       .arg = INVOICE_STATES) \
	F(T, TIME, period_start) \
	F(T, TIME, period_end) \
	F(T, STR,  description) \
	F(T, TIME, paid_at,      .flags = F_NUL) \
	F(T, TIME, created_at) \
	F(T, INT,  no,           .flags = F_HID) \
	F(T, WORD, kind,         .flags = F_HID, .arg = INVOICE_KINDS)
SHAPE_DECLARE(invoice, INVOICE);

#define INVOICE_QUERY(F, T) \
	F(T, ID, workspace_id, .flags = F_REQ, .arg = "wsp_") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(invoice_query, INVOICE_QUERY);

/* The newest first. *next is NULL on the last page. */
enum err invoice_list(struct ctx *c, const char *workspace_id, const struct invoice_query *,
    struct invoice_list *out, const char **next);

/* Reads an invoice with its lines and recipient, to print. E_NOT_FOUND for one of another
 * workspace. */
#define INVOICE_PAGE(F, T) \
	F(T, OBJ,  invoice,   .sub = &invoice_shape) \
	F(T, LIST, lines,     .sub = &invoice_line_shape) \
	F(T, STR,  name_line, .flags = F_NUL) \
	F(T, STR,  tax_line,  .flags = F_NUL) \
	F(T, OBJ,  card,      .flags = F_NUL, .sub = &invoice_card_shape)
#define INVOICE_CARD(F, T) \
	F(T, STR, brand) \
	F(T, STR, last4)
SHAPE_DECLARE(invoice_card, INVOICE_CARD);
SHAPE_DECLARE(invoice_print, INVOICE_PAGE);
enum err invoice_get(struct ctx *c, const char *workspace_id, const char *id,
    struct invoice_print *out);

/* Returns the number that people see: the year and a count, such as 2026-0042. */
const char *invoice_number(struct ctx *c, int64_t created_at, int64_t no);

/* Sets two lines under the workspace's name on later invoices: the payer and their tax number. NULL
 * removes one. */
#define INVOICE_DETAILS(F, T) \
	F(T, STR, name_line, .flags = F_NUL, .hi = 200) \
	F(T, STR, tax_line,  .flags = F_NUL, .hi = 200)
SHAPE_DECLARE(invoice_details, INVOICE_DETAILS);
enum err invoice_details_get(struct ctx *c, const char *workspace_id, struct invoice_details **out);
enum err invoice_details_set(
    struct ctx *c, const char *workspace_id, const struct invoice_details *);

/* For reconcile: lists invoices paid since a time, the oldest first, after an id. */
#define INVOICE_PAID(F, T) \
	F(T, ID,  id,           .arg = "ivc_") \
	F(T, ID,  workspace_id, .arg = "wsp_") \
	F(T, STR, payment_id) \
	F(T, TIME, paid_at)
SHAPE_DECLARE(invoice_paid, INVOICE_PAID);
enum err invoices_paid_since(struct ctx *c, int64_t since, const char *after_id, int64_t limit,
    struct invoice_paid_list *out);
#endif
