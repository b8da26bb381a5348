/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto.h"

#include "base/mem.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <sys/random.h>

struct sha256 {
	EVP_MD_CTX *md;
};
struct pubkey {
	enum pubkey_kind kind;
	EVP_PKEY *key;
};
enum { RSA_LEAST_BITS = 2048, RSA_MOST_BITS = 8192, EXPONENT_MOST_BITS = 64 };

void
crypto_random(void *out, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = getrandom((char *)out + done, n - done, 0);

		if (got <= 0)
			abort();
		done += (size_t)got;
	}
}

/* EVP_sha256() looks the algorithm up by name on each use, so we fetch it once per process. */
static const EVP_MD *
sha256(void)
{
	static EVP_MD *md;

	if (!md && !(md = EVP_MD_fetch(NULL, "SHA256", NULL)))
		abort();
	return md;
}

void
crypto_sha256(const void *bytes, size_t n, uint8_t out[SHA256_BYTES])
{
	if (!EVP_Digest(bytes, n, out, NULL, sha256(), NULL))
		abort();
}

MEM_DEFERRED(md_free, EVP_MD_CTX_free);

struct sha256 *
crypto_sha256_begin(void *owner)
{
	struct sha256 *h = mem_new(owner, struct sha256);

	h->md = EVP_MD_CTX_new();
	if (!h->md || !EVP_DigestInit_ex(h->md, sha256(), NULL))
		abort();
	mem_defer(h, md_free, h->md);
	return h;
}

void
crypto_sha256_add(struct sha256 *h, const void *bytes, size_t n)
{
	if (!EVP_DigestUpdate(h->md, bytes, n))
		abort();
}

void
crypto_sha256_end(struct sha256 *h, uint8_t out[SHA256_BYTES])
{
	if (!EVP_DigestFinal_ex(h->md, out, NULL))
		abort();
}

void
crypto_hmac_sha256(const void *key, size_t key_n, const void *bytes, size_t n,
    uint8_t out[SHA256_BYTES])
{
	size_t out_n;

	if (!EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, key_n, bytes, n, out, SHA256_BYTES,
		&out_n))
		abort();
}

bool
crypto_equal(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

void
crypto_hex_into(char *out, const void *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digit[b[i] >> 4];
		out[2 * i + 1] = digit[b[i] & 15];
	}
	out[2 * n] = '\0';
}

char *
crypto_hex(void *owner, const void *bytes, size_t n)
{
	char *out = mem_array(owner, char, 2 * n + 1);

	crypto_hex_into(out, bytes, n);
	return out;
}

bool
crypto_unhex(const char *hex, uint8_t *out, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < 2 * n; i++) {
		const char *d = hex[i] ? strchr(digit, hex[i]) : NULL;

		if (!d)
			return false;
		out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] | (d - digit) : (d - digit) << 4);
	}
	return !hex[2 * n];
}

static int
base64_value(unsigned char ch)
{
	return ch >= 'A' && ch <= 'Z' ? ch - 'A'
	    : ch >= 'a' && ch <= 'z'  ? ch - 'a' + 26
	    : ch >= '0' && ch <= '9'  ? ch - '0' + 52
	    : ch == '+'               ? 62
	    : ch == '/'               ? 63
				      : -1;
}

/* We don't use EVP_DecodeBlock(): it skips white space and accepts non-canonical tails. */
bool
crypto_unbase64(const char *in, size_t in_n, uint8_t *out, size_t *out_n)
{
	size_t pad = !in_n || in[in_n - 1] != '=' ? 0 : in_n > 1 && in[in_n - 2] == '=' ? 2 : 1;
	size_t n = 0;
	uint32_t acc = 0;

	if (in_n % 4)
		return false;
	for (size_t i = 0; i < in_n; i++) {
		int v = i >= in_n - pad ? 0 : base64_value((unsigned char)in[i]);

		if (v < 0)
			return false;
		acc = acc << 6 | (uint32_t)v;
		if (i % 4 == 3) {
			size_t keep = i == in_n - 1 ? 3 - pad : 3;

			if (keep < 3 && acc & (keep == 2 ? 0xffu : 0xffffu))
				return false;
			for (size_t k = 0; k < keep; k++)
				out[n++] = (uint8_t)(acc >> (16 - 8 * k));
			acc = 0;
		}
	}
	*out_n = n;
	return true;
}

char *
crypto_base64(void *owner, const void *bytes, size_t n)
{
	char *out = mem_array(owner, char, (n + 2) / 3 * 4 + 1);

	EVP_EncodeBlock((unsigned char *)out, bytes, (int)n);
	return out;
}

