/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/run.h"

#include "base/id.h"
#include "base/str.h"
#include "db/ids.h"
#include "jobs/run_row.h"

SHAPE_DEFINE(run_attempt, RUN_ATTEMPT);
SHAPE_DEFINE(run, RUN);
SHAPE_DEFINE(run_query, RUN_QUERY);

enum { SLOT_MS = 100 /* while others wait, an artifact gets one turn in this time */ };

/* ---- reading ---- */

#define RUN_FROM " FROM job_run r JOIN job j ON j.id = r.job_id"

enum err
run_list(struct ctx *c, const struct job *j, const struct run_query *q, struct run_list *out,
    const char **next)
{
	const struct arg before = arg_before(q->cursor, "run_");

	if (q->status)
		return db_part(c,
		    ROWS(run,
			"SELECT " RUN_COLUMNS RUN_FROM
			" WHERE r.artifact_id = ? AND r.status = ? AND r.job_id = ? AND r.id < ?"
			" ORDER BY r.id DESC LIMIT ?"),
		    ARGS(j->artifact_id, q->status, j->id, before), q->limit, out, next, last->id);
	return db_part(c,
	    ROWS(run,
		"SELECT " RUN_COLUMNS RUN_FROM
		" WHERE r.job_id = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?"),
	    ARGS(j->id, before), q->limit, out, next, last->id);
}

enum err
run_list_all(struct ctx *c, const struct artifact *a, const struct run_query *q,
    struct run_list *out, const char **next)
{
	const struct arg before = arg_before(q->cursor, "run_");

	if (q->status)
		return db_part(c,
		    ROWS(run,
			"SELECT " RUN_COLUMNS RUN_FROM
			" WHERE r.artifact_id = ? AND r.status = ? AND r.id < ?"
			" AND j.trigger_type <> 'alert' ORDER BY r.id DESC LIMIT ?"),
		    ARGS(a->id, q->status, before), q->limit, out, next, last->id);
	return db_part(c,
	    ROWS(run,
		"SELECT " RUN_COLUMNS RUN_FROM
		" WHERE r.artifact_id = ? AND r.id < ? AND j.trigger_type <> 'alert'"
		" ORDER BY r.id DESC LIMIT ?"),
	    ARGS(a->id, before), q->limit, out, next, last->id);
}

enum err
run_attempts(struct ctx *c, const char *id, struct list *out)
{
	/* The run's row holds the last attempt until the next one begins. */
	return db_all(c,
	    ROWS(run_attempt,
		"SELECT no, started_at, duration_ms, http_status, error, output FROM job_attempt"
		" WHERE run_id = ?"
		" UNION ALL SELECT attempt, started_at, duration_ms, http_status, error, output"
		" FROM job_run WHERE id = ? AND started_at IS NOT NULL AND attempt > 0 ORDER BY 1"),
	    ARGS(id, id), out);
}

enum err
run_get(struct ctx *c, const struct job *j, const char *id, struct run **out)
{
	TRY(db_one(c,
	    ROWS(run,
		"SELECT " RUN_COLUMNS ", r.output" RUN_FROM " WHERE r.id = ? AND r.job_id = ?"),
	    ARGS(id, j->id), out));
	(*out)->has.attempts = GIVEN;
	return run_attempts(c, id, &(*out)->attempts);
}

enum err
run_again(struct ctx *c, const struct job *j, const char *id)
{
	struct run *run;
	int64_t changed;

	TRY(run_get(c, j, id, &run));
	if (run->attempt >= RUN_ATTEMPTS_MAX)
		return fail(c, E_CONFLICT,
		    "A run can be attempted at most %d times; run the job instead",
		    RUN_ATTEMPTS_MAX);
	TRY(db_exec(c,
	    EXEC(
		"UPDATE job_run r SET " RUN_AGAIN " WHERE r.id = ? AND r.job_id = ?"
		" AND " RUN_IS_OVER),
	    ARGS(c->now * 1000, id, j->id), &changed));
	return changed ? E_OK
		       : fail(c, E_CONFLICT, "This run hasn't ended yet; its status is %s",
			   run->status);
}

/* ---- making runs ---- */

static const char many_text[] =
    "A hundred runs of this job are already waiting, so this one was skipped; "
    "its receiver is too slow or keeps failing";

