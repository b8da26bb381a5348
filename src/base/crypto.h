/* SPDX-License-Identifier: Apache-2.0
 * Random bytes, digests, encodings, authenticated encryption, and verification of others'
 * signatures. Only crypto.c includes OpenSSL. */
#ifndef VITRINE_CRYPTO_H
#define VITRINE_CRYPTO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 64, AES_KEY_BYTES = 32, AES_EXTRA_BYTES = 28 };

void crypto_random(void *out, size_t n); /* from getrandom(2); aborts if the kernel refuses */
void crypto_sha256(const void *bytes, size_t n, uint8_t out[SHA256_BYTES]);
/* A digest of pieces: begin, add any number of times, end. The handle lives in owner. */
struct sha256;
struct sha256 *crypto_sha256_begin(void *owner);
void crypto_sha256_add(struct sha256 *, const void *bytes, size_t n);
void crypto_sha256_end(struct sha256 *, uint8_t out[SHA256_BYTES]);
void crypto_hmac_sha256(const void *key, size_t key_n, const void *bytes, size_t n,
    uint8_t out[SHA256_BYTES]);
bool crypto_equal(const void *a, const void *b, size_t n); /* in constant time */

char *crypto_hex(void *owner, const void *bytes, size_t n); /* lower case */
/* Writes 2 * n lower-case digits and a NUL to out. */
void crypto_hex_into(char *out, const void *bytes, size_t n);
/* Returns false unless hex has exactly 2 * n lower-case digits. */
bool crypto_unhex(const char *hex, uint8_t *out, size_t n);
/* Decodes strict RFC 4648 base64. Returns false unless the text is padded, canonical and without
 * white space. out needs room for in_n / 4 * 3 bytes and may be the input itself. */
bool crypto_unbase64(const char *in, size_t in_n, uint8_t *out, size_t *out_n);
char *crypto_base64(void *owner, const void *bytes, size_t n);
/* Decodes strict base64url without padding (RFC 7515 section 2). Returns false unless the text is
 * canonical and without white space. out needs room for in_n bytes. */
bool crypto_unbase64url(const char *in, size_t in_n, uint8_t *out, size_t *out_n);
char *crypto_base64url(void *owner, const void *bytes, size_t n);

/* Public keys that verify signatures; a key lives in owner. Returns NULL if the numbers don't make
 * a key or make a weak one: RSA needs 2048 to 8192 bits and an odd exponent of at least 3 and at
 * most 64 bits; a point must be on its curve. */
struct octets {
	const uint8_t *v;
	size_t n;
};
enum { POINT_BYTES = 32 }; /* bytes of a P-256 coordinate and of an Ed25519 key */
enum pubkey_kind { PUBKEY_RSA, PUBKEY_P256, PUBKEY_ED25519 };
struct pubkey;
struct pubkey *
pubkey_rsa(void *owner, struct octets modulus, struct octets exponent); /* big-endian */
struct pubkey *pubkey_p256(void *owner, struct octets x, struct octets y);
struct pubkey *pubkey_ed25519(void *owner, struct octets x);
/* Verifies as RFC 7518 sections 3.3-3.5 and RFC 8037 define it; an ES256 signature is r and s, 32
 * bytes each. Also returns false if the key isn't of the kind that sig needs. */
enum sig { SIG_RS256, SIG_PS256, SIG_ES256, SIG_EDDSA };
bool pubkey_verify(const struct pubkey *, enum sig, struct octets message, struct octets signature);
/* AES-256-GCM with a random nonce. A box is AES_EXTRA_BYTES longer than its text. It doesn't
 * contain its purpose; crypto_aes_open() returns false unless key and purpose are those that sealed
 * it. */
void crypto_aes_seal(const uint8_t key[AES_KEY_BYTES], const char *purpose, const void *text,
    size_t n, uint8_t *box);
bool crypto_aes_open(const uint8_t key[AES_KEY_BYTES], const char *purpose, const uint8_t *box,
    size_t box_n, void *text);
/* AES-256-GCM for a caller that never uses a nonce twice with a key. A box is AES_TAG_BYTES longer
 * than its text. crypto_aes_open_at() fails as crypto_aes_open() does. */
enum { AES_NONCE_BYTES = 12, AES_TAG_BYTES = 16 };
void crypto_aes_seal_at(const uint8_t key[AES_KEY_BYTES], const uint8_t nonce[AES_NONCE_BYTES],
    const char *purpose, const void *text, size_t n, uint8_t *out);
bool crypto_aes_open_at(const uint8_t key[AES_KEY_BYTES], const uint8_t nonce[AES_NONCE_BYTES],
    const char *purpose, const uint8_t *box, size_t box_n, void *text);
#endif