bool
crypto_unbase64url(const char *in, size_t in_n, uint8_t *out, size_t *out_n)
{
	size_t n = 0;
	uint32_t acc = 0;
	int bits = 0;

	if (in_n % 4 == 1)
		return false;
	for (size_t i = 0; i < in_n; i++) {
		unsigned char ch = (unsigned char)in[i];
		int v = ch == '-'            ? 62
		    : ch == '_'              ? 63
		    : ch == '+' || ch == '/' ? -1
					     : base64_value(ch);

		if (v < 0)
			return false;
		acc = (acc << 6 | (uint32_t)v) & 0xffff;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[n++] = (uint8_t)(acc >> bits);
		}
	}
	*out_n = n;
	return (acc & ((1u << bits) - 1)) == 0;
}

char *
crypto_base64url(void *owner, const void *bytes, size_t n)
{
	char *out = crypto_base64(owner, bytes, n);

	for (char *p = out; *p; p++)
		*p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
	out[strcspn(out, "=")] = 0;
	return out;
}

MEM_DEFERRED(pubkey_free, EVP_PKEY_free);

/* Wraps OpenSSL's key; returns NULL for a NULL key. Clears OpenSSL's error queue, because libcurl
 * would report an error that a bad key has left there as its own. */
static struct pubkey *
pubkey_new(void *owner, enum pubkey_kind kind, EVP_PKEY *key)
{
	struct pubkey *k;

	ERR_clear_error();
	if (!key)
		return NULL;
	k = mem_new(owner, struct pubkey);
	k->kind = kind;
	k->key = key;
	mem_defer(k, pubkey_free, key);
	return k;
}

static EVP_PKEY *
key_from(const char *type, OSSL_PARAM_BLD *bld)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(bld);
	EVP_PKEY *key = NULL;

	if (!ctx || !params || EVP_PKEY_fromdata_init(ctx) <= 0 ||
	    EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params) <= 0)
		key = NULL;
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

struct pubkey *
pubkey_rsa(void *owner, struct octets modulus, struct octets exponent)
{
	OSSL_PARAM_BLD *bld;
	BIGNUM *n, *e;
	EVP_PKEY *key = NULL;

	if (modulus.n > RSA_MOST_BITS / 8 || exponent.n > EXPONENT_MOST_BITS / 8)
		return NULL;
	bld = OSSL_PARAM_BLD_new();
	n = BN_bin2bn(modulus.v, (int)modulus.n, NULL);
	e = BN_bin2bn(exponent.v, (int)exponent.n, NULL);
	if (!bld || !n || !e)
		abort();
	if (BN_num_bits(n) >= RSA_LEAST_BITS && BN_is_odd(n) && BN_is_odd(e) && !BN_is_one(e) &&
	    OSSL_PARAM_BLD_push_BN(bld, OSSL_PKEY_PARAM_RSA_N, n) &&
	    OSSL_PARAM_BLD_push_BN(bld, OSSL_PKEY_PARAM_RSA_E, e))
		key = key_from("RSA", bld);
	BN_free(n);
	BN_free(e);
	OSSL_PARAM_BLD_free(bld);
	return pubkey_new(owner, PUBKEY_RSA, key);
}

struct pubkey *
pubkey_p256(void *owner, struct octets x, struct octets y)
{
	uint8_t point[1 + 2 * POINT_BYTES] = { 4 };
	OSSL_PARAM_BLD *bld;
	EVP_PKEY *key = NULL;

	if (x.n != POINT_BYTES || y.n != POINT_BYTES)
		return NULL;
	memcpy(point + 1, x.v, POINT_BYTES);
	memcpy(point + 1 + POINT_BYTES, y.v, POINT_BYTES);
	bld = OSSL_PARAM_BLD_new();
	if (!bld)
		abort();
	if (OSSL_PARAM_BLD_push_utf8_string(bld, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) &&
	    OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point))
		key = key_from("EC", bld);
	OSSL_PARAM_BLD_free(bld);
	return pubkey_new(owner, PUBKEY_P256, key);
}

struct pubkey *
pubkey_ed25519(void *owner, struct octets x)
{
	if (x.n != POINT_BYTES)
		return NULL;
	return pubkey_new(
	    owner, PUBKEY_ED25519, EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x.v, x.n));
}

/* Encodes r and s (32 bytes each) as the DER that OpenSSL reads; NULL if the length is wrong. The
 * caller must free it with OPENSSL_free(). */
static uint8_t *
ecdsa_der(struct octets raw, size_t *n)
{
	ECDSA_SIG *sig;
	uint8_t *der = NULL;
	int len;

	if (raw.n != 2 * POINT_BYTES)
		return NULL;
	sig = ECDSA_SIG_new();
	if (!sig ||
	    !ECDSA_SIG_set0(sig, BN_bin2bn(raw.v, POINT_BYTES, NULL),
		BN_bin2bn(raw.v + POINT_BYTES, POINT_BYTES, NULL)))
		abort();
	len = i2d_ECDSA_SIG(sig, &der);
	ECDSA_SIG_free(sig);
	*n = len > 0 ? (size_t)len : 0;
	return len > 0 ? der : NULL;
}

