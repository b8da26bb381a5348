/* SPDX-License-Identifier: Apache-2.0
 * Columns and SQL of runs, private to src/jobs. */
#ifndef VITRINE_RUN_ROW_H
#define VITRINE_RUN_ROW_H

/* The queue (enum run_queue) of the runs of a job j. */
#define RUN_LANE_OF \
	"CASE WHEN j.action NOT IN ('http_get', 'materialize') THEN 1" \
	" WHEN EXISTS (SELECT 1 FROM connection n" \
	" WHERE n.id = j.connection_id AND n.kind = 'postgres') THEN 5 ELSE 2 END"
/* The surface of a job's runs; NULL for an alert's. */
#define RUN_SURFACE_OF(trigger_type) \
	"CASE " trigger_type " WHEN 'cron' THEN 'schedule' WHEN 'event' THEN 'automation' END"
/* The queue of a run that comes back. */
#define RUN_QUEUE_OF "IF(deaths = 0, lane, IF(deaths = 1, 3, 4))"
/* Columns of a run r and its job j. */
#define RUN_COLUMNS \
	"r.id, r.job_id, r.artifact_id," \
	" j.action, r.cause AS `trigger`, r.status, r.attempt, r.scheduled_for," \
	" IF(r.status = 'retrying' AND r.parked_of IS NULL, r.due_at, NULL) AS next_attempt_at," \
	" r.started_at, r.finished_at, r.duration_ms, r.http_status, r.error"
/* SET clause that queues a run r, which is over, again; takes the time in milliseconds. */
#define RUN_AGAIN \
	"r.status = 'queued', r.ready = r.lane, r.due_at = NULL, r.finished_at = NULL," \
	" r.attempt_base = r.attempt, r.deaths = 0, r.asked = TRUE, r.turn = GREATEST(r.turn, ?)"
#define RUN_IS_OVER "r.status IN ('success', 'failed', 'skipped')"
#endif
