/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/due.h"

#include "base/str.h"
#include "billing/account.h"
#include "billing/news.h"
#include "billing/terms.h"

/* ---- leasing ---- */

#define SUB_DUE(F, T) \
	F(T, ID,   id,           .arg = "sub_") \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, TIME, due_at)
SHAPE(sub_due, SUB_DUE);

enum err
subscriptions_due(struct ctx *c, int64_t limit, struct strs *ids)
{
	struct sub_due_list rows;

	TRY(db_all(c,
	    ROWS(sub_due,
		"SELECT id, workspace_id, due_at FROM subscription WHERE due_at <= ?"
		" AND COALESCE(lease_until, 0) <= ? ORDER BY due_at LIMIT ?"),
	    ARGS(c->now, c->now, limit), &rows));
	*ids = (struct strs){ mem_array(c->mem, const char *, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		int64_t mine;

		TRY(db_exec(c,
		    EXEC(
			"UPDATE subscription SET lease_until = ?"
			" WHERE id = ? AND due_at <= ? AND COALESCE(lease_until, 0) <= ?"),
		    ARGS(c->now + LEASE_S, rows.v[i].id, c->now, c->now), &mine));
		if (mine)
			ids->v[ids->n++] = rows.v[i].id;
	}
	return E_OK;
}

/* ---- one move ---- */

/* Postpones the next check without changing the state. */
static enum err
put_off(struct ctx *c, const struct subscription *s, int64_t to)
{
	return db_exec(c,
	    EXEC("UPDATE subscription SET due_at = ?, lease_until = NULL WHERE id = ?"),
	    ARGS(to ? arg_int(to) : arg_null(), s->id), NULL);
}

static enum err
trial_announce(struct ctx *c, struct subscription *s, const struct billed *w)
{
	struct terms t;

	TRY(terms_next(c, s, w->people, &t));
	TRY(db_exec(c, EXEC("UPDATE subscription SET told_at = ? WHERE id = ?"),
	    ARGS(c->now, s->id), NULL));
	s->told_at = c->now;
	TRY(put_off(c, s, subscription_due_at(s)));
	return billing_tell(c,
	    &(struct billing_news){ .kind = NEWS_TRIAL_ENDS,
		.sub = s,
		.amount_cents = t.due_cents,
		.at = s->current_period_end });
}

/* what: a word of the history, "ended" or "plan_gone". */
static enum err
end_now(struct ctx *c, struct subscription *s, const char *what, int64_t at)
{
	s->ended_at = at;
	TRY(subscription_write(c, s, &(struct move){ .what = what }));
	return billing_tell(c, &(struct billing_news){ .kind = NEWS_ENDED, .sub = s, .at = at });
}

static enum err
renew(struct ctx *c, struct subscription *s, const struct billed *w, struct charge **charge)
{
	enum { NO_PROVIDER_S = 3600 };
	struct charge_for f;
	struct terms t;

	TRY(terms_next(c, s, w->people, &t));
	/* A plan that is no longer configured runs to the end of the paid period. */
	if (t.plan_gone)
		return end_now(c, s, "plan_gone", c->now);
	if (!payment_enabled(c))
		return put_off(c, s, c->now + NO_PROVIDER_S);
	f = terms_charge(&t, "renew", s, NULL);
	return charge_begin(c, &f, charge);
}

/* Makes the change that the clock requires. If the clock has jumped over the whole grace period
 * without a try, it renews once, for a period that begins now. */
static enum err
step(struct ctx *c, struct subscription *s, const struct billed *w, struct charge **charge)
{
	enum sub_state state = subscription_state(s, c->now);
	bool busy;

	TRY(subscription_busy(c, w->id, &busy));
	if (busy)
		return put_off(c, s, c->now + CHARGE_LOST_S);
	if (state == SUB_EXPIRED && (s->cancelled_at || !s->card || s->tries))
		return end_now(c, s, "ended", subscription_paid_until(s));
	if (c->now >= s->current_period_end && !s->cancelled_at)
		return renew(c, s, w, charge);
	if (state == SUB_TRIALING && !s->told_at && subscription_due_at(s) <= c->now)
		return trial_announce(c, s, w);
	return put_off(c, s, subscription_due_at(s));
}

static enum err
step_once(struct ctx *c, const struct sub_due *row, struct charge **charge)
{
	struct subscription *s;
	struct billed *w;

	*charge = NULL;
	TRY(db_begin(c));
	TRY(billed_hold(c, row->workspace_id, &w));
	TRY(subscription_of(c, row->workspace_id, true, &s));
	if (w && s && str_eq(s->id, row->id) && !s->ended_at && s->due_at && s->due_at <= c->now)
		TRY(step(c, s, w, charge));
	return db_commit(c);
}

enum err
subscription_step(struct ctx *c, const char *id, struct charge **charge)
{
	struct sub_due *row;
	int tries = 0;
	enum err e;

	*charge = NULL;
	TRY(db_find(c,
	    ROWS(sub_due, "SELECT id, workspace_id, due_at FROM subscription WHERE id = ?"),
	    ARGS(id), &row));
	if (!row)
		return E_OK;
	do
		e = step_once(c, row, charge);
	while (db_again(c, e, &tries));
	return e;
}
