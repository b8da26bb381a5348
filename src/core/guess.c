/* SPDX-License-Identifier: Apache-2.0 */
#include "core/guess.h"

/* The keys of what turned out to be somebody else's, each in its place until another takes it. */
enum { PLACES = 4096 };
static uint64_t others[PLACES];

/* FNV-1a. */
static uint64_t
hash_add(uint64_t h, const void *p, size_t n)
{
	const uint8_t *byte = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ byte[i]) * UINT64_C(0x100000001b3);
	return h;
}

struct guess
guess_own(struct bytes who, const char *what)
{
	uint64_t h = hash_add(UINT64_C(0xcbf29ce484222325), who.p, who.n);
	struct guess g = { .key = hash_add(h, what, strlen(what)) };

	g.own = others[g.key % PLACES] != g.key;
	return g;
}

void
guess_learn(const struct guess *g, bool own)
{
	uint64_t *place = &others[g->key % PLACES];

	if (!own)
		*place = g->key;
	else if (*place == g->key)
		*place = 0;
}
