/* SPDX-License-Identifier: Apache-2.0
 * A connection in use by one run of a job. Each use checks that the connection belongs to the
 * artifact's workspace and that the person who answers for the job is a member there. The result
 * is secret: never log, store, or return it. */
#ifndef VITRINE_CONNECTION_USE_H
#define VITRINE_CONNECTION_USE_H
#include "connections/connection.h"

/* Filled by kind, other fields NULL. http, oauth2: base_url, headers; with auth basic also
 * password. chat: token, too. postgres: postgres, password. */
struct connection_used {
	const struct connection *connection;
	const char *base_url;
	const char *const *headers; /* lines "Name: value", then NULL; secret */
	const struct connection_postgres_config *postgres; /* with the holder's username */
	const char *password, *token;
};
/* Prepares a use for one run. workspace_id: the artifact's, or NULL. maker: the user who answers
 * for the job, or NULL. E_INVALID: the run may not use it; the message says why. Uses the
 * network only to renew oauth2 tokens. Call it outside a transaction. */
enum err connection_use(struct ctx *c, const char *connection_id, const char *workspace_id,
    const char *maker, struct connection_used **out);
/* Makes the same checks without using the connection or renewing tokens. */
enum err connection_may(struct ctx *c, const char *connection_id, const char *workspace_id,
    const char *maker);
/* Prepares a use of a connection that isn't stored, with the given credentials. E_INVALID names
 * the field. E_CONFLICT: people sign in at its service first. */
enum err connection_use_new(
    struct ctx *c, const struct connection_new *, struct connection_used **out);
/* Adds the secrets of a use to the words that must be removed from what servers say. */
struct redact;
void connection_used_redact(const struct connection_used *, struct redact *out);
/* Records the end of a use. error NULL: it worked; else a message without secrets. Writes at
 * most once a minute if nothing changed, and nothing if the connection was changed since. */
enum err connection_ended(struct ctx *c, const struct connection *, const char *error);
/* Returns the address of a path beneath base_url. E_INVALID, beginning with "path": it would
 * lead elsewhere by //host, another scheme, dot segments (also encoded), or encoded slashes. */
enum err connection_path(struct ctx *c, const char *base_url, const char *path, const char **url);
#endif
