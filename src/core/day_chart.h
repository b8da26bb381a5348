/* SPDX-License-Identifier: Apache-2.0
 * A chart of days in a page (core/day-chart.html): a bar for each day, and an axis. The page says
 * the figures as text, too. */
#ifndef VITRINE_DAY_CHART_H
#define VITRINE_DAY_CHART_H
#include "base/ctx.h"
#include "base/shape.h"

/* A part of a bar, in pixels. */
#define DAY_PART(F, T) \
	F(T, WORD, is, .arg = "ok|bad|none") \
	F(T, STR,  y) \
	F(T, STR,  tall)
SHAPE_DECLARE(day_part, DAY_PART);

#define DAY_BAR(F, T) \
	F(T, STR,  x, .doc = "Its left edge, in percent of the width") \
	F(T, STR,  tip) \
	F(T, STR,  label, .doc = "Below it; NULL: none") \
	F(T, LIST, parts, .sub = &day_part_shape)
SHAPE_DECLARE(day_bar, DAY_BAR);

#define DAY_CHART(F, T) \
	F(T, STR,  about, .doc = "What it says, as a sentence; set by the caller") \
	F(T, INT,  all) \
	F(T, INT,  most,  .doc = "On a day") \
	F(T, TIME, busiest, .doc = "The first day with the most") \
	F(T, STR,  top) \
	F(T, STR,  half) \
	F(T, LIST, bars,  .sub = &day_bar_shape)
SHAPE_DECLARE(day_chart, DAY_CHART);

/* parts: those of the bar, from below; tip: what they say. */
struct day_figures {
	int64_t day, parts[3];
	const char *tip;
};
/* Draws about 30 days, in c->mem. said: writes a figure of the axis. */
struct day_chart *day_chart_of(struct ctx *c, const struct day_figures *days, size_t n,
    const char *(*said)(void *owner, int64_t figure));

/* Returns a day (UTC) as "November 26". */
const char *day_words(struct ctx *c, int64_t day);
#endif
