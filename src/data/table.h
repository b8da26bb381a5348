/* SPDX-License-Identifier: Apache-2.0
 * Tables that users design in an artifact: columns, and counts of rows. data/row.h has the rows.
 * Editors design tables; the access_policy decides who reads and writes rows (data/rowpolicy.h).
 *
 * A table is a row of data_table. Each column has a slot, 0 to 63. The key of its value
 * (data/cell.h) is in data_row.c<slot> and, for searching and sorting, in data_cell.
 * data_row.doc has the values as sent. Source: data/README.md. */
#ifndef VITRINE_TABLE_H
#define VITRINE_TABLE_H
#include "data/column.h"
#include "data/past.h"
#include "data/rowpolicy.h"
#include "core/follow.h"
#include "store/sweep.h"

enum {
	TABLES_MAX = 100,     /* for each artifact */
	ROWS_MAX = 1000000,   /* for each table */
	ROW_BYTES = 16384,    /* of a row's values as JSON */
	ROWS_AT_ONCE = 1000,  /* inserted or deleted by one request */
	TABLE_SMALL = 2000    /* rows up to which lists need no index */
};

#define DATA_TABLE(F, T) \
	F(T, STR,  name) \
	F(T, LIST, columns,    .sub = &data_column_shape) \
	F(T, STR,  key,        .flags = F_NUL, .doc = "The column whose values differ") \
	F(T, INT,  row_count,  .flags = F_NUL, .doc = "null if you can't see all of its rows") \
	F(T, INT,  size_bytes, .flags = F_NUL) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, INT,  no,         .flags = F_HID) \
	F(T, STR,  fields,     .flags = F_HID) \
	F(T, INT,  shape_no,   .flags = F_HID) \
	F(T, INT,  dropped,    .flags = F_HID) \
	F(T, STR,  kept_fields, .flags = F_HID) /* like fields, of kept; NULL: none */ \
	F(T, LIST, kept,       .flags = F_HID, .sub = &data_column_shape) \
	F(T, INT,  carried,    .flags = F_HID) /* data/carried.h */ \
	F(T, BOOL, filled,     .flags = F_HID) /* the runner has filled these in */ \
	F(T, INT,  indexed,    .flags = F_HID) /* data/tableindex.h */ \
	F(T, INT,  indexing,   .flags = F_HID) \
	F(T, INT,  change_no,  .flags = F_HID) \
	F(T, INT,  key_slot,   .flags = F_HID) /* -1: no key */ \
	F(T, INT,  history_no, .flags = F_HID) /* 0: no */ \
	F(T, TIME, history_since, \
		.doc = "Undo, and reading earlier states of rows, reach back to this time") \
	F(T, STR,  held_by,    .flags = F_HID) /* the operation that rewrites it, or NULL */ \
	F(T, BOOL, watched,    .flags = F_HID) \
	F(T, BOOL, deleted,    .flags = F_HID) \
	F(T, STR,  column_names, .flags = F_HID, .doc = "For pages: \"a, b and c\"")
/* dropped: bits of slots whose values the runner deletes. kept: dropped columns that can come back
 * (data/deleted.h). */
SHAPE_DECLARE(data_table, DATA_TABLE);

#define DATA_TABLE_NEW(F, T) \
	F(T, LIST, columns, .flags = F_REQ, .lo = 1, .hi = CELL_SLOTS, .sub = &data_column_shape, \
		.doc = "All columns, in order") \
	F(T, STR,  key,     .flags = F_NUL, .lo = 1, .hi = TABLE_NAME_CHARS, \
		.doc = "A column whose values must differ; nulls are free. null: none. " \
		       "Absent in a change: it stays") \
	F(T, JSON, renames, .arg = "object", \
		.doc = "Columns that get another name: {\"old\": \"new\"}; columns has the new " \
		       "ones. No row is written, and alerts follow", .eg = NULL) \
	F(T, WORD, policy,  .arg = "rewrite", \
		.doc = "With renames: rules of the access_policy follow, too; without it, a rule " \
		       "that names a renamed column is a 409") \
	F(T, JSON, rows,    .arg = "array", \
		.doc = "Initial rows of a new table, in the form that POST …/rows takes") \
	F(T, STRS, drop,    .item_hi = 64, .hi = CELL_SLOTS, \
		.doc = "Columns to delete, with their values; " \
		       "required for each existing column that is missing from columns. " \
		       "For 30 days a column can come back (…/deleted)") \
	F(T, INT,  shape_no, .flags = F_HID) /* of the table that this one replaces; 0: 1 */ \
	F(T, LIST, kept,     .flags = F_HID, .sub = &data_column_shape) /* its dropped ones */ \
	F(T, INT,  back,     .flags = F_HID) /* 1 + the slot of a dropped column in columns */
