/* SPDX-License-Identifier: Apache-2.0
 * What the files of jobs share of their rows, and nobody else sees. */
#ifndef VITRINE_JOB_ROW_H
#define VITRINE_JOB_ROW_H
#include "base/ctx.h"

struct artifact;
struct job;

/* Of a job j. */
#define JOB_COLUMNS \
	"j.id, j.artifact_id, j.name, j.action, j.trigger_type, j.schedule, j.timezone," \
	" j.event_type, j.config, j.max_attempts AS `retry_config.maxAttempts`," \
	" j.backoff AS `retry_config.backoffType`," \
	" j.initial_delay AS `retry_config.initialDelay`, j.enabled, j.next_run_at," \
	" j.last_run_at, j.last_status, j.failures, j.created_at, j.updated_at, j.secrets," \
	" j.connection_id, j.created_by"

/* After a change by `who`, whom `answers_id` says it is the job of now: mails the former maker and
 * adds a row to the audit, unless they are the same. */
enum err job_taken(struct ctx *c, const struct artifact *a, const struct job *j,
    const struct principal *who, const char *answers_id);
#endif
