/* SPDX-License-Identifier: Apache-2.0
 * Checks of alerts. Each check compares with the one before, and writes the state and queues the
 * messages in one transaction. */
#include "base/log.h"
#include "base/str.h"
#include "core/mail.h"
#include "inbox/item.h"
#include "jobs/run.h"
#include "watch/alert.h"

const char *
alert_limit(void *owner, const struct metric_alert *al)
{
	const char *value = str_figure(owner, al->value);

	if (str_eq(al->op, "change_pct"))
		return mem_printf(
		    owner, "up or down by %s%% or more since the previous check", value);
	return mem_printf(owner, "%s %s", al->op, value);
}

static struct metric
alert_metric(const struct metric_alert *al)
{
	return (struct metric){ al->table, al->kind, al->column };
}

/* ---- the state ---- */

static bool
alert_breaks(const struct metric_alert *al, double now)
{
	if (str_eq(al->op, "above"))
		return now > al->value;
	if (str_eq(al->op, "below"))
		return now < al->value;
	return al->has.last_value == GIVEN && metric_differs(al->last_value, now, al->value);
}

/* Returns the next state. *breached counts consecutive checks that met the condition, up to
 * al->breaches. */
static const char *
alert_next(const struct metric_alert *al, const struct metric_value *now, int64_t *breached)
{
	bool breaks = now->there && alert_breaks(al, now->v);

	*breached = !breaks ? 0 : al->breached < al->breaches ? al->breached + 1 : al->breaches;
	if (!now->there)
		return "no_data";
	if (*breached >= al->breaches)
		return "firing";
	return breaks && str_eq(al->state, "firing") ? "firing" : "ok";
}

/* Measures all rows, as the artifact's owner sees the table. */
static enum err
alert_measure(struct ctx *c, const struct metric_alert *al, struct metric_seen *seen,
    struct artifact **a, struct metric_value *out)
{
	const struct principal owner = { .kind = "person", .user_id = al->owner_id };
	struct principal *who = mem_dup(c->mem, &owner, sizeof owner);
	const struct metric m = alert_metric(al);
	struct table_for tf;
	enum err e;

	*out = (struct metric_value){ 0 };
	TRY(artifact_get(c, al->artifact_id, who, false, a));
	e = table_get(c, *a, who, al->table, &tf);
	if (e == E_NOT_FOUND) {
		ctx_again(c);
		return E_OK;
	}
	TRY(e);
	return metric_measure_once(c, &tf, &m, seen, out);
}

/* ---- notifying ---- */

struct alerting {
	struct ctx *c;
	const struct metric_alert *al;
	const struct artifact *a; /* as its owner sees it */
	const char *state;        /* the new state */
	struct metric_value now;
};

/* Mails count against the owner's budget and the artifact's. If a budget is used up, no mail is
 * sent: the page shows the state. */
static enum err
alert_mail(const struct alerting *t, const char *to, const char *stop)
{
	const struct metric m = alert_metric(t->al);
	const enum mail_template template = str_eq(t->state, "firing") ? MAIL_ALERT_FIRING
	    : str_eq(t->state, "ok") ? MAIL_ALERT_OK : MAIL_ALERT_NO_DATA;
	struct ctx *c = t->c;
	enum err e;

	if (!mail_enabled(c))
		return E_OK;
	e = mail_send(c,
	    &(struct mail){ .template = template,
		.to = to,
		.sender_id = t->al->owner_id,
		.artifact_id = t->a->id,
		.values = { .artifact = t->a->name,
		    .alert = t->al->name,
		    .what = metric_words(c->mem, &m),
		    .now = t->now.there ? str_figure(c->mem, t->now.v) : NULL,
		    .limit = alert_limit(c->mem, t->al),
		    .link = mem_printf(c->mem, "/a/%s/data/alerts", t->a->id),
		    .stop = stop } });
	if (e != E_RATE_LIMITED && e != E_INVALID)
		return e;
	log_line(LOG_LEVEL_INFO, "alert not mailed", "alert", t->al->id, "why", ctx_why(c), NULL);
	return ctx_forgive(c);
}

