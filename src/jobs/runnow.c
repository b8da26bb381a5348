/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/runnow.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "jobs/action.h"

enum { WAIT_MS = 250 };

/* An attempt, until its end is written. */
struct attempt {
	const struct run_held *held;
	const struct action_asked *asked;
	const struct action_taken *taken;
	struct action_answer answer;
	const struct run_outcome *outcome; /* set: the outcome, without asking the action */
};

static enum err
attempt_end_once(struct ctx *c, const struct attempt *a)
{
	struct run_outcome outcome;
	bool mine;

	TRY(db_begin(c));
	TRY(run_hold(c, a->held, &mine));
	/* The lease ran out or the job was deleted; the runner that has the run now ends it. */
	if (!mine) {
		db_rollback(c);
		return E_OK;
	}
	if (a->outcome)
		outcome = *a->outcome;
	else
		TRY(action_end(c, a->held, a->asked, &a->answer, a->taken, &outcome));
	TRY(run_end(c, a->held, &outcome));
	return db_commit(c);
}

static enum err
attempt_end(struct ctx *c, const struct attempt *a)
{
	enum err e;
	int tries = 0;

	do
		e = attempt_end_once(c, a);
	while (db_again(c, e, &tries));
	return e;
}

/* Sends like the runner, but for a shorter time; *late: that time ran out without an answer. */
static void
attempt_send(struct ctx *c, struct egress_req *req, struct attempt *a, bool *late)
{
	struct egress_many *net = egress_many(c->mem, c->conf, 1);
	bool patient = req->timeout_s > RUNNOW_S;
	struct egress_done done;

	if (patient)
		req->timeout_s = RUNNOW_S;
	egress_add(net, c, req, NULL);
	while (!egress_next(net, WAIT_MS, &done))
		;
	a->answer =
	    (struct action_answer){ .res = done.res, .why = done.why, .final = done.final };
	*late = patient && !done.res && done.took_ms >= RUNNOW_S * 1000 - 100;
	/* Later steps, such as the time of the next attempt, count from now. */
	c->now += done.took_ms / 1000;
}

/* Does the same for a query. */
static void
attempt_ask(struct ctx *c, struct postgres_req *query, struct attempt *a, bool *late)
{
	struct postgres_many *databases = postgres_many(c->mem, c->conf);
	struct postgres_done done;
	int64_t from = clock_ms();

	query->read_s = RUNNOW_S;
	postgres_add(databases, c, query, NULL);
	while (!postgres_next(databases, WAIT_MS, &done))
		;
	a->answer =
	    (struct action_answer){ .rows = done.res, .why = done.why, .final = done.final };
	*late = done.late;
	c->now += (clock_ms() - from) / 1000;
}

/* An error goes to the log: the runner takes up the run again. */
static enum err
run_carry_out(struct ctx *c, const struct run_held *held, bool *late)
{
	struct action_asked asked = { 0 };
	struct attempt a = { .held = held, .asked = &asked };
	struct run_outcome refused = { .verdict = RUN_FAILED };
	struct action_taken *taken;
	enum err e = action_begin(c, held, &asked);

	if (e == E_INVALID) {
		refused.error = ctx_why(c);
		ctx_again(c);
		a.outcome = &refused;
		return attempt_end(c, &a);
	}
	TRY(e);
	if (asked.req)
		attempt_send(c, asked.req, &a, late);
	if (asked.query)
		attempt_ask(c, asked.query, &a, late);
	if (*late)
		return E_OK;
	TRY(action_take(c, held, &asked, &a.answer, &taken));
	a.taken = taken;
	return attempt_end(c, &a);
}

const char *
run_words(const char *status)
{
	if (str_eq(status, "success"))
		return "The job ran";
	if (str_eq(status, "failed"))
		return "The job failed; execution.error says why";
	if (str_eq(status, "skipped"))
		return "The job had nothing to do; execution.error says why";
	if (str_eq(status, "retrying"))
		return "The job failed and will be tried again at execution.next_attempt_at";
	return "The job is still running; get its run from the address in Location";
}

enum err
run_now(struct ctx *c, const struct job *j, struct run **out)
{
	struct run_held *held;
	bool late = false;

	TRY(run_claim_now(c, j, &held));
	if (run_carry_out(c, held, &late)) {
		log_line(LOG_LEVEL_WARN, "a run is left to the runner", "run", held->id, "why",
		    ctx_why(c), NULL);
		ctx_again(c);
		late = true;
	}
	if (late)
		TRY(run_release(c, held));
	return run_get(c, j, held->id, out);
}
