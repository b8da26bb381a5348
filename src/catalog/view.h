/* SPDX-License-Identifier: Apache-2.0
 * All entries of a workspace that somebody sees, as much of each as tells them apart. Three
 * statements, however many there are: what is counted, sorted, and followed is so in memory. */
#ifndef VITRINE_CATALOG_VIEW_H
#define VITRINE_CATALOG_VIEW_H
#include "catalog/entry.h"
#include "catalog/sight.h"
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
/* words is NULL unless it was asked for; used_by and score are the reader's of this to fill. */
SHAPE_DECLARE(view_entry, VIEW_ENTRY);

struct view {
	struct sight sight;
	struct view_entry_list entries; /* by id */
};
/* also: artifacts that `sight` is to know, too. */
enum err view_read(struct ctx *c, const struct workspace *, const struct principal *who,
    bool words, const char *const *also, size_t also_n, struct view *out);
struct view_entry *view_entry(const struct view *, const char *id); /* NULL */

/* `later` says that it comes from `earlier`; both are of the view. */
struct view_link {
	struct view_entry *earlier, *later;
};
/* ids NULL: all; else those whose earlier one is among these (ids_json()). */
enum err view_links(struct ctx *c, const struct workspace *, const struct view *, const char *ids,
    struct view_link **out, size_t *n);
#endif
