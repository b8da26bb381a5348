/* SPDX-License-Identifier: Apache-2.0
 * The chart of a workspace's runs by day (jobs/run-chart.html): outcomes and durations, as bars,
 * as a sentence, and as a table. */
#ifndef VITRINE_RUN_CHART_H
#define VITRINE_RUN_CHART_H
#include "jobs/governed.h"

/* A day's bar. x: its left edge in percent of the width. For each part: top and height in
 * pixels; NULL: no such part. */
#define CHART_BAR(F, T) \
	F(T, STR, x) \
	F(T, STR, tip) \
	F(T, STR, label, .doc = "Below it; NULL: none") \
	F(T, STR, ok_y) \
	F(T, STR, ok_h) \
	F(T, STR, bad_y) \
	F(T, STR, bad_h) \
	F(T, STR, none_y) \
	F(T, STR, none_h)
SHAPE_DECLARE(chart_bar, CHART_BAR);

#define CHART_DAY(F, T) \
	F(T, STR, day) \
	F(T, STR, success) \
	F(T, STR, failed) \
	F(T, STR, skipped) \
	F(T, STR, mean) \
	F(T, STR, longest)
SHAPE_DECLARE(chart_day, CHART_DAY);

#define RUN_CHART(F, T) \
	F(T, INT,  success) \
	F(T, INT,  failed) \
	F(T, INT,  skipped) \
	F(T, STR,  about, .doc = "What the bars of the outcomes say") \
	F(T, STR,  top) \
	F(T, STR,  half) \
	F(T, LIST, bars,  .sub = &chart_bar_shape) \
	F(T, STR,  took_about) \
	F(T, STR,  took_top) \
	F(T, STR,  took_half) \
	F(T, LIST, took_bars, .sub = &chart_bar_shape) \
	F(T, LIST, days,  .sub = &chart_day_shape)
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
