/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of a workspace's runs share. */
#ifndef VITRINE_GOVERNED_PAGE_H
#define VITRINE_GOVERNED_PAGE_H
#include "core/artifact_top_page.h"
#include "http/quota.h"
#include "jobs/governed.h"

extern const struct limit LIM_JOB_RUN[1];

/* Values for the part ws-runs-top.html. */
#define RUNS_TOP(F, T) \
	F(T, WORD, runs_tab, .arg = "runs|schedules|automations")
#define RUNS_TOP_OF(r, tab) .runs_tab = (tab)

/* The fields of a struct job, for functions that take one. */
struct job job_of_governed(const struct governed_job *);
void governed_say(struct ctx *c, struct governed_job *); /* job_say() */
#endif
