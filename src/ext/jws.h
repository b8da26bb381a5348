/* SPDX-License-Identifier: Apache-2.0
 * Verifies tokens that others signed: a JWS in compact form (RFC 7515) against a JSON Web Key Set
 * (RFC 7517). Allowed algorithms: RS256, PS256, ES256, and EdDSA with Ed25519 (RFC 7518, 8037). The
 * key decides which of them the token's header may name (RFC 8725). Refused: "none", HS*, crit, and
 * keys that are weak, symmetric or meant for another use. The caller checks the claims. */
#ifndef VITRINE_JWS_H
#define VITRINE_JWS_H
#include "base/json.h"

enum { JWS_BYTES = 65536, JWKS_KEYS = 64 };

struct jws {
	const char *alg, *kid, *typ; /* from the header; kid and typ may be NULL */
	const char *payload;         /* verified bytes, NUL-terminated; NULL after a failure */
	size_t payload_n;
	bool unknown_key;            /* the token's kid matches no key; a newer set may have it */
};

/* Parses a published key set. E_INVALID if it isn't one, or has more than JWKS_KEYS keys. Doesn't
 * check the keys. *out lives in c->mem. */
enum err jwks_parse(struct ctx *c, const char *text, size_t n, const struct json **out);
/* Fails with E_INVALID and a reason unless a key of jwks verifies the token. Sets out->unknown_key
 * also on failure. */
enum err jws_verify(struct ctx *c, const char *token, const struct json *jwks, struct jws *out);
#endif
