/* SPDX-License-Identifier: Apache-2.0
 * The section `jobs` of vitrine.yaml (core/declare.h). A job has a name there. It is off until a
 * person switches it on, also after a change of what it does. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "jobs/job.h"

#define DECLARED_JOB "action|trigger_type|schedule|timezone|event_type|config|retry_config"

#define JOB_NAMED(F, T) F(T, STR, id)
SHAPE(job_named, JOB_NAMED);

/* *out is NULL if there is no job of this name. */
static enum err
job_find(struct declaring *d, const char *name, struct job **out)
{
	struct job_named *row = NULL;

	*out = NULL;
	if (d->art->id)
		TRY(db_find(d->c,
		    ROWS(job_named,
			"SELECT id FROM job WHERE artifact_id = ? AND name = ?"
			" AND deleted_at IS NULL AND trigger_type <> 'alert' ORDER BY id LIMIT 1"),
		    ARGS(d->art->id, name), &row));
	return row ? job_get(d->c, d->art, row->id, out) : E_OK;
}

static enum err
job_store(struct declaring *d, const struct fm *wanted, const struct job *old)
{
	const struct fm *action = fm_get(wanted, "action");
	struct json *off = json_new(d->c, NULL, NULL);
	const char *id, *shown;
	void *in;

	if (old && !str_eq(action ? action->text : NULL, old->action))
		return declare_conflict(d, wanted,
		    "the job %s has the action %s, which can't change; give this one another name",
		    wanted->name, old->action);
	json_set_bool(off, "enabled", false);
	TRY(declare_shape(d, wanted, off, old ? &job_edit_shape : &job_new_shape, &in));
	if (d->dry)
		return E_OK;
	return declare_blame(d, wanted,
	    old ? job_change(d->c, d->art, d->who, false, old, in)
		: job_add(d->c, d->art, d->who, in, &id, &shown));
}

static enum err
job_declare(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	enum declared action;
	struct job *old;

	TRY(declare_map(d, wanted, DECLARED_JOB));
	TRY(job_find(d, wanted->name, &old));
	action = declare_named(d, "jobs", wanted, last, old != NULL);
	return action == DECLARED_ADD || action == DECLARED_CHANGE ? job_store(d, wanted, old)
								   : E_OK;
}

static enum err
jobs_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	TRY(declare_map(d, wanted, NULL));
	for (size_t i = 0; i < wanted->n; i++)
		TRY(job_declare(d, &wanted->v[i], fm_get(last, wanted->v[i].name)));
	return E_OK;
}

DECLARES(jobs, jobs_apply);
