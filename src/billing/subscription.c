/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/subscription.h"

#include "base/str.h"
#include "billing/money.h"
#include "core/audit.h"

SHAPE_DEFINE(stored_card, STORED_CARD);
SHAPE_DEFINE(subscription, SUBSCRIPTION);
SHAPE_DEFINE(subscription_moved, SUBSCRIPTION_MOVE);

/* ---- states from times ---- */

bool
subscription_in_trial(const struct subscription *s)
{
	return s->trial_ends_at && s->current_period_end <= s->trial_ends_at;
}

enum sub_state
subscription_state(const struct subscription *s, int64_t now)
{
	int64_t over;

	if (!s || s->ended_at)
		return SUB_EXPIRED;
	if (s->cancelled_at)
		return now < s->ends_at ? SUB_CANCELLED : SUB_EXPIRED;
	if (now < s->current_period_end)
		return subscription_in_trial(s) ? SUB_TRIALING : SUB_ACTIVE;
	/* A period that isn't paid has some days of grace if there is a card to try. It counts as
	 * active before the first try, for as long as a runner may take. */
	over = now - s->current_period_end;
	if (!s->card || over >= GRACE_S)
		return SUB_EXPIRED;
	return s->tries || over >= UNTRIED_S ? SUB_PAST_DUE : SUB_ACTIVE;
}

const char *
subscription_word(enum sub_state state)
{
	static const char *const words[] = { [SUB_TRIALING] = "trialing",
		[SUB_ACTIVE] = "active",
		[SUB_PAST_DUE] = "past_due",
		[SUB_CANCELLED] = "cancelled",
		[SUB_EXPIRED] = "expired" };

	return words[state];
}

int64_t
subscription_paid_until(const struct subscription *s)
{
	return s->ended_at         ? s->ended_at
	    : s->cancelled_at      ? s->ends_at
	    : s->card              ? s->current_period_end + GRACE_S
				   : s->current_period_end;
}

int64_t
subscription_due_at(const struct subscription *s)
{
	static const int64_t retries[] = RETRY_DAYS;
	int64_t end = s->current_period_end, notice = end - TRIAL_NOTICE_S;

	if (s->ended_at)
		return 0;
	if (s->cancelled_at)
		return s->ends_at;
	if (subscription_in_trial(s) && !s->told_at && !s->tries &&
	    notice > s->current_period_start)
		return notice;
	if (!s->card)
		return end;
	return (size_t)s->tries < sizeof retries / sizeof *retries
	    ? end + retries[s->tries] * 86400
	    : end + GRACE_S;
}

/* ---- reading ---- */

#define SUB_ROWS \
	"SELECT s.id, s.workspace_id, s.plan_id, s.seats, s.pending_seats, s.pending_plan_id," \
	" s.trial_ends_at, s.period_start AS current_period_start," \
	" s.period_end AS current_period_end, s.ends_at, s.currency," \
	" IF(a.card_id IS NULL, NULL, COALESCE(a.card_brand, 'card')) AS `card.brand`," \
	" COALESCE(a.card_last4, '') AS `card.last4`," \
	" COALESCE(a.card_exp_month, 0) AS `card.exp_month`," \
	" COALESCE(a.card_exp_year, 0) AS `card.exp_year`," \
	" s.created_at, s.price_cents, s.anchor_at, s.cancelled_at, s.ended_at, s.tries," \
	" s.told_at, s.due_at FROM subscription s" \
	" LEFT JOIN billing_account a ON a.workspace_id = s.workspace_id"
#define SUB_OF SUB_ROWS " WHERE s.workspace_id = ?" \
	" ORDER BY s.live_of IS NULL, s.created_at DESC, s.id DESC LIMIT 1"

