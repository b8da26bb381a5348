/* SPDX-License-Identifier: Apache-2.0
 * Which columns of a table have entries in data_cell. A new table has none. A list of a large table
 * that needs a column's entries asks for them and reads the rows meanwhile. The runner's lane
 * `tables` makes them, a piece at a time, while writers write those of the rows that they change.
 * Source: data/README.md. */
#ifndef VITRINE_TABLEINDEX_H
#define VITRINE_TABLEINDEX_H
#include "data/table.h"

#define TABLE_INDEX_KIND "index" /* of the outbox's rows for the lane */

/* Queues the making of a column's entries, once. */
enum err table_index_want(struct ctx *c, const struct data_table *, int64_t slot);

/* Makes entries for at most ten seconds, of the column that has waited longest. *any is false if
 * none waits. Ends after a piece when left() returns true. */
enum err table_index_next(
    const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
