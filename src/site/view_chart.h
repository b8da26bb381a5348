/* SPDX-License-Identifier: Apache-2.0
 * The chart of an artifact's views by day (app/artifact.html). */
#ifndef VITRINE_VIEW_CHART_H
#define VITRINE_VIEW_CHART_H
#include "site/stats.h"

/* A day's bar, in the chart's units. */
#define BAR(F, T) \
	F(T, TIME, day) \
	F(T, INT, views) \
	F(T, INT, x) \
	F(T, INT, y) \
	F(T, INT, height)
SHAPE_DECLARE(bar, BAR);

#define VIEW_CHART(F, T) \
	F(T, INT,  views) \
	F(T, LIST, bars, .sub = &bar_shape) \
	F(T, INT,  view_days) \
	F(T, INT,  busiest_views) \
	F(T, TIME, busiest_day)
SHAPE_DECLARE(view_chart, VIEW_CHART);

/* The busiest day's bar is the highest; a day without a view has a line at the bottom. */
struct view_chart *view_chart_of(struct ctx *c, const struct stats *);
#endif
