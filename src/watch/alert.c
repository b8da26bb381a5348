/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/alert.h"

#include "base/id.h"
#include "base/str.h"
#include "core/find.h"
#include "core/user.h"
#include "db/db.h"

#include <math.h>

SHAPE_DEFINE(metric_alert, METRIC_ALERT);
SHAPE_DEFINE(metric_alert_new, METRIC_ALERT_NEW);
SHAPE_DEFINE(metric_alert_edit, METRIC_ALERT_EDIT);
SHAPE_DEFINE(alert_query, ALERT_QUERY);
SHAPE_DEFINE(alert_subscribe, ALERT_SUBSCRIBE);

/* ---- reading ---- */

#define ALERT_COLUMNS \
	"al.id, al.artifact_id, al.name, al.table_name AS `table`, al.kind," \
	" al.column_name AS `column`, al.op, al.value, al.breaches, al.enabled, al.state," \
	" al.state_since," \
	" al.value_last AS `last_value`, al.last_checked_at, al.created_at, al.updated_at," \
	" al.breached, al.checks, s.user_id IS NOT NULL AS subscribed"

bool
alert_is_managed(const struct artifact *a)
{
	return role_rank(a->role) >= ROLE_EDITOR ||
	    member_rank(a->workspace_role) >= MEMBER_ADMIN;
}

/* Only people who see all rows may see an alert: its value would reveal something about the
 * other rows. */
static enum err
alert_is_visible(struct ctx *c, const char *artifact_id, const struct rowpolicy *policy,
    const char *table, bool *out)
{
	enum verdict read;

	TRY(table_readable(c, artifact_id, policy, table, &read));
	*out = read == VERDICT_YES;
	return E_OK;
}

/* Sets the alert's destinations. In `all`, those of one alert are adjacent. */
static void
destinations_attach(struct metric_alert *al, const struct artifact *a,
    const struct alert_destination_list *all)
{
	size_t first = 0;

	al->has.destinations = alert_is_managed(a) ? GIVEN : NULLED;
	while (first < all->n && !str_eq(all->v[first].alert_id, al->id))
		first++;
	al->destinations = (struct list){ all->v + first, 0 };
	while (first + al->destinations.n < all->n &&
	    str_eq(all->v[first + al->destinations.n].alert_id, al->id))
		al->destinations.n++;
}

enum err
alert_list(struct ctx *c, const struct principal *who, const char *artifact_id,
    struct metric_alert_list *out)
{
	struct alert_destination_list destinations = { 0 };
	struct metric_alert_list rows;
	struct rowpolicy policy;
	struct artifact *a;
	bool visible;

	TRY(metric_artifact(c, artifact_id, who, false, ROLE_VIEWER, &a));
	TRY(rowpolicy_read(c, a, who, &policy));
	TRY(db_all(c,
	    ROWS(metric_alert,
		"SELECT " ALERT_COLUMNS
		" FROM metric_alert al"
		" LEFT JOIN metric_subscription s ON s.alert_id = al.id AND s.user_id = ?"
		" WHERE al.artifact_id = ? ORDER BY al.id"),
	    ARGS(who->user_id, a->id), &rows));
	if (alert_is_managed(a))
		TRY(destinations_of(c, a, &destinations));
	*out = (struct metric_alert_list){ rows.v, 0 };
	for (size_t i = 0; i < rows.n; i++) {
		TRY(alert_is_visible(c, a->id, &policy, rows.v[i].table, &visible));
		if (!visible)
			continue;
		destinations_attach(&rows.v[i], a, &destinations);
		out->v[out->n++] = rows.v[i];
	}
	return E_OK;
}

static enum err
alert_absent(struct ctx *c)
{
	return fail(c, E_NOT_FOUND, "This alert doesn't exist, or you don't have access to it");
}

