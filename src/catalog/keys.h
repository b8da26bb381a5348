/* SPDX-License-Identifier: Apache-2.0
 * A hash table from texts to numbers, for graphs and lists. Its size is fixed at creation. */
#ifndef VITRINE_CATALOG_KEYS_H
#define VITRINE_CATALOG_KEYS_H
#include <stddef.h>

struct keys {
	const char **key;
	size_t *value;
	size_t room; /* a power of two, more than twice the number of keys */
};
#define KEY_NONE ((size_t)-1)
struct keys keys_new(void *owner, size_t most);
size_t keys_get(const struct keys *, const char *key); /* returns KEY_NONE if there is none */
/* Inserts a key, which is not copied. If the key exists, keeps its value. Returns the stored
 * value. */
size_t keys_put(struct keys *, const char *key, size_t value);
#endif
