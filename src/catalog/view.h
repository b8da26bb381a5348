/* SPDX-License-Identifier: Apache-2.0
 * All entries of a workspace that somebody sees, without their files, in three statements.
 * Counting, sorting, and walking happen in memory. */
#ifndef VITRINE_CATALOG_VIEW_H
#define VITRINE_CATALOG_VIEW_H
#include "catalog/entry.h"
#include "catalog/source_access.h"
#include "db/ids.h"

#define VIEW_ENTRY(F, T) \
	F(T, STR,  id) \
	F(T, STR,  kind) \
	F(T, STR,  title) \
	F(T, STR,  domain) \
	F(T, STR,  status) \
	F(T, STR,  tags) \
	F(T, STR,  words) \
	F(T, TIME, updated_at) \
	ABOUT(F, T) \
	F(T, INT,  seen) \
	F(T, INT,  used_by) \
	F(T, INT,  score)
/* words is NULL unless requested. Callers fill used_by and score. */
SHAPE_DECLARE(view_entry, VIEW_ENTRY);

struct view {
	struct source_access access;
	struct view_entry_list entries; /* sorted by id */
};
/* also: more artifacts whose rights are read. */
enum err view_read(struct ctx *c, const struct workspace *, const struct principal *who,
    bool words, const char *const *also, size_t also_n, struct view *out);
struct view_entry *view_entry(const struct view *, const char *id); /* NULL if there is none */

/* The entry `later` names `earlier` as upstream. Both are in the view. */
struct view_link {
	struct view_entry *earlier, *later;
};
/* Reads the upstream links. ids NULL: all; else only those whose earlier entry is among these
 * ids (ids_json()). */
enum err view_links(struct ctx *c, const struct workspace *, const struct view *, const char *ids,
    struct view_link **out, size_t *n);
#endif
