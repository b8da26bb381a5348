/* SPDX-License-Identifier: Apache-2.0
 * Actions of jobs, and the fields of their configs; jobs/action_kind.h has the interface.
 *
 *  email        recipients, subject, includeArtifactLink, body
 *  webhook      url, secret (made when absent), headers, payload; signed as Standard Webhooks says
 *  chat_a, _b   webhook_url, or connection_id and channel; text
 *  http_get     url, headers, save_to: "json", "table:<name>", "blob:<name>" or null
 *  materialize  source {url, headers, format}, target {table} or "json", mode replace|append
 *
 * A fetch may name a connection_id (connections/use.h) instead of an address and headers, with a
 * path below the connection's address or, for a database, a query.
 *
 * Texts may contain placeholders such as {{artifact.url}} (ACTION_WORDS). Headers, secrets, and
 * addresses that give access are sealed, and are in no answer and no log.
 * Source: jobs/README.md. */
#ifndef VITRINE_ACTION_CONFIG_H
#define VITRINE_ACTION_CONFIG_H
#include "db/sealed.h"

/* A job's config, split into its public and its secret part. */
struct action_config {
	const char *shown;   /* JSON for everyone who may see the job */
	const char *secrets; /* JSON, not sealed yet; NULL: none */
	const char *made;    /* a secret that was made now, to show once; NULL: none */
	/* the connection (NULL: none), and the field that names it */
	const char *connection_id, *connection_at;
	const char *kinds;   /* the kinds that the connection may have, separated by bars */
	const char *provider; /* the chat that the connection must be for; NULL: any */
	const char *fills;   /* the table that the job fills; "": the document; NULL: neither */
};
/* Checks and splits a config. old: the job's config before the change; NULL: the job is new.
 * Secrets that were left out are taken from old, unless they would then go to another host.
 * E_INVALID names the field, such as "config.url". */
enum err action_config(struct ctx *c, const char *action, const char *config,
    const struct action_config *old, struct action_config *out);
/* Adds a new signing secret to a webhook's; the last one stays valid for a day. */
enum err action_rotate(struct ctx *c, const struct action_config *old, struct action_config *out);
/* How the secrets of jobs are sealed. */
extern const struct sealed job_sealed;
#endif
