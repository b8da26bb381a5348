/* SPDX-License-Identifier: Apache-2.0
 * The state of jobs that fill the sources of entries. Only readers who may see a job get its
 * name from lineage. */
#ifndef VITRINE_CATALOG_FILLED_H
#define VITRINE_CATALOG_FILLED_H
#include "catalog/lineage.h"

#define FILLING_JOB(F, T) \
	F(T, ID,   job_id,      .arg = "job_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  job_name) \
	F(T, INT,  failures,    .doc = "Runs in a row that failed for good")
SHAPE_DECLARE(filling_job, FILLING_JOB);

/* A job that fills node `to` from node `from`. */
struct filling {
	const char *from, *to;
	const struct filling_job *job;
};
struct filling_list {
	struct filling *v;
	size_t n;
};
/* Returns the jobs that edges name. Runs one statement, or none if no edge names a job. */
enum err catalog_fillings(struct ctx *c, const struct lineage *, struct filling_list *out);
#endif
