/* SPDX-License-Identifier: Apache-2.0
 * Verifies tokens that somebody else signed: a JWS in compact form (RFC 7515) against a JSON Web
 * Key Set (RFC 7517). The algorithms are a closed list: RS256, PS256, ES256, and EdDSA with Ed25519
 * (RFC 7518, 8037). The key decides which of them the token's header may name (RFC 8725).
 * Everything else is refused: "none", HS*, crit, and keys that are weak, symmetric or meant for
 * another use. What the claims say is for the caller to judge. */
#ifndef VITRINE_JWS_H
#define VITRINE_JWS_H
#include "base/json.h"

enum { JWS_BYTES = 65536, JWKS_KEYS = 64 };

struct jws {
	const char *alg, *kid, *typ; /* from the header; kid and typ may be NULL */
	const char *payload;         /* verified bytes, NUL-terminated; NULL after a failure */
	size_t payload_n;
	bool unknown_key;            /* the token's kid names no key; a newer set may have it */
};

/* Parses a published key set. E_INVALID when it isn't one, or has more than JWKS_KEYS keys. Keys of
 * unknown kinds are skipped, not refused. *out lives in c->mem. */
enum err jwks_parse(struct ctx *c, const char *text, size_t n, const struct json **out);
/* E_INVALID, with the reason as the message, unless a key of jwks verifies the token.
 * out->unknown_key is set in that case too. */
enum err jws_verify(struct ctx *c, const char *token, const struct json *jwks, struct jws *out);
#endif
