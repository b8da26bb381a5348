/* SPDX-License-Identifier: Apache-2.0
 * Access tokens that expire, and credentials that a service no longer takes. Whoever finds that a
 * token has had its time takes the row's lease and renews it; those who come meanwhile wait, and
 * read again, so there is one exchange however many come, on however many machines. Nothing is
 * locked while the service is asked. All outside of a transaction. */
#ifndef VITRINE_CONNECTION_RENEW_H
#define VITRINE_CONNECTION_RENEW_H
#include "connections/use.h"

struct provider_tokens;

struct credential credential_from(const struct provider_tokens *);
/* A token of an oauth2 or chat connection that is good for another minute. E_INVALID, in words for
 * a job's run, when there is none and somebody has to connect it again; E_UPSTREAM
 * (perhaps with c->retry_after_s) where another try is worth it. */
enum err connection_token(struct ctx *c, const struct connection *, const char *holder,
    const char **access_token);
/* Fills base_url, headers and token of u, of such a connection. Fails as above. */
enum err provider_use(struct ctx *c, const char *holder, struct connection_used *u);
/* The service doesn't take these credentials any more: the connection says needs_auth, and whoever
 * can connect it again is mailed, once. */
enum err credential_refused(struct ctx *c, const struct connection *, const char *holder);
#endif
