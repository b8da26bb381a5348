/* SPDX-License-Identifier: Apache-2.0
 * What connections of each kind are configured by: which server, and what it is signed in to with.
 * Nothing secret is in it. */
#ifndef VITRINE_CONNECTION_CONFIG_H
#define VITRINE_CONNECTION_CONFIG_H
#include "base/shape.h"

#define CONNECTION_KINDS "http|oauth2|postgres|chat"
#define CONNECTION_MODES "shared|member"
#define CONNECTION_HTTP_AUTHS "none|bearer|basic|header"
#define CONNECTION_SSL_MODES "verify-full|require"

#define CONNECTION_HTTP_CONFIG(F, T) \
	F(T, URL,  base_url,    .flags = F_REQ) \
	F(T, WORD, auth,        .arg = CONNECTION_HTTP_AUTHS) /* default: none */ \
	F(T, STR,  header_name, .flags = F_OPT, .lo = 1, .hi = 64) /* of auth header */
SHAPE_DECLARE(connection_http_config, CONNECTION_HTTP_CONFIG);

#define CONNECTION_POSTGRES_CONFIG(F, T) \
	F(T, STR,  host,     .flags = F_REQ, .lo = 1, .hi = 253) \
	F(T, INT,  port,     .lo = 1, .hi = 65535) /* default: 5432 */ \
	F(T, STR,  database, .flags = F_REQ, .lo = 1, .hi = 63) \
	F(T, STR,  username, .flags = F_OPT, .lo = 1, .hi = 63) /* where it is shared */ \
	F(T, WORD, sslmode,  .arg = CONNECTION_SSL_MODES) /* default: verify-full */
SHAPE_DECLARE(connection_postgres_config, CONNECTION_POSTGRES_CONFIG);

/* Which of a credential's members a person gives. */
enum sign_in {
	SIGN_IN_NOTHING,
	SIGN_IN_TOKEN,
	SIGN_IN_PAIR,     /* username and password */
	SIGN_IN_PASSWORD, /* the config has the username */
	SIGN_IN_PROVIDER  /* none: they sign in at the provider */
};

struct connection_config {
	const char *text;   /* JSON, as the row has it, with its defaults */
	const char *server; /* whom credentials are sent to: the same for the same */
	const char *host, *host_at; /* of it, and the member that has it; NULL: an operator's */
	enum sign_in sign_in;
};
/* Checks one as it was sent, or takes apart one of a row. E_INVALID names the field, as
 * "config.host". */
enum err connection_config(struct ctx *c, const char *kind, const char *mode, const char *json,
    struct connection_config *out);
/* Of one that is entered, rather than a row's, whose host may have become ours since: E_INVALID,
 * as above, where the server is part of this service. */
enum err connection_host_check(struct ctx *c, const struct connection_config *);

/* Of a config that connection_config() gave. */
enum err connection_http_config(
    struct ctx *c, const char *text, struct connection_http_config **out);
enum err connection_postgres_config(
    struct ctx *c, const char *text, struct connection_postgres_config **out);
/* Whether an address's path, without its query, stays where it is: NULL, or what is wrong in
 * words. */
const char *connection_path_wrong(struct ctx *c, const char *path);
#endif
