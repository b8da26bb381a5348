/* SPDX-License-Identifier: Apache-2.0
 * Columns of a users' table: their members, and how data_table.fields stores them. Source:
 * data/README.md. */
#ifndef VITRINE_COLUMN_H
#define VITRINE_COLUMN_H
#include "data/cell.h"

enum { CHOICES_MAX = 100, CHOICE_CHARS = 64, COLUMN_NAMES_KEPT = 50 };

/* A name that a column had in rows whose shape_no is less than `until`. */
#define COLUMN_WAS(F, T) \
	F(T, STR, name) \
	F(T, INT, until)
SHAPE_DECLARE(column_was, COLUMN_WAS);

#define DATA_COLUMN(F, T) \
	F(T, STR,  name, .flags = F_REQ, .lo = 1, .hi = 64, \
		.doc = "Letters, digits and _; must not start with a digit", .eg = "\"title\"") \
	F(T, WORD, type, .flags = F_REQ, .arg = COLUMN_TYPES, .eg = "\"text\"") \
	F(T, STRS, choices, .flags = F_OPT, .item_lo = 1, .item_hi = CHOICE_CHARS, .lo = 1, \
		.hi = CHOICES_MAX, .doc = "Of a choice: the texts that a value can be, in their " \
		"order. Absent in a change: they stay") \
	F(T, STR,  to,   .flags = F_OPT, .lo = 1, .hi = TABLE_NAME_CHARS, \
		.doc = "Of a link: the table of the artifact whose rows' ids are the values") \
	F(T, BOOL, hidden, .flags = F_OPT, \
		.doc = "Left out of the page's grid. It protects nothing: rows have it") \
	F(T, INT,  slot,  .flags = F_HID) \
	F(T, INT,  since, .flags = F_HID) \
	F(T, LIST, was,   .flags = F_HID, .sub = &column_was_shape) /* the oldest first */ \
	F(T, BOOL, keyed, .flags = F_HID) /* of a dropped column: it was the key */
/* since: the first shape_no that has this column. */
SHAPE_DECLARE(data_column, DATA_COLUMN);

/* Format of data_table.fields: [["title","text",0,1],["state","choice",1,1,{"choices":["new"]}]].
 * The numbers are slot and since. */
const char *columns_write(struct ctx *c, const struct list *columns);
enum err columns_read(struct ctx *c, const char *fields, struct list *columns);

/* Returns NULL if there is none. */
const struct data_column *column_of_slot(const struct list *columns, int64_t slot);
/* Returns the column's name in rows of that shape. */
const char *column_name_at(const struct data_column *col, int64_t shape_no);
/* Records that a column has another name from that shape on. */
void column_renamed(struct ctx *c, const struct data_column *old, int64_t shape_no,
    struct data_column *col);
/* Like column_renamed(). E_CONFLICT: it has had too many names. */
enum err column_rename(struct ctx *c, const struct data_column *old, int64_t shape_no,
    struct data_column *col);

/* Sets what a change of the column leaves out. old: may be NULL. */
void column_keep(const struct data_column *old, struct data_column *col);
/* True unless values of one don't fit the other. Removed choices are another matter. */
bool column_type_same(const struct data_column *old, const struct data_column *col);
bool column_same(const struct data_column *old, const struct data_column *col);
/* E_INVALID: a name isn't valid, or two columns have it. */
enum err columns_names_check(struct ctx *c, const struct list *columns);
#endif
