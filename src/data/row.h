/* SPDX-License-Identifier: Apache-2.0
 * Rows of users' tables. A row is an object with an id and a value for each column of its table, in
 * their order, null where it was given none; numbers and texts come back as they were sent.
 *
 * Every function takes the table as somebody has it (data/table.h) and keeps to its rules: what
 * may not be read is not there (E_NOT_FOUND), what may not be written is E_DENIED and names the
 * rule. A change is judged by the row as it was and as it becomes. Changes take a
 * transaction, and table_account() is their last statement. Source: data/README.md. */
#ifndef VITRINE_ROW_H
#define VITRINE_ROW_H
#include "data/table.h"

/* A row as a statement gives it. */
#define DATA_ROW(F, T) \
	F(T, STR, id) \
	F(T, STR, doc) \
	F(T, INT, shape_no) \
	F(T, INT, n) \
	F(T, STR, k) \
	F(T, BOOL, may_write)
/* id is hex; k is the key that the list is in order of, in hex. may_write is rowfind.c's alone. */
SHAPE_DECLARE(data_row, DATA_ROW);

/* {"id":"row_…","title":"…",…} */
const char *row_text(struct ctx *c, const struct data_table *t, const struct data_row *row);
/* The value of one column in doc, which is row->doc parsed; NULL when it has none. */
const struct json *row_value(const struct data_row *row, const struct json *doc,
    const struct data_column *col);

/* Stores the rows of an array of objects, at most ROWS_AT_ONCE, all or none; *ids are theirs, in
 * the same order. E_INVALID, E_BODY_TOO_LARGE and E_DENIED name the row, and the column. */
enum err rows_insert(struct ctx *c, const struct table_for *tf, const struct json *rows,
    struct strs *ids);
/* The same of rows of a text that comes from elsewhere, of which many calls may be counted as one
 * by table_account(). Messages name rows by where they are in it: as "line 17" where that is the
 * unit. *bytes grows by theirs. */
enum err rows_load(struct ctx *c, const struct table_for *tf, const struct json *rows,
    const char *unit, const size_t *places, int64_t *bytes);
enum err row_get(
    struct ctx *c, const struct table_for *tf, const char *id, struct data_row **out);
/* The same for a change, inside its transaction: the row is held until the commit. */
enum err row_lock(
    struct ctx *c, const struct table_for *tf, const char *id, struct data_row **out);
/* The columns that `values`, an object, names get its values; *row becomes as it is then. */
enum err row_patch(struct ctx *c, const struct table_for *tf, const struct json *values,
    struct data_row *row);
enum err row_delete(struct ctx *c, const struct table_for *tf, const struct data_row *row);

/* ---- lists ---- */

/* Conditions, as a query has them: name=op.value. */
struct row_find {
	const struct pair *filters;
	size_t n;
	const char *order;  /* "title", "-title", or NULL: by id */
	const char *cursor; /* NULL: from the start */
	int64_t limit;
};
enum { FILTERS_MAX = 20, FILTER_VALUES = 50 };
/* Rows that may be read and fit. E_INVALID names what is wrong. *next is NULL at the end; a list
 * may have fewer rows than limit, or none, and more behind it, since it doesn't look at all of a
 * large table for them. */
enum err rows_find(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    struct data_row_list *out, const char **next);
/* How many rows fit, up to limit. *more: there are, or may be, others. */
enum err rows_count(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    int64_t *n, bool *more);
/* Deletes rows that fit, at most ROWS_AT_ONCE; of what may be read and not be written, none.
 * *more: there may be others. It looks at as many rows as it must. */
enum err rows_delete(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    int64_t *deleted, bool *more);

/* ---- between the files of this noun ---- */

/* "row_…" of the hex that the database gives. */
const char *row_id_of_hex(struct ctx *c, const char *hex);
/* Takes rows away, whose ids in hex are a JSON array, and counts them. */
enum err rows_take_away(
    struct ctx *c, const struct table_for *tf, const char *ids, int64_t n, int64_t bytes);
#endif
