/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/invoice.h"

#include "base/json.h"
#include "base/str.h"

SHAPE_DEFINE(invoice_line, INVOICE_LINE);
SHAPE_DEFINE(invoice, INVOICE);
SHAPE_DEFINE(invoice_query, INVOICE_QUERY);
SHAPE_DEFINE(invoice_card, INVOICE_CARD);
SHAPE_DEFINE(invoice_print, INVOICE_PAGE);
SHAPE_DEFINE(invoice_details, INVOICE_DETAILS);
SHAPE_DEFINE(invoice_paid, INVOICE_PAID);

#define INVOICE_COLUMNS \
	"id, amount_cents, currency, status, period_start, period_end, description, paid_at," \
	" created_at, no, kind"

const char *
invoice_number(struct ctx *c, int64_t created_at, int64_t no)
{
	return mem_printf(
	    c->mem, "%.4s-%04lld", str_rfc3339(c->mem, created_at), (long long)no);
}

enum err
invoice_list(struct ctx *c, const char *workspace_id, const struct invoice_query *q,
    struct invoice_list *out, const char **next)
{
	TRY(db_part(c,
	    ROWS(invoice,
		"SELECT " INVOICE_COLUMNS " FROM invoice WHERE workspace_id = ? AND id < ?"
		" ORDER BY id DESC LIMIT ?"),
	    ARGS(workspace_id, arg_before(q->cursor, "ivc_")), q->limit, out, next, last->id));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].number = invoice_number(c, out->v[i].created_at, out->v[i].no);
	return E_OK;
}

#define INVOICE_ROW(F, T) \
	INVOICE(F, T) \
	F(T, STR, line_items) \
	F(T, STR, name_line) \
	F(T, STR, tax_line) \
	F(T, STR, card_brand) \
	F(T, STR, card_last4)
SHAPE(invoice_row, INVOICE_ROW);

static enum err
lines_read(struct ctx *c, const char *text, struct list *out)
{
	struct invoice_line *v;
	struct json *tree;

	TRY(json_parse(c, text, strlen(text), &tree));
	v = mem_array(c->mem, struct invoice_line, json_len(tree) + 1);
	for (size_t i = 0; i < json_len(tree); i++) {
		void *line;

		TRY(shape_read(c, &invoice_line_shape, json_at(tree, i), &line));
		v[i] = *(struct invoice_line *)line;
	}
	*out = (struct list){ v, json_len(tree) };
	return E_OK;
}

enum err
invoice_get(struct ctx *c, const char *workspace_id, const char *id, struct invoice_print *out)
{
	struct invoice_row *row;
	struct invoice *i = mem_new(c->mem, struct invoice);

	TRY(db_one(c,
	    ROWS(invoice_row,
		"SELECT i.id, i.amount_cents, i.currency, i.status, i.period_start, i.period_end,"
		" i.description, i.paid_at, i.created_at, i.no, i.kind, i.line_items,"
		" i.name_line, i.tax_line, a.card_brand, a.card_last4 FROM invoice i"
		" LEFT JOIN billing_account a ON a.workspace_id = i.workspace_id"
		" WHERE i.id = ? AND i.workspace_id = ?"),
	    ARGS(id, workspace_id), &row));
	*i = (struct invoice){ .id = row->id,
		.number = invoice_number(c, row->created_at, row->no),
		.amount_cents = row->amount_cents,
		.currency = row->currency,
		.status = row->status,
		.period_start = row->period_start,
		.period_end = row->period_end,
		.description = row->description,
		.paid_at = row->paid_at,
		.created_at = row->created_at,
		.no = row->no,
		.kind = row->kind };
	i->has.paid_at = row->has.paid_at;
	*out = (struct invoice_print){ .invoice = i,
		.name_line = row->name_line,
		.tax_line = row->tax_line };
	if (row->card_last4) {
		struct invoice_card *card = mem_new(c->mem, struct invoice_card);

		*card = (struct invoice_card){ .brand = row->card_brand, .last4 = row->card_last4 };
		out->card = card;
	}
	return lines_read(c, row->line_items, &out->lines);
}

enum err
invoice_details_get(struct ctx *c, const char *workspace_id, struct invoice_details **out)
{
	TRY(db_find(c,
	    ROWS(invoice_details,
		"SELECT name_line, tax_line FROM billing_account WHERE workspace_id = ?"),
	    ARGS(workspace_id), out));
	*out = *out ? *out : mem_new(c->mem, struct invoice_details);
	return E_OK;
}

enum err
invoice_details_set(struct ctx *c, const char *workspace_id, const struct invoice_details *in)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO billing_account (workspace_id, name_line, tax_line) VALUES (?, ?, ?)"
		" ON DUPLICATE KEY UPDATE name_line = IF(?, VALUES(name_line), name_line),"
		" tax_line = IF(?, VALUES(tax_line), tax_line)"),
	    ARGS(workspace_id, in->name_line, in->tax_line, in->has.name_line != ABSENT,
		in->has.tax_line != ABSENT),
	    NULL);
}

enum err
invoices_paid_since(struct ctx *c, int64_t since, const char *after_id, int64_t limit,
    struct invoice_paid_list *out)
{
	return db_all(c,
	    ROWS(invoice_paid,
		"SELECT id, workspace_id, payment_id, paid_at FROM invoice"
		" WHERE paid_at >= ? AND id > ? ORDER BY paid_at, id LIMIT ?"),
	    ARGS(since, after_id, limit), out);
}
