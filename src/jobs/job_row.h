/* SPDX-License-Identifier: Apache-2.0
 * Columns of jobs, private to src/jobs. */
#ifndef VITRINE_JOB_ROW_H
#define VITRINE_JOB_ROW_H
#include "base/ctx.h"

struct artifact;
struct job;

/* Columns of a job j. */
#define JOB_COLUMNS \
	"j.id, j.artifact_id, j.name, j.action, j.trigger_type, j.schedule, j.timezone," \
	" j.event_type, j.config, j.max_attempts AS `retry_config.maxAttempts`," \
	" j.backoff AS `retry_config.backoffType`," \
	" j.initial_delay AS `retry_config.initialDelay`, j.enabled, j.next_run_at," \
	" j.last_run_at, j.last_status, j.failures, j.created_at, j.updated_at, j.secrets," \
	" j.connection_id, j.created_by"

/* Tells of a new responsible person: if answers_id isn't the job's maker, mails the former one
 * and adds an entry to the audit. Call inside the transaction of the change by `who`. */
enum err job_taken(struct ctx *c, const struct artifact *a, const struct job *j,
    const struct principal *who, const char *answers_id);
#endif