static bool
digest_verify(const struct pubkey *k, enum sig sig, struct octets message, struct octets signature)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	EVP_PKEY_CTX *ctx;
	bool good = md &&
	    EVP_DigestVerifyInit(md, &ctx, sig == SIG_EDDSA ? NULL : EVP_sha256(), NULL, k->key) >
		0;

	if (good && sig == SIG_PS256)
		good = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
		    EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) > 0;
	good = good && EVP_DigestVerify(md, signature.v, signature.n, message.v, message.n) == 1;
	EVP_MD_CTX_free(md);
	ERR_clear_error();
	return good;
}

bool
pubkey_verify(const struct pubkey *k, enum sig sig, struct octets message, struct octets signature)
{
	static const enum pubkey_kind kind[] = { [SIG_RS256] = PUBKEY_RSA,
		[SIG_PS256] = PUBKEY_RSA,
		[SIG_ES256] = PUBKEY_P256,
		[SIG_EDDSA] = PUBKEY_ED25519 };
	bool good;

	if (k->kind != kind[sig])
		return false;
	if (sig == SIG_ES256) {
		uint8_t *der = ecdsa_der(signature, &signature.n);

		signature.v = der;
		good = der && digest_verify(k, sig, message, signature);
		OPENSSL_free(der);
	} else {
		good = digest_verify(k, sig, message, signature);
	}
	return good;}

enum { NONCE_BYTES = AES_NONCE_BYTES, TAG_BYTES = AES_TAG_BYTES };

static EVP_CIPHER_CTX *
aes_begin(const uint8_t *key, const uint8_t *nonce, const char *purpose, int sealing)
{
	EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new();
	int n;

	if (!x || !EVP_CipherInit_ex(x, EVP_aes_256_gcm(), NULL, key, nonce, sealing) ||
	    !EVP_CipherUpdate(x, NULL, &n, (const uint8_t *)purpose, (int)strlen(purpose)))
		abort();
	return x;
}

static void
aes_seal(const uint8_t *key, const uint8_t *nonce, const char *purpose, const void *text, size_t n,
    uint8_t *out, uint8_t *tag)
{
	EVP_CIPHER_CTX *x = aes_begin(key, nonce, purpose, 1);
	int done;

	if (!EVP_CipherUpdate(x, out, &done, text, (int)n) ||
	    !EVP_CipherFinal_ex(x, out + done, &done) ||
	    !EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag))
		abort();
	EVP_CIPHER_CTX_free(x);
}

static bool
aes_open(const uint8_t *key, const uint8_t *nonce, const char *purpose, const uint8_t *sealed,
    size_t n, const uint8_t *tag, void *text)
{
	EVP_CIPHER_CTX *x = aes_begin(key, nonce, purpose, 0);
	uint8_t expected[TAG_BYTES];
	int done;
	bool fine;

	memcpy(expected, tag, sizeof expected);
	fine = EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, expected) &&
	    EVP_CipherUpdate(x, text, &done, sealed, (int)n) &&
	    EVP_CipherFinal_ex(x, (uint8_t *)text + done, &done) == 1;
	EVP_CIPHER_CTX_free(x);
	return fine;
}

/* A box is the nonce, the tag, then the ciphertext. */
void
crypto_aes_seal(
    const uint8_t key[AES_KEY_BYTES], const char *purpose, const void *text, size_t n, uint8_t *box)
{
	crypto_random(box, NONCE_BYTES);
	aes_seal(key, box, purpose, text, n, box + AES_EXTRA_BYTES, box + NONCE_BYTES);
}

bool
crypto_aes_open(const uint8_t key[AES_KEY_BYTES], const char *purpose, const uint8_t *box,
    size_t box_n, void *text)
{
	return box_n >= AES_EXTRA_BYTES &&
	    aes_open(key, box, purpose, box + AES_EXTRA_BYTES, box_n - AES_EXTRA_BYTES,
		box + NONCE_BYTES, text);
}

void
crypto_aes_seal_at(const uint8_t key[AES_KEY_BYTES], const uint8_t nonce[AES_NONCE_BYTES],
    const char *purpose, const void *text, size_t n, uint8_t *out)
{
	aes_seal(key, nonce, purpose, text, n, out, out + n);
}

bool
crypto_aes_open_at(const uint8_t key[AES_KEY_BYTES], const uint8_t nonce[AES_NONCE_BYTES],
    const char *purpose, const uint8_t *box, size_t box_n, void *text)
{
	return box_n >= TAG_BYTES &&
	    aes_open(key, nonce, purpose, box, box_n - TAG_BYTES, box + box_n - TAG_BYTES, text);
}
