/* SPDX-License-Identifier: Apache-2.0
 * What the files of runs share of their rows, and nobody else sees. */
#ifndef VITRINE_RUN_ROW_H
#define VITRINE_RUN_ROW_H

/* The queue of a job's runs (enum run_queue); of the job j. */
#define RUN_LANE_OF \
	"CASE WHEN j.action NOT IN ('http_get', 'materialize') THEN 1" \
	" WHEN EXISTS (SELECT 1 FROM connection n" \
	" WHERE n.id = j.connection_id AND n.kind = 'postgres') THEN 5 ELSE 2 END"
/* On which surface a job's runs are; an alert's on none. */
#define RUN_SURFACE_OF(trigger_type) \
	"CASE " trigger_type " WHEN 'cron' THEN 'schedule' WHEN 'event' THEN 'automation' END"
/* The queue of a run that comes back. */
#define RUN_QUEUE_OF "IF(deaths = 0, lane, IF(deaths = 1, 3, 4))"
/* Of a run r and its job j. */
#define RUN_COLUMNS \
	"r.id, r.job_id, r.artifact_id," \
	" j.action, r.cause AS `trigger`, r.status, r.attempt, r.scheduled_for," \
	" IF(r.status = 'retrying' AND r.parked_of IS NULL, r.due_at, NULL) AS next_attempt_at," \
	" r.started_at, r.finished_at, r.duration_ms, r.http_status, r.error"
/* Makes a run r that is over once more; takes the time in milliseconds. */
#define RUN_AGAIN \
	"r.status = 'queued', r.ready = r.lane, r.due_at = NULL, r.finished_at = NULL," \
	" r.attempt_base = r.attempt, r.deaths = 0, r.asked = TRUE, r.turn = GREATEST(r.turn, ?)"
#define RUN_IS_OVER "r.status IN ('success', 'failed', 'skipped')"
#endif
