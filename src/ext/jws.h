/* SPDX-License-Identifier: Apache-2.0
 * Signed tokens of others: a JWS in compact form (RFC 7515) against a JSON Web Key Set (RFC 7517).
 * The algorithms are a closed list, RS256, PS256, ES256 and EdDSA with Ed25519 (RFC 7518, 8037);
 * the key decides which of them a header may name (RFC 8725). Everything else is refused: "none",
 * HS*, crit, keys that are weak, secret, or meant for another use. What the claims say is the
 * caller's business. */
#ifndef VITRINE_JWS_H
#define VITRINE_JWS_H
#include "base/json.h"

enum { JWS_BYTES = 65536, JWKS_KEYS = 64 };

struct jws {
	const char *alg, *kid, *typ; /* of the header; kid and typ may be NULL */
	const char *payload;         /* verified bytes, NUL-terminated; NULL after a failure */
	size_t payload_n;
	bool unknown_key;            /* no key has just this kid: a newer set may */
};

/* A set as its owner publishes it. E_INVALID when it isn't one. Keys of unknown kinds are kept out
 * of the way, not refused. Dies with c->mem. */
enum err jwks_parse(struct ctx *c, const char *text, size_t n, const struct json **out);
/* E_INVALID says why; out->unknown_key is right then too. token is NUL-terminated. */
enum err jws_verify(struct ctx *c, const char *token, const struct json *jwks, struct jws *out);
#endif
