/* SPDX-License-Identifier: Apache-2.0
 * Deleted tables, which can come back for 30 days. An artifact has at most DELETED_MOST; a further
 * one takes the oldest's place. Their rows count in no limit. The runner deletes them afterwards
 * (data/tablesweep.c). Source: data/README.md. */
#ifndef VITRINE_DELETED_H
#define VITRINE_DELETED_H
#include "data/table.h"

enum { DELETED_S = 30 * 86400, DELETED_MOST = 20 };

#define DATA_DELETED(F, T) \
	F(T, ID,   id,         .arg = "del_") \
	F(T, WORD, kind,       .arg = "table|column") \
	F(T, STR,  table,      .doc = "Its name, or the name of the column's table") \
	F(T, STR,  column,     .flags = F_NUL) \
	F(T, OBJ,  by,         .flags = F_NUL, .sub = &change_by_shape) \
	F(T, INT,  row_count) \
	F(T, INT,  size_bytes) \
	F(T, TIME, deleted_at) \
	F(T, TIME, until,      .doc = "It can come back until then") \
	F(T, INT,  table_no,   .flags = F_HID) \
	F(T, INT,  slot,       .flags = F_HID | F_NUL)
SHAPE_DECLARE(data_deleted, DATA_DELETED);

/* Takes a table, whose row is locked, out of the artifact. keep: it can come back. */
enum err deleted_put_away(
    struct ctx *c, const struct artifact *a, const struct data_table *t, bool keep);
/* Lists those that can come back, latest first. */
enum err deleted_list(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct data_deleted_list *out, const char **next);
/* name: the table's new name; NULL: its old one. Must be last in a transaction whose caller has
 * locked the artifact's row. E_CONFLICT: another table has the name. E_STORAGE_FULL. *out is the
 * name. */
enum err deleted_restore(struct ctx *c, const struct artifact *a, const char *id, const char *name,
    const char **out);
/* The table can't come back any longer: its views go, unless another table has its name. */
enum err deleted_end(struct ctx *c, int64_t table_no);
#endif
