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

/* A run in a list (jobs/ws-runs-rows.html). */
#define WS_RUN_ROW(F, T) \
	F(T, ID,   id,              .arg = "run_") \
	F(T, WORD, status,          .arg = RUN_STATUSES) \
	F(T, STR,  title) \
	F(T, STR,  artifact_name) \
	F(T, STR,  why) \
	F(T, TIME, started,         .doc = "Or due, if it hasn't been") \
	F(T, TIME, next_attempt_at) \
	F(T, STR,  took) \
	F(T, STR,  reply)
SHAPE_DECLARE(ws_run_row, WS_RUN_ROW);
/* of: the job if all runs are of one job, so that rows name the cause instead; else NULL. */
struct list ws_run_rows(
    struct ctx *c, const struct governed_run_list *runs, const struct job *of);

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

/* "schedules" or "automations", the part of a path for the surface. */
const char *surface_part(const char *trigger_type);
/* The name to show; NULL: the account is gone. */
const char *governed_owner(const struct ws_user *);
/* The fields of a struct job, for functions that take one. */
struct job job_of_governed(const struct governed_job *);
#endif
