/* SPDX-License-Identifier: Apache-2.0
 * The verifier of signed tokens: the examples of RFC 7515 and RFC 8037, and what attackers send. The other tokens were made with other software:
 * each attack that could be signed is signed well, so that only the rule it breaks can refuse it. */
#include "base/crypto.h"
#include "ext/jws.h"
#include "tap.h"

/* RFC 7515, A.2 and A.3 */
#define RFC_PAYLOAD \
	"eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
#define RSA_SIG \
	"cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr" \
	"7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--x" \
	"i12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_Ioy" \
	"pGlUPQGe77Rw"
#define RSA_N \
	"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-" \
	"pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2Ca" \
	"pHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb5" \
	"4h4FRWyuXpoQ"
#define EC_SIG \
	"DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
#define EC_X \
	"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
#define EC_Y \
	"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
/* RFC 8037, A.4 */
#define ED_INPUT \
	"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
#define ED_SIG \
	"hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
#define ED_X \
	"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
/* Payload {"iss":"joe"}: PS256; RS256 by a key of 1024 bits; HMAC with RSA_N's PEM as the secret; one EC key with several headers */
#define PS_TOKEN \
	"eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJqb2UifQ.YMYg0tEv4Ayojq-tUvl_QYWwEb2ajc21vgg5tICJTPN3gxrrg9YSjHJ3YRvTYzKVp8LgF0" \
	"Yr0hRVsJ0fQOd_vQbbfinp7WAFAmL3JsvRwVKqKq4PK_82tnQ6nj7V_tccOdB-MsdcTzbMGdb2ezZXViDiFLZSmSjPabW5tOxacpSwdirlINMU" \
	"RyKwc8U47yeNMZJlxMQ_qBGVUB2m1BhlTPIscOCZdGhYLw2jv8TqlNc86I1S4NbyqJ9FXRJxfsTWhtMYZhEhGN0NhLOp53AbReWngbWZk9Zf_i" \
	"Fql0MMOvFj5wIpo13XwvVKRXRyY8kPItEFY7V5q379hUEpfMzCnQ"
#define PS_N \
	"2aEnlsuMinMnISEDYrRVzIP-5G9-C7ScGOe8MKw8GGIUsn2F8m22NTRpSBxgLvW970tU_AKyRZCGlMp9F1BHC5CvUUaOxhMJfvyzvL0foTer7d" \
	"rBF_P2a9bqufEWKMbzGIBTIazThlt929xjOM-cKRzUwmv6RHtwdONyzspw12DDIz2cPFNPPmxsQAiVGSwUBGr7lQa2a1VU0FOPBAFCLrYhXioH" \
	"d_1BI48lknkK0ZqGsXvy5dWGZgK7tfQs0hY8w6yK7DE3FiP3e0RoWpzCPSjIizsvHtx24Erh-9EaZhbQ5kZ6rjJRIlLjQkQPcppSqiAcz-7w-O" \
	"I9K8agI90Z0Q"
#define WEAK_TOKEN \
	"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UifQ.dFbdmkc4R_Ajzm663N0XFCxInaTx5cI82tenotQSDYQdFl8HU5g86QvB3HEMf9AjGtkpog" \
	"Mc4XgqGQouoqy-kfKRGdvwCvQ1v2X4qEhH5R0Rff-jp2kGDs7s1ohkEzisRLXRkMnX4f6XghYMzbZpONtf6g4EjXI_Pff2W51cSDs"
#define WEAK_N \
	"0uYMjFJdPfGIvgmJiiW7v-Fqrx8XGTp3COBE-6VyLkf9sI1xqQsyu3SvVJOzzqU-1E2Yv6cXyFMmdDveIb1wc7twqfNJ3hjHn4GEkCk91c_lPT" \
	"9KTKqtuZgXIXF6J4Ym0ifhezbfn0CpVOZzXHHk8xfZSk4pFSUHOQ-_584kfvk"
#define HS_TOKEN \
	"eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.kNewCYcB0dIDevKHvKN4ostp4KUFued12GTGOPFfIvg"
