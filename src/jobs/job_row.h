/* SPDX-License-Identifier: Apache-2.0
 * What the files of jobs share of their rows, and nobody else sees. */
#ifndef VITRINE_JOB_ROW_H
#define VITRINE_JOB_ROW_H

/* Of a job j. */
#define JOB_COLUMNS \
	"j.id, j.artifact_id, j.name, j.action, j.trigger_type, j.schedule, j.timezone," \
	" j.event_type, j.config, j.max_attempts AS `retry_config.maxAttempts`," \
	" j.backoff AS `retry_config.backoffType`," \
	" j.initial_delay AS `retry_config.initialDelay`, j.enabled, j.next_run_at," \
	" j.last_run_at, j.last_status, j.failures, j.created_at, j.updated_at, j.secrets," \
	" j.connection_id, j.created_by"
#endif