/* The last turn of the artifact gives the next one: a slot later, or now if that is past. */
enum err
run_queue_many(struct ctx *c, const struct run_new *v, size_t n)
{
	struct buf b = BUF(c->mem);

	if (!n)
		return E_OK;
	for (size_t i = 0; i < n; i++) {
		buf_fmt(&b, "%c[\"%s\",\"%s\",\"%s\",", i ? ',' : '[', id_new(c->mem, "run_"),
		    v[i].job_id, v[i].cause);
		buf_json(&b, v[i].occasion);
		buf_fmt(&b, ",%lld,", (long long)v[i].scheduled_for);
		buf_json(&b, v[i].payload);
		buf_chr(&b, ']');
	}
	buf_chr(&b, ']');
	return db_exec(c,
	    EXEC(
		"INSERT INTO job_run (id, job_id, artifact_id, workspace_id, surface, occasion,"
		" cause, asked, status,"
		" error, finished_at, lane, ready, turn, scheduled_for, payload)"
		" SELECT q.id, q.job_id, q.artifact_id, q.workspace_id, q.surface, q.occasion,"
		" q.cause, q.cause = 'manual',"
		" IF(q.many, 'skipped', 'queued'), IF(q.many, ?, NULL), IF(q.many, ?, NULL),"
		" q.lane, IF(q.many, NULL, q.lane),"
		" GREATEST(?, COALESCE((SELECT l.turn FROM job_run l"
		" WHERE l.artifact_id = q.artifact_id ORDER BY l.id DESC LIMIT 1), 0) + ?)"
		" + q.behind * ?, q.at, q.payload"
		" FROM (SELECT t.id, j.id AS job_id, j.artifact_id, j.workspace_id,"
		" " RUN_SURFACE_OF("j.trigger_type") " AS surface, t.occasion,"
		" t.cause, t.at, t.payload,"
		" (SELECT COUNT(*) FROM job_run w"
		" WHERE w.job_id = j.id AND w.finished_at IS NULL) >= ? AS many,"
		" " RUN_LANE_OF " AS lane,"
		" ROW_NUMBER() OVER (PARTITION BY j.artifact_id ORDER BY t.n) - 1 AS behind"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (n FOR ORDINALITY, id " SQL_ID " PATH '$[0]', job " SQL_ID " PATH '$[1]',"
		" cause VARCHAR(20) CHARACTER SET ascii PATH '$[2]',"
		" occasion VARCHAR(80) CHARACTER SET ascii PATH '$[3]', at BIGINT PATH '$[4]',"
		" payload MEDIUMTEXT CHARACTER SET utf8mb4 PATH '$[5]')) t"
		" STRAIGHT_JOIN job j ON j.id = t.job AND j.deleted_at IS NULL) q"
		" ON DUPLICATE KEY UPDATE job_run.fence = job_run.fence"),
	    ARGS(many_text, c->now, c->now * 1000, SLOT_MS, SLOT_MS, RUN_WAITING_MAX,
		buf_done(&b)),
	    NULL);
}

enum err
run_queue(struct ctx *c, const char *job_id, const char *cause, const char *occasion,
    int64_t scheduled_for, const char *payload)
{
	const struct run_new one = { job_id, cause, occasion, scheduled_for, payload };

	return run_queue_many(c, &one, 1);
}

#define WAITING_JOB(F, T) F(T, STR, id)
SHAPE(waiting_job, WAITING_JOB);

enum err
run_queue_event(struct ctx *c, const char *artifact_id, const char *event_type,
    const char *occasion, const char *payload)
{
	struct waiting_job_list jobs;
	struct run_new *v;

	TRY(db_all(c,
	    ROWS(waiting_job,
		"SELECT j.id FROM job j JOIN artifact a ON a.id = j.artifact_id"
		" WHERE j.artifact_id = ? AND j.event_type = ?"
		" AND j.trigger_type = 'event' AND j.enabled AND j.deleted_at IS NULL"
		" AND " ARTIFACT_IS_AWAKE),
	    ARGS(artifact_id, event_type), &jobs));
	v = mem_array(c->mem, struct run_new, jobs.n + 1);
	for (size_t i = 0; i < jobs.n; i++)
		v[i] = (struct run_new){ jobs.v[i].id, "event", occasion, c->now, payload };
	return run_queue_many(c, v, jobs.n);
}
