/* SPDX-License-Identifier: Apache-2.0
 * The chart of a workspace's runs by day (jobs/run-chart.html): outcomes and durations, as bars,
 * as a sentence, and as a table. */
#ifndef VITRINE_RUN_CHART_H
#define VITRINE_RUN_CHART_H
#include "core/day_chart.h"
#include "jobs/governed.h"

#define RUN_CHART(F, T) \
	F(T, INT,  success) \
	F(T, INT,  failed) \
	F(T, INT,  skipped) \
	F(T, OBJ,  outcomes, .sub = &day_chart_shape) \
	F(T, OBJ,  times,    .sub = &day_chart_shape) \
	F(T, LIST, days,     .sub = &governed_day_shape)
SHAPE_DECLARE(run_chart, RUN_CHART);

/* The chart, in c->mem; NULL: no run ended on these days. */
struct run_chart *run_chart_of(struct ctx *c, const struct governed_day_list *);

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
#endif
