/* SPDX-License-Identifier: Apache-2.0
 * A workspace's data catalog: a file for each thing that its data is about, Markdown with front
 * matter (or YAML alone), written by its people. What the reader may not open is not there: no
 * entry of it, and no count. Source: interface, "Data catalog"; catalog/README.md. */
#ifndef VITRINE_ENTRY_H
#define VITRINE_ENTRY_H
#include "catalog/file.h"
#include "core/user.h"
#include "core/workspace.h"

#define CATALOG_SOURCES "table|document|page|connection"
#define CATALOG_SORTS "best|used|changed"

/* Of a page, what is at an artifact's address; of a document, its JSON. */
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

/* What an entry leads to, or comes from, by its own or another's file. */
#define CATALOG_LINK(F, T) \
	F(T, ID,   id,    .arg = "cat_") \
	F(T, STR,  path) \
	F(T, WORD, kind,  .arg = CATALOG_KINDS) \
	F(T, STR,  title)
SHAPE_DECLARE(catalog_link, CATALOG_LINK);

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
		.doc = "The entries that say that they come from it; of one entry alone")
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
/* Of several kinds, domains, statuses or tags any one does. */
SHAPE_DECLARE(catalog_query, CATALOG_QUERY);

#define CATALOG_VALUE(F, T) \
	F(T, STR, value) \
	F(T, INT, count)
SHAPE_DECLARE(catalog_value, CATALOG_VALUE);
/* The most frequent first, at most CATALOG_VALUES of each; kinds and statuses in their order, all
 * of them. */
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
enum err catalog_must_be_on(struct ctx *c, const struct workspace *); /* E_CONFLICT */
/* The files stay. */
enum err catalog_enable(
    struct ctx *c, const struct workspace *, const struct principal *who, bool on);

/* While it is off: nothing, and enabled is false. */
enum err catalog_list(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_query *, struct catalog **out);
/* With content and downstream; E_NOT_FOUND for one that `who` doesn't see. While the catalog is
 * off, *out is NULL. */
enum err catalog_entry_get(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, struct catalog_entry **out);
/* The same of a path, exactly; *out is NULL when there is none that `who` sees. */
enum err catalog_entry_at(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct catalog_entry **out);
/* The entries whose text links to it, and that `who` sees, by title. */
enum err catalog_mentioning(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_entry *, struct catalog_link_list *out);
/* The entries that its text links to by their files, and that `who` sees. */
enum err catalog_linked(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, struct catalog_link_list *out);
/* What the file would be, without keeping it: an entry without id, times and links. E_INVALID as
 * catalog_put(), with details {line, column} where they are of the content. */
enum err catalog_try(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_file *, struct catalog_entry **out);
/* Makes the entry (*made), or replaces its file. E_INVALID; E_FILE_TOO_LARGE; E_LIMIT_REACHED;
 * E_CONFLICT while the catalog is off, and for a path that people would take for that of another
 * entry, or of one that `who` doesn't see. */
enum err catalog_put(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_file *, bool *made, const char **id);
/* Exactly that file. E_NOT_FOUND; E_CONFLICT while the catalog is off. */
enum err catalog_delete(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path);

/* What the catalog says of a table's columns, to whoever sees the table: those with a description,
 * of the entry that was changed last. Nothing while the catalog is off, or the artifact is in no
 * workspace, or `who` isn't in it. */
struct artifact;
enum err catalog_column_descriptions(struct ctx *c, const struct artifact *, const char *table,
    const struct principal *who, struct catalog_column_list *out);
#endif
