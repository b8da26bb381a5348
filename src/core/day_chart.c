/* SPDX-License-Identifier: Apache-2.0 */
#include "core/day_chart.h"

#include "base/str.h"

enum { FLOOR = 128, TALL = 120 /* pixels */, LABEL_EACH = 8, LEAST = 2, PARTS = 3 };

SHAPE_DEFINE(day_part, DAY_PART);
SHAPE_DEFINE(day_bar, DAY_BAR);
SHAPE_DEFINE(day_chart, DAY_CHART);

/* The upper end of the axis: a round number with a round half. */
static int64_t
axis_top(int64_t most)
{
	static const int64_t round[] = { 2, 4, 6, 10 };

	for (int64_t ten = 1;; ten *= 10)
		for (size_t i = 0; i < sizeof round / sizeof *round; i++)
			if (most <= round[i] * ten)
				return round[i] * ten;
}

static const char *
day_as(struct ctx *c, int64_t day, const char *form)
{
	char text[40];
	time_t at = day;
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(text, sizeof text, form, &tm);
	return mem_strdup(c->mem, text);
}

const char *
day_words(struct ctx *c, int64_t day)
{
	return day_as(c, day, "%B %-d");
}

/* Stacks the parts. A part that isn't 0 is at least LEAST pixels tall. */
static struct list
parts_draw(struct ctx *c, const struct day_figures *f, int64_t top)
{
	static const char *const words[PARTS] = { "ok", "bad", "none" };
	struct day_part *part = mem_array(c->mem, struct day_part, PARTS);
	double height = 0;
	size_t n = 0;

	for (size_t i = 0; i < PARTS; i++) {
		double tall = (double)f->parts[i] * TALL / (double)top;

		if (!f->parts[i])
			continue;
		tall = tall < LEAST ? LEAST : tall;
		height += tall;
		part[n++] = (struct day_part){ .is = words[i],
			.y = mem_printf(c->mem, "%.1f", FLOOR - height),
			.tall = mem_printf(c->mem, "%.1f", tall) };
	}
	return (struct list){ part, n };
}

struct day_chart *
day_chart_of(struct ctx *c, const struct day_figures *days, size_t n,
    const char *(*said)(void *owner, int64_t figure))
{
	struct day_chart *out = mem_new(c->mem, struct day_chart);
	struct day_bar *bar = mem_array(c->mem, struct day_bar, n + 1);
	int64_t top;

	for (size_t i = 0; i < n; i++) {
		const int64_t *part = days[i].parts, all = part[0] + part[1] + part[2];

		out->all += all;
		if (all <= out->most)
			continue;
		out->most = all;
		out->busiest = days[i].day;
	}
	top = axis_top(out->most);
	for (size_t i = 0; i < n; i++)
		bar[i] = (struct day_bar){
			.x = mem_printf(c->mem, "%.2f", 100.0 * (double)i / (double)n + 0.4),
			.tip = mem_printf(
			    c->mem, "%s: %s", day_words(c, days[i].day), days[i].tip),
			.label = i % LABEL_EACH ? NULL : day_as(c, days[i].day, "%b %-d"),
			.parts = parts_draw(c, &days[i], top)
		};
	out->bars = (struct list){ bar, n };
	out->top = said(c->mem, top);
	out->half = said(c->mem, top / 2);
	return out;
}
