/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/keys.h"

#include "base/mem.h"
#include "base/str.h"

struct keys
keys_new(void *owner, size_t most)
{
	struct keys k = { .room = 16 };

	while (k.room < 2 * most + 2)
		k.room *= 2;
	k.key = mem_array(owner, const char *, k.room);
	k.value = mem_array(owner, size_t, k.room);
	return k;
}

/* Returns the key's index, or the empty index for it (FNV-1a). */
static size_t
place_of(const struct keys *k, const char *key)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	size_t at;

	for (const char *s = key; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(1099511628211);
	for (at = hash & (k->room - 1); k->key[at] && !str_eq(k->key[at], key);
	    at = (at + 1) & (k->room - 1))
		;
	return at;
}

size_t
keys_get(const struct keys *k, const char *key)
{
	size_t at = place_of(k, key);

	return k->key[at] ? k->value[at] : KEY_NONE;
}

size_t
keys_put(struct keys *k, const char *key, size_t value)
{
	size_t at = place_of(k, key);

	if (!k->key[at]) {
		k->key[at] = key;
		k->value[at] = value;
	}
	return k->value[at];
}
