/* SPDX-License-Identifier: Apache-2.0
 * What jobs do, an action a row of a table: what its config may hold, what it asks another server,
 * and what becomes of the answer.
 *
 *  email        recipients, subject, includeArtifactLink, body
 *  webhook      url, secret (made when absent), headers, payload; signed as Standard Webhooks says
 *  chat_a, _b   webhook_url, text
 *  http_get     url, headers, save_to: "json", "table:<name>", "blob:<name>" or null
 *  materialize  source {url, headers, format}, target {table} or "json", mode replace|append
 *
 * Texts may hold {{artifact.url}} and its like (ACTION_WORDS). Addresses, headers and secrets that
 * let somebody in are kept sealed, and are in no answer and no log. Source: jobs/README.md. */
#ifndef VITRINE_ACTION_H
#define VITRINE_ACTION_H
#include "ext/egress.h"
#include "jobs/run.h"

/* A config as it was sent, taken apart. */
struct action_config {
	const char *shown;   /* JSON for everybody who may see the job */
	const char *secrets; /* JSON, not sealed; NULL: none */
	const char *made;    /* a secret that was made and is told once; NULL: none */
};
/* Checks it. shown and secrets of the job as it was (NULL: it is new) fill in secrets that were
 * left out, unless they would go to another host than before: E_INVALID names the field, as
 * "config.url". */
enum err action_config(struct ctx *c, const char *action, const char *config,
    const struct action_config *old, struct action_config *out);
/* Of a webhook: another secret beside the ones that it has. */
enum err action_rotate(struct ctx *c, const struct action_config *old, struct action_config *out);
/* Purpose of the seal of a job's secrets. */
const char *action_purpose(void *owner, const char *job_id);

/* Before an attempt, outside of any transaction. Either *req is what is to be sent (its memory is
 * the context's), or it is NULL and action_end() does it all. E_INVALID when the config can't be
 * carried out (anymore): the message is the run's error. When whoever set the job up may not edit
 * the artifact anymore, their jobs there are disabled besides; of cause alert that is not
 * asked. */
enum err action_begin(struct ctx *c, const struct run_held *, struct egress_req **req);
/* With the answer, outside of any transaction, in every case: reads it, makes bytes durable, and
 * fills a table that is to take another's place. What is wrong with the answer is told by
 * action_end(). res is NULL when there was no request, or no answer. */
struct action_taken;
enum err action_take(struct ctx *c, const struct run_held *, const struct egress_res *res,
    struct action_taken **out);
/* After it, in the transaction that run_hold() began: what is kept is kept here, so that it and the
 * run's end are one. Of a run that did not succeed nothing is kept. `why` says, where there was no
 * answer, why, in words for the job's owner. A lost transaction (c->replay) can be run again. */
enum err action_end(struct ctx *c, const struct run_held *, const struct egress_res *res,
    const char *why, const struct action_taken *, struct run_outcome *out);
/* Of an error of these: a person can do something about it. All else is for the log, and for
 * another try. */
bool action_err_is_told(enum err);
#endif
