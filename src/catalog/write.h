/* SPDX-License-Identifier: Apache-2.0
 * Writes entries: an edited file (entry.h), or all seeded ones (seed.h). */
#ifndef VITRINE_CATALOG_WRITE_H
#define VITRINE_CATALOG_WRITE_H
#include "catalog/file.h"
#include "catalog/source_access.h"
#include "core/workspace.h"

struct entry_new {
	const char *id, *path, *content;
	struct catalog_meta meta;
	struct about about;
	const char *artifact_name; /* of the source */
	bool seeded;
};

/* E_LIMIT_REACHED: `more` additional entries would exceed CATALOG_ENTRIES. */
enum err entries_room(struct ctx *c, const struct workspace *, size_t more);
/* Inserts entries, or replaces those with the same ids. */
enum err entries_write(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct entry_new *, size_t n);
/* Returns the key that catalog_mention stores for a link target: an entry's id, or a path with
 * or without an entry. */
struct bytes catalog_mention_key(struct ctx *c, const char *to);
#endif
