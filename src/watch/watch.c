/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/watch.h"

#include "base/id.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/mail.h"
#include "db/db.h"

SHAPE_DEFINE(metric_watch, METRIC_WATCH);
SHAPE_DEFINE(metric_watch_new, METRIC_WATCH_NEW);
SHAPE_DEFINE(metric_query, METRIC_QUERY);

#define THRESHOLD 10.0

static struct metric
watch_metric(const struct metric_watch *w)
{
	return (struct metric){ w->table, w->kind, w->column };
}

/* ---- adding ---- */

#define WATCHER(F, T) F(T, ID, id)
SHAPE(watcher, WATCHER);

#define WATCHES_COUNTED(F, T) \
	F(T, INT, own) \
	F(T, INT, all)
SHAPE(watches_counted, WATCHES_COUNTED);

/* Checks the limits, and that the person has no watch with the same settings: it would only
 * repeat messages. The artifact's row and the person's are locked, so nobody adds a watch between
 * count and insert. */
static enum err
watch_check_new(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct metric_watch_new *in, double threshold)
{
	struct watches_counted *n;
	struct watcher *held, *same;

	TRY(db_one(c, ROWS(watcher, "SELECT id FROM user WHERE id = ? FOR UPDATE"),
	    ARGS(who->user_id), &held));
	TRY(db_one(c,
	    ROWS(watches_counted,
		"SELECT (SELECT COUNT(*) FROM metric_watch WHERE created_by = ?) AS own,"
		" (SELECT COUNT(*) FROM metric_watch WHERE artifact_id = ?) AS `all`"),
	    ARGS(who->user_id, a->id), &n));
	if (n->own >= WATCHES_A_PERSON)
		return fail(c, E_CONFLICT,
		    "You have %d watches, which is the maximum; "
		    "remove one first", WATCHES_A_PERSON);
	if (n->all >= WATCHES_AN_ARTIFACT)
		return fail(c, E_CONFLICT,
		    "The artifact has %d watches, which is the maximum", WATCHES_AN_ARTIFACT);
	TRY(db_find(c,
	    ROWS(watcher,
		"SELECT id FROM metric_watch"
		" WHERE created_by = ? AND artifact_id = ? AND table_name = ? AND kind = ?"
		" AND column_name <=> ? AND threshold_pct = ? LIMIT 1"),
	    ARGS(who->user_id, a->id, in->table, in->kind, in->column, threshold), &same));
	return same ? fail(c, E_CONFLICT, "You already have this watch: %s", same->id) : E_OK;
}

enum err
watch_add(struct ctx *c, const struct principal *who, const struct metric_watch_new *in,
    const char **id, struct artifact **on)
{
	const struct metric m = { in->table, in->kind, in->column };
	const double threshold =
	    in->has.threshold_pct == GIVEN ? in->threshold_pct : THRESHOLD;
	struct metric_value now;
	struct table_for tf;
	struct artifact *a;
	struct arg v;

	TRY(metric_artifact(c, in->artifact_id, who, false, ROLE_VIEWER, &a));
	if (!who->email)
		return fail(c, E_CONFLICT,
		    "Watches notify by e-mail, and an agent has no e-mail address");
	if (in->has.threshold_pct == GIVEN &&
	    !(in->threshold_pct >= 0.1 && in->threshold_pct <= 10000))
		return fail(c, E_INVALID, "threshold_pct: must be from 0.1 to 10000");
	TRY(metric_table(c, a, who, in->table, &tf));
	TRY(metric_check(c, tf.t, &m));
	/* Measuring may take a moment, so nothing is locked yet. metric_queue() below covers
	 * writes meanwhile. */
	TRY(metric_measure(c, &tf, &m, &now));
	TRY(metric_artifact(c, in->artifact_id, who, true, ROLE_VIEWER, &a));
	TRY(watch_check_new(c, a, who, in, threshold));
	TRY(metric_begin(c, tf.t));
	*id = id_new(c->mem, "wat_");
	*on = a;
	v = now.there ? arg_num(now.v) : arg_null();
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO metric_watch (id, artifact_id, created_by, table_name, kind,"
		" column_name, threshold_pct, baseline, value_last, last_checked_at, created_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, a->id, who->user_id, in->table, in->kind, in->column, threshold, v, v,
		c->now, c->now),
	    NULL));
	return metric_queue(c, a->id, in->table);
}

/* ---- reading ---- */

#define WATCH_COLUMNS \
	"w.id, w.artifact_id, w.table_name AS `table`, w.kind, w.column_name AS `column`," \
	" w.threshold_pct, w.baseline, w.value_last AS `last_value`, w.last_checked_at," \
	" w.last_fired_at, w.created_at, w.created_by, w.checks"

/* A measure shows what its maker sees. So other people's watches are visible only to those who
 * see all rows. */
