/* SPDX-License-Identifier: Apache-2.0
 * Creates a file for each table, document, and connection that the caller may read, so that a
 * new catalog isn't empty. Files that somebody edited stay. */
#ifndef VITRINE_CATALOG_SEED_H
#define VITRINE_CATALOG_SEED_H
#include "catalog/entry.h"

#define CATALOG_SEEDED(F, T) \
	F(T, INT, created) \
	F(T, INT, updated,   .doc = "What they are about has changed, and nobody has edited them") \
	F(T, INT, unchanged, .doc = "As they should be, or edited")
SHAPE_DECLARE(catalog_seeded, CATALOG_SEEDED);

/* Creates and renews files. E_CONFLICT: the catalog is off. E_LIMIT_REACHED: nothing was
 * written. */
enum err catalog_seed(struct ctx *c, const struct workspace *, const struct principal *who,
    struct catalog_seeded **out);
#endif
