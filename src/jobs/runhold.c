/* SPDX-License-Identifier: Apache-2.0
 * Takes runs; runend.c ends them.
 *
 * Each transaction locks the rows of runs first, then those of their jobs in order of their ids.
 * No lock here is one that only one server of a cluster knows: when another server's commit came
 * first, ours fails as a deadlock, and we repeat it. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "db/ids.h"
#include "jobs/run.h"
#include "jobs/run_row.h"

#include <time.h>

SHAPE_DEFINE(run_held, RUN_HELD);

enum { PARK_S = 900 /* a parked run comes back after this time if no other run unparks it */ };

/* Returns until when a lease must have lasted to count as over. After the clock was set, runs that
 * are in progress may look abandoned, so for as long as a lease lasts, none is over. */
static int64_t
lease_end(const struct ctx *c)
{
	static struct clock_watch watch;
	int64_t lease_ms = 1000 * c->conf->run_lease_s;

	return clock_stepped(&watch, time(NULL), clock_ms(), lease_ms) ? 0 : c->now;
}

/* ---- due runs ---- */

/* MariaDB assigns from left to right, and later assignments see earlier ones. A running run that
 * is due belonged to a runner that is gone. */
enum err
run_wake(struct ctx *c, int64_t limit, int64_t *n)
{
	int64_t over = lease_end(c);
	enum err e;
	int tries = 0;

	do
		e = db_exec(c,
		    EXEC(
			"UPDATE job_run SET deaths = deaths + (status = 'running'),"
			" status = IF(status = 'running', 'retrying', status),"
			" turn = GREATEST(turn, due_at * 1000), due_at = NULL, parked_of = NULL,"
			" ready = " RUN_QUEUE_OF
			" WHERE due_at <= ? AND (status <> 'running' OR due_at <= ?)"
			" ORDER BY due_at LIMIT ?"),
		    ARGS(c->now, over, limit), n);
	while (db_again(c, e, &tries));
	return e;
}

/* ---- taking ---- */

/* busy is only known under the row's lock. */
#define CANDIDATE(F, T) \
	F(T, STR,  id) \
	F(T, STR,  job_id) \
	F(T, INT,  turn) \
	F(T, BOOL, busy)
SHAPE(candidate, CANDIDATE);

/* Columns that decide whether a run may go on, besides those that its action needs. */
#define TAKEN(F, T) \
	RUN_HELD(F, T) \
	F(T, BOOL, stopped) \
	F(T, BOOL, shut) \
	F(T, INT, started_at)
SHAPE(taken, TAKEN);

struct claiming {
	enum run_queue queue;
	struct candidate_list seen;
	const char **take, **park; /* ids of runs */
	size_t take_n, park_n;
	struct run_held_list *out;
	struct run_ended *over;
	size_t over_n;
};

static int
candidate_by_job(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int jobs = strcmp(x->job_id, y->job_id);

	return jobs ? jobs : x->turn < y->turn ? -1 : x->turn > y->turn;
}

/* Takes the first run of each job, unless another is in progress, and parks the others. */
static enum err
candidates_lock(struct ctx *c, struct claiming *k)
{
	const char **ids = mem_array(c->mem, const char *, k->seen.n + 1), *job = "";
	struct candidate_list rows;

	k->take_n = k->park_n = 0;
	for (size_t i = 0; i < k->seen.n; i++)
		ids[i] = k->seen.v[i].id;
	TRY(db_all(c,
	    ROWS(candidate,
		"SELECT r.id, r.job_id, r.turn,"
		" j.busy_run IS NOT NULL AND j.busy_run <> r.id AND j.busy_until > ? AS busy"
		" FROM " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" STRAIGHT_JOIN job j ON j.id = r.job_id WHERE r.ready = ? FOR UPDATE"),
	    ARGS(lease_end(c), ids_json(c, ids, k->seen.n), (int)k->queue), &rows));
	/* MariaDB may return them in another order than the subquery's. */
	if (rows.n)
		qsort(rows.v, rows.n, sizeof *rows.v, candidate_by_job);
	for (size_t i = 0; i < rows.n; i++) {
		bool wait = rows.v[i].busy || str_eq(job, rows.v[i].job_id);

		job = rows.v[i].job_id;
		if (wait)
			k->park[k->park_n++] = rows.v[i].id;
		else
			k->take[k->take_n++] = rows.v[i].id;
	}
	return E_OK;
}

