/* SPDX-License-Identifier: Apache-2.0
 * A connection in use: what a job asks with, for the one run. Judged at each: the connection is the
 * artifact's workspace's, and whoever answers for the job is a member there. What is returned is
 * secret; nothing of it belongs into a log, a row or a reply. */
#ifndef VITRINE_CONNECTION_USE_H
#define VITRINE_CONNECTION_USE_H
#include "connections/connection.h"

/* Of http and oauth2: base_url and headers, and of basic the password that is in them; of chat:
 * token; of postgres: postgres and password.
 * Else NULL. */
struct connection_used {
	const struct connection *connection;
	const char *base_url;
	const char *const *headers; /* lines "Name: value", ended by NULL; secret */
	const struct connection_postgres_config *postgres; /* with the holder's username */
	const char *password, *token;
};
/* workspace_id: the artifact's, or NULL. maker: who answers for the job, or NULL. E_INVALID: the
 * message says why the run may not have it (it is gone, another workspace's, its maker is no
 * member, there are no credentials, they are no longer accepted). No network except oauth2's
 * renewal; outside of a transaction. */
enum err connection_use(struct ctx *c, const char *connection_id, const char *workspace_id,
    const char *maker, struct connection_used **out);
/* Checks the same without using it, and without renewal. */
enum err connection_may(struct ctx *c, const char *connection_id, const char *workspace_id,
    const char *maker);
/* One that is not there yet, with the credentials that come along. E_INVALID names the field;
 * E_CONFLICT where it is signed in to at its provider first. */
enum err connection_use_new(
    struct ctx *c, const struct connection_new *, struct connection_used **out);
/* What of it must not be told again by anybody whom it was sent to. */
struct redact;
void connection_used_redact(const struct connection_used *, struct redact *out);
/* It was used; error, with nothing secret in it, says in words why in vain (NULL: it worked). At
 * most one write a minute while nothing changes; none where it has been changed since. */
enum err connection_ended(struct ctx *c, const struct connection *, const char *error);
/* The address of a path beneath base_url, with a query or without. E_INVALID for what would lead
 * elsewhere: //host, another scheme, segments of dots, encoded or not, encoded slashes. The message
 * begins with "path". */
enum err connection_path(struct ctx *c, const char *base_url, const char *path, const char **url);
#endif
