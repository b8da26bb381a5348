/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of a workspace's runs share. */
#ifndef VITRINE_GOVERNED_PAGE_H
#define VITRINE_GOVERNED_PAGE_H
#include "core/artifact_top_page.h"
#include "http/req.h"
#include "jobs/governed.h"

/* Values for the part ws-runs-top.html. */
#define RUNS_TOP(F, T) \
	F(T, WORD, runs_tab, .arg = "runs|schedules|automations")
#define RUNS_TOP_OF(r, tab) .runs_tab = (tab)

/* The last runs of a job, the oldest first, as a strip of bars (jobs/run-strip.html). */
#define RUN_BAR(F, T) \
	F(T, STR,  x, .doc = "In percent of the width") \
	F(T, WORD, is, .arg = "ok|bad|none")
SHAPE_DECLARE(run_bar, RUN_BAR);
#define RUN_STRIP(F, T) \
	F(T, STR,  strip_about) \
	F(T, TIME, failing_since) \
	F(T, LIST, strip, .sub = &run_bar_shape)
SHAPE_DECLARE(run_strip, RUN_STRIP);
enum { STRIP_RUNS = 20 };
/* NULL for fewer than two runs. */
struct run_strip *run_strip_of(struct ctx *c, const struct governed_run_list *newest_first);

/* The fields of a struct job, for functions that take one. */
struct job job_of_governed(const struct governed_job *);
void governed_say(struct ctx *c, struct governed_job *); /* job_say() */
#endif