SHAPE_DECLARE(data_table_new, DATA_TABLE_NEW);

/* An account that changed something. */
#define CHANGE_BY(F, T) \
	F(T, ID,  user_id, .arg = "usr_") \
	F(T, STR, name)
SHAPE_DECLARE(change_by, CHANGE_BY);
/* Of `user u`: the name, or the address of someone who has given none. */
#define CHANGE_BY_NAME "COALESCE(NULLIF(u.name, ''), u.email) AS `by.name`"

/* Fills the columns by slot. */
void table_columns(const struct data_table *, struct cell_columns *out);
/* Returns NULL if there is no such column. */
const struct data_column *table_column(const struct data_table *, const char *name);
/* Returns the columns' names for messages: "a, b and c". */
const char *table_column_names(void *owner, const struct data_table *);

/* True if the table is large and each of its rows has an entry in the slot. */
bool table_has_index(const struct data_table *, int64_t slot);
/* True if the table is large and rows lack entries in the slot. */
bool table_lacks_index(const struct data_table *, int64_t slot);
/* True if a writer of a row must write its entry in the slot. */
bool table_keeps_entries(const struct data_table *, int64_t slot);

/* The number under which changes are recorded. It stays when other rows replace the table's. */
int64_t table_history_no(const struct data_table *);

/* A table with somebody's rules for its rows. */
struct table_for {
	const struct artifact *a;
	const struct data_table *t;
	struct cell_columns columns;
	struct row_rule read, add, change, delete;
	struct row_limits limits;
	const struct rowpolicy *policy; /* for links; NULL: they may name any row */
	struct table_past *past; /* NULL: changes aren't recorded */
};
/* Initializers of a table of which any row may be written. */
#define WRITES_ANY .add = ANY_ROW, .change = ANY_ROW, .delete = ANY_ROW
/* True if some rows may be added, changed, or deleted. */
bool table_may_write(const struct table_for *);
/* E_NOT_FOUND: no such table, or `who` may neither read nor write any row. */
enum err table_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct table_for *out);
/* Like table_get(), with a policy that was read already. */
enum err table_get_by(struct ctx *c, const struct artifact *a, const struct rowpolicy *policy,
    const char *name, struct table_for *out);
/* Returns how much of the table's rows the policy lets be read, by the table's name alone. */
enum err table_readable(struct ctx *c, const char *artifact_id, const struct rowpolicy *policy,
    const char *name, enum verdict *out);
/* Fills a table with somebody's rules. */
void table_rules(struct ctx *c, const struct artifact *a, const struct rowpolicy *policy,
    const struct data_table *t, struct table_for *out);
/* Lists all tables of an artifact by name, without checking rights. */
enum err table_all(struct ctx *c, const char *artifact_id, struct data_table_list *out);
/* Lists tables by name of which `who` may read at least some rows. Numbers of rows and bytes
 * only if `who` may read all. */
enum err table_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *, struct data_table_list *out, const char **next);
/* E_NOT_FOUND unless `who` may read some of its rows. Numbers as in table_list(). */
enum err table_show(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct data_table **out);

/* *late: new tables and columns have no index at first. Not within a day of the migration that
 * allows it, unless it made the database: programs of the former release, which follow the entries
 * of all columns, may still run on another machine. */
enum err table_entries_late(struct ctx *c, bool *late);
/* E_CONFLICT within such a day of the migration of dates, choices, links, keys, and renames, which
 * programs of the former release would misread. */
