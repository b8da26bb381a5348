/* SPDX-License-Identifier: Apache-2.0
 * Changes and deletions of the rows that match: up to ROWS_AT_ONCE at once, more as an operation,
 * in pieces. Source: data/README.md. */
#ifndef VITRINE_ROWCHANGE_H
#define VITRINE_ROWCHANGE_H
#include "data/operation.h"
#include "data/row.h"

/* Sets the columns in the object `values` of matching rows that have other values; NULL deletes
 * matching rows. At most ROWS_AT_ONCE. If one may be read but not written, changes none (E_DENIED).
 * *next: where others may follow, or NULL. Must be last in a transaction. */
enum err rows_change(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct json *values, int64_t *n, const char **next);
/* Counts the rows that rows_change_all() would change. *denied: those of them that may be read but
 * not written. */
enum err rows_change_count(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct json *values, int64_t *n, int64_t *denied);
/* Adds an operation that does so with all rows, if more than ROWS_AT_ONCE match; else sets *out to
 * NULL. E_DENIED if one may not be written now. One that may not later ends the operation. */
enum err rows_change_all(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct json *values, struct operation **out);
#endif
