/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/governed.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/jobtitle.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/audit.h"
#include "core/follow.h"
#include "db/ids.h"
#include "ext/egress.h"
#include "inbox/item.h"
#include "jobs/job_row.h"
#include "jobs/run_row.h"
#include "jobs/runnow.h"
#include "store/rounds.h"

SHAPE_DEFINE(governed_artifact, GOVERNED_ARTIFACT);
SHAPE_DEFINE(governed_counts, GOVERNED_COUNTS);
SHAPE_DEFINE(governed_job, GOVERNED_JOB);
SHAPE_DEFINE(governed_job_query, GOVERNED_JOB_QUERY);
SHAPE_DEFINE(governed_edit, GOVERNED_EDIT);
SHAPE_DEFINE(governed_host, GOVERNED_HOST);

enum { COUNTED_S = 86400, FAILING = 1, PAUSED = 2, MOVED_AT_ONCE = 1000 };

static const struct {
	const char *word, *trigger;
} surfaces[] = { [SURFACE_ANY] = { NULL, NULL }, [SCHEDULES] = { "schedule", "cron" },
	[AUTOMATIONS] = { "automation", "event" } };

enum surface
surface_of(const char *word)
{
	return !word                          ? SURFACE_ANY
	    : str_starts(word, "schedule")    ? SCHEDULES
					      : AUTOMATIONS;
}

const char *
surface_word(enum surface surface)
{
	return surfaces[surface].word;
}

/* ---- reading ---- */

#define GOVERNED_COLUMNS \
	"SELECT " JOB_COLUMNS ", a.id AS `artifact.id`, a.name AS `artifact.name`," \
	" a.slug AS `artifact.slug`, u.id AS `owner.user_id`, u.name AS `owner.name`," \
	" u.email AS `owner.email`, u.kind AS `owner.kind`" \
	" FROM job j"
#define GOVERNED_JOINS \
	" STRAIGHT_JOIN artifact a ON a.id = j.artifact_id AND a.workspace_id = j.workspace_id" \
	" LEFT JOIN user u ON u.id = j.created_by"
/* Conditions after those of the index. */
#define GOVERNED_WHERE \
	" AND j.id > ? AND j.deleted_at IS NULL AND a.deleted_at IS NULL" \
	" AND (? IS NULL OR j.artifact_id = ?)" \
	" AND (? IS NULL OR LOCATE(LOWER(?), LOWER(CONCAT(COALESCE(j.name, ''), ' ', a.name))))" \
	" ORDER BY j.id LIMIT ?"

#define COUNTS_OF(F, T) \
	F(T, STR, job_id) \
	GOVERNED_COUNTS(F, T)
SHAPE(counts_of, COUNTS_OF);

/* Ids of runs begin with their time, so a range of ids is a range of time. */
static enum err
counts_fill(struct ctx *c, struct governed_job *v, size_t n)
{
	const char **ids = mem_array(c->mem, const char *, n + 1);
	struct counts_of_list rows;

	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].id;
	TRY(db_all(c,
	    ROWS(counts_of,
		"SELECT STRAIGHT_JOIN r.job_id, SUM(r.status = 'success') AS success,"
		" SUM(r.status = 'failed') AS failed FROM " ID_TABLE
		" JOIN job_run r FORCE INDEX (job_run_job) ON r.job_id = t.id AND r.id >= ?"
		" GROUP BY r.job_id"),
	    ARGS(ids_json(c, ids, n), id_first(c->mem, "run_", c->now - COUNTED_S)), &rows));
	for (size_t i = 0; i < n; i++) {
		struct governed_counts *counts = mem_new(c->mem, struct governed_counts);

		for (size_t k = 0; k < rows.n; k++)
			if (str_eq(rows.v[k].job_id, v[i].id))
				*counts = (struct governed_counts){ .success = rows.v[k].success,
					.failed = rows.v[k].failed };
		v[i].runs_24h = counts;
	}
	return E_OK;
}

