/* SPDX-License-Identifier: Apache-2.0 */
#include "site/view_chart.h"

SHAPE_DEFINE(bar, BAR);
SHAPE_DEFINE(view_chart, VIEW_CHART);

enum {
	/* artifact.html draws a bar of 8 every 10 units. */
	BAR_EACH = 10,
	BAR_HIGHEST = 60,
	BAR_LEAST = 1
};

struct view_chart *
view_chart_of(struct ctx *c, const struct stats *s)
{
	struct view_chart *out = mem_new(c->mem, struct view_chart);
	struct bar *bars = mem_array(c->mem, struct bar, s->days.n);
	const struct stats_day *day = s->days.v;
	int64_t most = 0;

	for (size_t i = 0; i < s->days.n; i++) {
		if (day[i].views <= most)
			continue;
		most = out->busiest_views = day[i].views;
		out->busiest_day = day[i].begins_at;
	}
	for (size_t i = 0; i < s->days.n; i++) {
		double share = most ? (double)day[i].views / (double)most : 0;
		int64_t height = BAR_LEAST + (int64_t)(share * (BAR_HIGHEST - BAR_LEAST));

		bars[i] = (struct bar){ .day = day[i].begins_at,
			.views = day[i].views,
			.x = (int64_t)i * BAR_EACH,
			.y = BAR_HIGHEST - height,
			.height = height };
	}
	out->bars = (struct list){ bars, s->days.n };
	out->views = s->views;
	out->view_days = (int64_t)s->days.n;
	return out;
}
