/* SPDX-License-Identifier: Apache-2.0
 * Rows of entries, and the entries that replies show: the file's facts joined with the present
 * state of its source. */
#ifndef VITRINE_ENTRY_SHOW_H
#define VITRINE_ENTRY_SHOW_H
#include "catalog/entry.h"
#include "catalog/source_access.h"
#include "db/ids.h"

#define ENTRY_ROW(F, T) \
	F(T, STR,  id) \
	F(T, STR,  path) \
	F(T, STR,  kind) \
	F(T, STR,  title) \
	F(T, STR,  description) \
	F(T, STR,  domain) \
	F(T, STR,  status) \
	F(T, STR,  tags) \
	F(T, STR,  owner) \
	F(T, STR,  fields) \
	F(T, STR,  upstream) \
	F(T, BOOL, seeded) \
	F(T, STR,  sha256) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, OBJ,  updated_by, .flags = F_NUL, .sub = &ws_user_shape) \
	ABOUT(F, T) \
	F(T, STR,  table_fields) \
	F(T, INT,  row_count) \
	F(T, TIME, table_changed) \
	F(T, TIME, document_changed)
SHAPE_DECLARE(entry_row, ENTRY_ROW);

/* The caller adds the FROM table of entries `e`, then ENTRY_TABLES. */
#define ENTRY_SELECT \
	"SELECT e.id, e.path, e.kind, e.title, e.description, e.domain, e.status, e.tags," \
	" e.owner, e.fields, e.upstream, e.seeded, e.sha256, e.created_at, e.updated_at," \
	" u.id AS `updated_by.user_id`, u.name AS `updated_by.name`," \
	" u.email AS `updated_by.email`, u.kind AS `updated_by.kind`, " ABOUT_COLUMNS("e") "," \
	" d.fields AS table_fields, d.row_count, d.updated_at AS table_changed," \
	" j.updated_at AS document_changed FROM "
#define ENTRY_TABLES \
	" LEFT JOIN data_table d ON d.artifact_id = e.source_artifact_id" \
	" AND d.name = e.source_table" \
	" LEFT JOIN document j ON j.artifact_id = e.source_artifact_id" \
	" AND e.source_kind = 'document'" ABOUT_TABLES("e") \
	" LEFT JOIN user u ON u.id = e.updated_by"

/* Returns the entries of those rows that the reader may see, in the rows' order. */
enum err entries_show(struct ctx *c, const struct workspace *, const struct source_access *,
    const struct entry_row_list *rows, struct catalog_entry_list *out);
/* Returns the entries with these ids (ids_json()) that the reader may see, sorted by id. With
 * access NULL, it reads the rights. */
enum err entries_of(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct source_access *, const char *ids, struct catalog_entry_list *out);
/* Reads the rights of `who` on the rows' artifacts. */
enum err rows_access_read(struct ctx *c, const struct principal *who,
    const struct entry_row_list *rows, struct source_access *out);
const struct catalog_entry *entry_among(const struct catalog_entry_list *by_id, const char *id);

struct strs lines_of(struct ctx *c, const char *text);
/* Reads the columns as catalog_entry.fields stores them. */
enum err columns_described(
    struct ctx *c, const char *fields, struct catalog_column_list *out);
#endif
