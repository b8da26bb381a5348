/* SPDX-License-Identifier: Apache-2.0
 * What jobs do, carried out: what an action asks another server, and what becomes of the answer.
 * Source: jobs/README.md. */
#ifndef VITRINE_ACTION_H
#define VITRINE_ACTION_H
#include "ext/egress.h"
#include "ext/postgres.h"
#include "jobs/run.h"

/* Before an attempt, outside of any transaction. Either *req is what is to be sent (its memory is
 * the context's), or it is NULL and action_end() does it all. E_INVALID when the config can't be
 * carried out (anymore): the message is the run's error. When whoever set the job up may not edit
 * the artifact anymore, their jobs there are disabled besides; of cause alert that is not
 * asked. */
struct action_asked {
	struct egress_req *req;
	struct postgres_req *query;         /* in its place: what is asked of a database */
	const struct connection_used *used; /* what it is asked with; NULL: no connection */
	/* Of whoever carries it out: called now and then while rows are put into a table, so that
	 * what else is under way goes on. NULL: nothing is. */
	void (*between)(void *arg);
	void *arg;
};
enum err action_begin(struct ctx *c, const struct run_held *, struct action_asked *out);
/* What came of it. */
struct action_answer {
	const struct egress_res *res;   /* NULL: there was no request, or no answer */
	const struct postgres_res *rows; /* the same of a database */
	const char *why; /* there was no answer: why, in words for the job's owner */
	bool final;      /* then: nor will there be another time */
};
/* With the answer, outside of any transaction, in every case: reads it, makes bytes durable, and
 * fills a table that is to take another's place. What is wrong with the answer is told by
 * action_end(). */
struct action_taken;
enum err action_take(struct ctx *c, const struct run_held *, const struct action_asked *,
    const struct action_answer *, struct action_taken **out);
/* After it, in the transaction that run_hold() began: what is kept is kept here, so that it and the
 * run's end are one. Of a run that did not succeed nothing is kept. A lost transaction (c->replay)
 * can be run again. */
enum err action_end(struct ctx *c, const struct run_held *, const struct action_asked *,
    const struct action_answer *, const struct action_taken *, struct run_outcome *out);
/* Of an error of these: a person can do something about it. All else is for the log, and for
 * another try. */
bool action_err_is_told(enum err);
#endif
