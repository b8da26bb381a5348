/* SPDX-License-Identifier: Apache-2.0
 * The whole catalog as one document for programs: all entries that the caller sees, and how they
 * depend on each other. */
#ifndef VITRINE_CATALOG_MANIFEST_H
#define VITRINE_CATALOG_MANIFEST_H
#include "catalog/entry.h"

enum { MANIFEST_VERSION = 1 };

#define CATALOG_MANIFEST(F, T) \
	F(T, BOOL, enabled) \
	F(T, INT,  version) \
	F(T, TIME, generated_at) \
	F(T, JSON, entries,    .arg = "object", .doc = "By id, as the list has them") \
	F(T, JSON, parent_map, .arg = "object", \
		.doc = "By id, the ids of those that it says it comes from") \
	F(T, JSON, child_map,  .arg = "object", .doc = "By id, the ids of those that come from it")
SHAPE_DECLARE(catalog_manifest, CATALOG_MANIFEST);

enum err catalog_manifest(struct ctx *c, const struct workspace *, const struct principal *who,
    struct catalog_manifest **out);
#endif