#define SUBSCRIBER(F, T) \
	F(T, ID,  user_id, .arg = "usr_") \
	F(T, STR, email) \
	F(T, STR, account) \
	F(T, BOOL, mailed)
SHAPE(subscriber, SUBSCRIBER);

/* True if the subscriber still has a role and sees all rows. */
static enum err
subscriber_may(const struct alerting *t, const struct subscriber *s, bool *out)
{
	const struct principal one = {
		.kind = "person", .user_id = s->user_id, .email = s->account
	};
	struct principal *who = mem_dup(t->c->mem, &one, sizeof one);
	struct rowpolicy policy;
	enum verdict read;
	struct artifact *a;
	enum err e = artifact_get(t->c, t->a->id, who, false, &a);

	*out = !e && a->role;
	if (e == E_NOT_FOUND) {
		ctx_again(t->c);
		return E_OK;
	}
	TRY(e);
	TRY(rowpolicy_read(t->c, a, who, &policy));
	TRY(table_readable(t->c, t->a->id, &policy, t->al->table, &read));
	*out &= read == VERDICT_YES;
	return E_OK;
}

static enum err
subscribers_notify(const struct alerting *t)
{
	const enum inbox_sort sort = str_eq(t->state, "firing") ? ITEM_ALERT_FIRES
	    : str_eq(t->state, "ok") ? ITEM_ALERT_OK : ITEM_ALERT_NO_DATA;
	struct subscriber_list all;
	struct strs notified = { 0 };

	TRY(db_all(t->c,
	    ROWS(subscriber,
		"SELECT u.id AS user_id, COALESCE(s.email, u.email) AS email, u.email AS account, "
		INBOX_MAILED("alert", "u.id") " AS mailed"
		" FROM metric_subscription s JOIN user u ON u.id = s.user_id"
		" WHERE s.alert_id = ? AND u.disabled_at IS NULL AND u.email IS NOT NULL"
		" ORDER BY u.id"),
	    ARGS(t->al->id), &all));
	for (size_t i = 0; i < all.n; i++) {
		const struct subscriber *s = &all.v[i];
		bool may;

		TRY(subscriber_may(t, s, &may));
		if (may)
			strs_add(t->c->mem, &notified, s->user_id);
		if (may && s->mailed)
			TRY(alert_mail(
			    t, s->email, alert_stop_path(t->c, t->al->id, s->user_id)));
		if (!may)
			TRY(db_exec(t->c,
			    EXEC("DELETE FROM metric_subscription WHERE alert_id = ?"
				 " AND user_id = ?"),
			    ARGS(t->al->id, s->user_id), NULL));
	}
	if (!notified.n)
		return E_OK;
	return inbox_put(t->c,
	    INBOX_PUT("SELECT " INBOX_ROW("t.id", "al.id", "NULL", "NULL", "a.id",
		"a.workspace_id", "LEFT(al.name, 200)", "NULL", "NULL", "NULL") " FROM " ID_TABLE
		" JOIN metric_alert al ON al.id = ? JOIN artifact a ON a.id = al.artifact_id"),
	    sort, ARGS(ids_json(t->c, notified.v, notified.n), t->al->id));
}

/* A sentence for chats and readers of payloads. */
static const char *
alert_text(const struct alerting *t)
{
	const struct metric m = alert_metric(t->al);
	void *mem = t->c->mem;
	const char *what = metric_words(mem, &m), *now = str_figure(mem, t->now.v);

	if (str_eq(t->state, "no_data"))
		return mem_printf(mem, "No data: %s (%s). There's nothing to measure for: %s.",
		    t->al->name, t->a->name, what);
	return mem_printf(mem, "%s: %s (%s). %s is %s; the alert fires when it is %s.",
	    str_eq(t->state, "firing") ? "Alert" : "Back to normal", t->al->name, t->a->name, what,
	    now, alert_limit(mem, t->al));
}

#define ALERT_NEWS(F, T) \
	F(T, STR,  id) \
	F(T, STR,  name) \
	F(T, STR,  state) \
	F(T, STR,  state_before) \
	F(T, STR,  text) \
	F(T, STR,  table) \
	F(T, STR,  kind) \
	F(T, STR,  column,  .flags = F_NUL) \
	F(T, STR,  op) \
	F(T, NUM,  limit) \
	F(T, NUM,  value,   .flags = F_NUL) \
	F(T, TIME, at)
