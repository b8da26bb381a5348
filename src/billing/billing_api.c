/* SPDX-License-Identifier: Apache-2.0
 * Routes of subscriptions, cards and invoices. Each names the workspace, or its subscription, in
 * its query or body. Source: interface, "Account and billing". */
#include "billing/change.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "billing/billing_page.h"
#include "billing/checkout.h"
#include "billing/event.h"
#include "billing/invoice.h"
#include "billing/subscription.h"
#include "core/who_api.h"
#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"

#define SUBSCRIPTION_QUERY(F, T) F(T, ID, workspace_id, .flags = F_REQ, .arg = "wsp_")
SHAPE(subscription_query, SUBSCRIPTION_QUERY);

#define SUBSCRIPTION_ANSWER(F, T) \
	F(T, OBJ, subscription, .flags = F_NUL, .sub = &subscription_shape, \
		.doc = "null: there never was one")
SHAPE(subscription_answer, SUBSCRIPTION_ANSWER);

#define QUOTE_QUERY(F, T) \
	SUBSCRIPTION_QUERY(F, T) \
	F(T, STR, plan_id, .lo = 1, .hi = 40, .eg = "\"team\"") \
	F(T, INT, seats,   .lo = 1, .hi = SEATS_MOST, .eg = "3", \
		.doc = "Where a subscription begins, with plan_id. " \
		"Without both: of rebill-activate")
SHAPE(quote_query, QUOTE_QUERY);

#define UPGRADE(F, T) \
	F(T, ID,  workspace_id, .flags = F_REQ, .arg = "wsp_") \
	F(T, STR, plan_id,      .flags = F_REQ, .lo = 1, .hi = 40, .eg = "\"team\"")
SHAPE(upgrade, UPGRADE);

/* ---- reading ---- */

static enum err
h_subscription(struct req *r)
{
	struct subscription *s;

	TRY(subscription_show(r->c, r->ws, &s));
	return reply_flat(r, &(struct subscription_answer){ .subscription = s });
}

static enum err
h_invoices(struct req *r)
{
	return reply_list_of(r, struct invoice_list, invoice_list, r->ws->id, r->query);
}

static enum err
h_quote(struct req *r)
{
	const struct quote_query *q = r->query;
	struct billing_quote out;

	if (q->plan_id && q->seats)
		TRY(billing_quote_start(r->c, r->ws, q->plan_id, q->seats, &out));
	else if (q->plan_id)
		TRY(billing_quote_plan(r->c, r->ws, q->plan_id, &out));
	else if (q->seats)
		TRY(billing_quote_seats(r->c, r->ws, q->seats, &out));
	else
		TRY(billing_quote_activate(r->c, r->ws, &out));
	return reply_flat(r, &out);
}

/* ---- changing ---- */

/* If a request names a workspace and a subscription, the subscription must be the last one of that
 * workspace. */
static enum err
named_check(struct req *r, const char *subscription_id)
{
	struct subscription *s;

	if (!subscription_id)
		return E_OK;
	TRY(subscription_of(r->c, r->ws->id, false, &s));
	return s && str_eq(s->id, subscription_id)
	    ? E_OK
	    : fail(r->c, E_NOT_FOUND,
		  "subscription_id: it isn't the workspace's subscription any more");
}

static enum err
p_subscribe(struct req *r)
{
	const struct subscribe_new *in = r->in;
	struct charge *ch;

	TRY(share_outside(r));
	TRY(subscribe_prepare(r->c, r->ws, r->who, in, in->agreed, &ch));
	r->prepared = ch;
	return E_OK;
}

static enum err
h_subscribe(struct req *r)
{
	TRY(subscribe(r->c, r->ws, r->who, r->in, r->prepared));
	return h_subscription(r);
}

static enum err
h_seats(struct req *r)
{
	const struct seats_edit *in = r->in;

	TRY(named_check(r, in->subscription_id));
	TRY(seats_change(r->c, r->ws, r->who, in->seats));
	return h_subscription(r);
}

static enum err
p_plan(struct req *r)
{
	const struct plan_edit *in = r->in;
	struct charge *ch;

	TRY(named_check(r, in->subscription_id));
	TRY(share_outside(r));
	TRY(plan_change_prepare(r->c, r->ws, r->who, in->plan_id, in->agreed, &ch));
	r->prepared = ch;
	return E_OK;
}

static enum err
h_plan(struct req *r)
{
	const struct plan_edit *in = r->in;

	TRY(plan_change(r->c, r->ws, r->who, in->plan_id, r->prepared));
	return h_subscription(r);
}

static enum err
h_cancel(struct req *r)
{
	const struct subscription_end *in = r->in ? r->in : r->query;

	TRY(named_check(r, in->subscription_id));
	TRY(subscription_cancel(r->c, r->ws, r->who));
	return h_subscription(r);
}

