/* SPDX-License-Identifier: Apache-2.0
 * How the jobs fare that fill what entries are about. Whose lineage names a job may see it. */
#ifndef VITRINE_CATALOG_FILLED_H
#define VITRINE_CATALOG_FILLED_H
#include "catalog/lineage.h"

#define FILLING_JOB(F, T) \
	F(T, ID,   job_id,      .arg = "job_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  job_name) \
	F(T, INT,  failures,    .doc = "Runs in a row that failed for good")
SHAPE_DECLARE(filling_job, FILLING_JOB);

/* What a job fills from where: ids of nodes. */
struct filling {
	const char *from, *to;
	const struct filling_job *job;
};
struct filling_list {
	struct filling *v;
	size_t n;
};
/* Of the edges that name a job. One statement, if any does. */
enum err catalog_fillings(struct ctx *c, const struct lineage *, struct filling_list *out);
#endif