enum err
governed_jobs(struct ctx *c, const struct workspace *w, enum surface surface,
    const struct governed_job_query *q, struct governed_job_list *out, const char **next)
{
	const char *trigger = surfaces[surface].trigger;
	const struct arg after = arg_after(q->cursor, "job_");

	if (str_eq(q->state, "all"))
		TRY(db_part(c,
		    ROWS(governed_job,
			GOVERNED_COLUMNS " FORCE INDEX (job_workspace)" GOVERNED_JOINS
			" WHERE j.workspace_id = ? AND j.trigger_type = ?" GOVERNED_WHERE),
		    ARGS(w->id, trigger, after, q->artifact_id, q->artifact_id, q->q, q->q),
		    q->limit, out, next, last->id));
	else
		TRY(db_part(c,
		    ROWS(governed_job,
			GOVERNED_COLUMNS " FORCE INDEX (job_state)" GOVERNED_JOINS
			" WHERE j.workspace_id = ? AND j.trigger_type = ? AND j.state = ?"
			GOVERNED_WHERE),
		    ARGS(w->id, trigger, str_eq(q->state, "failing") ? FAILING : PAUSED, after,
			q->artifact_id, q->artifact_id, q->q, q->q),
		    q->limit, out, next, last->id));
	return counts_fill(c, out->v, out->n);
}

enum err
governed_job_get(struct ctx *c, const struct workspace *w, enum surface surface, const char *id,
    struct governed_job **out)
{
	TRY(db_one(c,
	    ROWS(governed_job,
		GOVERNED_COLUMNS GOVERNED_JOINS
		" WHERE j.id = ? AND j.trigger_type = COALESCE(?, NULLIF(j.trigger_type, 'alert'))"
		" AND j.deleted_at IS NULL"
		" AND a.workspace_id = ? AND a.deleted_at IS NULL"),
	    ARGS(id, surfaces[surface].trigger, w->id), out));
	return counts_fill(c, *out, 1);
}

enum err
governed_job_of(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface surface, const char *id, bool lock, struct artifact **a, struct job **j)
{
	const char *artifact_id;

	TRY(job_artifact(c, id, &artifact_id));
	TRY(artifact_get(c, artifact_id, who, lock, a));
	if (str_eq((*a)->workspace_id, w->id) && !(*a)->deleted_at) {
		TRY(job_get(c, *a, id, j));
		if (str_eq((*j)->trigger_type, surfaces[surface].trigger))
			return E_OK;
	}
	return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

/* ---- changes ---- */

/* A job in an entry of the audit; id: the row to change, a job's or a run's. */
#define GOVERNED_ONE(F, T) \
	F(T, STR, id) \
	F(T, STR, job_id) \
	F(T, STR, name) \
	F(T, STR, action) \
	F(T, STR, artifact_id) \
	F(T, STR, artifact_name)
SHAPE(governed_one, GOVERNED_ONE);
#define GOVERNED_ONE_COLUMNS \
	" j.id AS job_id, j.name, j.action, a.id AS artifact_id, a.name AS artifact_name"

static struct audit
act_on(struct ctx *c, const char *action, const struct governed_one *o)
{
	return (struct audit){ .action = action,
		.type = "job",
		.id = o->job_id,
		.name = o->name ? o->name : job_action_title(o->action),
		.after = audit_facts(c, "artifact|artifact_id", o->artifact_name,
		    o->artifact_id) };
}

static enum err
job_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct artifact *a, const struct job *j)
{
	const struct audit act = act_on(c, action,
	    &(struct governed_one){ .job_id = j->id,
		.name = j->name,
		.action = j->action,
		.artifact_id = a->id,
		.artifact_name = a->name });

	return audit_add(c, w->id, who, &act);
}

enum err
governed_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface surface, const char *id, const struct governed_edit *in)
{
	const struct job_edit edit = { .enabled = in->enabled,
		.schedule = in->schedule,
		.timezone = in->timezone,
		.config = in->config,
		.has.enabled = in->has.enabled };
	struct artifact *a;
	struct job *j;

	TRY(governed_job_of(c, w, who, surface, id, true, &a, &j));
	TRY(job_change(c, a, who, true, j, &edit));
	if (in->has.enabled && in->enabled != j->enabled)
		TRY(job_audit(c, w, who, in->enabled ? "job.resumed" : "job.paused", a, j));
	if (in->schedule || in->timezone || in->config)
		TRY(job_audit(c, w, who, "job.changed", a, j));
	return E_OK;
}

enum err
governed_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface surface, const char *id)
{
	struct artifact *a;
	struct job *j;

	TRY(governed_job_of(c, w, who, surface, id, true, &a, &j));
	TRY(job_delete(c, j));
	return job_audit(c, w, who, "job.deleted", a, j);
}

