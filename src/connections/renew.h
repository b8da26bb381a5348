/* SPDX-License-Identifier: Apache-2.0
 * Renewal of access tokens, and credentials that a service refuses. The process that finds an
 * expired token takes a lease in its row and renews it; others wait and read again. So there is
 * one exchange, on any number of machines, and no lock is held meanwhile. Call these outside a
 * transaction. */
#ifndef VITRINE_CONNECTION_RENEW_H
#define VITRINE_CONNECTION_RENEW_H
#include "connections/use.h"

struct provider_tokens;

struct credential credential_from(const struct provider_tokens *);
/* Returns an access token that is valid for at least a minute, and renews it if needed.
 * E_INVALID: somebody must connect it again; the message is for the job's run. E_UPSTREAM: try
 * again, after c->retry_after_s if set. Call it outside a transaction. */
enum err connection_token(struct ctx *c, const struct connection *, const char *holder,
    const char **access_token);
/* Fills base_url, headers, and token of u for an oauth2 or chat connection. Fails like
 * connection_token(). */
enum err provider_use(struct ctx *c, const char *holder, struct connection_used *u);
/* Marks credentials that the service refused: the status becomes needs_auth, and one e-mail goes
 * to those who can connect again. If `sealed` isn't NULL, only while the row still has that
 * text. Runs its own transaction. */
enum err credential_refused(
    struct ctx *c, const struct connection *, const char *holder, const char *sealed);
#endif
