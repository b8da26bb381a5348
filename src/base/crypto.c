/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto.h"

#include "base/mem.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

struct sha256 {
	EVP_MD_CTX *md;
};

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

/* Looked up once: EVP_sha256() is found again by its name at each use. */
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

static void
md_free(void *md)
{
	EVP_MD_CTX_free(md);
}

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

bool
crypto_equal(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

char *
crypto_hex(void *owner, const void *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	const uint8_t *b = bytes;
	char *out = mem_array(owner, char, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digit[b[i] >> 4];
		out[2 * i + 1] = digit[b[i] & 15];
	}
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
	return ch >= 'A' && ch <= 'Z' ? ch - 'A' : ch >= 'a' && ch <= 'z' ? ch - 'a' + 26 : ch >= '0' && ch <= '9' ? ch - '0' + 52 :
	    ch == '+' ? 62 : ch == '/' ? 63 : -1;
}

/* By hand, since EVP_DecodeBlock() skips white space and accepts non-canonical tails. */
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

enum { NONCE_BYTES = 12, TAG_BYTES = AES_EXTRA_BYTES - NONCE_BYTES };

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

/* nonce, tag, ciphertext */
void
crypto_aes_seal(const uint8_t key[AES_KEY_BYTES], const char *purpose, const void *text, size_t n, uint8_t *box)
{
	EVP_CIPHER_CTX *x;
	int done;

	crypto_random(box, NONCE_BYTES);
	x = aes_begin(key, box, purpose, 1);
	if (!EVP_CipherUpdate(x, box + AES_EXTRA_BYTES, &done, text, (int)n) || !EVP_CipherFinal_ex(x, box + AES_EXTRA_BYTES + done, &done) ||
	    !EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, box + NONCE_BYTES))
		abort();
	EVP_CIPHER_CTX_free(x);
}

bool
crypto_aes_open(const uint8_t key[AES_KEY_BYTES], const char *purpose, const uint8_t *box, size_t box_n, void *text)
{
	EVP_CIPHER_CTX *x;
	uint8_t tag[TAG_BYTES];
	int done;
	bool fine;

	if (box_n < AES_EXTRA_BYTES)
		return false;
	memcpy(tag, box + NONCE_BYTES, TAG_BYTES);
	x = aes_begin(key, box, purpose, 0);
	fine = EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) &&
	    EVP_CipherUpdate(x, text, &done, box + AES_EXTRA_BYTES, (int)(box_n - AES_EXTRA_BYTES)) &&
	    EVP_CipherFinal_ex(x, (uint8_t *)text + done, &done) == 1;
	EVP_CIPHER_CTX_free(x);
	return fine;
}
