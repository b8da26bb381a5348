/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/filled.h"

#include "base/jobtitle.h"
#include "base/str.h"
#include "db/ids.h"

SHAPE_DEFINE(filling_job, FILLING_JOB);

static const struct filling_job *
job_among(const struct filling_job_list *jobs, const char *id)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (str_eq(jobs->v[i].job_id, id))
			return &jobs->v[i];
	return NULL;
}

enum err
catalog_fillings(struct ctx *c, const struct lineage *l, struct filling_list *out)
{
	const struct lineage_edge *edge = l->edges.v;
	const char **ids = mem_array(c->mem, const char *, l->edges.n + 1);
	struct filling_job_list jobs;
	size_t n = 0;

	*out = (struct filling_list){ mem_array(c->mem, struct filling, l->edges.n + 1), 0 };
	for (size_t i = 0; i < l->edges.n; i++)
		if (edge[i].job_id)
			ids[n++] = edge[i].job_id;
	if (!n)
		return E_OK;
	TRY(db_all(c,
	    ROWS(filling_job,
		"SELECT j.id AS job_id, j.artifact_id, COALESCE(j.name, " JOB_ACTION_TITLE
		") AS job_name, j.failures"
		" FROM " ID_TABLE " JOIN job j ON j.id = t.id WHERE j.deleted_at IS NULL"),
	    ARGS(ids_json(c, ids, n)), &jobs));
	for (size_t i = 0; i < l->edges.n; i++) {
		const struct filling_job *job = edge[i].job_id ? job_among(&jobs, edge[i].job_id)
							       : NULL;

		if (job)
			out->v[out->n++] = (struct filling){ edge[i].from, edge[i].to, job };
	}
	return E_OK;
}
