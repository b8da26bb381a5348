/* SPDX-License-Identifier: Apache-2.0 */
#include "core/state.h"

#include "base/id.h"
#include "core/round.h"
#include "core/spread.h"

enum { DAY_S = 86400, HOUR_S = 3600, COUNTED = 500, RUNS_COUNTED = 100 };

#define STATE(F, T) \
	F(T, STR, oldest, .flags = F_NUL) \
	F(T, INT, due_at) \
	F(T, INT, scrubbed_at) \
	F(T, INT, mails_failed) \
	F(T, INT, damaged)
SHAPE(state, STATE);

#define RUNS_STATE(F, T) \
	F(T, INT, due) \
	F(T, INT, turn) \
	F(T, INT, running) \
	F(T, INT, retrying) \
	F(T, INT, failed)
SHAPE(runs_state, RUNS_STATE);

static int64_t
since(const struct ctx *c, int64_t at)
{
	return at && at < c->now ? c->now - at : 0;
}

/* Runs that are due, and how long the first in turn has waited. */
static enum err
runs_read(struct ctx *c, int64_t g[GAUGES])
{
	struct runs_state *s;

	TRY(db_one(c,
	    ROWS(runs_state,
		"SELECT (SELECT COUNT(*)"
		" FROM (SELECT 1 FROM job_run WHERE ready IS NOT NULL LIMIT ?) q) AS due,"
		" COALESCE(LEAST(COALESCE((SELECT MIN(turn) FROM job_run WHERE ready = 1), 9e15),"
		" COALESCE((SELECT MIN(turn) FROM job_run WHERE ready = 2), 9e15),"
		" COALESCE((SELECT MIN(turn) FROM job_run WHERE ready = 3), 9e15),"
		" COALESCE((SELECT MIN(turn) FROM job_run WHERE ready = 4), 9e15)),"
		" 0) DIV 1000 AS turn,"
		" COALESCE(SUM(status = 'running'), 0) AS running,"
		" COALESCE(SUM(status = 'retrying'), 0) AS retrying,"
		" (SELECT COALESCE(SUM(status = 'failed'), 0) FROM (SELECT status FROM job_run"
		" WHERE finished_at >= ? ORDER BY finished_at DESC LIMIT ?) f) AS failed"
		" FROM (SELECT status FROM job_run WHERE due_at IS NOT NULL LIMIT ?) t"),
	    ARGS(RUNS_COUNTED, c->now - HOUR_S, RUNS_COUNTED, RUNS_COUNTED), &s));
	g[G_runs_due] = s->due;
	g[G_runs_late_seconds] = since(c, s->turn);
	g[G_runs_running] = s->running;
	g[G_runs_retrying] = s->retrying;
	g[G_runs_failed] = s->failed;
	return heartbeats_late(c, "runner", &g[G_runner_lanes_late]);
}

enum err
state_run_late(struct ctx *c, int64_t *seconds)
{
	int64_t g[GAUGES] = { 0 };

	TRY(runs_read(c, g));
	*seconds = g[G_runs_late_seconds];
	return E_OK;
}

enum err
state_read(struct ctx *c, int64_t g[GAUGES])
{
	struct state *s;

	TRY(db_one(c,
	    ROWS(state,
		"SELECT (SELECT MIN(id) FROM outbox) AS oldest,"
		" COALESCE((SELECT MIN(due_at) FROM outbox), 0) AS due_at,"
		" COALESCE((SELECT finished_at FROM sweep WHERE node = ? AND name = '"
		ROUND_SCRUB "'), 0) AS scrubbed_at,"
		" (SELECT COUNT(*)"
		" FROM (SELECT 1 FROM mail_failed WHERE failed_at >= ? LIMIT ?) m) AS mails_failed,"
		" (SELECT COUNT(*) FROM (SELECT 1 FROM damage WHERE node = ? LIMIT ?) d)"
		" AS damaged"),
	    ARGS(node_name(c), c->now - DAY_S, COUNTED, node_name(c), COUNTED), &s));
	g[G_mails_failed] = s->mails_failed;
	g[G_damaged] = s->damaged;
	g[G_outbox_oldest_seconds] = s->oldest ? since(c, id_time(s->oldest)) : 0;
	g[G_outbox_late_seconds] = since(c, s->due_at);
	g[G_scrub_last_cycle_timestamp_seconds] = s->scrubbed_at;
	g[G_runner_last_pass_timestamp_seconds] = c->now;
	return runs_read(c, g);
}
