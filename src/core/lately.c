/* SPDX-License-Identifier: Apache-2.0 */
#include "core/lately.h"

#include "base/crypto.h"
#include "base/mem.h"

#include <string.h>

struct lately_at
lately_of(struct ctx *c, struct lately *all, const char *what)
{
	const char *slice = mem_printf(c->mem, "%s %lld", what, (long long)c->now / LATELY_S);
	struct lately_at at;
	uint8_t digest[SHA256_BYTES];

	crypto_sha256(slice, strlen(slice), digest);
	memcpy(&at.key, digest, sizeof at.key);
	at.place = &all->kept[at.key % LATELY_PLACES];
	return at;
}

bool
lately_was(struct lately_at at)
{
	return *at.place == at.key;
}

void
lately_keep(struct lately_at at)
{
	*at.place = at.key;
}