static enum err
run_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct artifact *a, const struct job *j)
{
	TRY(db_begin(c));
	TRY(job_audit(c, w, who, "job.run", a, j));
	return db_commit(c);
}

enum err
governed_start(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct artifact *a, const struct job *j, struct governed_run **out)
{
	struct run *run;
	enum err e;
	int tries = 0;

	TRY(run_now(c, j, &run));
	do
		e = run_audit(c, w, who, a, j);
	while (db_again(c, e, &tries));
	TRY(e);
	return governed_run_get(
	    c, w, str_eq(j->trigger_type, "cron") ? SCHEDULES : AUTOMATIONS, run->id, out);
}

/* ---- many at once ---- */

static enum err
ids_check(struct ctx *c, const struct strs *ids, const char *prefix, const char **json)
{
	if (ids->n > GOVERNED_AT_ONCE)
		return fail(c, E_INVALID, "ids: at most %d at once", GOVERNED_AT_ONCE);
	for (size_t i = 0; i < ids->n; i++)
		if (!id_valid(ids->v[i], prefix))
			return fail(c, E_INVALID, "ids[%zu]: must be an id that begins with %s", i,
			    prefix);
	*json = ids_json(c, ids_in_order(c, ids->v, ids->n), ids->n);
	return E_OK;
}

/* Notes the act on each row in the audit and gives the rows' ids as JSON. */
static enum err
ones_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct governed_one_list *rows, const char **json)
{
	struct audit *acts = mem_array(c->mem, struct audit, rows->n + 1);
	const char **ids = mem_array(c->mem, const char *, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++) {
		ids[i] = rows->v[i].id;
		acts[i] = act_on(c, action, &rows->v[i]);
	}
	*json = ids_json(c, ids, rows->n);
	return audit_add_many(c, w->id, who, acts, rows->n);
}

enum err
governed_pause(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, int64_t *n)
{
	struct governed_one_list rows;
	const char *json;

	*n = 0;
	TRY(ids_check(c, ids, "job_", &json));
	TRY(db_all(c,
	    ROWS(governed_one,
		"SELECT STRAIGHT_JOIN j.id," GOVERNED_ONE_COLUMNS " FROM " ID_TABLE
		" JOIN job j ON j.id = t.id JOIN artifact a ON a.id = j.artifact_id"
		" WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND j.enabled"
		" AND j.deleted_at IS NULL AND j.trigger_type <> 'alert' FOR UPDATE"),
	    ARGS(json, w->id), &rows));
	if (!rows.n)
		return E_OK;
	TRY(ones_audit(c, w, who, "job.paused", &rows, &json));
	TRY(inbox_end_many(c, json, NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE " ID_TABLE " STRAIGHT_JOIN job j ON j.id = t.id"
		" SET j.enabled = FALSE, j.next_run_at = NULL, j.updated_at = ?"),
	    ARGS(json, c->now), n);
}

enum err
governed_again(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, int64_t *n)
{
	struct governed_one_list rows;
	const char *json;

	*n = 0;
	TRY(ids_check(c, ids, "run_", &json));
	TRY(db_all(c,
	    ROWS(governed_one,
		"SELECT STRAIGHT_JOIN r.id," GOVERNED_ONE_COLUMNS " FROM " ID_TABLE
		" JOIN job_run r ON r.id = t.id JOIN job j ON j.id = r.job_id"
		" JOIN artifact a ON a.id = j.artifact_id"
		" WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND j.deleted_at IS NULL"
		" AND r.surface IS NOT NULL AND r.attempt < ? AND " RUN_IS_OVER),
	    ARGS(json, w->id, (int)RUN_ATTEMPTS_MAX), &rows));
	if (!rows.n)
		return E_OK;
	TRY(ones_audit(c, w, who, "job.run", &rows, &json));
	return db_exec(c,
	    EXEC(
		"UPDATE " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" SET " RUN_AGAIN " WHERE " RUN_IS_OVER),
	    ARGS(json, c->now * 1000), n);
}