enum err
subscription_of(struct ctx *c, const char *workspace_id, bool lock, struct subscription **out)
{
	const struct price_plan *plan;
	struct subscription *s;
	struct tier t;

	TRY(db_find(c,
	    lock ? ROWS(subscription, SUB_OF " FOR UPDATE") : ROWS(subscription, SUB_OF),
	    ARGS(workspace_id), out));
	s = *out;
	if (!s)
		return E_OK;
	tier_read(c, &(struct tier_row){ .paid_plan = s->plan_id, .paid_until = INT64_MAX }, &t);
	plan = tier_plan_named(c, s->plan_id);
	s->tier = plan ? plan->tier : t.plan->tier;
	s->status = subscription_word(subscription_state(s, c->now));
	s->amount_cents = money_whole(s->price_cents, s->seats);
	return E_OK;
}

enum err
subscription_show(struct ctx *c, const struct workspace *w, struct subscription **out)
{
	TRY(subscription_of(c, w->id, false, out));
	if (!*out)
		return E_OK;
	if (member_rank(w->role) < MEMBER_ADMIN)
		(*out)->card = NULL;
	/* No period follows that pending changes could begin with. */
	if ((*out)->cancelled_at) {
		(*out)->pending_plan_id = NULL;
		(*out)->has.pending_seats = NULLED;
	}
	return E_OK;
}

#define SUB_PLACE(F, T) F(T, ID, workspace_id, .arg = "wsp_")
SHAPE(sub_place, SUB_PLACE);

enum err
subscription_workspace(struct ctx *c, const char *id, const char **workspace_id)
{
	struct sub_place *row;

	TRY(db_find(c, ROWS(sub_place, "SELECT workspace_id FROM subscription WHERE id = ?"),
	    ARGS(id), &row));
	*workspace_id = row ? row->workspace_id : NULL;
	return E_OK;
}

enum err
subscription_busy(struct ctx *c, const char *workspace_id, bool *yes)
{
	struct sub_place *row;

	TRY(db_find(c, ROWS(sub_place, "SELECT workspace_id FROM invoice WHERE busy_of = ?"),
	    ARGS(workspace_id), &row));
	*yes = row != NULL;
	return E_OK;
}

/* ---- writing ---- */

static struct arg
time_or_null(int64_t at)
{
	return at ? arg_int(at) : arg_null();
}

static const char *
sub_facts(struct ctx *c, const struct subscription *s)
{
	return audit_facts(c,
	    "plan|price_cents|seats|pending_plan|pending_seats|trial_ends_at|period_start"
	    "|period_end|cancelled_at|ends_at|ended_at|tries",
	    s->plan_id, s->price_cents, s->seats, s->pending_plan_id,
	    time_or_null(s->pending_seats), time_or_null(s->trial_ends_at),
	    s->current_period_start, s->current_period_end, time_or_null(s->cancelled_at),
	    time_or_null(s->ends_at), time_or_null(s->ended_at), s->tries);
}

static enum err
sub_insert(struct ctx *c, const struct subscription *s, const char *user_id)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO subscription (id, workspace_id, live_of, plan_id, price_cents,"
		" currency, seats, pending_seats, pending_plan_id, trial_ends_at, anchor_at,"
		" period_start, period_end, due_at, created_by, created_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(s->id, s->workspace_id, s->workspace_id, s->plan_id, s->price_cents, s->currency,
		s->seats, time_or_null(s->pending_seats), s->pending_plan_id,
		time_or_null(s->trial_ends_at), s->anchor_at, s->current_period_start,
		s->current_period_end, time_or_null(subscription_due_at(s)), user_id,
		s->created_at),
	    NULL);
}

static enum err
sub_update(struct ctx *c, const struct subscription *s)
{
	return db_exec1(c,
	    EXEC(
		"UPDATE subscription SET live_of = ?, plan_id = ?, price_cents = ?, currency = ?,"
		" seats = ?, pending_seats = ?, pending_plan_id = ?, trial_ends_at = ?,"
		" anchor_at = ?, period_start = ?, period_end = ?, cancelled_at = ?, ends_at = ?,"
		" ended_at = ?, tries = ?, told_at = ?, due_at = ?, lease_until = NULL"
		" WHERE id = ?"),
	    ARGS(s->ended_at ? NULL : s->workspace_id, s->plan_id, s->price_cents, s->currency,
		s->seats, time_or_null(s->pending_seats), s->pending_plan_id,
		time_or_null(s->trial_ends_at), s->anchor_at, s->current_period_start,
		s->current_period_end, time_or_null(s->cancelled_at), time_or_null(s->ends_at),
		time_or_null(s->ended_at), s->tries, time_or_null(s->told_at),
		time_or_null(subscription_due_at(s)), s->id));
}