/* ---- with the provider ---- */

/* The result of prepare(): the provider's answer or the charge, from before the transaction. */
struct activation {
	struct charge *charge;
	struct session_paid session;
	bool by_session;
};

static enum err
p_activate(struct req *r)
{
	struct activation *a = mem_new(r->c->mem, struct activation);
	const struct activate *in = r->in;

	TRY(named_check(r, in->subscription_id));
	TRY(share_outside(r));
	a->by_session = in->has.session == GIVEN;
	r->prepared = a;
	return a->by_session
	    ? session_look(r->c, r->ws->id, in->session, "activate", &a->session)
	    : activate_prepare(r->c, r->ws, r->who, in->agreed, &a->charge);
}

static enum err
h_activate(struct req *r)
{
	struct activation *a = r->prepared;

	TRY(a->by_session ? activate_by(r->c, r->ws, r->who, &a->session)
			  : activate(r->c, r->ws, r->who, a->charge));
	return h_subscription(r);
}

static enum err
card_prepare(struct req *r, const char *subscription_id, const char *session)
{
	struct session_paid *sp = mem_new(r->c->mem, struct session_paid);

	TRY(named_check(r, subscription_id));
	TRY(share_outside(r));
	r->prepared = sp;
	return session_look(r->c, r->ws->id, session, "card", sp);
}

static enum err
p_save_card(struct req *r)
{
	const struct card_save *in = r->in;

	return card_prepare(r, in->subscription_id, in->session);
}

static enum err
p_card(struct req *r)
{
	const struct card_save_old *in = r->in;

	return card_prepare(r, in->subscription_id, in->token);
}

static enum err
h_save_card(struct req *r)
{
	TRY(card_keep(r->c, r->ws, r->who, r->prepared));
	return h_subscription(r);
}

static enum err
p_checkout(struct req *r)
{
	struct checkout *out = mem_new(r->c->mem, struct checkout);
	const struct checkout_new *in = r->in;

	TRY(share_outside(r));
	r->prepared = out;
	return checkout_make(r->c, r->ws, r->who, in->purpose, out);
}

static enum err
h_checkout(struct req *r)
{
	return reply_flat(r, r->prepared);
}

/* ---- the provider itself ---- */

static enum err
h_webhook(struct req *r)
{
	const char *secret = r->c->conf->payment_webhook_secret, *hook = req_param(r, "hook");
	size_t n = strlen(secret);
	struct payment_event e;
	bool signed_right;

	if (!conf_has(secret) || strlen(hook) != n || !crypto_equal(secret, hook, n))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(payment_event_signed(r->c, req_header(r, "HTTP_X_REBILL_SIGNATURE"),
	    r->body ? r->body : "", r->body_n, &signed_right));
	if (!signed_right)
		return fail(r->c, E_UNAUTHENTICATED, "X-Rebill-Signature: isn't that of the body");
	TRY(payment_event_read(r->c, r->body ? r->body : "", r->body_n, &e));
	TRY(billing_event_add(r->c, &e));
	return reply_none(r);
}

/* ---- for development ---- */

static enum err
h_upgrade(struct req *r)
{
	const struct upgrade *in = r->in;
	struct account_tier *out;

	if (!r->c->conf->dev_routes)
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	if (!tier_plan_named(r->c, in->plan_id))
		return fail(r->c, E_INVALID, "plan_id: %s isn't a plan", in->plan_id);
	TRY(tier_give(r->c, r->ws->id, in->plan_id, 0));
	TRY(tier_best(r->c, r->who, r->ws->id, &out));
	return reply_flat(r, out);
}

#define GIVES_SUBSCRIPTION GIVES_FLAT(subscription_answer)
/* Finds the workspace that a request names, by its own id or by that of a subscription. */
static enum err
payer_named(struct req *r, const char **id)
{
	const char *subscription;

	/* A page of a workspace shows that workspace's subscription. */
	if (r->shown && r->ws) {
		*id = r->ws->id;
		return E_OK;
	}
	TRY(req_says(r, "workspace_id", id));
	if (*id && id_valid(*id, "wsp_"))
		return E_OK;
	TRY(req_says(r, "subscription_id", &subscription));
	/* Without a name, any caller gets the other errors of query and body first. */
	if (*id || !subscription || !id_valid(subscription, "sub_")) {
		TRY(req_read_query(r));
		TRY(req_read_body(r));
		return fail(r->c, E_INVALID, "workspace_id: must be given");
	}
	TRY(subscription_workspace(r->c, subscription, id));
	*id = *id ? *id : "";
	return E_OK;
}

static const struct noun payer = { .param = "ws", .rungs = ws_rungs, .load = ws_load,
	.standing = ws_standing, .named = payer_named };