enum err
governed_stop(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id)
{
	struct governed_one_list rows;
	const char *json;

	TRY(ids_check(c, &(struct strs){ &id, 1 }, "run_", &json));
	TRY(db_all(c,
	    ROWS(governed_one,
		"SELECT STRAIGHT_JOIN r.id," GOVERNED_ONE_COLUMNS " FROM " ID_TABLE
		" JOIN job_run r ON r.id = t.id JOIN job j ON j.id = r.job_id"
		" JOIN artifact a ON a.id = j.artifact_id"
		" WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND j.deleted_at IS NULL"
		" AND r.surface IS NOT NULL AND r.status = 'retrying' FOR UPDATE"),
	    ARGS(json, w->id), &rows));
	if (!rows.n)
		return fail(c, E_CONFLICT, "This run isn't waiting for another attempt");
	TRY(ones_audit(c, w, who, "job.stopped", &rows, &json));
	return db_exec(c,
	    EXEC(
		"UPDATE " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" STRAIGHT_JOIN job j ON j.id = r.job_id"
		" SET r.status = 'failed', r.finished_at = ?, r.due_at = NULL, r.ready = NULL,"
		" r.parked_of = NULL, j.last_status = 'failed', j.failures = j.failures + 1"),
	    ARGS(json, c->now), NULL);
}

/* ---- hosts of failing jobs ---- */

#define CALLING(F, T) \
	F(T, STR, id) \
	F(T, STR, url, .flags = F_NUL) \
	F(T, INT, failures)
SHAPE(calling, CALLING);

static void
host_add(struct ctx *c, struct governed_host_list *out, const struct calling *j)
{
	const char *host = j->url ? egress_host(c->mem, j->url) : NULL;
	struct governed_host *h = out->v;

	if (!host)
		return;
	while (h < out->v + out->n && !str_eq(h->host, host))
		h++;
	if (h == out->v + out->n) {
		*h = (struct governed_host){ .host = host,
			.job_ids.v = mem_array(c->mem, const char *, GOVERNED_AT_ONCE) };
		out->n++;
	}
	h->job_ids.v[h->job_ids.n++] = j->id;
	h->failures += j->failures;
}

static int
host_by_jobs(const void *a, const void *b)
{
	const struct governed_host *x = a, *y = b;

	return x->job_ids.n != y->job_ids.n ? (x->job_ids.n < y->job_ids.n ? 1 : -1)
					    : strcmp(x->host, y->host);
}

enum err
governed_hosts(struct ctx *c, const struct workspace *w, struct governed_host_list *out)
{
	struct calling_list jobs;

	*out = (struct governed_host_list){
		mem_array(c->mem, struct governed_host, GOVERNED_AT_ONCE), 0
	};
	TRY(db_all(c,
	    ROWS(calling,
		"SELECT j.id, COALESCE(JSON_VALUE(j.config, '$.url'),"
		" JSON_VALUE(j.config, '$.source.url')) AS url, j.failures"
		" FROM job j FORCE INDEX (job_state)" GOVERNED_JOINS
		" WHERE j.workspace_id = ? AND j.trigger_type IN ('cron', 'event') AND j.state = 1"
		" AND j.deleted_at IS NULL AND a.deleted_at IS NULL LIMIT ?"),
	    ARGS(w->id, (int)GOVERNED_AT_ONCE), &jobs));
	for (size_t i = 0; i < jobs.n; i++)
		host_add(c, out, &jobs.v[i]);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, host_by_jobs);
	while (out->n && out->v[out->n - 1].job_ids.n < 2)
		out->n--;
	return E_OK;
}

/* ---- reactions to other nouns ---- */

/* 30 days of runs may be too many rows for a request: the newest move now, and the runner moves
 * the rest (runs_follow()). Until then the lists leave out runs whose artifact is elsewhere. */
static enum err
artifact_moved(struct ctx *c, const struct happened *h)
{
	int64_t runs;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE job SET workspace_id = ?, noticed = failures > 0 WHERE artifact_id = ?"),
	    ARGS(h->workspace_id, h->art->id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE job_run SET workspace_id = ? WHERE artifact_id = ?"
		" ORDER BY id DESC LIMIT ?"),
	    ARGS(h->workspace_id, h->art->id, (int)MOVED_AT_ONCE), &runs));
	if (runs < MOVED_AT_ONCE)
		return E_OK;
	return db_exec(c,
	    EXEC(
		"INSERT INTO job_move (artifact_id, after_id) VALUES (?, '')"
		" ON DUPLICATE KEY UPDATE after_id = ''"),
	    ARGS(h->art->id), NULL);
}

