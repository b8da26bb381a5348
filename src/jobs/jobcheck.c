/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/action_config.h"
#include "jobs/job.h"
#include "jobs/run_row.h"

SHAPE_DEFINE(job_odd, JOB_ODD);

enum err
job_check(struct ctx *c, struct job_odd_list *out)
{
	return db_all(c,
	    ROWS(job_odd,
		"SELECT id, 'is on and has no next time: switch it off and on' AS why"
		" FROM job WHERE enabled AND trigger_type = 'cron' AND deleted_at IS NULL"
		" AND next_run_at IS NULL"
		" UNION ALL SELECT id, 'has a next time and should have none: switch it on and off'"
		" FROM job WHERE next_run_at IS NOT NULL"
		" AND (NOT enabled OR trigger_type <> 'cron' OR deleted_at IS NOT NULL)"
		" UNION ALL SELECT DISTINCT j.id, 'has runs of another artifact: delete it'"
		" FROM job_run r JOIN job j ON j.id = r.job_id"
		" WHERE r.artifact_id <> j.artifact_id"
		" UNION ALL SELECT j.id, 'is in another workspace than its artifact:"
		" move that out and in again' FROM job j JOIN artifact a ON a.id = j.artifact_id"
		" WHERE NOT j.workspace_id <=> a.workspace_id"
		" UNION ALL SELECT DISTINCT r.job_id, 'has runs in another workspace than its"
		" artifact: move that out and in again' FROM job_run r"
		" JOIN artifact a ON a.id = r.artifact_id"
		" WHERE NOT r.workspace_id <=> a.workspace_id"
		" AND NOT EXISTS (SELECT 1 FROM job_move m WHERE m.artifact_id = a.id)"
		" UNION ALL SELECT DISTINCT r.job_id, 'has runs on another surface: delete it'"
		" FROM job_run r JOIN job j ON j.id = r.job_id"
		" WHERE NOT r.surface <=> " RUN_SURFACE_OF("j.trigger_type")),
	    NOARGS, out);
}
