/* SPDX-License-Identifier: Apache-2.0
 * Connecting a service by OAuth: a person is sent there, agrees, and returns with a code. A
 * sign-in works once, within ten minutes, for the same person, workspace, and service. It must
 * end in the browser session that began it; if a token began it, with that token or in any
 * browser of its person. */
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

/* Begins a sign-in at a service. con NULL creates a connection at the end. For a connection in
 * member mode, `who` connects their own account. E_CONFLICT: the service isn't set up here.
 * E_INVALID: connections of this kind have no sign-in. */
enum err connect_begin(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *provider, const struct connection *con, struct connect_start *out);

/* A sign-in that has begun. */
#define CONNECTING(F, T) \
	F(T, ID,  workspace_id,  .arg = "wsp_") \
	F(T, ID,  user_id,       .arg = "usr_") \
	F(T, STR, provider) \
	F(T, ID,  connection_id, .flags = F_NUL, .arg = "con_") \
	F(T, STR, sealed) \
	F(T, STR, verifier,      .flags = F_HID, .doc = "Of PKCE")
SHAPE_DECLARE(connecting, CONNECTING);

/* Consumes the sign-in, whatever follows. E_INVALID: the state is unknown, expired, of another
 * service, or begun by somebody else. */
enum err connect_take(struct ctx *c, const char *provider, const char *state,
    const struct principal *who, struct connecting **out);
/* Ends a sign-in, in a transaction. Checks the rights of `who` again. Then it creates a
 * connection or renews the workspace's one for that account. E_NOT_FOUND, E_DENIED: `who` has
 * lost the right. E_CONFLICT: the connection is of another account. */
enum err connect_finish(struct ctx *c, const struct connecting *, const struct connector *,
    const struct provider_tokens *, const struct principal *who, const char **connection_id);
#endif
