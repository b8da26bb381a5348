/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/account.h"

#include "base/crypto.h"
#include "base/str.h"
#include "billing/news.h"
#include "billing/subscription.h"
#include "core/follow.h"
#include "store/rounds.h"

SHAPE_DEFINE(billing_account, BILLING_ACCOUNT);
SHAPE_DEFINE(billed, BILLED);

enum err
billing_account(struct ctx *c, const char *workspace_id, struct billing_account **out)
{
	TRY(db_find(c,
	    ROWS(billing_account,
		"SELECT workspace_id, customer, card_id, card_print, trial_used_at,"
		" last_invoice_no, name_line, tax_line FROM billing_account"
		" WHERE workspace_id = ?"),
	    ARGS(workspace_id), out));
	if (*out)
		return E_OK;
	*out = mem_new(c->mem, struct billing_account);
	(*out)->workspace_id = workspace_id;
	return E_OK;
}

static enum err
account_make(struct ctx *c, const char *workspace_id)
{
	return db_exec(c, EXEC("INSERT IGNORE INTO billing_account (workspace_id) VALUES (?)"),
	    ARGS(workspace_id), NULL);
}

static enum err
trial_card_add(struct ctx *c, const char *print)
{
	return db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO billing_trial_card (card_print, used_at)"
		" VALUES (UNHEX(?), ?)"),
	    ARGS(print, c->now), NULL);
}

enum err
account_card_save(struct ctx *c, const char *workspace_id, const struct payment *p,
    const char *user_id)
{
	const char *print = NULL;
	uint8_t digest[SHA256_BYTES];
	struct billing_account *was;

	/* The provider doesn't always give a card's fingerprint. */
	if (p->card.fingerprint) {
		crypto_sha256(p->card.fingerprint, strlen(p->card.fingerprint), digest);
		print = crypto_hex(c->mem, digest, sizeof digest);
	}
	if (!p->card.id || !p->customer)
		return fail(c, E_INVALID, "session: the payment provider has kept no card");
	TRY(account_make(c, workspace_id));
	TRY(billing_account(c, workspace_id, &was));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE billing_account SET customer = ?, card_id = ?, card_brand = ?,"
		" card_last4 = ?, card_exp_month = ?, card_exp_year = ?, card_print = UNHEX(?),"
		" card_saved_by = ?, card_saved_at = ? WHERE workspace_id = ?"),
	    ARGS(p->customer, p->card.id, p->card.brand, p->card.last4, p->card.exp_month,
		p->card.exp_year, print, user_id, c->now, workspace_id)));
	/* A later workspace can't have another trial with this card. */
	if (print && was->trial_used_at)
		TRY(trial_card_add(c, print));
	return E_OK;
}

#define TRIAL_CARD(F, T) F(T, TIME, used_at)
SHAPE(trial_card, TRIAL_CARD);

enum err
account_trial_may(struct ctx *c, const struct billing_account *a, bool *yes)
{
	struct trial_card *row;

	*yes = !a->trial_used_at;
	if (!*yes || !a->card_print)
		return E_OK;
	TRY(db_find(c,
	    ROWS(trial_card, "SELECT used_at FROM billing_trial_card WHERE card_print = UNHEX(?)"),
	    ARGS(a->card_print), &row));
	*yes = row == NULL;
	return E_OK;
}

enum err
account_trial_use(struct ctx *c, const struct billing_account *a)
{
	TRY(account_make(c, a->workspace_id));
	TRY(db_exec1(c,
	    EXEC("UPDATE billing_account SET trial_used_at = ? WHERE workspace_id = ?"),
	    ARGS(c->now, a->workspace_id)));
	return a->card_print ? trial_card_add(c, a->card_print) : E_OK;
}

enum err
account_invoice_no(struct ctx *c, const char *workspace_id, int64_t *no)
{
	struct billing_account *a;

	TRY(account_make(c, workspace_id));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE billing_account SET last_invoice_no = last_invoice_no + 1"
		" WHERE workspace_id = ?"),
	    ARGS(workspace_id)));
	TRY(billing_account(c, workspace_id, &a));
	*no = a->last_invoice_no;
	return E_OK;
}

