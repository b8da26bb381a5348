/* SPDX-License-Identifier: Apache-2.0
 * The page of an invoice, to be printed, and of what stands on those that come. */
#include "base/conf.h"
#include "base/str.h"
#include "billing/billing_page.h"
#include "billing/invoice.h"
#include "billing/money.h"

#define INVOICE_LINE_SHOWN(F, T) \
	F(T, STR, what) \
	F(T, INT, seats) \
	F(T, STR, unit) \
	F(T, STR, amount)
SHAPE_DECLARE(invoice_line_shown, INVOICE_LINE_SHOWN);
SHAPE_DEFINE(invoice_line_shown, INVOICE_LINE_SHOWN);
#define SELLER_LINE(F, T) F(T, STR, text)
SHAPE_DECLARE(seller_line, SELLER_LINE);
SHAPE_DEFINE(seller_line, SELLER_LINE);

#define PLAN_INVOICE_PAGE(F, T) \
	F(T, STR,  number) \
	F(T, WORD, status,    .arg = INVOICE_STATES) \
	F(T, STR,  day) \
	F(T, STR,  period) \
	F(T, STR,  paid,      .doc = "The day") \
	F(T, LIST, seller,    .sub = &seller_line_shape) \
	F(T, STR,  name_line) \
	F(T, STR,  tax_line) \
	F(T, STR,  total) \
	F(T, LIST, lines,     .sub = &invoice_line_shown_shape)
SHAPE_DECLARE(plan_invoice_page, PLAN_INVOICE_PAGE);
SHAPE_DEFINE(plan_invoice_page, PLAN_INVOICE_PAGE);

/* "Vitrine Ltd | Some Street 1 | VAT 123" */
static struct list
seller_lines(struct ctx *c)
{
	const char *said = c->conf->invoice_seller;
	struct seller_line *v = mem_array(c->mem, struct seller_line, strlen(said) + 1);
	char *rest = mem_strdup(c->mem, said), *part;
	size_t n = 0;

	if (str_eq(said, "-"))
		return (struct list){ NULL, 0 };
	while ((part = str_split(&rest, '|'))) {
		size_t len = strlen(part += strspn(part, " "));

		while (len && part[len - 1] == ' ')
			part[--len] = 0;
		if (*part)
			v[n++] = (struct seller_line){ .text = part };
	}
	return (struct list){ v, n };
}

static struct list
lines_shown(struct ctx *c, const struct invoice_print *i, const char *currency)
{
	const struct invoice_line *from = i->lines.v;
	struct invoice_line_shown *v =
	    mem_array(c->mem, struct invoice_line_shown, i->lines.n + 1);

	for (size_t k = 0; k < i->lines.n; k++)
		v[k] = (struct invoice_line_shown){ .what = from[k].what,
			.seats = from[k].seats,
			.unit = money_text(c->mem, from[k].unit_cents, currency),
			.amount = money_text(c->mem, from[k].amount_cents, currency) };
	return (struct list){ v, i->lines.n };
}

static enum err
h_invoice(struct req *r)
{
	const struct invoice *i;
	struct invoice_print p;

	TRY(invoice_get(r->c, r->ws->id, req_param(r, "ivc"), &p));
	i = p.invoice;
	return reply_page(r, 0,
	    &(struct plan_invoice_page){ .number = i->number,
		.status = i->status,
		.day = billing_day(r->c, i->created_at),
		.period = mem_printf(r->c->mem, "%s to %s", billing_day(r->c, i->period_start),
		    billing_day(r->c, i->period_end)),
		.paid = i->paid_at ? billing_day(r->c, i->paid_at) : NULL,
		.seller = seller_lines(r->c),
		.name_line = p.name_line,
		.tax_line = p.tax_line,
		.total = money_text(r->c->mem, i->amount_cents, i->currency),
		.lines = lines_shown(r->c, &p, i->currency) });
}

/* ---- what stands on those that come ---- */

#define PLAN_DETAILS_PAGE(F, T) \
	BILLING_TOP(F, T) \
	F(T, STR, name_line) \
	F(T, STR, tax_line)
SHAPE_DECLARE(plan_details_page, PLAN_DETAILS_PAGE);
SHAPE_DEFINE(plan_details_page, PLAN_DETAILS_PAGE);

static enum err
h_details(struct req *r)
{
	struct invoice_details *d;

	TRY(invoice_details_get(r->c, r->ws->id, &d));
	return reply_page(r, 0,
	    &(struct plan_details_page){
		BILLING_TOP_OF(r), .name_line = d->name_line, .tax_line = d->tax_line });
}

#define DETAILS_FORM(F, T) \
	F(T, STR, name_line, .hi = 200) \
	F(T, STR, tax_line,  .hi = 200)
SHAPE_DECLARE(details_form, DETAILS_FORM);
SHAPE_DEFINE(details_form, DETAILS_FORM);

static enum err
h_details_save(struct req *r)
{
	const struct details_form *in = r->in;

	TRY(invoice_details_set(r->c, r->ws->id,
	    &(struct invoice_details){ .name_line = str_given(in->name_line),
		.tax_line = str_given(in->tax_line),
		.has = { .name_line = GIVEN, .tax_line = GIVEN } }));
	return billing_back(r, "plan_details");
}

#define DETAILS "/w/{ws}/plan/details"
static const struct route invoice_page_routes[] = {
/*  method path     who
    body                      reply                     handler */
  { GET,  "/w/{ws}/plan/invoices/{ivc}", WS_ADMIN,
    TAKES_NOTHING,            GIVES_PAGE(plan_invoice), h_invoice,
    .doc = "An invoice, to be printed" },
  { GET,  DETAILS,  WS_ADMIN,
    TAKES_NOTHING,            GIVES_PAGE(plan_details), h_details,
    .query = &tab_query_shape, .doc = "The form of what stands on its invoices" },
  { POST, DETAILS,  WS_ADMIN,
    TAKES_FORM(details_form), GIVES_REDIRECT,           h_details_save,
    .again = DETAILS, .doc = "Change who stands on the invoices that come" },
};
ROUTES(invoice_page, "Pages: invoices", "Invoices of a workspace, as they are printed.");