#define OWN_X \
	"hXPFOYRdq9pjt-XMKXDdu9XWB6-CsLT6Chm_nlFs6Ws"
#define OWN_Y \
	"H6mZgokwKe3xJ5WzH_VbuwHGzpHOyBIEnUgiM-qk-dg"
#define OWN_PLAIN \
	"eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.D6sx1MYVMAQBsMvl_Txtt1dum2XEESBylachJHRddXqK8oXORA98iglrJFxXDXT3Hcr7oP" \
	"39p8Tc_HhPKWtw0g"
#define OWN_KID \
	"eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0.eyJpc3MiOiJqb2UifQ.2u323DMrIGB7RMPOID3Zzq7yhHLv8o1_6SyVqOHYuddec2dO7En9sdn" \
	"T3SMVsnSvq5rb2dfdGNkL2HWUPeccrQ"
#define OWN_CRIT \
	"eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiZXhwIl19.eyJpc3MiOiJqb2UifQ.IaL9uXu2PKPOAKRx7Ktlx8WnFAazWE9wAz_ikmaT2UYpyXe7rD" \
	"7jXsgtx4VidmARwvjISj7mTinHPO5H5Tp5zA"
#define OWN_B64 \
	"eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19.eyJpc3MiOiJqb2UifQ.ySmwSR39kgOJpsaZ8b1QzNV9mSajcjWpEe" \
	"Udn05RyD8uFin4zWldjkJNTCSDdzmsqYgbPryVNJjdaOVvGXJzjw"
#define OWN_NONE \
	"eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.RMFJZvz2cn0ZxFeeBpgP-IBM1oAP7DFqNkKV6T9p2g59sy0a3Y5Fjd9kc2sBS8-fAlyeQ9h" \
	"jKf-VvpEQFmk7jw"
#define OWN_DER \
	"eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.MEYCIQCguixh-9NM9l4SwrlEz-t1H0mCoRzxQ_PlwO1mF5DGFgIhAMli02-A5GRPSjQFla" \
	"JVjqZNqmSLl8Ib-ZbWD2DOJyVn"

#define RS_HEAD "eyJhbGciOiJSUzI1NiJ9."
#define ES_HEAD "eyJhbGciOiJFUzI1NiJ9."
#define SET(keys) "{\"keys\":[" keys "]}"
#define RSA_KEY(n, more) "{\"kty\":\"RSA\",\"n\":\"" n "\",\"e\":\"AQAB\"" more "}"
#define EC_KEY(x, y, more) "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" x "\",\"y\":\"" y "\"" more "}"
#define ED_KEY(more) "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" ED_X "\"" more "}"
#define OWN_KEY(more) EC_KEY(OWN_X, OWN_Y, more)

static struct ctx *c;
static struct jws jws;

static enum err
verify(const char *token, const char *set)
{
	const struct json *jwks;

	c->message = NULL;
	if (jwks_parse(c, set, strlen(set), &jwks)) {
		printf("# the set: %s\n", c->message);
		return E_INTERNAL;
	}
	return jws_verify(c, token, jwks, &jws);
}

static void
good(const char *token, const char *set, const char *name)
{
	if (!ok(verify(token, set) == E_OK && jws.payload && !jws.unknown_key, name))
		printf("# %s\n", c->message ? c->message : "(no reason)");
}

/* Refused for the reason that the message tells. */
static void
bad(const char *token, const char *set, const char *why, const char *name)
{
	enum err e = verify(token, set);

	if (!ok(e == E_INVALID && !jws.payload && c->message && strstr(c->message, why), name))
		printf("# %d %s\n", e, c->message ? c->message : "(accepted)");
}

