/* SPDX-License-Identifier: Apache-2.0
 * Rows of entries, and what is shown of them: what the file says, beside what there is now. */
#ifndef VITRINE_CATALOG_DRESS_H
#define VITRINE_CATALOG_DRESS_H
#include "catalog/entry.h"
#include "catalog/sight.h"
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

/* Of entries `e`, from which table the rest says. */
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

/* Those of the rows that the reader sees, in their order. */
enum err entries_dress(struct ctx *c, const struct workspace *, const struct sight *,
    const struct entry_row_list *rows, struct catalog_entry_list *out);
/* The same of entries by their ids (ids_json()), by id. sight NULL: it is read. */
enum err entries_of(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sight *, const char *ids, struct catalog_entry_list *out);
/* What the rows' artifacts are to `who`. */
enum err rows_sight(struct ctx *c, const struct principal *who, const struct entry_row_list *rows,
    struct sight *out);
const struct catalog_entry *entry_among(const struct catalog_entry_list *by_id, const char *id);

struct strs lines_of(struct ctx *c, const char *text);
/* As a row has them. */
enum err columns_described(
    struct ctx *c, const char *fields, struct catalog_column_list *out);
#endif
