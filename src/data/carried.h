/* SPDX-License-Identifier: Apache-2.0
 * Keys that index entries carry. An entry of data_cell has its row's key in its own column. In a
 * table with carried columns it also has the row's keys in these, so a list that follows one index
 * compares and sorts by another column without reading each row. NULL means that an entry doesn't
 * carry the key: then the row is read. A table gets a carried column when a list could use it, and
 * the runner fills in the entries of the rows that it has. Source: data/README.md. */
#ifndef VITRINE_CARRIED_H
#define VITRINE_CARRIED_H
#include "data/table.h"
#include "db/build.h"

enum { CARRIED = 3, CARRIED_BYTES = 40, CARRIED_NONE = -1 };
#define CARRIED_KEYS "a0|a1|a2"
#define CARRIED_X_KEYS "x.a0|x.a1|x.a2"
#define CARRIED_COLUMNS "(table_no, slot, k, row_id, a0, a1, a2)"

/* Returns the place, 0 to 2, at which entries carry the keys of a slot, or CARRIED_NONE. */
int carried_place(const struct data_table *, int64_t slot);
/* Returns the slot that is carried at a place, or CARRIED_NONE. */
int carried_slot(const struct data_table *, int place);
/* Returns data_table.carried after a column was dropped. Its place isn't used again, because
 * entries still have its keys. */
int64_t carried_without(int64_t carried, int64_t slot);
/* Carries a column from now on if its keys are short enough and a place is free. */
enum err carried_want(
    struct ctx *c, const struct data_table *, const struct data_column *);
/* Adds ", NULL, COALESCE(r.c3, ''), NULL": what an entry of the slot carries for the row r. */
void carried_sql(struct sql *q, const struct data_table *, int64_t slot);
/* Adds " OR …", which is true if the entry x of the row r carries another key than the row's. */
void carried_wrong_sql(struct sql *q, const struct data_table *, int place);
#endif
