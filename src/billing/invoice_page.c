/* SPDX-License-Identifier: Apache-2.0
 * The page of an invoice, for printing, and of the lines that later invoices have. */
#include "base/conf.h"
#include "base/str.h"
#include "billing/billing_page.h"
#include "billing/invoice.h"
#include "http/form.h"

#define PLAN_INVOICE_PAGE(F, T) \
	F(T, OBJ,  print,  .sub = &invoice_print_shape) \
	F(T, STRS, seller, .doc = "A line each")
SHAPE(plan_invoice_page, PLAN_INVOICE_PAGE);

/* "Vitrine Ltd | Some Street 1 | VAT 123" */
static struct strs
seller_lines(struct ctx *c)
{
	const char *seller = c->conf->invoice_seller;
	struct strs parts = strs_split(c->mem, conf_has(seller) ? seller : NULL, '|'), out = { 0 };

	for (size_t i = 0; i < parts.n; i++) {
		const char *line = str_trimmed(c->mem, parts.v[i]);

		if (*line)
			strs_add(c->mem, &out, line);
	}
	return out;
}

static enum err
h_invoice(struct req *r)
{
	struct invoice_print p;

	TRY(invoice_get(r->c, r->ws->id, req_param(r, "ivc"), &p));
	return reply_page(
	    r, 0, &(struct plan_invoice_page){ .print = &p, .seller = seller_lines(r->c) });
}

/* ---- lines of later invoices ---- */

static enum err
h_details(struct req *r)
{
	struct invoice_details *d;

	TRY(invoice_details_get(r->c, r->ws->id, &d));
	return reply_page(r, 0, d);
}

static enum err
h_details_save(struct req *r)
{
	const struct invoice_details *in = r->in;

	TRY(invoice_details_set(r->c, r->ws->id,
	    &(struct invoice_details){ .name_line = str_given(in->name_line),
		.tax_line = str_given(in->tax_line),
		.has = { .name_line = GIVEN, .tax_line = GIVEN } }));
	return form_done(r, NULL);
}

#define DETAILS "/w/{ws}/plan/details"
static const struct route invoice_page_routes[] = {
  { PAGE("/w/{ws}/plan/invoices/{ivc}", WS_ADMIN, plan_invoice, h_invoice),
    .doc = "An invoice, to be printed" },
  { PAGE_OF(DETAILS, WS_ADMIN, "plan_details", &invoice_details_shape, h_details),
    .title = BILLING_TITLE,
    .query = &tab_query_shape, .doc = "The form of what stands on its invoices" },
  { FORM(DETAILS, WS_ADMIN, invoice_details, h_details_save),
    .then = "/w/{ws}/plan?done=plan_details", .again = DETAILS,
    .doc = "Change who stands on the invoices that come" },
};
ROUTES(invoice_page, "Pages: invoices", "Invoices of a workspace, as they are printed.");