static enum err
watch_is_visible(struct ctx *c, const struct principal *who, const struct rowpolicy *policy,
    const struct metric_watch *w, bool *out)
{
	enum verdict read;

	TRY(table_readable(c, w->artifact_id, policy, w->table, &read));
	*out = read == VERDICT_YES ||
	    (read == VERDICT_ROW && str_eq(w->created_by, who->user_id));
	return E_OK;
}

static enum err
watches_filter(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct metric_watch_list *rows)
{
	struct rowpolicy policy;
	size_t n = 0;
	bool visible;

	TRY(rowpolicy_read(c, a, who, &policy));
	for (size_t i = 0; i < rows->n; i++) {
		TRY(watch_is_visible(c, who, &policy, &rows->v[i], &visible));
		if (visible)
			rows->v[n++] = rows->v[i];
	}
	rows->n = n;
	return E_OK;
}

/* An artifact that has watches, with the caller's rights on it. */
struct watched {
	const char *id;
	bool seen;
	struct rowpolicy policy;
};

static enum err
watched_read(
    struct ctx *c, const struct principal *who, const char *artifact_id, struct watched *out)
{
	struct artifact *a;
	enum err e = metric_artifact(c, artifact_id, who, false, ROLE_VIEWER, &a);

	*out = (struct watched){ .id = artifact_id, .seen = !e };
	if (e == E_NOT_FOUND || e == E_DENIED || e == E_PAUSED)
		return ctx_forgive(c);
	TRY(e);
	return rowpolicy_read(c, a, who, &out->policy);
}

/* A watch can outlive its maker's role until the next check, so rights are checked here. */
static enum err
watches_own(struct ctx *c, const struct principal *who, struct metric_watch_list *out)
{
	struct metric_watch_list rows;
	struct watched *on;
	size_t n = 0;
	bool visible;

	TRY(db_all(c,
	    ROWS(metric_watch,
		"SELECT " WATCH_COLUMNS
		" FROM metric_watch w WHERE w.created_by = ? ORDER BY w.id LIMIT 200"),
	    ARGS(who->user_id), &rows));
	on = mem_array(c->mem, struct watched, rows.n + 1);
	*out = (struct metric_watch_list){ rows.v, 0 };
	for (size_t i = 0; i < rows.n; i++) {
		size_t at = 0;

		while (at < n && !str_eq(on[at].id, rows.v[i].artifact_id))
			at++;
		if (at == n)
			TRY(watched_read(c, who, rows.v[i].artifact_id, &on[n++]));
		visible = on[at].seen;
		if (visible)
			TRY(watch_is_visible(c, who, &on[at].policy, &rows.v[i], &visible));
		if (visible)
			out->v[out->n++] = rows.v[i];
	}
	return E_OK;
}

enum err
watch_list(struct ctx *c, const struct principal *who, const char *artifact_id,
    struct metric_watch_list *out)
{
	struct artifact *a;

	if (!artifact_id)
		return watches_own(c, who, out);
	TRY(metric_artifact(c, artifact_id, who, false, ROLE_VIEWER, &a));
	TRY(db_all(c,
	    ROWS(metric_watch,
		"SELECT " WATCH_COLUMNS
		" FROM metric_watch w WHERE w.artifact_id = ? AND (? OR w.created_by = ?)"
		" ORDER BY w.id LIMIT 200"),
	    ARGS(a->id, role_rank(a->role) >= ROLE_EDITOR, who->user_id), out));
	return watches_filter(c, a, who, out);
}

enum err
watch_list_own(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct metric_watch_list *out)
{
	TRY(db_all(c,
	    ROWS(metric_watch,
		"SELECT " WATCH_COLUMNS
		" FROM metric_watch w WHERE w.artifact_id = ? AND w.table_name = ?"
		" AND w.created_by = ? ORDER BY w.id LIMIT 200"),
	    ARGS(a->id, table, who->user_id), out));
	return watches_filter(c, a, who, out);
}

