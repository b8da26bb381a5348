/* SPDX-License-Identifier: Apache-2.0
 * Stored credentials of a connection. Each row is sealed (base/seal.h) for its connection and
 * its holder: a member, or everybody (the empty text). A row moved to another connection or
 * holder can't be opened. Only connections/use.h hands credentials on. */
#ifndef VITRINE_CREDENTIAL_H
#define VITRINE_CREDENTIAL_H
#include "connections/config.h"
#include "db/db.h"

struct connection;

#define CREDENTIAL_SHARED "" /* the holder of shared credentials */

/* Credentials that a person enters. */
#define CREDENTIAL_NEW(F, T) \
	F(T, STR, token,    .flags = F_SECRET, .lo = 1, .hi = 4096, \
		.doc = "http with auth bearer or header", .eg = "\"a-secret-token\"") \
	F(T, STR, username, .lo = 1, .hi = 255, \
		.doc = "http with auth basic; postgres in member mode, instead of the config's") \
	F(T, STR, password, .flags = F_SECRET, .hi = 1024, \
		.doc = "http with auth basic; postgres")
SHAPE_DECLARE(credential_new, CREDENTIAL_NEW);

/* The content of a sealed row. */
#define CREDENTIAL(F, T) \
	F(T, STR, token,         .flags = F_OPT) \
	F(T, STR, username,      .flags = F_OPT) \
	F(T, STR, password,      .flags = F_OPT) \
	F(T, STR, access_token,  .flags = F_OPT) \
	F(T, STR, refresh_token, .flags = F_OPT) \
	F(T, INT, expires_at,    .flags = F_OPT, .doc = "Of access_token; Unix seconds")
SHAPE_DECLARE(credential, CREDENTIAL);

/* Checks that a person entered the fields that this config needs. E_INVALID names the field,
 * with `at` ("credentials." or "") before it. */
enum err credential_check(struct ctx *c, const char *at, const struct connection_config *,
    const struct credential_new *, struct credential *out);
/* Stores credentials, in place of the holder's old ones. Clears needs_auth and a lease. */
enum err credential_save(
    struct ctx *c, const struct connection *, const char *holder, const struct credential *);
/* E_NOT_FOUND: the holder has none. E_INVALID: this installation's key can't open them. */
enum err credential_open(struct ctx *c, const struct connection *, const char *holder,
    const struct credential **out);
/* holder NULL means all holders. *gone counts the rows; gone may be NULL. */
enum err credential_delete(
    struct ctx *c, const struct connection *, const char *holder, int64_t *gone);
/* Opens the sealed text of a row. E_INVALID as above. */
enum err credential_unseal(struct ctx *c, const char *connection_id, const char *holder,
    const char *sealed, const struct credential **out);
#endif
