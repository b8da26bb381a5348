/* SPDX-License-Identifier: Apache-2.0
 * Rows of users' tables. A row is an object with an id and a value for each column, in the table's
 * order; missing values are null. Numbers and texts come back as they were sent.
 *
 * All functions take a table with somebody's rules (data/table.h). E_NOT_FOUND: the caller may not
 * read the row. E_DENIED: the caller may not write it; the message names the rule. A change is
 * checked for the old and the new state of the row. Changes need a transaction and end with
 * table_account(). Source: data/README.md. */
#ifndef VITRINE_ROW_H
#define VITRINE_ROW_H
#include "base/id.h"
#include "data/rowtext.h"
#include "data/where.h"

/* Inserts rows from an array of objects: all or none, at most ROWS_AT_ONCE. *ids are theirs in
 * order. E_INVALID, E_BODY_TOO_LARGE, and E_DENIED name row and column. */
enum err rows_insert(struct ctx *c, const struct table_for *tf, const struct json *rows,
    struct strs *ids);
/* A row to store: its text, with the present columns, and its keys by slot. */
struct row_new {
	uint8_t id[ID_BYTES];
	const char *doc;
	struct bytes keys[CELL_SLOTS];
	int64_t rev; /* how often it was changed */
};
/* Like rows_insert(), for rows with ids whose values and rule the caller has checked, of a longer
 * text. The caller calls table_account() once after many calls. lines: of the rows, for messages.
 * Adds the rows' bytes to *bytes. */
enum err rows_load_made(struct ctx *c, const struct table_for *tf, const struct row_new *rows,
    size_t n, const int64_t *lines, int64_t *bytes);
/* Like rows_load_made(), for a staged table and values to be checked: each row has the id, the rev,
 * and the values of dropped columns that `of` has, a row of the table that it replaces. Places are
 * those in `rows`. */
enum err rows_load_as(struct ctx *c, const struct table_for *tf, const struct json *rows,
    const struct data_row *const *of, int64_t *bytes);
enum err row_get(
    struct ctx *c, const struct table_for *tf, const char *id, struct data_row **out);
/* Like row_get(), and locks the row until the commit. */
enum err row_lock(
    struct ctx *c, const struct table_for *tf, const char *id, struct data_row **out);
/* Sets the columns in the object `values`. *row becomes the new state. */
enum err row_patch(struct ctx *c, const struct table_for *tf, const struct json *values,
    struct data_row *row);
enum err row_delete(struct ctx *c, const struct table_for *tf, const struct data_row *row);

/* ---- lists ---- */

struct row_find {
	struct where_asked asked;
	const char *order;  /* "title", "-title", "city,-n,id"; NULL: by id */
	const char *cursor; /* NULL: from the beginning */
	int64_t limit;
	/* If not NULL: a list that must read all rows of a large table returns none, and *whole
	 * becomes true: an index isn't there yet, it is sorted by several columns, or it looks
	 * into texts. */
	bool *whole;
};
/* Lists rows that may be read and match. E_INVALID names the fault. *next is NULL at the end. A
 * part may have fewer rows than limit, even none, because a list of a large table stops after
 * examining LOOKED_MOST rows. */
enum err rows_find(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    struct data_row_list *out, const char **next);
/* Counts matching rows up to limit. *more: there may be others. */
enum err rows_count(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    int64_t *n, bool *more);
/* Counts all matching rows. *denied: those of them that the rule doesn't allow. */
enum err rows_total(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct row_rule *rule, int64_t *n, int64_t *denied);
/* *order: the order in which all matching rows are found fastest, for row_find; NULL: by id. */
enum err rows_order(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const char **order);

/* ---- between the files of this folder ---- */

/* Returns the rows' hex ids as a JSON array. */
const char *rows_ids_json(struct ctx *c, const struct data_row_list *rows);
enum err row_absent(struct ctx *c, const struct table_for *tf, const char *id);
/* Reads the row's stored text: *doc gets it as a tree, *out its values for the table's present
 * columns, with their keys. */
enum err row_state(struct ctx *c, const struct table_for *tf, const struct data_row *row,
    struct json **doc, struct row_new *out);
/* Adds to a row that is made of another state of it that state's values and keys of dropped columns
 * that can come back. */
enum err row_keep_dropped(struct ctx *c, const struct data_table *t, const struct data_row *state,
    struct row_new *out);
/* Turns "rows[3]." into "rows[3]: ", for messages about the whole row. */
const char *row_whole(struct ctx *c, const char *at);
/* Counts new rows of the caller against add_per_hour. E_RATE_LIMITED, with c->retry_after_s. */
enum err rows_counted(struct ctx *c, const struct table_for *tf, size_t n);
/* E_DENIED unless the rule, one of tf's, holds for these keys. `at` begins the message. */
enum err row_write_check(struct ctx *c, const struct table_for *tf, const struct row_rule *rule,
    const char *at, const struct bytes *keys);
/* E_DENIED unless the two states, objects, differ only in columns that may change. after may lack
 * columns that stay. */
enum err row_columns_check(struct ctx *c, const struct table_for *tf, const struct json *before,
    const struct json *after);
/* Fails with E_DENIED because the rule, one of tf's, doesn't allow all of several rows. */
enum err rows_refused(struct ctx *c, const struct table_for *tf, const struct row_rule *rule);
/* Fails with E_DENIED because the rule, one of tf's, allows no row, or not this one. */
enum err row_refused(struct ctx *c, const struct table_for *tf, const struct row_rule *rule,
    const char *at);
/* Records the rows' keys, if the table has a key. E_CONFLICT: another row has the same. at()
 * returns the place of a row, for the message. */
enum err rows_key(struct ctx *c, const struct table_for *tf, const struct row_new *rows, size_t n,
    const char *(*at)(void *arg, size_t i), void *arg);
/* Inserts rows and entries, and adds the texts' bytes to *bytes. New rows have the rev 0, and ids
 * of past_next_id(). */
enum err rows_put(struct ctx *c, const struct table_for *tf, const struct row_new *rows, size_t n,
    int64_t *bytes);
/* Adds the statements that delete rows with their entries; the variables are those of ROWS_OF_IDS.
 */
void rows_delete_sql(struct sql *q, const struct data_table *t);
/* Sets the columns in the object `values` of locked rows, and counts them: all or none. */
enum err rows_patch(struct ctx *c, const struct table_for *tf, const struct json *values,
    const struct data_row_list *rows);
/* Deletes rows and counts them. ids: JSON array of hex ids. */
enum err rows_take_away(
    struct ctx *c, const struct table_for *tf, const char *ids, int64_t n, int64_t bytes);
#endif
