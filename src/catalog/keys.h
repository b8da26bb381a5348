/* SPDX-License-Identifier: Apache-2.0
 * Texts that lead to numbers, for graphs and lists of thousands: a table that is as large from the
 * start as it has to be. */
#ifndef VITRINE_CATALOG_KEYS_H
#define VITRINE_CATALOG_KEYS_H
#include <stddef.h>

struct keys {
	const char **key;
	size_t *value;
	size_t room; /* a power of two, more than twice the keys that are put */
};
#define KEY_NONE ((size_t)-1)
struct keys keys_new(void *owner, size_t most);
size_t keys_get(const struct keys *, const char *key); /* KEY_NONE */
/* The key is not copied. One that is there keeps its number, which is returned. */
size_t keys_put(struct keys *, const char *key, size_t value);
#endif