enum err
alert_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct metric_alert **out)
{
	struct alert_destination_list destinations = { 0 };
	struct rowpolicy policy;
	bool visible;

	TRY(db_find(c,
	    ROWS(metric_alert,
		"SELECT " ALERT_COLUMNS
		" FROM metric_alert al"
		" LEFT JOIN metric_subscription s ON s.alert_id = al.id AND s.user_id = ?"
		" WHERE al.id = ? AND al.artifact_id = ?"),
	    ARGS(who->user_id, id, a->id), out));
	if (!*out)
		return alert_absent(c);
	TRY(rowpolicy_read(c, a, who, &policy));
	TRY(alert_is_visible(c, a->id, &policy, (*out)->table, &visible));
	if (!visible)
		return alert_absent(c);
	if (alert_is_managed(a))
		TRY(destinations_of(c, a, &destinations));
	destinations_attach(*out, a, &destinations);
	return E_OK;
}

#define ALERTED_ARTIFACT(F, T) F(T, ID, artifact_id, .arg = "art_")
SHAPE(alerted_artifact, ALERTED_ARTIFACT);

enum err
alert_artifact(struct ctx *c, const char *id, const char **artifact_id)
{
	struct alerted_artifact *row;

	TRY(db_find(c,
	    ROWS(alerted_artifact, "SELECT artifact_id FROM metric_alert WHERE id = ?"),
	    ARGS(id), &row));
	*artifact_id = row ? row->artifact_id : "";
	return E_OK;
}

/* ---- adding ---- */

static enum err
limit_check(struct ctx *c, const char *op, double value)
{
	if (!isfinite(value))
		return fail(c, E_INVALID, "value: is too large");
	if (str_eq(op, "change_pct") && (value < 0.1 || value > 10000))
		return fail(c, E_INVALID, "value: must be from 0.1 to 10000 for change_pct");
	return E_OK;
}

static enum err
subscription_set(struct ctx *c, const char *alert_id, const char *user_id, const char *email)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO metric_subscription (alert_id, user_id, email, created_at)"
		" VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE email = VALUES(email)"),
	    ARGS(alert_id, user_id, email, c->now), NULL);
}

struct alert_measured {
	struct table_for tf;
	struct metric_value now;
};

static enum err
alert_measure(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct metric_alert_new *in, struct alert_measured *out)
{
	const struct metric m = { in->table, in->kind, in->column };

	TRY(limit_check(c, in->op, in->value));
	TRY(metric_table(c, a, who, in->table, &out->tf));
	TRY(metric_check(c, out->tf.t, &m));
	if (out->tf.read.verdict != VERDICT_YES)
		return fail(c, E_DENIED,
		    "table: you can see only some rows of %s, and an alert tells of all of them; "
		    "watch the table instead",
		    in->table);
	return metric_measure(c, &out->tf, &m, &out->now);
}

#define ALERTS_COUNTED(F, T) F(T, INT, n)
SHAPE(alerts_counted, ALERTS_COUNTED);

static enum err
alert_record(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct metric_alert_new *in, const struct alert_measured *measured, const char **id,
    struct alert_secrets *made)
{
	const struct metric_value now = measured->now;
	struct alerts_counted *row;

	TRY(db_one(c,
	    ROWS(alerts_counted, "SELECT COUNT(*) AS n FROM metric_alert WHERE artifact_id = ?"),
	    ARGS(a->id), &row));
	if (row->n >= ALERTS_MAX)
		return fail(c, E_CONFLICT,
		    "The artifact has %d alerts, the maximum; delete one first", ALERTS_MAX);
	TRY(metric_begin(c, measured->tf.t));
	*id = id_new(c->mem, "alr_");
	/* The first value is recorded without a message. The first check reports a condition that
	 * holds already. */
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO metric_alert"
		" (id, artifact_id, name, table_name, kind, column_name, op, value, breaches,"
		" enabled, state, state_since, value_last, last_checked_at, created_at, updated_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, a->id, in->name, in->table, in->kind, in->column, in->op, in->value,
		in->has.breaches == GIVEN ? in->breaches : 1,
		in->has.enabled != GIVEN || in->enabled, now.there ? "ok" : "no_data", c->now,
		now.there ? arg_num(now.v) : arg_null(), c->now, c->now, c->now),
	    NULL));
	if (in->has.destinations == GIVEN)
		TRY(destinations_replace(c, a, *id, &in->destinations, made));
	else if (who->email)
		TRY(subscription_set(c, *id, who->user_id, NULL));
	TRY(find_changed(c, FIND_ALERT, *id));
	return metric_queue(c, a->id, in->table);
}