/* Roles in the workspace that payer_named() finds. */
static WHO(PAYS_MEMBER, "billing_member", KNOWN, &payer, MEMBER_MEMBER, .lock = true);
static WHO(PAYS_ADMIN, "billing_admin", KNOWN, &payer, MEMBER_ADMIN, .lock = true);

LIMIT(LIM_PAYMENT, "payment", OF_USER, ALL, payments_per_hour, "payments");

static const struct route billing_routes[] = {
/*  method  path                              who
    body                     reply                       handler */
  { GET,    "/v1/billing/subscription",       PAYS_MEMBER,
    TAKES_NOTHING,           GIVES_SUBSCRIPTION,         h_subscription,
    .query = &subscription_query_shape,
    .doc = "Get a workspace's subscription: the live one, or else the last" },
  { GET,    "/v1/billing/quote",              PAYS_ADMIN,
    TAKES_NOTHING,           GIVES_FLAT(billing_quote),  h_quote,
    .query = &quote_query_shape,
    .doc = "Get what a plan, seats, or paying what is due would cost, "
	   "refused for what that would be refused for" },
  { POST,   "/v1/billing/subscribe",          PAYS_ADMIN,
    TAKES(subscribe_new),    GIVES_SUBSCRIPTION,         h_subscribe,
    .success = 201, .slow = true, .prepare = p_subscribe, .limit = LIM_PAYMENT,
    .no_agents = true,
    .doc = "Subscribe to a plan: a workspace's first time is a trial, "
	   "later the stored card is charged" },
  { POST,   "/v1/billing/checkout",           PAYS_ADMIN,
    TAKES(checkout_new),     GIVES_FLAT(checkout),       h_checkout,
    .success = 201, .slow = true, .prepare = p_checkout, .limit = LIM_PAYMENT,
    .no_agents = true,
    .doc = "Get an address of the payment provider, at which to pay or leave a card" },
  { POST,   "/v1/billing/rebill-activate",    PAYS_ADMIN,
    TAKES(activate),         GIVES_SUBSCRIPTION,         h_activate,
    .slow = true, .prepare = p_activate, .limit = LIM_PAYMENT, .no_agents = true,
    .doc = "Pay what is due, by a session of the payment provider or the stored card, "
	   "or resume what was cancelled" },
  { POST,   "/v1/billing/rebill-save-card",   PAYS_ADMIN,
    TAKES(card_save),        GIVES_SUBSCRIPTION,         h_save_card,
    .slow = true, .prepare = p_save_card, .limit = LIM_PAYMENT, .no_agents = true,
    .doc = "Store the card that was left at the payment provider" },
  { POST,   "/v1/billing/card",               PAYS_ADMIN,
    TAKES(card_save_old),    GIVES_SUBSCRIPTION,         h_save_card,
    .slow = true, .prepare = p_card, .limit = LIM_PAYMENT, .no_agents = true,
    .doc = "The same, as older clients ask for it" },
  { PATCH,  "/v1/billing/subscription/seats", PAYS_ADMIN,
    TAKES(seats_edit),       GIVES_SUBSCRIPTION,         h_seats,
    .no_agents = true,
    .doc = "Change the number of seats from the next period on; "
	   "in a trial, more are there at once" },
  { PATCH,  "/v1/billing/subscription/plan",  PAYS_ADMIN,
    TAKES(plan_edit),        GIVES_SUBSCRIPTION,         h_plan,
    .slow = true, .prepare = p_plan, .limit = LIM_PAYMENT, .no_agents = true,
    .doc = "Change the plan: to a higher one at once, with the rest of the period charged; "
	   "to a lower one from the next period on" },
  { DELETE, "/v1/billing/subscription",       PAYS_ADMIN,
    { BODY_JSON_OPTIONAL, &subscription_end_shape }, GIVES_SUBSCRIPTION, h_cancel,
    .query = &subscription_end_shape, .no_agents = true,
    .doc = "Cancel the subscription: the workspace keeps its plan for what is paid. "
	   "The body's fields can stand in the query instead" },
  { GET,    "/v1/billing/invoices",           PAYS_MEMBER,
    TAKES_NOTHING,           GIVES_LIST("invoices", invoice), h_invoices,
    .query = &invoice_query_shape, .doc = "List invoices, newest first" },
  { POST,   "/v1/billing/webhook/{hook}",     PUBLIC,
    TAKES_MESSAGE,           GIVES_NOTHING,              h_webhook,
    .doc = "Where the payment provider tells that something has changed; "
	   "it is then asked what" },
  { POST,   "/v1/account/upgrade",            PAYS_ADMIN,
    TAKES(upgrade),          GIVES_FLAT(account_tier),   h_upgrade,
    .no_agents = true,
    .doc = "For development: give a workspace a plan without payment; 404 otherwise" },
};
ROUTES(billing, "Account and billing",
    "What a workspace pays for. Plans and what they include are in Plans; members see the "
    "subscription, admins change it. No card number passes through here.");
