/* SPDX-License-Identifier: Apache-2.0
 * The key of a table: a column whose values differ. data_key has the key of each row's value; rows
 * without a value have none. Source: data/README.md. */
#ifndef VITRINE_TABLEKEY_H
#define VITRINE_TABLEKEY_H
#include "data/rowtext.h"

/* Returns the key's column; NULL: the table has no key. */
const struct data_column *table_key_column(const struct data_table *);

/* A row to write, with the key of its value. */
struct keyed_row {
	struct bytes key; /* empty: none */
	const uint8_t *id;
};
/* Records the keys of new rows, or of rows that have no key before. Two writers of one key wait for
 * each other. E_CONFLICT: another row has it; details has column, value, and, if the caller may
 * read it, row_id. at() returns the place of a row, for the message; value() its value as JSON. */
enum err table_keys_put(struct ctx *c, const struct table_for *tf, const struct keyed_row *rows,
    size_t n, const char *(*at)(void *arg, size_t i), const char *(*value)(void *arg, size_t i),
    void *arg);
/* Forgets a key. */
enum err table_key_forget(struct ctx *c, const struct table_for *tf, struct bytes key);

/* Finds and locks the rows that have these keys, at most ROWS_AT_ONCE. out[i] is NULL if there is
 * none; may_write is false if the caller may not read or not write it. */
enum err table_keys_find(struct ctx *c, const struct table_for *tf, const struct bytes *keys,
    size_t n, const struct data_row **out);

/* Finds which of these keys, at most ROWS_AT_ONCE, rows of the table have. Locks nothing. Rows with
 * ids from first to last don't count; NULL: all count. */
enum err table_keys_taken(struct ctx *c, int64_t table_no, const struct bytes *keys, size_t n,
    const uint8_t *first, const uint8_t *last, bool *out);

/* Records the keys of all rows of a table that gets a key. The caller holds the lock of its row.
 * E_CONFLICT names the first value that two rows have. */
enum err table_keys_fill(struct ctx *c, const struct table_for *tf);
/* Counts rows without their key, and keys without their row. */
enum err table_keys_wrong(struct ctx *c, const struct data_table *, int64_t *wrong);
/* Records the keys of all rows anew. Of rows with the same value, one gets the key. */
enum err table_keys_mend(struct ctx *c, const struct data_table *);
#endif