enum err
alert_add(struct ctx *c, const struct principal *who, const struct metric_alert_new *in,
    const char **id, struct alert_secrets *made)
{
	struct alert_measured measured;
	struct artifact *a;

	*made = (struct alert_secrets){ 0 };
	TRY(metric_artifact(c, in->artifact_id, who, false, ROLE_EDITOR, &a));
	/* Measuring may take a moment, so nothing is locked yet. */
	TRY(alert_measure(c, a, who, in, &measured));
	TRY(metric_artifact(c, in->artifact_id, who, true, ROLE_EDITOR, &a));
	return alert_record(c, a, who, in, &measured, id, made);
}

enum err
alert_add_held(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct metric_alert_new *in, const char **id, struct alert_secrets *made)
{
	struct alert_measured measured;

	*made = (struct alert_secrets){ 0 };
	TRY(alert_measure(c, a, who, in, &measured));
	return alert_record(c, a, who, in, &measured, id, made);
}

/* ---- changing ---- */

enum err
alert_change(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    const struct metric_alert_edit *in, struct alert_secrets *made)
{
	struct metric_alert *old;
	bool anew;

	*made = (struct alert_secrets){ 0 };
	TRY(alert_get(c, a, who, id, &old));
	anew = (in->op && !str_eq(in->op, old->op)) ||
	    (in->has.value == GIVEN && in->value != old->value) ||
	    (in->has.breaches == GIVEN && in->breaches != old->breaches) ||
	    (in->has.enabled == GIVEN && in->enabled && !old->enabled);
	TRY(limit_check(c, in->op ? in->op : old->op,
	    in->has.value == GIVEN ? in->value : old->value));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE metric_alert"
		" SET name = COALESCE(?, name), op = COALESCE(?, op), value = IF(?, ?, value),"
		" breaches = COALESCE(?, breaches), enabled = COALESCE(?, enabled),"
		" state_since = IF(? AND state <> 'ok', ?, state_since), state = IF(?,"
		" 'ok', state), breached = IF(?, 0, breached), checks = checks + 1, updated_at = ?"
		" WHERE id = ? AND artifact_id = ?"),
	    ARGS(in->name, in->op, in->has.value == GIVEN, in->value,
		arg_opt(in->has.breaches, in->breaches), arg_opt(in->has.enabled, in->enabled),
		anew, c->now, anew, anew, c->now, id, a->id)));
	if (in->has.destinations == GIVEN)
		TRY(destinations_replace(c, a, id, &in->destinations, made));
	if (in->name && !str_eq(in->name, old->name))
		TRY(find_changed(c, FIND_ALERT, id));
	return anew ? metric_queue(c, a->id, old->table) : E_OK;
}

