/* SPDX-License-Identifier: Apache-2.0
 * What a connection signs in with, as its rows have it: sealed (base/seal.h) for the connection and
 * its holder, a member or (the empty text) everybody, so a row that is moved to another of either
 * can't be opened. Nothing here is ever told to anybody; see connections/use.h. */
#ifndef VITRINE_CREDENTIAL_H
#define VITRINE_CREDENTIAL_H
#include "connections/config.h"
#include "db/db.h"

struct connection;

#define CREDENTIAL_SHARED "" /* the holder of what is everybody's */

/* What a person gives. */
#define CREDENTIAL_NEW(F, T) \
	F(T, STR, token,    .flags = F_SECRET, .lo = 1, .hi = 4096, \
		.doc = "http with auth bearer or header", .eg = "\"a-secret-token\"") \
	F(T, STR, username, .lo = 1, .hi = 255, \
		.doc = "http with auth basic; postgres in member mode, instead of the config's") \
	F(T, STR, password, .flags = F_SECRET, .hi = 1024, \
		.doc = "http with auth basic; postgres")
SHAPE_DECLARE(credential_new, CREDENTIAL_NEW);

/* What is sealed. */
#define CREDENTIAL(F, T) \
	F(T, STR, token,         .flags = F_OPT) \
	F(T, STR, username,      .flags = F_OPT) \
	F(T, STR, password,      .flags = F_OPT) \
	F(T, STR, access_token,  .flags = F_OPT) \
	F(T, STR, refresh_token, .flags = F_OPT) \
	F(T, INT, expires_at,    .flags = F_OPT, .doc = "Of access_token; Unix seconds")
SHAPE_DECLARE(credential, CREDENTIAL);

/* What a person gives for such a one. E_INVALID names the field behind `at`: "credentials.",
 * or "". */
enum err credential_check(struct ctx *c, const char *at, const struct connection_config *,
    const struct credential_new *, struct credential *out);
/* In place of those that it has; needs_auth and a lease are over with it. */
enum err credential_save(
    struct ctx *c, const struct connection *, const char *holder, const struct credential *);
/* E_NOT_FOUND: there are none. E_INVALID: they can't be opened with this installation's key. */
enum err credential_open(struct ctx *c, const struct connection *, const char *holder,
    const struct credential **out);
/* holder NULL: everybody's. *gone (may be NULL) counts them. */
enum err credential_delete(
    struct ctx *c, const struct connection *, const char *holder, int64_t *gone);
/* Of what a row has sealed. E_INVALID as above. */
enum err credential_unseal(struct ctx *c, const char *connection_id, const char *holder,
    const char *sealed, const struct credential **out);
#endif
