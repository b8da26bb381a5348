/* SPDX-License-Identifier: Apache-2.0
 * What jobs do, an action a row of a table (jobs/action_kind.h), and what its config may hold:
 *
 *  email        recipients, subject, includeArtifactLink, body
 *  webhook      url, secret (made when absent), headers, payload; signed as Standard Webhooks says
 *  chat_a, _b   webhook_url, or connection_id and channel; text
 *  http_get     url, headers, save_to: "json", "table:<name>", "blob:<name>" or null
 *  materialize  source {url, headers, format}, target {table} or "json", mode replace|append
 *
 * In place of an address and headers, what is fetched may have a connection_id (connections/use.h)
 * with a path beneath it or, of a database, a query.
 *
 * Texts may hold {{artifact.url}} and its like (ACTION_WORDS). Addresses, headers and secrets that
 * let somebody in are kept sealed, and are in no answer and no log. Source: jobs/README.md. */
#ifndef VITRINE_ACTION_CONFIG_H
#define VITRINE_ACTION_CONFIG_H
#include "db/sealed.h"

/* A config as it was sent, taken apart. */
struct action_config {
	const char *shown;   /* JSON for everybody who may see the job */
	const char *secrets; /* JSON, not sealed; NULL: none */
	const char *made;    /* a secret that was made and is told once; NULL: none */
	const char *connection_id, *connection_at; /* NULL: none; and the field that it is in */
	const char *kinds;   /* then: which kinds of connection it may be of, with bars */
	const char *provider; /* then: which it must be; NULL: any of these kinds */
	const char *fills;   /* the table; "": the document; NULL: neither */
};
/* Checks it. shown and secrets of the job as it was (NULL: it is new) fill in secrets that were
 * left out, unless they would go to another host than before: E_INVALID names the field, as
 * "config.url". */
enum err action_config(struct ctx *c, const char *action, const char *config,
    const struct action_config *old, struct action_config *out);
/* Of a webhook: another secret beside the ones that it has. */
enum err action_rotate(struct ctx *c, const struct action_config *old, struct action_config *out);
/* A job's secrets. */
extern const struct sealed job_sealed;
#endif