enum err
billed_hold(struct ctx *c, const char *workspace_id, struct billed **out)
{
	return db_find(c,
	    ROWS(billed,
		"SELECT id, name, people, deleted_at FROM workspace WHERE id = ? FOR UPDATE"),
	    ARGS(workspace_id), out);
}

/* ---- when other things change ---- */

/* Cancels the subscription. An activation resumes it if the workspace is restored before the end. A
 * charge that is under way continues, and the period that it pays for ends as well. */
static enum err
workspace_deleted(struct ctx *c, const struct happened *h)
{
	struct subscription *s;
	enum sub_state state;

	TRY(subscription_of(c, h->ws->id, true, &s));
	state = subscription_state(s, c->now);
	if (state == SUB_EXPIRED || state == SUB_CANCELLED)
		return E_OK;
	s->cancelled_at = c->now;
	s->ends_at = s->current_period_end > c->now ? s->current_period_end : c->now;
	return subscription_write(
	    c, s, &(struct move){ .what = "cancelled", .user_id = c->actor ? c->actor->user_id
									    : NULL });
}

#define ANY_BUSY(F, T) F(T, ID, id, .arg = "ivc_")
SHAPE(any_busy, ANY_BUSY);

/* Waits while a charge is busy, so that no payment gets lost. Checkout links stay without a
 * workspace, so that a later payment by one is refunded. */
static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	struct any_busy *busy;

	TRY(db_find(c, ROWS(any_busy, "SELECT id FROM invoice WHERE busy_of = ?"),
	    ARGS(h->workspace_id), &busy));
	if (busy && h->more) {
		*h->more = true;
		return E_OK;
	}
	TRY(db_exec(c, EXEC("DELETE FROM subscription_move WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM invoice WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM subscription WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM billing_account WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE billing_refund SET workspace_id = NULL WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL));
	TRY(db_exec(c,
	    EXEC("DELETE FROM billing_checkout WHERE workspace_id = ? AND used_at IS NOT NULL"),
	    ARGS(h->workspace_id), NULL));
	return db_exec(c,
	    EXEC("UPDATE billing_checkout SET workspace_id = NULL WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL);
}

/* Mails both owners that the stored card stays. */
static enum err
owner_changed(struct ctx *c, const struct happened *h)
{
	struct billing_account *a;
	struct subscription *s;

	TRY(billing_account(c, h->workspace_id, &a));
	TRY(subscription_of(c, h->workspace_id, false, &s));
	if (!a->card_id || subscription_state(s, c->now) == SUB_EXPIRED)
		return E_OK;
	return billing_tell(c,
	    &(struct billing_news){
		.kind = NEWS_OWNER, .sub = s, .was_owner_id = h->from_id });
}

USERS(USER_UNSET(billing_account, card_saved_by)
      USER_UNSET(subscription, created_by)
      USER_UNSET(subscription_move, user_id)
      USER_UNSET(invoice, asked_by)
      USER_UNSET(billing_checkout, made_by))
FOLLOWS(billing, { WORKSPACE_DELETED, workspace_deleted }, { WORKSPACE_PURGED, workspace_purged },
    { OWNER_CHANGED, owner_changed }, USERS_FOLLOW);

/* ---- expired rows ---- */

enum { EVENTS_KEPT_S = 90 * 86400 };

static enum err
events_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c,
	    EXEC(
		"DELETE FROM billing_event WHERE received_at <= ? AND due_at IS NULL LIMIT ?"),
	    ARGS(c->now - EVENTS_KEPT_S, limit), removed);
}

/* Keeps a link while the provider hasn't said whether somebody paid. */
static enum err
checkouts_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c,
	    EXEC(
		"DELETE FROM billing_checkout WHERE expires_at <= ? AND check_at IS NULL LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

ROUNDS(billing, { "billing_events", .rows = events_reap },
    { "billing_checkouts", .rows = checkouts_reap });