enum err
watch_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct metric_watch **out)
{
	struct rowpolicy policy;
	bool visible;

	TRY(db_one(c,
	    ROWS(metric_watch,
		"SELECT " WATCH_COLUMNS
		" FROM metric_watch w WHERE w.id = ? AND w.artifact_id = ? AND w.created_by = ?"),
	    ARGS(id, a->id, who->user_id), out));
	TRY(rowpolicy_read(c, a, who, &policy));
	TRY(watch_is_visible(c, who, &policy, *out, &visible));
	return visible
	    ? E_OK
	    : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

/* The table keeps its mark "watched". The next check clears it. */
enum err
watch_remove(struct ctx *c, const struct principal *who, const char *id)
{
	return db_exec1(c, EXEC("DELETE FROM metric_watch WHERE id = ? AND created_by = ?"),
	    ARGS(id, who->user_id));
}

#define WATCHED_ARTIFACT(F, T) F(T, ID, artifact_id, .arg = "art_")
SHAPE(watched_artifact, WATCHED_ARTIFACT);

enum err
watch_artifact(struct ctx *c, const char *id, const char **artifact_id)
{
	struct watched_artifact *row;

	TRY(db_find(c,
	    ROWS(watched_artifact, "SELECT artifact_id FROM metric_watch WHERE id = ?"),
	    ARGS(id), &row));
	*artifact_id = row ? row->artifact_id : "";
	return E_OK;
}

/* ---- checks ---- */

/* *seen: the maker can read the table. *gone: the maker lost access for good, so the watch is
 * deleted. A deleted table is neither: it may be created again. */
static enum err
watch_see_table(struct ctx *c, const struct metric_watch *w, struct table_for *tf, bool *seen,
    bool *gone)
{
	const struct principal who = {
		.kind = "person", .user_id = w->created_by, .email = w->email
	};
	struct principal *whose = mem_dup(c->mem, &who, sizeof who);
	struct artifact *a;
	enum err e = artifact_get(c, w->artifact_id, whose, false, &a);

	*seen = false;
	*gone = e == E_NOT_FOUND || (!e && !a->role);
	if (e || *gone) {
		ctx_again(c);
		return *gone ? E_OK : e;
	}
	e = table_get(c, a, whose, w->table, tf);
	if (e == E_NOT_FOUND) {
		ctx_again(c);
		return table_is_there(c, a, w->table, gone);
	}
	TRY(e);
	*gone = tf->read.verdict == VERDICT_NO;
	*seen = !*gone;
	return E_OK;
}

/* *mailed: the maker was mailed. Over a mail budget the baseline stays, so a later check mails
 * them. */
static enum err
change_mail(struct ctx *c, const struct metric_watch *w, const char *artifact,
    const struct metric_value *now, bool *mailed)
{
	const struct metric m = watch_metric(w);
	enum err e;

	*mailed = false;
	if (!now->there || w->has.baseline != GIVEN || !mail_enabled(c) ||
	    !metric_differs(w->baseline, now->v, w->threshold_pct))
		return E_OK;
	e = mail_send(c,
	    &(struct mail){ .template = MAIL_WATCH,
		.to = w->email,
		.sender_id = w->created_by,
		.artifact_id = w->artifact_id,
		.values = { .artifact = artifact,
		    .what = metric_words(c->mem, &m),
		    .now = str_figure(c->mem, now->v),
		    .before = str_figure(c->mem, w->baseline),
		    .link = mem_printf(
			c->mem, "/a/%s/data/tables/%s#watch", w->artifact_id, w->table) } });
	*mailed = !e;
	if (e != E_RATE_LIMITED)
		return e;
	return ctx_forgive(c);
}

enum err
watch_check(struct ctx *c, const char *id, struct metric_seen *already, bool *lost)
{
	struct metric_watch *w, *held;
	struct metric_value now;
	struct table_for tf;
	bool seen, gone, mailed, first;
	struct metric m;

	*lost = false;
	TRY(db_find(c,
	    ROWS(metric_watch,
		"SELECT " WATCH_COLUMNS
		", u.email, u.disabled_at IS NOT NULL AS rests"
		" FROM metric_watch w JOIN user u ON u.id = w.created_by WHERE w.id = ?"),
	    ARGS(id), &w));
	if (!w || w->rests)
		return E_OK;
	TRY(watch_see_table(c, w, &tf, &seen, &gone));
	if (gone)
		return db_exec(
		    c, EXEC("DELETE FROM metric_watch WHERE id = ?"), ARGS(w->id), NULL);
	if (!seen)
		return E_OK;
	m = watch_metric(w);
	TRY(metric_measure_once(c, &tf, &m, already, &now));
	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(metric_watch,
		"SELECT w.id FROM metric_watch w WHERE w.id = ? AND w.checks = ? FOR UPDATE"),
	    ARGS(w->id, w->checks), &held));
	*lost = !held;
	if (*lost)
		return E_OK;
	TRY(change_mail(c, w, tf.a->name, &now, &mailed));
	first = now.there && w->has.baseline != GIVEN;
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE metric_watch"
		" SET value_last = IF(?, ?, value_last), baseline = IF(?, ?, baseline),"
		" last_checked_at = ?, last_fired_at = IF(?, ?, last_fired_at), checks = checks + 1"
		" WHERE id = ? AND checks = ?"),
	    ARGS(now.there, now.v, mailed || first, now.v, c->now, mailed, c->now, w->id,
		w->checks)));
	return db_commit(c);
}

enum err
watches_said(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct list *out)
{
	struct metric_watch_list rows;

	TRY(watch_list_own(c, a, who, table, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct metric m = watch_metric(&rows.v[i]);

		rows.v[i].words = metric_words(c->mem, &m);
	}
	*out = (struct list){ rows.v, rows.n };
	return E_OK;
}

USERS(USER_ENDS(metric_watch, created_by))
FOLLOWS(watch, USERS_FOLLOW);
PURGES(watch, ROWS_OF(metric_watch));
