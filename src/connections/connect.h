/* SPDX-License-Identifier: Apache-2.0
 * Connecting a service: somebody is sent to it, agrees there, and comes back with a code. What was
 * begun works once, for ten minutes, for who began it (in the same browser session; of a token,
 * with that token or in a browser of its person), for the same workspace and service. */
#ifndef VITRINE_CONNECT_H
#define VITRINE_CONNECT_H
#include "connections/connection.h"
#include "connections/provider.h"

#define CONNECT_QUERY(F, T) \
	F(T, ID, connection_id, .arg = "con_", \
		.doc = "Connect this one anew; default: a connection of the account that is chosen")
SHAPE_DECLARE(connect_query, CONNECT_QUERY);

#define CONNECT_START(F, T) \
	F(T, URL,  url,        .doc = "The page on which to agree; open it in a browser") \
	F(T, TIME, expires_at, .doc = "Until when it can be used, once")
SHAPE_DECLARE(connect_start, CONNECT_START);

/* con NULL: it is made when they come back. Of member mode it is who's own credentials that are
 * connected. E_CONFLICT where the provider isn't set up; E_INVALID for what isn't connected so. */
enum err connect_begin(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *provider, const struct connection *con, struct connect_start *out);

/* What was begun. */
#define CONNECTING(F, T) \
	F(T, ID,  workspace_id,  .arg = "wsp_") \
	F(T, ID,  user_id,       .arg = "usr_") \
	F(T, STR, provider) \
	F(T, ID,  connection_id, .flags = F_NUL, .arg = "con_") \
	F(T, STR, sealed) \
	F(T, STR, verifier,      .flags = F_HID, .doc = "Of PKCE")
SHAPE_DECLARE(connecting, CONNECTING);

/* Takes it, whether or not what follows succeeds. E_INVALID when there is none for that state and
 * provider, it has expired, or another began it. */
enum err connect_take(struct ctx *c, const char *provider, const char *state,
    const struct principal *who, struct connecting **out);
/* With the tokens, in a transaction: judges who anew, and makes the connection, or connects the one
 * that the workspace has for that account. E_NOT_FOUND and E_DENIED when they may not any more;
 * E_CONFLICT when the account is another than the connection's. */
enum err connect_finish(struct ctx *c, const struct connecting *, const struct connector *,
    const struct provider_tokens *, const struct principal *who, const char **connection_id);
#endif