/* The reason why it must not run; NULL: it may. */
static const char *
run_stop_reason(struct ctx *c, const struct taken *t)
{
	int64_t made = t->attempt - t->attempt_base;

	if (t->shut)
		return "The artifact is paused or in the trash";
	if (t->stopped)
		return "The job was paused before its turn came";
	if (made < t->max_attempts)
		return NULL;
	return mem_printf(c->mem,
	    "It was started %lld times, but the runner was stopped each time before it finished",
	    (long long)made);
}

#define TAKEN_COLUMNS \
	"r.id, r.fence, r.attempt, r.attempt_base, r.cause, r.scheduled_for, r.payload," \
	" r.started_at, j.id AS job_id, j.name AS job_name, j.action, j.event_type," \
	" j.config, j.secrets, j.connection_id, j.created_by, j.max_attempts," \
	" j.backoff, j.initial_delay, a.id AS artifact_id, a.name AS artifact_name," \
	" a.slug AS artifact_slug," \
	" COALESCE(a.workspace_id, a.owner_id) AS tenant," \
	" (NOT j.enabled AND NOT r.asked) OR j.deleted_at IS NOT NULL AS stopped," \
	" NOT " ARTIFACT_IS_AWAKE " AS shut"

#define HELD_FIELD(T, kind, name, ...) .name = t->name,

/* Splits the locked runs into those that may run and those that are over. */
static enum err
runs_sort(struct ctx *c, struct claiming *k)
{
	struct taken_list rows;

	k->out->n = k->over_n = 0;
	TRY(db_all(c,
	    ROWS(taken,
		"SELECT " TAKEN_COLUMNS " FROM " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" STRAIGHT_JOIN job j ON j.id = r.job_id"
		" STRAIGHT_JOIN artifact a ON a.id = j.artifact_id ORDER BY r.turn, r.id"),
	    ARGS(ids_json(c, k->take, k->take_n)), &rows));
	k->out->v = mem_array(c->mem, struct run_held, rows.n + 1);
	k->over = mem_array(c->mem, struct run_ended, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++) {
		const struct taken *t = &rows.v[i];
		const char *why = run_stop_reason(c, t);
		struct run_held *h = mem_new(c->mem, struct run_held);

		*h = (struct run_held){ RUN_HELD(HELD_FIELD, ) };
		h->taken_ms = clock_ms();
		if (why)
			k->over[k->over_n++] = (struct run_ended){ h,
				{ .verdict = t->shut || t->stopped ? RUN_SKIPPED : RUN_FAILED,
				    .error = why,
				    .duration_ms = -1 } };
		else
			k->out->v[k->out->n++] = *h;
	}
	return E_OK;
}

static enum err
runs_start(struct ctx *c, struct run_held_list *out, int64_t lease_s)
{
	const char **ids = mem_array(c->mem, const char *, out->n + 1), *json;
	bool again = false;

	for (size_t i = 0; i < out->n; i++) {
		struct run_held *h = &out->v[i];

		ids[i] = h->id;
		again |= h->attempt > 0;
		h->attempt++;
		h->fence++;
	}
	json = ids_json(c, ids, out->n);
	/* Copies the previous attempts, since the run's row gets the new one. */
	if (again)
		TRY(db_exec(c,
		    EXEC(
			"INSERT IGNORE INTO job_attempt"
			" (run_id, no, started_at, duration_ms, http_status, error, output)"
			" SELECT r.id, r.attempt, r.started_at, r.duration_ms, r.http_status,"
			" IF(r.duration_ms IS NULL, 'Whoever carried it out was stopped', r.error),"
			" r.output FROM " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
			" WHERE r.attempt > 0 AND r.started_at IS NOT NULL"),
		    ARGS(json), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" SET r.status = 'running', r.ready = NULL, r.parked_of = NULL, r.due_at = ?,"
		" r.attempt = r.attempt + 1, r.fence = r.fence + 1, r.started_at = ?,"
		" r.finished_at = NULL, r.duration_ms = NULL, r.http_status = NULL,"
		" r.error = NULL, r.output = NULL"),
	    ARGS(json, c->now + lease_s, c->now), NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" STRAIGHT_JOIN job j ON j.id = r.job_id"
		" SET j.busy_run = r.id, j.busy_until = ?, j.last_run_at = ?,"
		" j.last_status = 'running'"),
	    ARGS(json, c->now + lease_s, c->now), NULL);
}

