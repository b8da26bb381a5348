/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"

#include "base/mem.h"
#include "base/str.h"

enum { ID_CHARS = 26, TOKEN_CHARS = 43, SUM_CHARS = 6, SLUG_CHARS = 63 };

static const char crockford[] = "0123456789abcdefghjkmnpqrstvwxyz";
static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

char *
id_new(void *owner, const char *prefix)
{
	struct timespec ts;
	uint64_t ms;
	uint8_t rnd[10];
	char tail[ID_CHARS + 1] = "";
	unsigned bits = 0, acc = 0, n = 10;

	clock_gettime(CLOCK_REALTIME, &ts);
	ms = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
	for (int i = 9; i >= 0; i--, ms >>= 5)
		tail[i] = crockford[ms & 31];
	crypto_random(rnd, sizeof rnd);
	for (size_t i = 0; i < sizeof rnd; i++) {
		acc = acc << 8 | rnd[i];
		for (bits += 8; bits >= 5; bits -= 5)
			tail[n++] = crockford[acc >> (bits - 5) & 31];
	}
	return mem_printf(owner, "%s%s", prefix, tail);
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
