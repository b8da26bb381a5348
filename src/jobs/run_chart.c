/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/run_chart.h"

#include "base/str.h"
#include "jobs/job_look.h"

SHAPE_DEFINE(run_bar, RUN_BAR);
SHAPE_DEFINE(run_strip, RUN_STRIP);
SHAPE_DEFINE(run_chart, RUN_CHART);

static void
outcomes_draw(struct ctx *c, const struct governed_day_list *days, struct run_chart *out)
{
	struct day_figures *of = mem_array(c->mem, struct day_figures, days->n + 1);
	struct day_chart *chart;

	for (size_t i = 0; i < days->n; i++) {
		const struct governed_day *d = &days->v[i];

		of[i] = (struct day_figures){ d->day, { d->success, d->failed, d->skipped },
			mem_printf(c->mem, "%lld succeeded, %lld failed, %lld skipped",
			    (long long)d->success, (long long)d->failed, (long long)d->skipped) };
	}
	out->outcomes = chart = day_chart_of(c, of, days->n, str_number);
	chart->about = mem_printf(c->mem,
	    "Runs a day by outcome, %s to %s: %s succeeded, %s failed, %s skipped; "
	    "most on %s, %s",
	    day_words(c, days->v[0].day), day_words(c, days->v[days->n - 1].day),
	    str_number(c->mem, out->success), str_number(c->mem, out->failed),
	    str_number(c->mem, out->skipped), day_words(c, chart->busiest),
	    str_number(c->mem, chart->most));
}

static void
times_draw(struct ctx *c, const struct governed_day_list *days, struct run_chart *out)
{
	struct day_figures *of = mem_array(c->mem, struct day_figures, days->n + 1);
	const struct governed_day *slowest = &days->v[0];
	struct day_chart *chart;

	for (size_t i = 0; i < days->n; i++) {
		const struct governed_day *d = &days->v[i];

		if (d->longest_ms > slowest->longest_ms)
			slowest = d;
		of[i] = (struct day_figures){ d->day, { d->mean_ms },
			d->longest_ms ? mem_printf(c->mem, "%s on average, %s at most",
					    str_took(c->mem, d->mean_ms),
					    str_took(c->mem, d->longest_ms))
				      : "none" };
	}
	out->times = chart = day_chart_of(c, of, days->n, str_took);
	chart->about = mem_printf(c->mem,
	    "How long runs took on average each day: %s at most; the longest took %s, on %s",
	    str_took(c->mem, chart->most), str_took(c->mem, slowest->longest_ms),
	    day_words(c, slowest->day));
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
	out->days = (struct list){ days->v, days->n };
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
