/* SPDX-License-Identifier: Apache-2.0
 * Deleted tables and dropped columns, which can come back for 30 days. An artifact has at most
 * DELETED_MOST of each; a further one takes the oldest's place. The rows of tables count in no
 * limit. The runner deletes them afterwards (data/tablesweep.c).
 *
 * A drop renames the column to "~" and its slot, which no reader asks for, and moves it from
 * data_table.fields to kept. Rows still have its value and key, also those that are changed
 * (row_keep_dropped()). So a restore renames it back and writes no row. Source: data/README.md. */
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
	F(T, INT,  row_count,  .flags = F_NUL, .doc = "Of a table") \
	F(T, INT,  size_bytes, .flags = F_NUL, .doc = "Of a table") \
	F(T, TIME, deleted_at) \
	F(T, TIME, until,      .doc = "It can come back until then") \
	F(T, INT,  table_no,   .flags = F_HID) \
	F(T, INT,  slot,       .flags = F_HID | F_NUL)
SHAPE_DECLARE(data_deleted, DATA_DELETED);

/* Takes a table, whose row is locked, out of the artifact. keep: it can come back. */
enum err deleted_put_away(
    struct ctx *c, const struct artifact *a, const struct data_table *t, bool keep);
/* Puts away a column of the table, whose row is locked. It gets its hidden name from that shape on.
 * Adds it to *kept. */
enum err deleted_put_column_away(struct ctx *c, const struct artifact *a,
    const struct data_table *t, const struct data_column *col, int64_t shape_no,
    struct list *kept);
/* Gives the dropped columns of a table to the table that replaces it. */
enum err deleted_columns_move(struct ctx *c, int64_t from_no, int64_t to_no);
/* Takes the columns out of t->kept that can't come back any longer, and stores the table, whose row
 * is locked. *ended: there were some; the runner sweeps their slots next. */
enum err deleted_columns_end(struct ctx *c, struct data_table *t, bool *ended);
/* Lists those that can come back, latest first. */
enum err deleted_list(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct data_deleted_list *out, const char **next);
/* name: its new name; NULL: its old one. Must be last in a transaction whose caller has locked the
 * artifact's row. E_CONFLICT: another table or column has the name, or rows have the same value of
 * a column that was the key. E_STORAGE_FULL. *out is the name of the table. */
enum err deleted_restore(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const char *name, const char **out);
/* Deletes a table or column for good: it can't come back. E_NOT_FOUND. */
enum err deleted_forget(struct ctx *c, const struct artifact *a, const char *id);
/* Ends the time in which the table can come back. Deletes its views, unless another table has its
 * name. */
enum err deleted_end(struct ctx *c, int64_t table_no);
#endif
