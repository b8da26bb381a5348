/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/jws.h"

#include "base/crypto.h"
#include "base/str.h"

/* The accepted algorithms, and the kty, crv and alg that each requires of a key. */
static const struct alg {
	const char *name, *kty, *crv, *key_algs;
	enum sig sig;
} algs[] = {
	{ "RS256", "RSA", NULL, "RS256", SIG_RS256 }, { "PS256", "RSA", NULL, "PS256", SIG_PS256 },
	{ "ES256", "EC", "P-256", "ES256", SIG_ES256 },
	{ "EdDSA", "OKP", "Ed25519", "EdDSA|Ed25519",
	    SIG_EDDSA }, /* RFC 9864 renames the alg of keys; providers still sign with EdDSA */
};

static bool
part_decode(struct ctx *c, const char *s, struct octets *out)
{
	size_t n = s ? strlen(s) : 0;
	uint8_t *bytes = mem_zalloc(c->mem, n + 1);

	*out = (struct octets){ bytes, 0 };
	if (!crypto_unbase64url(s ? s : "", n, bytes, &out->n))
		return false;
	bytes[out->n] = 0;
	return out->n > 0;
}

enum err
jwks_parse(struct ctx *c, const char *text, size_t n, const struct json **out)
{
	struct json *set;
	const struct json *keys;

	keys = json_parse(c, text, n, &set) == E_OK && json_kind(set) == J_OBJ
	    ? json_get(set, "keys")
	    : NULL;
	if (!keys || json_kind(keys) != J_ARR)
		return fail(c, E_INVALID, "jwks: must be an object with an array named keys");
	if (json_len(keys) > JWKS_KEYS)
		return fail(c, E_INVALID, "jwks.keys: has %zu keys; the maximum is %d",
		    json_len(keys), JWKS_KEYS);
	*out = set;
	return E_OK;
}

static bool
key_ops_allow(const struct json *ops)
{
	if (!ops)
		return true;
	for (size_t i = 0; json_kind(ops) == J_ARR && i < json_len(ops); i++)
		if (json_kind(json_at(ops, i)) == J_STR &&
		    str_eq(json_str(json_at(ops, i)), "verify"))
			return true;
	return false;
}

/* A key without the member allows every use; a key whose member isn't a string allows none. */
static bool
word_allows(const struct json *key, const char *name, const char *allowed)
{
	const struct json *v = json_get(key, name);

	return !v || (json_kind(v) == J_STR && str_in(json_str(v), allowed));
}

static struct pubkey *
jwk_read(struct ctx *c, const struct json *key, enum sig sig)
{
	struct octets a, b;
	bool rsa = sig == SIG_RS256 || sig == SIG_PS256;

	if (!part_decode(c, json_word(key, rsa ? "n" : "x"), &a))
		return NULL;
	if (sig == SIG_EDDSA)
		return pubkey_ed25519(c->mem, a);
	if (!part_decode(c, json_word(key, rsa ? "e" : "y"), &b))
		return NULL;
	return rsa ? pubkey_rsa(c->mem, a, b) : pubkey_p256(c->mem, a, b);
}

static enum err
jws_header_read(struct ctx *c, const char *part, struct jws *out, const struct alg **alg)
{
	struct octets raw;
	struct json *h;

	if (!part_decode(c, part, &raw))
		return fail(c, E_INVALID, "token: its header isn't base64url");
	if (json_parse(c, (const char *)raw.v, raw.n, &h) || json_kind(h) != J_OBJ)
		return fail(c, E_INVALID, "token: its header isn't a JSON object");
	if (json_get(h, "crit"))
		return fail(
		    c, E_INVALID, "token: its header has crit, but no extensions are supported");
	out->alg = json_word(h, "alg");
	out->kid = json_word(h, "kid");
	out->typ = json_word(h, "typ");
	if ((json_get(h, "kid") && !out->kid) || (json_get(h, "typ") && !out->typ))
		return fail(c, E_INVALID, "token: kid and typ in its header must be strings");
	for (size_t i = 0; i < sizeof algs / sizeof *algs; i++)
		if (str_eq(algs[i].name, out->alg))
			*alg = &algs[i];
	if (!*alg)
		return fail(c, E_INVALID,
		    "token: alg %s is not one of RS256, PS256, ES256, EdDSA",
		    out->alg && str_plain(out->alg) ? str_cut(c->mem, out->alg, 20) : "?");
	return E_OK;
}

static enum err
try_keys(struct ctx *c, const struct json *keys, const struct alg *alg, const struct octets part[2],
    struct jws *out)
{
	size_t fit = 0, usable = 0;

	out->unknown_key = true;
	for (size_t i = 0; i < json_len(keys); i++) {
		const struct json *key = json_at(keys, i);
		const char *kid = json_word(key, "kid");
		struct pubkey *pub;

		if (json_kind(key) != J_OBJ || !str_eq(json_word(key, "kty"), alg->kty) ||
		    (alg->crv && !str_eq(json_word(key, "crv"), alg->crv)) ||
		    !word_allows(key, "alg", alg->key_algs) || !word_allows(key, "use", "sig") ||
		    !key_ops_allow(json_get(key, "key_ops")) ||
		    (out->kid && kid && !str_eq(out->kid, kid)))
			continue;
		fit++;
		if (out->kid && kid)
			out->unknown_key = false;
		pub = jwk_read(c, key, alg->sig);
		usable += pub != NULL;
		if (pub && pubkey_verify(pub, alg->sig, part[0], part[1]))
			return E_OK;
	}
	if (!fit)
		return fail(
		    c, E_INVALID, "token: no key in the set matches %s and its kid", alg->name);
	if (!usable)
		return fail(c, E_INVALID,
		    "token: the matching key is malformed or weak (RSA needs 2,048 bits)");
	return fail(c, E_INVALID, "token: the signature does not verify");
}

enum err
jws_verify(struct ctx *c, const char *token, const struct json *jwks, struct jws *out)
{
	char *rest = NULL, *header, *body;
	const struct alg *alg = NULL;
	struct octets part[2], payload;

	*out = (struct jws){ 0 };
	if (strlen(token) > JWS_BYTES)
		return fail(c, E_INVALID, "token: is %zu bytes; the maximum is %d",
		    strlen(token), JWS_BYTES);
	rest = mem_strdup(c->mem, token);
	header = str_split(&rest, '.');
	body = rest ? str_split(&rest, '.') : NULL;
	if (!body || !rest || strchr(rest, '.'))
		return fail(c, E_INVALID, "token: must be three parts joined by dots");
	TRY(jws_header_read(c, header, out, &alg));
	if (!part_decode(c, body, &payload))
		return fail(c, E_INVALID, "token: its payload isn't base64url");
	if (!part_decode(c, rest, &part[1]))
		return fail(c, E_INVALID, "token: its signature isn't base64url");
	part[0] = (struct octets){ (const uint8_t *)token, strlen(header) + 1 + strlen(body) };
	TRY(try_keys(c, json_get(jwks, "keys"), alg, part, out));
	out->unknown_key = false;
	out->payload = (const char *)payload.v;
	out->payload_n = payload.n;
	return E_OK;
}