static enum err
entitle(struct ctx *c, const struct subscription *s)
{
	bool over = s->ended_at != 0;

	return db_exec1(c,
	    EXEC(
		"UPDATE workspace SET paid_plan = ?, paid_until = ?, paid_seats = ?, plan_due = ?"
		" WHERE id = ?"),
	    ARGS(over ? NULL : s->plan_id,
		over ? arg_null() : arg_int(subscription_paid_until(s)),
		over ? arg_null() : arg_int(s->seats), c->now, s->workspace_id));
}

enum err
subscription_write(struct ctx *c, const struct subscription *s, const struct move *m)
{
	static struct stored_card some;
	struct subscription now = *s, *was;
	struct sub_place *card;

	TRY(db_find(c, ROWS(subscription, SUB_ROWS " WHERE s.id = ? FOR UPDATE"), ARGS(s->id),
	    &was));
	/* *s may have been read before the workspace's card changed. */
	TRY(db_find(c,
	    ROWS(sub_place,
		"SELECT workspace_id FROM billing_account WHERE workspace_id = ?"
		" AND card_id IS NOT NULL"),
	    ARGS(now.workspace_id), &card));
	now.card = card ? &some : NULL;
	TRY(was ? sub_update(c, &now) : sub_insert(c, &now, m->user_id));
	TRY(entitle(c, &now));
	/* A charge that is still under way keeps its invoice; charge_settle() ends it. */
	if (subscription_state(&now, c->now) == SUB_EXPIRED)
		TRY(db_exec(c,
		    EXEC(
			"UPDATE invoice SET status = 'failed'"
			" WHERE subscription_id = ? AND status = 'open' AND busy_of IS NULL"),
		    ARGS(s->id), NULL));
	return db_exec(c,
	    EXEC(
		"INSERT INTO subscription_move (subscription_id, no, workspace_id, what, user_id,"
		" event_id, invoice_id, amount_cents, was, became, at)"
		" SELECT ?, COALESCE(MAX(m.no), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?"
		" FROM subscription_move m WHERE m.subscription_id = ?"),
	    ARGS(now.id, now.workspace_id, m->what, m->user_id, m->event_id, m->invoice_id,
		m->amount_cents ? arg_int(m->amount_cents) : arg_null(),
		was ? sub_facts(c, was) : NULL, sub_facts(c, &now), c->now, now.id),
	    NULL);
}

enum err
subscription_expire(struct ctx *c, struct subscription *s)
{
	if (s->ended_at || subscription_state(s, c->now) != SUB_EXPIRED)
		return E_OK;
	s->ended_at = subscription_paid_until(s);
	return subscription_write(c, s, &(struct move){ .what = "ended" });
}

enum err
subscription_card_came(struct ctx *c, const char *workspace_id)
{
	struct subscription *s;

	TRY(subscription_of(c, workspace_id, true, &s));
	if (!s || s->ended_at)
		return E_OK;
	TRY(entitle(c, s));
	return db_exec1(c, EXEC("UPDATE subscription SET due_at = ? WHERE id = ?"),
	    ARGS(subscription_state(s, c->now) == SUB_PAST_DUE ? c->now : subscription_due_at(s),
		s->id));
}

/* ---- its history ---- */

enum err
subscription_moves(struct ctx *c, const char *workspace_id, struct subscription_moved_list *out)
{
	return db_all(c,
	    ROWS(subscription_moved,
		"SELECT m.no, m.subscription_id, m.what, m.user_id, u.name AS user_name,"
		" m.event_id, m.invoice_id, m.amount_cents, m.was, m.became, m.at"
		" FROM subscription_move m LEFT JOIN user u ON u.id = m.user_id"
		" WHERE m.workspace_id = ? ORDER BY m.at DESC, m.subscription_id DESC, m.no DESC"
		" LIMIT 200"),
	    ARGS(workspace_id), out);
}
