/* SPDX-License-Identifier: Apache-2.0
 * Entries as they are written: by who edits a file (entry.h), or all that were seeded (seed.h). */
#ifndef VITRINE_CATALOG_WRITE_H
#define VITRINE_CATALOG_WRITE_H
#include "catalog/file.h"
#include "catalog/sight.h"
#include "core/workspace.h"

struct entry_new {
	const char *id, *path, *content;
	struct catalog_meta meta;
	struct about about;
	const char *artifact_name; /* of what it is about */
	bool seeded;
};

/* E_LIMIT_REACHED when so many more would be too many. */
enum err entries_room(struct ctx *c, const struct workspace *, size_t more);
/* Makes them, or replaces those that have these ids. */
enum err entries_write(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct entry_new *, size_t n);
/* By what catalog_mention names it: an entry's id, or a path, whether there is an entry or not. */
struct bytes catalog_mention_key(struct ctx *c, const char *to);
#endif
