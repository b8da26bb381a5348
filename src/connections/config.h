/* SPDX-License-Identifier: Apache-2.0
 * The settings of a connection, by kind: the server and the way to sign in. They contain no
 * secrets. */
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
	F(T, STR,  header_name, .flags = F_OPT, .lo = 1, .hi = 64) /* for auth header only */
SHAPE_DECLARE(connection_http_config, CONNECTION_HTTP_CONFIG);

#define CONNECTION_POSTGRES_CONFIG(F, T) \
	F(T, STR,  host,     .flags = F_REQ, .lo = 1, .hi = 253) \
	F(T, INT,  port,     .lo = 1, .hi = 65535) /* default: 5432 */ \
	F(T, STR,  database, .flags = F_REQ, .lo = 1, .hi = 63) \
	F(T, STR,  username, .flags = F_OPT, .lo = 1, .hi = 63) /* in mode shared only */ \
	F(T, WORD, sslmode,  .arg = CONNECTION_SSL_MODES) /* default: verify-full */
SHAPE_DECLARE(connection_postgres_config, CONNECTION_POSTGRES_CONFIG);

/* The fields of struct credential_new that a person enters. */
enum sign_in {
	SIGN_IN_NOTHING,
	SIGN_IN_TOKEN,
	SIGN_IN_PAIR,     /* username and password */
	SIGN_IN_PASSWORD, /* the config has the username */
	SIGN_IN_PROVIDER  /* none: people sign in at the service */
};

struct connection_config {
	const char *text;   /* JSON with its defaults, as the row stores it */
	const char *server; /* equal for configs that send credentials to the same server */
	/* the server's host and the config's field with it; NULL for an operator's service */
	const char *host, *host_at;
	enum sign_in sign_in;
};
/* Checks a config and adds defaults; also reads one from a row. The result belongs to c.
 * E_INVALID names the field, such as "config.host". */
enum err connection_config(struct ctx *c, const char *kind, const char *mode, const char *json,
    struct connection_config *out);
/* Checks that an entered config names no server of ours. Not for rows: a host may become ours
 * later. E_INVALID. */
enum err connection_host_check(struct ctx *c, const struct connection_config *);

/* Read the text of a struct connection_config. */
enum err connection_http_config(
    struct ctx *c, const char *text, struct connection_http_config **out);
enum err connection_postgres_config(
    struct ctx *c, const char *text, struct connection_postgres_config **out);
/* Checks that a path, without its query, stays beneath its base address. Returns NULL, or the
 * fault in words. */
const char *connection_path_wrong(struct ctx *c, const char *path);
#endif