static void
examples(void)
{
	good(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(RSA_KEY(RSA_N, "")), "RFC 7515 A.2, RS256");
	ok(strstr(jws.payload, "\"http://example.com/is_root\":true}") && jws.payload_n == 70, "its payload is given");
	good(ES_HEAD RFC_PAYLOAD "." EC_SIG, SET(EC_KEY(EC_X, EC_Y, "")), "RFC 7515 A.3, ES256");
	good(ED_INPUT "." ED_SIG, SET(ED_KEY("")), "RFC 8037 A.4, EdDSA");
	is_str(jws.payload, "Example of Ed25519 signing", "its payload need not be JSON");
	good(PS_TOKEN, SET(RSA_KEY(PS_N, "")), "PS256");
	good(ES_HEAD RFC_PAYLOAD "." EC_SIG, SET(OWN_KEY("") "," RSA_KEY(RSA_N, "") ",{\"kty\":\"oct\",\"k\":\"AAAA\"},7,null," EC_KEY(EC_X, EC_Y, "")),
	    "without a kid each key that fits is tried, and strange keys are passed over");
	good(OWN_KID, SET(OWN_KEY(",\"kid\":\"k1\",\"use\":\"sig\",\"alg\":\"ES256\",\"key_ops\":[\"verify\"]")), "a key that says everything of itself");
	good(OWN_KID, SET(OWN_KEY("")), "a key without a kid");
	good(OWN_PLAIN, SET(OWN_KEY(",\"kid\":\"k1\"")), "a token without a kid");
	good(ED_INPUT "." ED_SIG, SET(ED_KEY(",\"alg\":\"Ed25519\"")), "the newer name of an Ed25519 key's algorithm");
}

static void
algorithms(void)
{
	static const char rsa[] = SET(RSA_KEY(RSA_N, "")), own[] = SET(OWN_KEY(""));

	bad("eyJhbGciOiJub25lIn0." RFC_PAYLOAD ".", rsa, "is not one of", "alg none without a signature");
	bad(OWN_NONE, own, "is not one of", "alg none with a good signature");
	bad("eyJhbGciOiJOb05lIn0." RFC_PAYLOAD "." EC_SIG, rsa, "is not one of", "alg NoNe");
	bad(HS_TOKEN, rsa, "is not one of", "HS256 with the RSA public key as the secret");
	bad("e30." RFC_PAYLOAD "." EC_SIG, rsa, "is not one of", "no alg");
	bad("eyJhbGciOjF9." RFC_PAYLOAD "." EC_SIG, rsa, "is not one of", "an alg that is a number");
	bad(OWN_CRIT, own, "crit", "crit, signed well");
	bad(OWN_B64, own, "crit", "an unencoded payload (RFC 7797)");
	bad(ES_HEAD RFC_PAYLOAD "." EC_SIG, rsa, "no key", "a key of another kind");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(EC_KEY(EC_X, EC_Y, "")), "no key", "the other way round");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(RSA_KEY(RSA_N, ",\"alg\":\"PS256\"")), "no key", "a key made for PS256");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(RSA_KEY(RSA_N, ",\"alg\":7")), "no key", "a key whose alg is a number");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(RSA_KEY(RSA_N, ",\"use\":\"enc\"")), "no key", "a key for encryption");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(RSA_KEY(RSA_N, ",\"key_ops\":[\"encrypt\"]")), "no key", "a key for other operations");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET(""), "no key", "an empty set");
}