enum err
alert_delete(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct metric_alert *al;

	TRY(alert_get(c, a, who, id, &al));
	TRY(destinations_drop(c, a, id));
	TRY(db_exec1(c, EXEC("DELETE FROM metric_alert WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id)));
	return find_changed(c, FIND_ALERT, id);
}

/* ---- subscriptions ---- */

enum err
alert_subscribe(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const char *email)
{
	struct metric_alert *al;
	const char *user_id;

	TRY(alert_get(c, a, who, id, &al));
	if (!who->email)
		return fail(c, E_CONFLICT,
		    "An agent can't subscribe: "
		    "subscribers are notified by e-mail, and an agent has no address");
	if (email) {
		/* Any address that signs in to this account is theirs. */
		TRY(user_id_of_email(c, email_fold(c, email), &user_id));
		if (!str_eq(user_id, who->user_id))
			return fail(c, E_DENIED,
			    "email: you can subscribe only your own addresses; "
			    "editors can add others as destinations");
	}
	return subscription_set(c, al->id, who->user_id,
	    email && !str_eq(email_fold(c, email), who->email) ? email_fold(c, email) : NULL);
}

enum err
alert_unsubscribe(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct metric_alert *al;

	TRY(alert_get(c, a, who, id, &al));
	return db_exec(c,
	    EXEC("DELETE FROM metric_subscription WHERE alert_id = ? AND user_id = ?"),
	    ARGS(al->id, who->user_id), NULL);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO metric_subscription (alert_id, user_id, email, created_at)"
		" SELECT alert_id, ?, email, created_at FROM metric_subscription"
		" WHERE user_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	return db_exec(c, EXEC("DELETE FROM metric_subscription WHERE user_id = ?"),
	    ARGS(h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("DELETE FROM metric_subscription WHERE user_id = ?"),
	    ARGS(h->user_id), NULL);
}

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, al.id" FIND_HAPPENED
		 " JOIN metric_alert al ON al.artifact_id = a.id"),
	    ARGS(FIND_ALERT, FIND_HAPPENED_ARGS(h)), NULL);
}

void
alert_say(struct ctx *c, struct metric_alert *al)
{
	const struct metric m = { al->table, al->kind, al->column };

	al->words = mem_printf(c->mem, "%s, %s", metric_words(c->mem, &m), alert_limit(c->mem, al));
}

FOLLOWS(alert, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { FINDERS_CHANGE, finders_change });

/* ---- search ---- */

#define ALERT_FOUND(F, T) \
	FOUND(F, T) \
	RULED(F, T) \
	F(T, STR, table)
SHAPE(found_alert, ALERT_FOUND);

static enum err
alert_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_alert_list rows;
	struct rowpolicy policy;
	bool visible;

	TRY(db_all(c,
	    ROWS(found_alert,
		"SELECT al.id AS `key`, al.id, al.name AS title, CONCAT(al.table_name, ' in ',"
		" a.name, IF(al.state = 'firing', ' · firing', '')) AS subtitle,"
		" CONCAT('/a/', a.id, '/data/alerts') AS url, a.id AS artifact_id,"
		" a.workspace_id, a.owner_id = s.user_id AS own, al.updated_at,"
		" al.table_name AS `table`, " RULED_COLUMNS
		" FROM " FIND_ASKED " STRAIGHT_JOIN metric_alert al ON al.id = t.id"
		" STRAIGHT_JOIN artifact a ON a.id = al.artifact_id" ROLE_TABLES("s.user_id")
		" WHERE " FIND_ARTIFACT_SHOWN " HAVING role IS NOT NULL"),
	    FIND_ARGS(asked), &rows));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct found_alert *al = &rows.v[i];

		TRY(rowpolicy_read(c, RULED_ARTIFACT(al), asked->who, &policy));
		TRY(alert_is_visible(c, al->artifact_id, &policy, al->table, &visible));
		if (!visible)
			continue;
		/* Viewers have no page of a single alert, so their link leads to the list. */
		if (alert_is_managed(RULED_ARTIFACT(al)))
			al->url = mem_printf(c->mem, "%s/%s", al->url, al->id);
		out->v[out->n++] = FOUND_OF(c, al);
	}
	return E_OK;
}

FINDS(alert, FIND_ALERT, "alerts", ARTIFACTS_READ, alert_found,
    .text = ROWS(find_text,
	"SELECT al.id, " FIND_ARTIFACT_AUDIENCES " AS audiences, al.name,"
	" al.table_name AS text FROM " ID_TABLE
	" STRAIGHT_JOIN metric_alert al ON al.id = t.id"
	" STRAIGHT_JOIN artifact a ON a.id = al.artifact_id AND a.owner_id IS NOT NULL"),
    .all = FIND_ALL("metric_alert"));
PURGES(alert, ROWS_OF(metric_alert));
