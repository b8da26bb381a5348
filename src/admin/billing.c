/* SPDX-License-Identifier: Apache-2.0
 * Commands about subscriptions, and about what the payment provider says of them. */
#include "billing/subscription.h"

#include "admin/cmd.h"
#include "base/str.h"
#include "billing/charge.h"
#include "billing/event.h"
#include "billing/invoice.h"
#include "billing/money.h"
#include "billing/reconcile.h"
#include "db/db.h"

enum { AT_ONCE = 100 };

/* ---- show ---- */

#define SHOWN_ACCOUNT(F, T) \
	F(T, STR,  customer,      .flags = F_NUL) \
	F(T, STR,  card_id,       .flags = F_NUL) \
	F(T, TIME, trial_used_at, .flags = F_NUL)
SHAPE(shown_account, SHOWN_ACCOUNT);

#define SHOWN_TRY(F, T) \
	F(T, STR,  id) \
	F(T, STR,  status) \
	F(T, STR,  kind) \
	F(T, INT,  amount_cents) \
	F(T, STR,  currency) \
	F(T, TIME, created_at) \
	F(T, STR,  payment_id, .flags = F_NUL) \
	F(T, BOOL, busy) \
	F(T, INT,  no,         .flags = F_NUL) \
	F(T, TIME, at,         .flags = F_NUL) \
	F(T, STR,  state,      .flags = F_NUL) \
	F(T, STR,  why,        .flags = F_NUL)
SHAPE(shown_try, SHOWN_TRY);

#define SHOWN_REFUND(F, T) \
	F(T, STR,  payment_id) \
	F(T, STR,  why) \
	F(T, TIME, made_at) \
	F(T, TIME, due_at,  .flags = F_NUL) \
	F(T, STR,  outcome, .flags = F_NUL)
SHAPE(shown_refund, SHOWN_REFUND);

static void
line(const char *name, const char *value)
{
	if (value)
		printf("%-9s %s\n", name, value);
}

static void
subscription_print(struct ctx *c, const struct subscription *s)
{
	const struct stored_card *card = s->card;

	line("id", s->id);
	line("status", s->status);
	line("plan", mem_printf(c->mem, "%s, %lld seats, %s per period", s->plan_id,
			 (long long)s->seats, str_money(c->mem, s->amount_cents, s->currency)));
	if (s->pending_plan_id)
		line("next", s->pending_plan_id);
	if (s->has.pending_seats == GIVEN)
		line("next", str_count(c->mem, s->pending_seats, "seat"));
	line("period", mem_printf(c->mem, "%s to %s", str_rfc3339(c->mem, s->current_period_start),
			   str_rfc3339(c->mem, s->current_period_end)));
	if (s->trial_ends_at)
		line("trial", mem_printf(c->mem, "until %s",
				  str_rfc3339(c->mem, s->trial_ends_at)));
	if (s->ends_at)
		line("ends", str_rfc3339(c->mem, s->ends_at));
	if (card)
		line("card", mem_printf(c->mem, "%s ending in %s, expires %02lld/%lld",
				 card->brand, card->last4, (long long)card->exp_month,
				 (long long)card->exp_year));
	line("due", s->due_at ? str_rfc3339(c->mem, s->due_at) : NULL);
}

static enum err
invoices_print(struct ctx *c, const char *ws)
{
	const char *before = "";
	struct shown_try_list all;

	TRY(db_all(c,
	    ROWS(shown_try,
		"SELECT i.id, i.status, i.kind, i.amount_cents, i.currency, i.created_at,"
		" i.payment_id, i.busy_of IS NOT NULL AS busy, t.no, t.at, t.state, t.why"
		" FROM invoice i LEFT JOIN invoice_try t ON t.invoice_id = i.id"
		" WHERE i.workspace_id = ? ORDER BY i.no, t.no"),
	    ARGS(ws), &all));
	for (size_t i = 0; i < all.n; i++) {
		const struct shown_try *t = &all.v[i];

		if (!str_eq(before, t->id))
			printf("\n%s  %s  %s  %s  %s%s  %s\n", t->id,
			    str_rfc3339(c->mem, t->created_at), t->kind,
			    str_money(c->mem, t->amount_cents, t->currency), t->status,
			    t->busy ? ", its outcome is unknown" : "",
			    t->payment_id ? t->payment_id : "no payment");
		if (t->has.no == GIVEN)
			printf("  try %lld  %s  %s%s%s\n", (long long)t->no,
			    str_rfc3339(c->mem, t->at), t->state, t->why ? ": " : "",
			    t->why ? t->why : "");
		before = t->id;
	}
	return E_OK;
}

static enum err
refunds_print(struct ctx *c, const char *ws)
{
	struct shown_refund_list all;

	TRY(db_all(c,
	    ROWS(shown_refund,
		"SELECT payment_id, why, made_at, due_at, outcome FROM billing_refund"
		" WHERE workspace_id = ? ORDER BY made_at"),
	    ARGS(ws), &all));
	for (size_t i = 0; i < all.n; i++)
		printf("%srefund  %s  %s  %s: %s\n", i ? "" : "\n", all.v[i].payment_id,
		    str_rfc3339(c->mem, all.v[i].made_at), all.v[i].why,
		    all.v[i].outcome	      ? all.v[i].outcome
			: all.v[i].due_at ? "due"
					  : "done");
	return E_OK;
}