static void
signatures(void)
{
	static const char own[] = SET(OWN_KEY("")), rsa[] = SET(RSA_KEY(RSA_N, ""));
	static const char zero[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

	bad(RS_HEAD "eyJpc3MiOiJqb2UifQ." RSA_SIG, rsa, "does not verify", "another payload");
	bad("eyJhbGciOiJSUzI1NiIgfQ." RFC_PAYLOAD "." RSA_SIG, rsa, "does not verify", "another header");
	bad(mem_printf(c->mem, ES_HEAD RFC_PAYLOAD ".%s", zero), own, "does not verify", "an ES256 signature of zeros");
	bad(mem_printf(c->mem, "eyJhbGciOiJFZERTQSJ9." RFC_PAYLOAD ".%s", zero), SET(ED_KEY("")), "does not verify", "an EdDSA signature of zeros");
	bad(OWN_DER, own, "does not verify", "an ES256 signature in DER");
	bad(ES_HEAD RFC_PAYLOAD ".AAAA", own, "does not verify", "a short signature");
	bad(RS_HEAD RFC_PAYLOAD ".AQ", rsa, "does not verify", "an RSA signature of 1");
	bad(ED_INPUT "." ED_SIG, SET("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}"), "malformed or weak", "an Ed25519 key of 3 bytes");
	bad(WEAK_TOKEN, SET(RSA_KEY(WEAK_N, "")), "malformed or weak", "an RSA key of 1024 bits, signed well");
	bad(RS_HEAD RFC_PAYLOAD "." RSA_SIG, SET("{\"kty\":\"RSA\",\"n\":\"" RSA_N "\",\"e\":\"AQ\"}"), "malformed or weak", "an RSA exponent of 1");
	bad(OWN_PLAIN, SET(EC_KEY(OWN_X, EC_Y, "")), "malformed or weak", "a point off the curve");
	bad(OWN_PLAIN, SET("{\"kty\":\"EC\",\"crv\":\"P-256\"}"), "malformed or weak", "a key without its numbers");
}

static void
shapes(void)
{
	static const char *const wrong[] = { "", ".", "..", "...", "a", "e30.e30", RS_HEAD RFC_PAYLOAD, ED_INPUT ".", ED_INPUT "." ED_SIG ".",
		"." ED_INPUT "." ED_SIG,
		ED_INPUT "." ED_SIG "=", ED_INPUT "." ED_SIG "==", ED_INPUT "." ED_SIG "\n", " " ED_INPUT "." ED_SIG, "eyJhbGciOiJFZERTQSJ9..", "W10.e30.AAAA",
		"eyJhbGciOiJFZERTQSJ9=.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc." ED_SIG,
		/* the bits behind the last byte are not zero */
		ED_INPUT ".hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAh",
		/* the ordinary alphabet */
		ED_INPUT ".hgyY0il/MGCjP0JzlnLWG1PPOt7+09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr/MuM0KAg",
		/* {"alg":"EdDSA","alg":"EdDSA"}, {"alg":"EdDSA","kid":1} */
		"eyJhbGciOiJFZERTQSIsImFsZyI6IkVkRFNBIn0.e30." ED_SIG, "eyJhbGciOiJFZERTQSIsImtpZCI6MX0.e30." ED_SIG };
	char junk[513] = { 0 };
	char *long_one = mem_zalloc(c->mem, JWS_BYTES + 2);

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		bad(wrong[i], SET(ED_KEY("")), "token", mem_printf(c->mem, "malformed token %zu", i));
	for (int round = 0; round < 50; round++) {
		crypto_random(junk, 512);
		for (int i = 0; i < 512; i++)
			junk[i] = junk[i] ? junk[i] : '.';
		if (verify(junk, SET(ED_KEY(""))) != E_INVALID)
			break;
		if (round == 49)
			ok(true, "512 random bytes, 50 times");
	}
	memset(long_one, 'a', JWS_BYTES + 1);
	bad(long_one, SET(""), "the maximum", "a token that is too long");
}

static void
sets(void)
{
	static const char *const wrong[] = { "", "[]", "{}", "{\"keys\":{}}", "{\"keys\":[]", "null", "{\"keys\":[],\"keys\":[]}" };
	const struct json *jwks;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ok(jwks_parse(c, wrong[i], strlen(wrong[i]), &jwks) == E_INVALID, "what is no set is refused");
	bad(OWN_KID, SET(OWN_KEY(",\"kid\":\"k2\"")), "no key", "no key with this kid");
	ok(jws.unknown_key, "a newer set may have it");
	bad(OWN_KID, SET(EC_KEY(EC_X, EC_Y, ",\"kid\":\"k1\"")), "does not verify", "the kid is known, the signature wrong");
	ok(!jws.unknown_key, "a newer set would not help");
	bad(OWN_PLAIN, SET(EC_KEY(EC_X, EC_Y, ",\"kid\":\"k1\"")), "does not verify", "a token without a kid that no key verifies");
	ok(jws.unknown_key, "a newer set may help");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	examples();
	algorithms();
	signatures();
	shapes();
	sets();
	ctx_end(c);
	return done();
}
