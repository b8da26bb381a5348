/* SPDX-License-Identifier: Apache-2.0
 * Counts views of an artifact's pages, by day (UTC). nginx writes each view into a log, without the
 * visitor; the runner counts them. */
#ifndef VITRINE_STATS_H
#define VITRINE_STATS_H
#include "core/artifact.h"
#include "store/sweep.h"

#define STATS_DAY(F, T) \
	F(T, STR, day, .doc = "Day in UTC, such as 2026-01-02") \
	F(T, INT, views) \
	F(T, INT, begins_at, .flags = F_HID)
SHAPE_DECLARE(stats_day, STATS_DAY);

#define STATS(F, T) \
	F(T, INT,  views, .doc = "Total over these days") \
	F(T, LIST, days, .sub = &stats_day_shape, \
		.doc = "One entry per day, oldest first; the last is today")
SHAPE_DECLARE(stats, STATS);

enum { STATS_DAYS_MOST = 400 };
#define STATS_QUERY(F, T) \
	F(T, INT, days, .lo = 1, .hi = STATS_DAYS_MOST, .def = "30", \
		.doc = "Number of days, including today")
SHAPE_DECLARE(stats_query, STATS_QUERY);

/* Counts the views of each of n artifacts in the last days, including today. One statement. */
enum err stats_of(
    struct ctx *c, const char *const *ids, size_t n, int64_t days, int64_t *views);

/* Takes one statement. days: 1 to STATS_DAYS_MOST. */
enum err stats_get(struct ctx *c, const struct artifact *a, int64_t days, struct stats *out);
#endif
