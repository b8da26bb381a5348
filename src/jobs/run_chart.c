/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/run_chart.h"

#include "base/str.h"
#include "jobs/job_look.h"

enum { FLOOR = 128, TALL = 120 /* pixels */, LABEL_EACH = 8, LEAST = 2 };

SHAPE_DEFINE(chart_bar, CHART_BAR);
SHAPE_DEFINE(chart_day, CHART_DAY);
SHAPE_DEFINE(run_bar, RUN_BAR);
SHAPE_DEFINE(run_strip, RUN_STRIP);
SHAPE_DEFINE(run_chart, RUN_CHART);

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
day_words(struct ctx *c, int64_t day, const char *form)
{
	char text[40];
	time_t at = day;
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(text, sizeof text, form, &tm);
	return mem_strdup(c->mem, text);
}

#define DAY "%B %-d"

/* Adds a part on top of the others. A part that isn't 0 is at least LEAST pixels tall. */
static void
part_add(struct ctx *c, int64_t n, int64_t top, double *stands, const char **y, const char **h)
{
	double tall = (double)n * TALL / (double)top;

	if (!n)
		return;
	tall = tall < LEAST ? LEAST : tall;
	*stands += tall;
	*y = mem_printf(c->mem, "%.1f", FLOOR - *stands);
	*h = mem_printf(c->mem, "%.1f", tall);
}

static struct chart_bar
bar_begin(struct ctx *c, const struct governed_day_list *days, size_t i)
{
	return (struct chart_bar){ .x = mem_printf(
				       c->mem, "%.2f", 100.0 * (double)i / (double)days->n + 0.4),
		.label = i % LABEL_EACH ? NULL : day_words(c, days->v[i].day, "%b %-d") };
}

static void
outcomes_draw(struct ctx *c, const struct governed_day_list *days, struct run_chart *out)
{
	struct chart_bar *bar = mem_array(c->mem, struct chart_bar, days->n + 1);
	const struct governed_day *busiest = &days->v[0];
	int64_t most = 0, top;

	for (size_t i = 0; i < days->n; i++) {
		const struct governed_day *d = &days->v[i];

		if (d->success + d->failed + d->skipped <= most)
			continue;
		most = d->success + d->failed + d->skipped;
		busiest = d;
	}
	top = axis_top(most);
	for (size_t i = 0; i < days->n; i++) {
		const struct governed_day *d = &days->v[i];
		double stands = 0;

		bar[i] = bar_begin(c, days, i);
		part_add(c, d->success, top, &stands, &bar[i].ok_y, &bar[i].ok_h);
		part_add(c, d->failed, top, &stands, &bar[i].bad_y, &bar[i].bad_h);
		part_add(c, d->skipped, top, &stands, &bar[i].none_y, &bar[i].none_h);
		bar[i].tip = mem_printf(c->mem, "%s: %lld succeeded, %lld failed, %lld skipped",
		    day_words(c, d->day, DAY), (long long)d->success, (long long)d->failed,
		    (long long)d->skipped);
	}
	out->bars = (struct list){ bar, days->n };
	out->top = str_number(c->mem, top);
	out->half = str_number(c->mem, top / 2);
	out->about = mem_printf(c->mem,
	    "Runs a day by outcome, %s to %s: %s succeeded, %s failed, %s skipped; "
	    "most on %s, %s",
	    day_words(c, days->v[0].day, DAY), day_words(c, days->v[days->n - 1].day, DAY),
	    str_number(c->mem, out->success), str_number(c->mem, out->failed),
	    str_number(c->mem, out->skipped), day_words(c, busiest->day, DAY),
	    str_number(c->mem, most));
}

static void
times_draw(struct ctx *c, const struct governed_day_list *days, struct run_chart *out)
{
	struct chart_bar *bar = mem_array(c->mem, struct chart_bar, days->n + 1);
	const struct governed_day *slowest = &days->v[0];
	int64_t most = 0, top;

	for (size_t i = 0; i < days->n; i++) {
		most = days->v[i].mean_ms > most ? days->v[i].mean_ms : most;
		if (days->v[i].longest_ms > slowest->longest_ms)
			slowest = &days->v[i];
	}
	top = axis_top(most);
	for (size_t i = 0; i < days->n; i++) {
		const struct governed_day *d = &days->v[i];
		double stands = 0;

		bar[i] = bar_begin(c, days, i);
		part_add(c, d->mean_ms, top, &stands, &bar[i].ok_y, &bar[i].ok_h);
		bar[i].tip = d->longest_ms
		    ? mem_printf(c->mem, "%s: %s on average, %s at most", day_words(c, d->day, DAY),
			  str_took(c->mem, d->mean_ms), str_took(c->mem, d->longest_ms))
		    : mem_printf(c->mem, "%s: none", day_words(c, d->day, DAY));
	}
	out->took_bars = (struct list){ bar, days->n };
	out->took_top = str_took(c->mem, top);
	out->took_half = str_took(c->mem, top / 2);
	out->took_about = mem_printf(c->mem,
	    "How long runs took on average each day: %s at most; the longest took %s, on %s",
	    str_took(c->mem, most), str_took(c->mem, slowest->longest_ms),
	    day_words(c, slowest->day, DAY));
}

struct run_chart *
run_chart_of(struct ctx *c, const struct governed_day_list *days)
{
	struct run_chart *out = mem_new(c->mem, struct run_chart);

	for (size_t i = 0; i < days->n; i++) {
		out->success += days->v[i].success;
		out->failed += days->v[i].failed;
		out->skipped += days->v[i].skipped;
	}
	if (!(out->success + out->failed + out->skipped))
		return NULL;
	outcomes_draw(c, days, out);
	times_draw(c, days, out);
	out->days = list_made(c->mem, days, d,
	    (struct chart_day){ .day = day_words(c, d->day, DAY),
		.success = str_number(c->mem, d->success),
		.failed = str_number(c->mem, d->failed),
		.skipped = str_number(c->mem, d->skipped),
		.mean = d->longest_ms ? str_took(c->mem, d->mean_ms) : "",
		.longest = d->longest_ms ? str_took(c->mem, d->longest_ms) : "" });
	return out;
}

/* ---- the last runs of a job ---- */

struct run_strip *
run_strip_of(struct ctx *c, const struct governed_run_list *newest)
{
	struct run_strip *out = mem_new(c->mem, struct run_strip);
	struct run_bar *bar = mem_array(c->mem, struct run_bar, newest->n + 1);
	int64_t good = 0, bad = 0;

	if (newest->n < 2)
		return NULL;
	for (size_t i = 0; i < newest->n; i++) {
		const struct governed_run *run = &newest->v[newest->n - 1 - i];

		bar[i].x = mem_printf(c->mem, "%zu", i * 100 / STRIP_RUNS);
		bar[i].is = str_eq(run->status, "success") ? "ok"
		    : str_eq(run->status, "failed")        ? "bad"
							   : "none";
		good += str_eq(bar[i].is, "ok");
		bad += str_eq(bar[i].is, "bad");
		if (str_eq(bar[i].is, "bad") && !out->failing_since)
			out->failing_since = run->scheduled_for;
		else if (str_eq(bar[i].is, "ok"))
			out->failing_since = 0;
	}
	out->strip = (struct list){ bar, newest->n };
	out->strip_about = mem_printf(c->mem, "Of the last %zu, %lld succeeded and %lld failed",
	    newest->n, (long long)good, (long long)bad);
	return out;
}
