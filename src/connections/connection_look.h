/* SPDX-License-Identifier: Apache-2.0
 * How pages tell of a connection, in words for people. */
#ifndef VITRINE_CONNECTION_LOOK_H
#define VITRINE_CONNECTION_LOOK_H
#include "connections/connection.h"

/* "you": whoever looks has to do something; "admin": somebody else has. */
#define CONNECTION_STATES "ok|bad|you|admin"
const char *connection_state(const struct connection *, bool admin);

const char *connection_kind_words(const char *kind); /* "PostgreSQL" */
/* Its server as people know it, "warehouse.northwind.example"; "" where the config has none. */
const char *connection_host(struct ctx *c, const char *config);
/* "PostgreSQL, warehouse.northwind.example" */
const char *connection_where(struct ctx *c, const struct connection *);
/* All of it: "vitrine_ro@warehouse.northwind.example:5432/shop", an address; "" as above. */
const char *connection_server(struct ctx *c, const struct connection *);

/* What credentials are typed as: "token", "login" (a name and a password), or "none": it takes
 * none, or one signs in at the service. */
#define CREDENTIALS_ASKED "token|login|none"
const char *credentials_asked(
    struct ctx *c, const char *kind, const char *mode, const char *config);
/* Whether one signs in at the service. */
bool connection_signs_in(const char *kind);
bool connection_is_own(const struct connection *); /* each member has credentials of their own */
/* Whoever looks, or for shared ones an admin, has to give credentials first. */
bool connection_needs_credentials(const struct connection *);
#endif
