/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"
#include "jobs/action_config.h"
#include "jobs/job.h"
#include "jobs/run_row.h"

SHAPE_DEFINE(job_odd, JOB_ODD);

enum { AT_ONCE = 1000 };

#define JOB_SEALED(F, T) \
	F(T, ID,  id, .arg = "job_") \
	F(T, STR, secrets)
SHAPE_DECLARE(job_sealed, JOB_SEALED);
SHAPE_DEFINE(job_sealed, JOB_SEALED);

static void
odd_add(struct ctx *c, struct job_odd_list *out, const char *id, const char *why)
{
	out->v = mem_grow(c->mem, out->v, (out->n + 1) * sizeof *out->v);
	out->v[out->n++] = (struct job_odd){ .id = mem_strdup(c->mem, id), .why = why };
}

static enum err
schedules_check(struct ctx *c, struct job_odd_list *out)
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

/* Those after an id; *last is NULL when there are no more. */
static enum err
secrets_check(struct ctx *c, struct ctx *one, const char **last, struct job_odd_list *out)
{
	struct job_sealed_list rows;

	TRY(db_all(one,
	    ROWS(job_sealed,
		"SELECT id, secrets FROM job"
		" WHERE id > ? AND secrets IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT ?"),
	    ARGS(*last, AT_ONCE), &rows));
	for (size_t i = 0; i < rows.n; i++)
		if (!seal_open(one->mem, action_purpose(one->mem, rows.v[i].id), rows.v[i].secrets))
			odd_add(c, out, rows.v[i].id,
			    "key_file can't decrypt the secrets in its config; "
			    "an editor has to enter them again");
	*last = rows.n == AT_ONCE ? mem_strdup(c->mem, rows.v[rows.n - 1].id) : NULL;
	return E_OK;
}

enum err
job_check(struct ctx *c, struct job_odd_list *out)
{
	const char *last = "";

	TRY(schedules_check(c, out));
	while (last) {
		struct ctx *one = ctx_begin(c->conf, c->db);
		enum err e = secrets_check(c, one, &last, out);

		if (e)
			fail_here(c, "%s", ctx_why(one));
		ctx_end(one);
		TRY(e);
	}
	return E_OK;
}
