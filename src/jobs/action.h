/* SPDX-License-Identifier: Apache-2.0
 * Carrying out an attempt of a run: the request to send, and the use of its answer. Source:
 * jobs/README.md. */
#ifndef VITRINE_ACTION_H
#define VITRINE_ACTION_H
#include "ext/egress.h"
#include "ext/postgres.h"
#include "jobs/run.h"

/* Prepares an attempt: checks that the run may go on and gives the request to send. Call outside
 * of a transaction. At most one of out->req and out->query is set, in c->mem; with both NULL,
 * there is nothing to send and action_end() does all the work. E_INVALID: the config can't be
 * carried out; the message is the run's error. When the job's maker can no longer edit the
 * artifact, this also disables all of their jobs there; runs of cause alert have no such check. */
struct action_asked {
	struct egress_req *req;
	struct postgres_req *query;         /* instead of req, when the connection is a database */
	const struct connection_used *used; /* the connection that the request uses; NULL: none */
	/* Set by the caller: called now and then while rows go into a table, so that the caller
	 * can serve its other runs. NULL: no such call. */
	void (*between)(void *arg);
	void *arg;
};
enum err action_begin(struct ctx *c, const struct run_held *, struct action_asked *out);
/* The reply to what action_begin() asked for. */
struct action_answer {
	const struct egress_res *res;   /* NULL: no request was sent, or no response came */
	const struct postgres_res *rows; /* the same for a query */
	const char *why; /* when no response came: the reason, in words for the job's owner */
	bool final;      /* then: true: don't try again */
};
/* Reads the answer, before the transaction of action_end(): stores bytes durably, and fills a
 * table that is to replace another. Call after every action_begin(), outside of a transaction.
 * An error that the job's owner can mend is kept in *out, for action_end() to report. */
struct action_taken;
enum err action_take(struct ctx *c, const struct run_held *, const struct action_asked *,
    const struct action_answer *, struct action_taken **out);
/* Saves the result and gives the run's outcome, inside the transaction that run_hold() began, so
 * that the result and the run's end commit together. A run that did not succeed saves nothing.
 * Safe to repeat after a lost transaction (c->replay). */
enum err action_end(struct ctx *c, const struct run_held *, const struct action_asked *,
    const struct action_answer *, const struct action_taken *, struct run_outcome *out);
/* True when the job's owner can act on the error, so it becomes the run's error. Other errors go
 * to the log, and the run is tried again. */
bool action_err_is_told(enum err);
#endif