#define JOB_MOVE(F, T) \
	F(T, STR, artifact_id) \
	F(T, STR, after_id) \
	F(T, STR, workspace_id, .flags = F_NUL)
SHAPE(job_move, JOB_MOVE);
#define MOVE_RUN(F, T) F(T, STR, id)
SHAPE(move_run, MOVE_RUN);

/* FOR UPDATE keeps the artifact in its workspace until the commit. */
static enum err
move_try(struct ctx *c, int64_t limit, int64_t *n)
{
	struct move_run_list runs;
	struct job_move *m;
	const char *last;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(job_move,
		"SELECT m.artifact_id, m.after_id, a.workspace_id FROM job_move m"
		" JOIN artifact a ON a.id = m.artifact_id ORDER BY m.artifact_id LIMIT 1"
		" FOR UPDATE"),
	    NOARGS, &m));
	if (!m)
		return E_OK;
	TRY(db_all(c,
	    ROWS(move_run,
		"SELECT id FROM job_run FORCE INDEX (job_run_artifact)"
		" WHERE artifact_id = ? AND id > ? ORDER BY id LIMIT ?"),
	    ARGS(m->artifact_id, m->after_id, limit), &runs));
	*n = (int64_t)runs.n;
	last = runs.n ? runs.v[runs.n - 1].id : m->after_id;
	TRY(db_exec(c,
	    EXEC(
		"UPDATE job_run FORCE INDEX (job_run_artifact) SET workspace_id = ?"
		" WHERE artifact_id = ? AND id > ? AND id <= ?"),
	    ARGS(m->workspace_id, m->artifact_id, m->after_id, last), NULL));
	if (*n < limit)
		TRY(db_exec(c, EXEC("DELETE FROM job_move WHERE artifact_id = ?"),
		    ARGS(m->artifact_id), NULL));
	else
		TRY(db_exec(c, EXEC("UPDATE job_move SET after_id = ? WHERE artifact_id = ?"),
		    ARGS(last, m->artifact_id), NULL));
	return db_commit(c);
}

static enum err
runs_follow(struct ctx *c, int64_t limit, int64_t *n)
{
	enum err e;

	*n = 0;
	e = move_try(c, limit, n);
	db_rollback(c);
	return e;
}

enum err
governed_told_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *without, const char *with)
{
	struct ws_user_list told;
	struct strs ids;

	TRY(governed_told(c, w, &told));
	if (with && told.n >= GOVERNED_TOLD_MAX)
		return fail(c, E_INVALID, "email: at most %d people can be notified",
		    GOVERNED_TOLD_MAX);
	ids = (struct strs){ mem_array(c->mem, const char *, told.n + 1), 0 };
	for (size_t i = 0; i < told.n; i++)
		if (!str_eq(told.v[i].user_id, without) && !str_eq(told.v[i].user_id, with))
			ids.v[ids.n++] = told.v[i].user_id;
	if (with)
		ids.v[ids.n++] = with;
	return governed_told_set(c, w, who, &ids);
}

enum err
governed_jobs_of(
    struct ctx *c, const struct workspace *w, const struct strs *runs, struct strs *out)
{
	*out = (struct strs){ mem_array(c->mem, const char *, runs->n + 1), 0 };
	for (size_t i = 0; i < runs->n; i++) {
		struct governed_run *run;

		TRY(governed_run_get(c, w, SURFACE_ANY, runs->v[i], &run));
		out->v[out->n++] = run->job_id;
	}
	return E_OK;
}

enum err
governed_jobs_named(
    struct ctx *c, const struct workspace *w, const char *q, struct governed_job_list *out)
{
	enum { MATCHES = 20 }; /* of each surface */
	struct governed_job_query look = { .q = q, .state = "all", .limit = MATCHES };
	const char *more;

	*out = (struct governed_job_list){
		mem_array(c->mem, struct governed_job, 2 * MATCHES + 1), 0
	};
	for (enum surface s = SCHEDULES; s <= AUTOMATIONS; s++) {
		struct governed_job_list found;

		TRY(governed_jobs(c, w, s, &look, &found, &more));
		for (size_t i = 0; i < found.n; i++)
			out->v[out->n++] = found.v[i];
	}
	return E_OK;
}

FOLLOWS(governed, { ARTIFACT_MOVED, artifact_moved });
ROUNDS(governed, { "run_moves", .rows = runs_follow });
PURGES(governed, ROWS_OF(job_move));
