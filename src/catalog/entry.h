/* SPDX-License-Identifier: Apache-2.0
 * A workspace's data catalog: a file for each table, document, page, connection, metric, or
 * term, in Markdown with front matter (or YAML alone). Readers see no entries about things that
 * they may not open, and no counts of them. Source: interface, "Data catalog";
 * catalog/README.md. */
#ifndef VITRINE_ENTRY_H
#define VITRINE_ENTRY_H
#include "catalog/file.h"
#include "core/user.h"
#include "core/workspace.h"

#define CATALOG_SOURCES "table|document|page|connection"
#define CATALOG_SORTS "best|used|changed"

/* page: the artifact's address. document: its JSON. */
#define CATALOG_SOURCE(F, T) \
	F(T, WORD, kind,            .arg = CATALOG_SOURCES) \
	F(T, ID,   artifact_id,     .flags = F_NUL, .arg = "art_") \
	F(T, STR,  artifact_name,   .flags = F_NUL) \
	F(T, STR,  table,           .flags = F_NUL) \
	F(T, ID,   connection_id,   .flags = F_NUL, .arg = "con_") \
	F(T, STR,  connection_name, .flags = F_NUL) \
	F(T, INT,  row_count,       .flags = F_NUL, \
		.doc = "Of a table; null if you can't see all of its rows") \
	F(T, TIME, updated_at,      .flags = F_NUL, \
		.doc = "When its data changed; null if you can't see all of its rows")
SHAPE_DECLARE(catalog_source, CATALOG_SOURCE);

/* An entry at the other end of a link or an upstream. */
#define CATALOG_LINK(F, T) \
	F(T, ID,   id,    .arg = "cat_") \
	F(T, STR,  path) \
	F(T, WORD, kind,  .arg = CATALOG_KINDS) \
	F(T, STR,  title)
SHAPE_DECLARE(catalog_link, CATALOG_LINK);

/* For the page that lists entries, texts with marks (base/marked.h): the title, the description,
 * and the tag or the path by which the entry was found. */
#define CATALOG_FOUND(F, T) \
	F(T, STR,  called,      .flags = F_HID) \
	F(T, STR,  says,        .flags = F_HID) \
	F(T, STR,  by_tag,      .flags = F_HID) \
	F(T, STR,  by_path,     .flags = F_HID)