enum err table_columns_grown(struct ctx *c);

/* *kept: dropped columns can come back. Not within such a day of the migration that allows it. */
enum err table_columns_kept(struct ctx *c, bool *kept);

/* Reads again which columns have an index and how many rows there are, for lists that take long.
 * Changes nothing if the table's columns are others now. */
enum err table_refresh(struct ctx *c, struct data_table *t);

/* True if the table exists, without checking rights. */
enum err table_is_there(struct ctx *c, const struct artifact *a, const char *name, bool *out);

/* Returns the table's id in the search index (core/find.h). E_NOT_FOUND. */
enum err table_key(struct ctx *c, const struct artifact *a, const char *name, const char **key);

/* Creates the table (*made is true) or changes its columns. The caller holds the lock on the
 * artifact's row. E_INVALID names the column. E_STORAGE_FULL: more than TABLES_MAX. E_CONFLICT:
 * values would be lost without `drop`, or those of the key repeat. `who` is for what the latter
 * tells. */
enum err table_put(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, const struct data_table_new *in, bool *made);
/* Reads a table by its number. lock: locks its row until the commit, so no rows are committed
 * meanwhile. *out is NULL if it was deleted. */
enum err table_of_no(struct ctx *c, int64_t no, bool lock, struct data_table **out);
/* Deletes the table. It can come back for some time (data/deleted.h); then the runner deletes its
 * rows. */
enum err table_delete(struct ctx *c, const struct artifact *a, const char *name);

/* Counts added (or removed) rows and bytes. Must be the last statement before the commit,
 * because it locks the table's row. E_STORAGE_FULL: more than ROWS_MAX. If the table's columns,
 * indexes, or `watched` changed since it was read, sets c->replay. */
enum err table_account(struct ctx *c, const struct table_for *, int64_t rows, int64_t bytes);
/* Like table_account(), as the end of a compound statement that begins with "BEGIN NOT ATOMIC"
 * and contains the writes. Runs it in one round trip. */
enum err table_account_with(struct ctx *c, const struct table_for *, struct sql *, int64_t rows,
    int64_t bytes);

#define TABLE_ODD(F, T) \
	F(T, INT, no) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, STR, name) \
	F(T, STR, why)
SHAPE_DECLARE(table_odd, TABLE_ODD);
/* Finds tables whose counts or index don't agree with their rows. mend: corrects them. */
enum err table_check(struct ctx *c, bool mend, struct table_odd_list *out);

/* ---- between the files of this folder ---- */

/* *out is NULL if there is none. */
enum err table_named(
    struct ctx *c, const struct artifact *a, const char *name, struct data_table **out);
/* Reads a staged table (data/tablestage.h). *out is NULL if the runner has deleted it. */
enum err table_staged(struct ctx *c, int64_t no, struct data_table **out);
/* Fails with E_NOT_FOUND. */
enum err table_absent(struct ctx *c, const char *name);
/* Lets nobody else write rows until table_release(), or until another table replaces this one.
 * E_CONFLICT: it is held, or was changed. */
enum err table_hold(struct ctx *c, const struct data_table *t, const char *operation_id);
enum err table_release(struct ctx *c, int64_t no, const char *operation_id);
/* Fails with E_CONFLICT because an operation holds the table. */
enum err table_held(struct ctx *c, const struct data_table *t);
/* Like table_named(), and locks the row, so that neither columns nor number of rows change until
 * the commit. */
enum err table_lock(
    struct ctx *c, const struct artifact *a, const char *name, struct data_table **out);
/* E_STORAGE_FULL: the artifact has TABLES_MAX. */
enum err tables_room(struct ctx *c, const struct artifact *a);
/* Tells followers (core/follow.h) about the table. */
enum err table_tell(
    struct ctx *c, enum happening of, const char *artifact_id, const char *name);
/* Tells the search index about it. */
enum err table_found_anew(struct ctx *c, int64_t no);
/* Returns which columns of a new table have an index. */
enum err table_indexed_first(struct ctx *c, int64_t *out);
#endif