SHAPE(alert_news, ALERT_NEWS);

static enum err
destination_call(const struct alerting *t, const struct alert_destination *d)
{
	const struct metric_alert *al = t->al;
	struct ctx *c = t->c;
	struct alert_news news = { .id = al->id,
		.name = al->name,
		.state = t->state,
		.state_before = al->state,
		.text = alert_text(t),
		.table = al->table,
		.kind = al->kind,
		.column = al->column,
		.op = al->op,
		.limit = al->value,
		.value = t->now.v,
		.at = c->now,
		.has = { .limit = GIVEN, .value = t->now.there ? GIVEN : NULLED, .at = GIVEN } };
	struct buf b = BUF(c->mem);

	buf_str(&b, "{\"alert\":");
	shape_write(&b, &alert_news_shape, &news);
	buf_chr(&b, '}');
	return run_queue(c, d->job_id, "alert",
	    mem_printf(c->mem, "%s/%lld", al->id, (long long)al->checks), c->now, buf_done(&b));
}

static enum err
destinations_notify(const struct alerting *t)
{
	struct alert_destination_list all;

	TRY(destinations_of(t->c, t->a, &all));
	for (size_t i = 0; i < all.n; i++) {
		if (!str_eq(all.v[i].alert_id, t->al->id))
			continue;
		if (str_eq(all.v[i].type, "email"))
			TRY(alert_mail(t, all.v[i].email,
			    alert_stop_path(t->c, all.v[i].id, all.v[i].email)));
		else if (all.v[i].job_id)
			TRY(destination_call(t, &all.v[i]));
	}
	return E_OK;
}

/* ---- the check ---- */

static enum err
alert_write(const struct alerting *t, int64_t breached)
{
	struct ctx *c = t->c;
	bool changed = !str_eq(t->state, t->al->state);

	return db_exec1(c,
	    EXEC(
		"UPDATE metric_alert"
		" SET state = ?, state_since = IF(?, ?, state_since), breached = ?,"
		" value_last = IF(?, ?, value_last), last_checked_at = ?, checks = checks + 1"
		" WHERE id = ? AND checks = ?"),
	    ARGS(t->state, changed, c->now, breached, t->now.there, t->now.v, c->now, t->al->id,
		t->al->checks));
}

enum err
alert_check(struct ctx *c, const char *id, struct metric_seen *seen, bool *lost)
{
	struct alerting t = { .c = c };
	struct metric_alert *al, *held;
	struct artifact *a;
	int64_t breached;
	bool never_had_data;

	*lost = false;
	TRY(db_find(c,
	    ROWS(metric_alert,
		"SELECT al.id, al.artifact_id, al.name, al.table_name AS `table`,"
		" al.kind, al.column_name AS `column`, al.op, al.value, al.breaches, al.state,"
		" al.state_since, al.created_at, al.value_last AS `last_value`,"
		" al.breached, al.checks, a.owner_id"
		" FROM metric_alert al JOIN artifact a ON a.id = al.artifact_id"
		" WHERE al.id = ? AND al.enabled AND a.owner_id IS NOT NULL"),
	    ARGS(id), &al));
	if (!al)
		return E_OK;
	TRY(alert_measure(c, al, seen, &a, &t.now));
	t.al = al;
	t.a = a;
	t.state = alert_next(al, &t.now, &breached);
	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(metric_alert,
		"SELECT al.id FROM metric_alert al WHERE al.id = ? AND al.checks = ? FOR UPDATE"),
	    ARGS(al->id, al->checks), &held));
	*lost = !held;
	if (*lost)
		return E_OK;
	TRY(alert_write(&t, breached));
	/* Nobody was notified that there was no data at the beginning, so nobody is notified when
	 * data appears. */
	never_had_data = str_eq(al->state, "no_data") && al->state_since == al->created_at;
	if (!str_eq(t.state, al->state) && !(never_had_data && str_eq(t.state, "ok"))) {
		TRY(subscribers_notify(&t));
		TRY(destinations_notify(&t));
	}
	return db_commit(c);
}