#define CATALOG_ENTRY(F, T) \
	F(T, ID,   id,          .arg = "cat_", .doc = "Stays while its path does") \
	F(T, STR,  path) \
	F(T, WORD, kind,        .arg = CATALOG_KINDS) \
	F(T, STR,  title) \
	F(T, STR,  description, .flags = F_NUL) \
	F(T, STR,  domain,      .flags = F_NUL) \
	F(T, WORD, status,      .arg = CATALOG_STATUSES) \
	F(T, STRS, tags) \
	F(T, STR,  owner,       .flags = F_NUL, .doc = "As the file says it") \
	F(T, LIST, columns,     .sub = &catalog_column_shape, \
		.doc = "Of a table as they are now, with what the file says of them; " \
		       "else as the file has them") \
	F(T, OBJ,  source,      .flags = F_NUL, .sub = &catalog_source_shape, \
		.doc = "null: none, or it is gone") \
	F(T, STRS, upstream,    .doc = "Paths, as the file says them") \
	F(T, INT,  used_by,     .doc = "How many entries that you see say that they come from it") \
	F(T, BOOL, seeded,      .doc = "It was made from what there is, and nobody has edited it") \
	F(T, STR,  etag,        .doc = "Of the file, for If-Match of a PUT") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at,  .doc = "When the file changed") \
	F(T, OBJ,  updated_by,  .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: their account has been deleted") \
	F(T, STR,  content,     .flags = F_OPT, .doc = "The file; of one entry alone") \
	F(T, LIST, downstream,  .flags = F_OPT, .sub = &catalog_link_shape, \
		.doc = "The entries that say that they come from it; of one entry alone") \
	CATALOG_FOUND(F, T)
SHAPE_DECLARE(catalog_entry, CATALOG_ENTRY);

#define CATALOG_QUERY(F, T) \
	F(T, STR,  q,      .hi = 200, .doc = "Words, each of which is in its title, path, tags, " \
		"or description") \
	F(T, STRS, kind,   .item = K_WORD, .arg = CATALOG_KINDS, .hi = 6) \
	F(T, STRS, domain, .item_hi = CATALOG_DOMAIN, .hi = 50) \
	F(T, STRS, status, .item = K_WORD, .arg = CATALOG_STATUSES, .hi = 3) \
	F(T, STRS, tag,    .item_hi = CATALOG_TAG, .hi = 50) \
	F(T, WORD, sort,   .arg = CATALOG_SORTS, \
		.doc = "best (match), used (most), changed (last); " \
		       "absent: best with q, else changed") \
	PAGE_FIELDS(F, T, 40)
/* A filter with several values matches any of them. */
SHAPE_DECLARE(catalog_query, CATALOG_QUERY);

#define CATALOG_VALUE(F, T) \
	F(T, STR, value) \
	F(T, INT, count)
SHAPE_DECLARE(catalog_value, CATALOG_VALUE);
/* Values are sorted by count, at most CATALOG_VALUES; kinds and statuses are complete and in a
 * fixed order. */
enum { CATALOG_VALUES = 200 };
#define CATALOG_FACETS(F, T) \
	F(T, LIST, kind,   .sub = &catalog_value_shape) \
	F(T, LIST, domain, .sub = &catalog_value_shape) \
	F(T, LIST, status, .sub = &catalog_value_shape) \
	F(T, LIST, tag,    .sub = &catalog_value_shape)
SHAPE_DECLARE(catalog_facets, CATALOG_FACETS);

#define CATALOG(F, T) \
	F(T, BOOL, enabled) \
	F(T, LIST, entries,     .sub = &catalog_entry_shape) \
	F(T, INT,  total,       .doc = "How many there are on all pages") \
	F(T, OBJ,  facets,      .sub = &catalog_facets_shape, \
		.doc = "How many there are of each value, under the other filters") \
	F(T, STR,  next_cursor, .flags = F_NUL)
SHAPE_DECLARE(catalog, CATALOG);

#define CATALOG_FILE(F, T) \
	F(T, STR, path,    .flags = F_REQ, .lo = 1, .doc = "Relative, ends in .md, .yaml or .yml", \
		.eg = "\"sales/orders.md\"") \
	F(T, STR, content, .flags = F_REQ, .doc = "256 KiB at most", \
		.eg = "\"---\\nkind: dataset\\ntitle: Orders\\n---\\nOne row per order.\\n\"")
SHAPE_DECLARE(catalog_file, CATALOG_FILE);

#define CATALOG_SWITCH(F, T) F(T, BOOL, enabled, .flags = F_REQ)
SHAPE_DECLARE(catalog_switch, CATALOG_SWITCH);

enum err catalog_is_on(struct ctx *c, const struct workspace *, bool *on);
/* E_CONFLICT if the catalog is off */
enum err catalog_must_be_on(struct ctx *c, const struct workspace *);
/* Turns the catalog on or off. The files stay. */
enum err catalog_enable(
    struct ctx *c, const struct workspace *, const struct principal *who, bool on);

/* Lists entries. If the catalog is off, the list is empty and enabled is false. */
enum err catalog_list(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_query *, struct catalog **out);
/* Returns an entry with content and downstream. *out is NULL if the catalog is off. E_NOT_FOUND:
 * `who` may not see it. */
enum err catalog_entry_get(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, struct catalog_entry **out);
/* Returns the entry with exactly this path. *out is NULL if there is none that `who` may see. */
enum err catalog_entry_at(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct catalog_entry **out);
/* Lists entries whose text links to this one, by title, as far as `who` may see them. */
enum err catalog_mentioning(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_entry *, struct catalog_link_list *out);
/* Lists entries to which the text of entry `id` links by file paths, as far as `who` may see
 * them. */
enum err catalog_linked(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, struct catalog_link_list *out);
/* Checks a file without storing it. Returns an entry without id, times, and links. Fails like
 * catalog_put(). An error in the content has details {line, column}. */
enum err catalog_try(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_file *, struct catalog_entry **out);
/* Creates the entry (*made is true) or replaces its file. E_INVALID, E_FILE_TOO_LARGE,
 * E_LIMIT_REACHED. E_CONFLICT: the catalog is off, or the path looks the same as another
 * entry's, or belongs to an entry that `who` may not see. */
enum err catalog_put(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_file *, bool *made, const char **id);
/* Deletes the file with exactly this path. E_NOT_FOUND. E_CONFLICT: the catalog is off. */
enum err catalog_delete(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path);

/* Returns the columns of a table that have a description, from the entry that changed last. The
 * caller has checked that `who` may read the table. Empty if the catalog is off or `who` isn't
 * in the artifact's workspace. */
struct artifact;
enum err catalog_column_descriptions(struct ctx *c, const struct artifact *, const char *table,
    const struct principal *who, struct catalog_column_list *out);
#endif
