/* SPDX-License-Identifier: Apache-2.0
 * Charts of an artifact's tables. A chart is a question for a summary (data/summary.h), with a way
 * to draw it. Each viewer sees it of the rows that they may read. Source: charts/README.md. */
#ifndef VITRINE_CHART_H
#define VITRINE_CHART_H
#include "base/civil.h"
#include "data/where.h"

#define CHART_KINDS "line|bar|stacked|area|scatter|histogram|number|table"
enum { CHARTS_MOST = 100 /* of an artifact */, CHART_SERIES = 12, CHART_POINTS = 2000,
	CHART_BINS = 20, CHART_PLACE_MOST = 1000000 };

#define CHART(F, T) \
	F(T, ID,   id,       .arg = "cht_") \
	F(T, STR,  name) \
	F(T, WORD, kind,     .arg = CHART_KINDS) \
	F(T, STR,  table) \
	F(T, ID,   view_id,  .flags = F_NUL, .arg = "viw_") \
	F(T, JSON, where,    .flags = F_NUL, .doc = "null unless you can edit the artifact") \
	F(T, STR,  group,    .flags = F_NUL) \
	F(T, WORD, by,       .flags = F_NUL, .arg = CIVIL_PERIODS) \
	F(T, INT,  bins,     .flags = F_NUL) \
	F(T, STR,  split,    .flags = F_NUL) \
	F(T, STR,  measure) \
	F(T, STR,  zone,     .flags = F_NUL) \
	F(T, ID,   alert_id, .flags = F_NUL, .arg = "alr_") \
	F(T, INT,  place) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, STR,  words,    .flags = F_HID, .doc = "For pages: what it shows")
SHAPE_DECLARE(chart, CHART);

#define CHART_NEW(F, T) \
	F(T, STR,  name,     .flags = F_REQ, .lo = 1, .hi = 120, .eg = "\"Guests\"") \
	F(T, WORD, kind,     .flags = F_REQ, .arg = CHART_KINDS, \
		.doc = "scatter needs two measures, for both axes; number has no group", \
		.eg = "\"bar\"") \
	F(T, STR,  table,    .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS, \
		.eg = "\"guests\"") \
	F(T, ID,   view_id,  .flags = F_NUL, .arg = "viw_", \
		.doc = "Only rows of this shared view") \
	F(T, JSON, where,    .flags = F_NUL, .hi = WHERE_CHARS, \
		.doc = "In place of a view: conditions as in lists of rows. Only people who can " \
		       "edit the artifact see them. Absent in a change: they stay") \
	F(T, STR,  group,    .flags = F_NUL, .hi = TABLE_NAME_CHARS, \
		.doc = "As in summaries: a column, for each of whose values there is a bar or " \
		       "point", .eg = "\"title\"") \
	F(T, WORD, by,       .flags = F_NUL, .arg = CIVIL_PERIODS, \
		.doc = "For each period of a timestamp or date") \
	F(T, INT,  bins,     .flags = F_NUL, .lo = 1, .hi = 100, \
		.doc = "Of a histogram; 20 by default. Absent in a change: they stay") \
	F(T, STR,  split,    .flags = F_NUL, .hi = TABLE_NAME_CHARS, \
		.doc = "A column, for each of whose values there is a series. Those beyond " \
		       "twelve are added up as Others") \
	F(T, STR,  measure,  .hi = 700, \
		.doc = "As in summaries, such as sum.amount,count. By default count") \
	F(T, STR,  zone,     .flags = F_NUL, .hi = 64, .doc = "Of by and within") \
	F(T, ID,   alert_id, .flags = F_NUL, .arg = "alr_", \
		.doc = "Its value is drawn as a line, for people who can see the alert") \
	F(T, INT,  place,    .lo = 0, .hi = CHART_PLACE_MOST, \
		.doc = "Charts are listed by it; by default the last. Absent in a change: it stays")
SHAPE_DECLARE(chart_new, CHART_NEW);

/* A series: as many values as the chart has labels. */
#define CHART_LINE(F, T) \
	F(T, STR,  name) \
	F(T, JSON, values, .arg = "array", .doc = "Exact numbers; null: none")
SHAPE_DECLARE(chart_line, CHART_LINE);

#define CHART_THRESHOLD(F, T) \
	F(T, STR,  name, .doc = "Of the alert") \
	F(T, WORD, op,   .arg = "above|below|change_pct") \
	F(T, NUM,  value)
SHAPE_DECLARE(chart_threshold, CHART_THRESHOLD);

#define CHART_DATA(F, T) \
	F(T, ID,   id,           .arg = "cht_") \
	F(T, STR,  name) \
	F(T, WORD, kind,         .arg = CHART_KINDS) \
	F(T, STR,  description,  .doc = "Range and peak, as a sentence") \
	F(T, STRS, labels) \
	F(T, LIST, series,       .sub = &chart_line_shape) \
	F(T, OBJ,  threshold,    .flags = F_NUL, .sub = &chart_threshold_shape) \
	F(T, INT,  rows,         .doc = "That the figures are of; you can read these") \
	F(T, INT,  groups_total) \
	F(T, BOOL, truncated,    .doc = "Some groups are left out: those with the fewest rows") \
	F(T, TIME, as_of)
SHAPE_DECLARE(chart_data, CHART_DATA);

/* Lists charts by place. Without the role of an editor: of readable tables, without where. */
enum err chart_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct chart_list *out);
/* E_NOT_FOUND also if `who` can neither edit the artifact nor read rows of the table. */
enum err chart_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct chart **out);
/* Both have the artifact's row locked. E_INVALID names the field. E_LIMIT_REACHED. */
enum err chart_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chart_new *in, const char **id);
/* Replaces all fields but those that stay. */
enum err chart_put(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct chart_new *in);
enum err chart_delete(struct ctx *c, const struct artifact *a, const char *id);

/* ---- chartdata.c ---- */

/* The points to draw: series_n lines of n. Texts live in the context's memory. */
struct chart_points {
	size_t n, series_n;
	const char **labels;               /* n */
	const char *names[CHART_SERIES];
	const char *const *texts[CHART_SERIES]; /* values as JSON, or NULL */
	double *v[CHART_SERIES];           /* NaN: none, or no number */
};
/* Computes the chart of the rows that `who` may read. slow: as in summary_make(). E_NOT_FOUND:
 * `who` may read no row of its table. E_CONFLICT: it no longer fits the table. */
enum err chart_compute(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chart *ch, bool *slow, struct chart_data *out, struct chart_points *points);
/* E_INVALID: the chart can't be made of the table's columns. */
enum err chart_check(struct ctx *c, const struct table_for *tf, const struct chart *ch);
/* Returns a measure in words: "Sum of amount". */
const char *chart_measure_words(void *owner, const char *measure);
/* Returns a value for people: "1,204.5"; text: of chart_points. */
const char *chart_value_shown(struct ctx *c, const char *text);

/* ---- chartdraw.c ---- */

enum { CHART_WIDTH_LEAST = 320, CHART_WIDTH_MOST = 1600 };
/* Returns an SVG image. theme: "light", "dark", or NULL for what the browser prefers. */
const char *chart_draw(struct ctx *c, const struct chart *ch, const struct chart_data *data,
    const struct chart_points *points, const char *theme, int width);
#endif