static enum err
claim_try(struct ctx *c, struct claiming *k)
{
	k->out->n = 0;
	TRY(db_begin(c));
	TRY(candidates_lock(c, k));
	if (k->park_n)
		TRY(db_exec(c,
		    EXEC(
			"UPDATE " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
			" SET r.ready = NULL, r.parked_of = r.job_id, r.due_at = ?"),
		    ARGS(ids_json(c, k->park, k->park_n), c->now + PARK_S), NULL));
	TRY(runs_sort(c, k));
	if (k->out->n)
		TRY(runs_start(c, k->out, c->conf->run_lease_s));
	TRY(run_end_many(c, k->over, k->over_n));
	return db_commit(c);
}

enum err
run_claim(struct ctx *c, enum run_queue queue, int64_t limit, struct run_held_list *out,
    int64_t *looked)
{
	struct claiming k = { .queue = queue, .out = out };
	enum err e;
	int tries = 0;

	*out = (struct run_held_list){ 0 };
	/* Reads without locks; candidates_lock() sees which of them others have taken since. */
	TRY(db_all(c,
	    ROWS(candidate,
		"SELECT id, job_id, turn FROM job_run WHERE ready = ?"
		" ORDER BY ready, turn, id LIMIT ?"),
	    ARGS((int)queue, limit), &k.seen));
	*looked = (int64_t)k.seen.n;
	if (!k.seen.n)
		return E_OK;
	qsort(k.seen.v, k.seen.n, sizeof *k.seen.v, candidate_by_job);
	k.take = mem_array(c->mem, const char *, k.seen.n);
	k.park = mem_array(c->mem, const char *, k.seen.n);
	do
		e = claim_try(c, &k);
	while (db_again(c, e, &tries));
	if (e)
		out->n = 0;
	return e;
}

/* ---- manual runs ---- */

#define JOB_BUSY(F, T) F(T, BOOL, busy)
SHAPE(job_busy, JOB_BUSY);

static enum err
now_try(struct ctx *c, const struct job *j, struct run_held_list *out)
{
	const char *id = id_new(c->mem, "run_");
	struct job_busy *b;
	struct claiming k = { .take = &id, .take_n = 1, .out = out };

	TRY(db_begin(c));
	TRY(db_one(c,
	    ROWS(job_busy,
		"SELECT busy_run IS NOT NULL AND busy_until > ? AS busy FROM job"
		" WHERE id = ? AND deleted_at IS NULL FOR UPDATE"),
	    ARGS(lease_end(c), j->id), &b));
	if (b->busy)
		return fail(c, E_CONFLICT,
		    "A run of this job is in progress; wait until it ends");
	TRY(db_exec1(c,
	    EXEC(
		"INSERT INTO job_run (id, job_id, artifact_id, workspace_id, surface, occasion,"
		" cause, asked, status, lane, turn, scheduled_for)"
		" SELECT ?, j.id, j.artifact_id, j.workspace_id,"
		" " RUN_SURFACE_OF("j.trigger_type") ", ?, 'manual', TRUE, 'queued',"
		" " RUN_LANE_OF ", ?, ? FROM job j WHERE j.id = ?"),
	    ARGS(id, id, c->now * 1000, c->now, j->id)));
	TRY(runs_sort(c, &k));
	if (!out->n)
		return fail(c, E_PAUSED,
		    "This artifact is paused or in the trash, so its jobs don't run");
	TRY(runs_start(c, out,
	    c->conf->run_lease_s > RUN_NOW_LEASE_S ? c->conf->run_lease_s : RUN_NOW_LEASE_S));
	return db_commit(c);
}

enum err
run_claim_now(struct ctx *c, const struct job *j, struct run_held **out)
{
	struct run_held_list one;
	enum err e;
	int tries = 0;

	do
		e = now_try(c, j, &one);
	while (db_again(c, e, &tries));
	*out = e ? NULL : one.v;
	return e;
}
