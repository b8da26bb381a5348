/* SPDX-License-Identifier: Apache-2.0
 * Words about a connection for pages. */
#ifndef VITRINE_CONNECTION_LOOK_H
#define VITRINE_CONNECTION_LOOK_H
#include "connections/connection.h"

/* "you": the viewer has to act. "admin": an admin has to. */
#define CONNECTION_STATES "ok|bad|you|admin"
const char *connection_state(const struct connection *, bool admin);

/* Returns the server's host, such as "warehouse.northwind.example", or "" if the config has
 * none. */
const char *connection_host(struct ctx *c, const char *config);
/* Returns the whole address, such as "vitrine_ro@warehouse.northwind.example:5432/shop", or ""
 * if the config has none. */
const char *connection_server(struct ctx *c, const struct connection *);

/* Returns which credentials the form asks for: "token", "login" (user name and password), or
 * "none". */
#define CREDENTIALS_ASKED "token|login|none"
const char *credentials_asked(
    struct ctx *c, const char *kind, const char *mode, const char *config);
/* True if people sign in at the service. */
bool connection_signs_in(const char *kind);
bool connection_is_own(const struct connection *); /* each member has their own credentials */
/* True if the viewer, or an admin for shared credentials, has to enter credentials first. */
bool connection_needs_credentials(const struct connection *);

/* A service that this installation offers. */
#define SERVICE_OFFERED(F, T) \
	F(T, STR,  provider) \
	F(T, STR,  title) \
	F(T, STR,  host)
SHAPE_DECLARE(service_offered, SERVICE_OFFERED);
struct list services_offered(struct ctx *c, const char *kind);

/* The address for signing in at the connection's service; NULL: people type credentials. */
const char *connection_signin(
    struct ctx *c, const char *workspace_id, const struct connection *);
/* The host of the service that the connection signs in to; NULL: it signs in to none. */
const char *connection_service(struct ctx *c, const struct connection *);
#endif
