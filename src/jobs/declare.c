/* SPDX-License-Identifier: Apache-2.0
 * The section `jobs` of vitrine.yaml (core/declare.h). A job has a name there. It is off until a
 * person switches it on, also after a change of what it does. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "jobs/job.h"

static enum err
job_find(struct declaring *d, const struct fm *wanted, struct declared_thing **out)
{
	return db_find(d->c,
	    ROWS(declared_thing,
		"SELECT id, " DECLARED_MARK(
		    "action, trigger_type, schedule, timezone, event_type, config,"
		    " max_attempts, backoff, initial_delay") " FROM job"
		" WHERE artifact_id = ? AND name = ? AND deleted_at IS NULL"
		" AND trigger_type <> 'alert' ORDER BY id LIMIT 1"),
	    ARGS(d->art->id, wanted->name), out);
}

static enum err
job_store(struct declaring *d, const struct fm *wanted, const struct declared_thing *thing)
{
	const struct shape *shape = thing ? &job_edit_shape : &job_new_shape;
	struct json *off = json_new(d->c, NULL, NULL);
	struct job *old = NULL;
	const char *id, *shown;
	void *in;

	if (thing) {
		TRY(job_get(d->c, d->art, thing->id, &old));
		TRY(declare_fixed(d, wanted, "action", old->action));
		TRY(declare_fixed(d, wanted, "event_type", old->event_type));
		if (fm_get(wanted, "trigger_type"))
			TRY(declare_fixed(d, wanted, "trigger_type", old->trigger_type));
	}
	json_set_bool(off, "enabled", false);
	TRY(declare_shape(d, wanted, off, shape, &in));
	if (d->dry)
		return E_OK;
	return declare_blame(d, wanted,
	    old ? job_change(d->c, d->art, d->who, false, old, in)
		: job_add(d->c, d->art, d->who, in, &id, &shown));
}

DECLARES(jobs,
    .fields = "action|trigger_type|schedule|timezone|event_type|config|retry_config",
    .find = job_find,
    .store = job_store);