static enum err
moves_print(struct ctx *c, const char *ws)
{
	struct subscription_moved_list all;

	TRY(subscription_moves(c, ws, &all));
	for (size_t i = all.n; i-- > 0;) {
		const struct subscription_moved *m = &all.v[i];

		printf("%s%s  %s #%lld  %s  by %s", i == all.n - 1 ? "\n" : "",
		    str_rfc3339(c->mem, m->at), m->subscription_id, (long long)m->no, m->what,
		    m->user_name && *m->user_name ? m->user_name
			: m->user_id  ? m->user_id
			: m->event_id ? m->event_id
				      : "the runner");
		if (m->has.amount_cents == GIVEN && m->amount_cents)
			printf("  %lld", (long long)m->amount_cents);
		printf("%s%s\n", m->invoice_id ? "  " : "", m->invoice_id ? m->invoice_id : "");
	}
	return E_OK;
}

static enum err
cmd_billing_show(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct subscription *s;
	struct shown_account *a;
	struct workspace *w;

	TRY(workspace_named(c, call->with.args[0], &w));
	TRY(subscription_of(c, w->id, false, &s));
	TRY(db_find(c,
	    ROWS(shown_account,
		"SELECT customer, card_id, trial_used_at FROM billing_account"
		" WHERE workspace_id = ?"),
	    ARGS(w->id), &a));
	line("workspace", mem_printf(c->mem, "%s  %s", w->id, w->slug));
	line("has", workspace_tier(c, w).plan->id);
	if (a && a->customer)
		line("customer", a->customer);
	if (a && a->trial_used_at)
		line("trial", mem_printf(c->mem, "begun %s",
				  str_rfc3339(c->mem, a->trial_used_at)));
	if (s)
		subscription_print(c, s);
	else
		printf("It has never had a subscription.\n");
	TRY(invoices_print(c, w->id));
	TRY(refunds_print(c, w->id));
	return moves_print(c, w->id);
}

/* ---- reconcile ---- */

struct asking {
	struct cmd_call *call;
	int64_t asked, found, failed;
};

static void
found_print(struct asking *a, const char *what, const char *id, enum err e, const char *says)
{
	a->asked++;
	if (e) {
		a->failed++;
		fprintf(stderr, "%s %s: %s\n", what, id, cmd_why(a->call->c));
		ctx_again(a->call->c);
	} else if (says) {
		a->found++;
		printf("%s %s: %s\n", what, id, says);
	}
}

static enum err
kind_ask(struct asking *a, const char *kind, const char *ws)
{
	struct reconciled_list all;

	do {
		TRY(ws ? reconcile_of(a->call->c, kind, ws, &all)
		       : reconcile_due(a->call->c, kind, AT_ONCE, &all));
		for (size_t i = 0; i < all.n; i++) {
			const char *says = NULL;
			enum err e = reconcile(a->call->c, &all.v[i], &says);

			found_print(a, kind, all.v[i].id, e, says);
		}
	} while (!ws && all.n == AT_ONCE);
	return E_OK;
}

static enum err
charges_ask(struct asking *a)
{
	static const char *const came[] = { NULL, "paid", "declined", "it was never made", NULL };
	struct strs ids = { 0 };

	do {
		TRY(charges_lost(a->call->c, AT_ONCE, &ids));
		for (size_t i = 0; i < ids.n; i++) {
			struct charge *charge = NULL;
			enum err e = charge_recall(a->call->c, ids.v[i], &charge);

			e = e || !charge ? e : charge_end(a->call->c, charge);
			found_print(a, "charge", ids.v[i], e, charge ? came[charge->came] : NULL);
		}
	} while (ids.n == AT_ONCE);
	return E_OK;
}

static enum err
cmd_billing_reconcile(struct cmd_call *call)
{
	const char *kinds[] = { "link", "try", "invoice" }, *ws = NULL;
	struct asking a = { .call = call };
	struct workspace *w;

	TRY(payment_need(call->c));
	if (call->with.n) {
		TRY(workspace_named(call->c, call->with.args[0], &w));
		ws = w->id;
	}
	TRY(charges_ask(&a));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		TRY(kind_ask(&a, kinds[i], ws));
	printf("%lld asked about, %lld found, %lld failed\n", (long long)a.asked,
	    (long long)a.found, (long long)a.failed);
	call->exit = a.failed > 0;
	return E_OK;
}

const struct cmd billing_cmds[] = {
	{ "billing show", "WORKSPACE",
	    "show a workspace's subscription, invoices, refunds, and history", cmd_billing_show },
	{ "billing reconcile", "[WORKSPACE]",
	    "ask the payment provider about what is open, and deal with what it says",
	    cmd_billing_reconcile },
	{ 0 },
};
