/* SPDX-License-Identifier: Apache-2.0
 * Redirects to the payment provider's page. When the person comes back, looks up what they paid or
 * stored there, and applies it. */
#include "base/str.h"
#include "billing/billing_page.h"
#include "http/share.h"

/* Both pages share this query. The provider adds payment_id on the way back. */
#define CHECKOUT_QUERY(F, T) \
	F(T, WORD, purpose,    .flags = F_REQ, .arg = "activate|card") \
	F(T, STR,  payment_id, .hi = PAYMENT_ID_BYTES) \
	F(T, STR,  done,       .hi = 40)
SHAPE(checkout_query, CHECKOUT_QUERY);

#define PLAN_PAID_PAGE(F, T) \
	F(T, STR,  why,     .doc = "What is wrong") \
	F(T, BOOL, going,   .doc = "On the way there") \
	F(T, BOOL, unclear, .doc = "It may still come about by itself") \
	F(T, BOOL, again,   .doc = "It is of use to try again")
SHAPE(plan_paid_page, PLAN_PAID_PAGE);

/* Shows a page for failures that a person can see or act on; passes on others. */
static enum err
failed(struct req *r, enum err e, bool going)
{
	struct plan_paid_page page = { .going = going };
	const char *why = billing_why(r->c);
	bool later = e == E_UPSTREAM || e == E_UNAVAILABLE || e == E_PAYMENT_REQUIRED;

	if (!later && e != E_INVALID && e != E_CONFLICT)
		return e;
	page.why = e == E_UPSTREAM          ? "We couldn’t reach the payment provider"
	    : str_starts(why, "session: ") ? why + strlen("session: ")
					   : why;
	page.unclear = !going && (e == E_UPSTREAM || e == E_UNAVAILABLE);
	page.again = later;
	TRY(ctx_forgive(r->c));
	return reply_page(r, err_table[e].status, &page);
}

static enum err
h_checkout(struct req *r)
{
	const struct checkout_query *q = r->query;
	struct checkout out;
	enum err e;

	TRY(share_outside(r));
	e = checkout_make(r->c, r->ws, r->who, q->purpose, &out);
	return e ? failed(r, e, true) : reply_redirect(r, out.url);
}

/* ---- and back ---- */

static enum err
use(struct req *r, const struct session_paid *sp, bool card)
{
	TRY(db_begin(r->c));
	r->c->actor = r->who;
	TRY(card ? card_keep(r->c, r->ws, r->who, sp) : activate_by(r->c, r->ws, r->who, sp));
	return db_commit(r->c);
}

/* True if this workspace has already used the session: a webhook came before the browser, or the
 * person loaded the page again. */
static bool
is_used_here(struct req *r, const struct session_paid *sp)
{
	const char *workspace_id = NULL;
	struct session_paid same;
	bool used = false;

	return sp->payment.id &&
	    !session_of(r->c, &sp->payment, &same, &workspace_id, &used) && used &&
	    str_eq(workspace_id, r->ws->id);
}

static enum err
h_paid(struct req *r)
{
	const struct checkout_query *q = r->query;
	bool card = str_eq(q->purpose, "card");
	struct session_paid sp = { 0 };
	struct buf session = BUF(r->c->mem);
	int tries = 0;
	enum err e;

	if (!q->payment_id || !*q->payment_id)
		return billing_back(r, "plan_unpaid");
	TRY(share_outside(r));
	buf_json(&session, q->payment_id);
	e = session_look(r->c, r->ws->id, buf_done(&session), q->purpose, &sp);
	if (!e)
		do
			e = use(r, &sp, card);
		while (e && db_again(r->c, e, &tries));
	if (e == E_CONFLICT && is_used_here(r, &sp)) {
		TRY(ctx_forgive(r->c));
		e = E_OK;
	}
	return e ? failed(r, e, false) : billing_back(r, card ? "plan_card" : "plan_paid");
}

static const struct route paid_page_routes[] = {
  { PAGE("/w/{ws}/plan/checkout", WS_ADMIN, plan_paid, h_checkout), .title = BILLING_TITLE,
    .query = &checkout_query_shape, .slow = true, .limit = LIM_PAYMENT,
    .doc = "Go to the payment provider, to pay what is due or leave a card" },
  { PAGE("/w/{ws}/plan/paid", WS_ADMIN, plan_paid, h_paid), .title = BILLING_TITLE,
    .query = &checkout_query_shape, .slow = true, .limit = LIM_PAYMENT,
    .doc = "Where the payment provider leads back to: what was paid counts" },
};
ROUTES(paid_page, "Pages: paying",
    "The way of a workspace's admin to the payment provider's page, and back.");
