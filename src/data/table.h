/* SPDX-License-Identifier: Apache-2.0
 * Tables that users design, in an artifact: their columns, and how much is in them. Their rows are
 * in data/row.h. Editors design; who reads and writes rows the artifact's access_policy says
 * (data/rowpolicy.h).
 *
 * A table is a row of data_table. Each column has a slot, 0 to 63: the key of its value
 * (data/cell.h) is in data_row.c<slot> and, for finding and sorting, in data_cell. The values as
 * they were sent are in data_row.doc. Source: data/README.md. */
#ifndef VITRINE_TABLE_H
#define VITRINE_TABLE_H
#include "data/rowpolicy.h"
#include "store/sweep.h"

enum {
	TABLES_MAX = 100,     /* an artifact */
	ROWS_MAX = 1000000,   /* a table */
	ROW_BYTES = 16384,    /* its values as JSON */
	ROWS_AT_ONCE = 1000   /* inserted or deleted by one request */
};

#define DATA_COLUMN(F, T) \
	F(T, STR,  name, .flags = F_REQ, .lo = 1, .hi = 64, \
		.doc = "Letters, digits and _; must not start with a digit", .eg = "\"title\"") \
	F(T, WORD, type, .flags = F_REQ, .arg = COLUMN_TYPES, .eg = "\"text\"") \
	F(T, INT,  slot,  .flags = F_HID) \
	F(T, INT,  since, .flags = F_HID)
/* since: the first shape_no with this column. */
SHAPE_DECLARE(data_column, DATA_COLUMN);

#define DATA_TABLE(F, T) \
	F(T, STR,  name) \
	F(T, LIST, columns,    .sub = &data_column_shape) \
	F(T, INT,  row_count,  .flags = F_NUL, .doc = "null if you can't see all of its rows") \
	F(T, INT,  size_bytes, .flags = F_NUL) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, INT,  no,         .flags = F_HID) \
	F(T, STR,  fields,     .flags = F_HID) \
	F(T, INT,  shape_no,   .flags = F_HID) \
	F(T, INT,  dropped,    .flags = F_HID) \
	F(T, BOOL, watched,    .flags = F_HID) \
	F(T, BOOL, deleted,    .flags = F_HID)
SHAPE_DECLARE(data_table, DATA_TABLE);

#define DATA_TABLE_NEW(F, T) \
	F(T, LIST, columns, .flags = F_REQ, .lo = 1, .hi = CELL_SLOTS, .sub = &data_column_shape, \
		.doc = "All columns, in order") \
	F(T, JSON, rows,    .arg = "array", \
		.doc = "Initial rows of a new table, in the form that POST …/rows takes") \
	F(T, STRS, drop,    .item_hi = 64, .hi = CELL_SLOTS, \
		.doc = "Columns to delete, with their values; " \
		       "required for each existing column that is missing from columns")
SHAPE_DECLARE(data_table_new, DATA_TABLE_NEW);

/* The columns by their slots. */
void table_columns(const struct data_table *, struct cell_columns *out);
/* NULL when there is none of that name. */
const struct data_column *table_column(const struct data_table *, const char *name);
/* Its columns' names, for messages: "a, b and c". */
const char *table_column_names(void *owner, const struct data_table *);

/* A table as somebody has it: what they may read and write of its rows. */
struct table_for {
	const struct artifact *a;
	const struct data_table *t;
	struct cell_columns columns;
	struct row_rule read, write;
};
/* E_NOT_FOUND when there is none, or `who` may neither read nor write any of its rows. */
enum err table_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct table_for *out);
/* The same by a policy that was read already, for who asks of many tables. */
enum err table_get_by(struct ctx *c, const struct artifact *a, const struct rowpolicy *policy,
    const char *name, struct table_for *out);
/* What the policy lets be read of the rows of a table that is known by its name alone. */
enum err table_readable(struct ctx *c, const char *artifact_id, const struct rowpolicy *policy,
    const char *name, enum verdict *out);
/* All tables of an artifact by name, whoever may see them. */
enum err table_all(struct ctx *c, const char *artifact_id, struct data_table_list *out);
/* Those whose rows `who` may read at least in part, by name; numbers of rows and bytes only where
 * they may read all. */
enum err table_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *, struct data_table_list *out, const char **next);
/* E_NOT_FOUND unless `who` may read rows of it; row_count as table_list() has it. */
enum err table_show(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct data_table **out);

/* Whether there is one of that name, whoever may see it. */
enum err table_is_there(struct ctx *c, const struct artifact *a, const char *name, bool *out);

/* What it is kept under to be found (core/find.h); E_NOT_FOUND. */
enum err table_key(struct ctx *c, const struct artifact *a, const char *name, const char **key);

/* Makes the table, or changes its columns; *made tells which. The artifact's row must be locked.
 * E_INVALID names the column, E_STORAGE_FULL past TABLES_MAX, E_CONFLICT for a change that would
 * lose values that nobody asked to lose. */
enum err table_put(struct ctx *c, const struct artifact *a, const char *name,
    const struct data_table_new *in, bool *made);
/* By its number; lock: its row is held until the commit, so that none of its rows is committed
 * meanwhile. *out is NULL when it has been deleted. */
enum err table_of_no(struct ctx *c, int64_t no, bool lock, struct data_table **out);
/* Its rows are taken away by the runner. */
enum err table_delete(struct ctx *c, const struct artifact *a, const char *name);

/* Counts rows and bytes that came (or went), as the last statement before the commit: whoever
 * writes to the same table waits here, for the other's commit only. E_STORAGE_FULL past ROWS_MAX.
 * When the table's columns have changed since it was read, or it has come to be watched, the
 * transaction is to run again. */
enum err table_account(struct ctx *c, const struct table_for *, int64_t rows, int64_t bytes);
/* The same as the end of a compound statement, which has "BEGIN NOT ATOMIC" and what is to be
 * counted, and is carried out: one round trip. */
enum err table_account_with(struct ctx *c, const struct table_for *, struct sql *, int64_t rows,
    int64_t bytes);

/* ---- a table that is filled beside another, to take its place ---- */

/* Makes one that nobody sees, with columns only. The three below are transactions of one statement
 * or two. What becomes nothing is taken away by the runner after a quarter of an hour. */
enum err table_stage(struct ctx *c, const char *name, const struct data_table_new *in,
    struct data_table **out);
/* Counts what was put into it; E_NOT_FOUND when it took too long. */
enum err table_stage_account(struct ctx *c, struct data_table *t, int64_t rows, int64_t bytes);
/* To be taken away at once. */
enum err table_stage_drop(struct ctx *c, const struct data_table *t);
/* It takes the place of the one of its name (was, or NULL: there is none), whose rows are gone from
 * then on. Last in a transaction. E_CONFLICT when that is not the same anymore, or has other
 * columns. */
enum err table_stage_show(struct ctx *c, const struct artifact *a, const struct data_table *t,
    const struct data_table *was);

#define TABLE_ODD(F, T) \
	F(T, INT, no) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, STR, name) \
	F(T, STR, why)
SHAPE_DECLARE(table_odd, TABLE_ODD);
/* Tables whose numbers of rows and bytes are not those of their rows, or whose index is not that of
 * their rows. mend: make them so. */
enum err table_check(struct ctx *c, bool mend, struct table_odd_list *out);
#endif
