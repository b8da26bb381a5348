/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"

#include "base/mem.h"
#include "base/str.h"

enum { ID_CHARS = 26, TOKEN_CHARS = 43, SUM_CHARS = 6, SLUG_CHARS = 63 };

static const char crockford[] = "0123456789abcdefghjkmnpqrstvwxyz";
static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

void
id_bytes_new(uint8_t out[ID_BYTES])
{
	struct timespec ts;
	uint64_t ms;

	clock_gettime(CLOCK_REALTIME, &ts);
	ms = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
	for (int i = 5; i >= 0; i--, ms >>= 8)
		out[i] = (uint8_t)ms;
	crypto_random(out + 6, ID_BYTES - 6);
}

void
id_bytes_after(const uint8_t before[ID_BYTES], uint8_t out[ID_BYTES])
{
	memcpy(out, before, ID_BYTES);
	for (int i = ID_BYTES - 1; i >= 0 && !++out[i]; i--)
		;
}

/* 48 bits of time fill ten characters (the first 2 bits are 0), 80 random bits fill sixteen. */
char *
id_text(void *owner, const char *prefix, const uint8_t bytes[ID_BYTES])
{
	char tail[ID_CHARS + 1] = "";
	unsigned bits = 2, acc = 0, n = 0;

	for (size_t i = 0; i < ID_BYTES; i++) {
		acc = acc << 8 | bytes[i];
		for (bits += 8; bits >= 5; bits -= 5)
			tail[n++] = crockford[acc >> (bits - 5) & 31];
	}
	return mem_printf(owner, "%s%s", prefix, tail);
}

bool
id_bytes(const char *id, const char *prefix, uint8_t out[ID_BYTES])
{
	unsigned bits = 0, acc = 0, n = 0;

	if (!id_valid(id, prefix))
		return false;
	id += strlen(prefix);
	if (*id > '7')
		return false;
	for (size_t i = 0; i < ID_CHARS; i++) {
		acc = acc << 5 | (unsigned)(strchr(crockford, id[i]) - crockford);
		bits += i ? 5 : 3;
		if (bits < 8)
			continue;
		bits -= 8;
		out[n++] = (uint8_t)(acc >> bits);
	}
	return true;
}

char *
id_new(void *owner, const char *prefix)
{
	uint8_t bytes[ID_BYTES];

	id_bytes_new(bytes);
	return id_text(owner, prefix, bytes);
}

char *
id_first(void *owner, const char *prefix, int64_t unix_s)
{
	uint64_t ms = (uint64_t)unix_s * 1000;
	uint8_t bytes[ID_BYTES] = { 0 };

	for (int i = 5; i >= 0; i--, ms >>= 8)
		bytes[i] = (uint8_t)ms;
	return id_text(owner, prefix, bytes);
}

int64_t
id_time(const char *id)
{
	const char *p = strchr(id, '_'), *at;
	uint64_t ms = 0;

	if (!p || !id_valid(p + 1, ""))
		return 0;
	for (int i = 1; i <= 10; i++) {
		at = strchr(crockford, p[i]);
		ms = ms << 5 | (uint64_t)(at - crockford);
	}
	return (int64_t)(ms / 1000);
}

bool
id_valid(const char *s, const char *prefix)
{
	if (!str_starts(s, prefix))
		return false;
	s += strlen(prefix);
	return strlen(s) == ID_CHARS && strspn(s, crockford) == ID_CHARS;
}

bool
slug_valid(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > SLUG_CHARS || s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return false;
	return *s != '-' && s[n - 1] != '-' && !strstr(s, "--");
}

static void
token_sum(const char *body, size_t n, char out[SUM_CHARS + 1])
{
	uint8_t digest[SHA256_BYTES];

	crypto_sha256(body, n, digest);
	for (size_t i = 0; i < SUM_CHARS; i++)
		out[i] = base62[digest[i] % 62];
	out[SUM_CHARS] = '\0';
}

char *
token_new(void *owner, const char *prefix)
{
	char body[TOKEN_CHARS + 1] = "", sum[SUM_CHARS + 1];
	char *bare;

	for (size_t i = 0; i < TOKEN_CHARS;) {
		uint8_t b;

		crypto_random(&b, 1);
		if (b < 248)
			body[i++] = base62[b % 62];
	}
	bare = mem_printf(owner, "%s%s", prefix, body);
	token_sum(bare, strlen(bare), sum);
	return mem_printf(owner, "%s%s", bare, sum);
}

bool
token_valid(const char *s, const char *prefix)
{
	size_t n = strlen(prefix) + TOKEN_CHARS;
	char sum[SUM_CHARS + 1];

	if (!str_starts(s, prefix) || strlen(s) != n + SUM_CHARS ||
	    strspn(s + strlen(prefix), base62) != TOKEN_CHARS + SUM_CHARS)
		return false;
	token_sum(s, n, sum);
	return str_eq(s + n, sum);
}

void
token_hash(const char *token, uint8_t out[SHA256_BYTES])
{
	crypto_sha256(token, strlen(token), out);
}
