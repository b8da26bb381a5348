/* SPDX-License-Identifier: Apache-2.0
 * Staged tables, which are filled unseen and then shown by one commit, as a new table or in place
 * of another. Rows are put into them with data/row.h (rows_load_made(), rows_load_as()), with a
 * table_for that has the artifact and a rule for writing that always holds. Source:
 * data/README.md. */
#ifndef VITRINE_TABLESTAGE_H
#define VITRINE_TABLESTAGE_H
#include "data/table.h"

/* Creates an invisible table with these columns. The next three functions run transactions of
 * one or two statements. The runner deletes a staged table after 15 minutes without progress. */
enum err table_stage(struct ctx *c, const char *name, const struct data_table_new *in,
    struct data_table **out);
/* Counts rows put into it. E_NOT_FOUND: the runner deleted it. */
enum err table_stage_account(struct ctx *c, struct data_table *t, int64_t rows, int64_t bytes);
/* Has the runner delete the staged table at once. */
enum err table_stage_drop(struct ctx *c, const struct data_table *t);
/* Puts the staged table in place of `was` (NULL: there is none), whose rows are deleted. Unless a
 * job does it, the old table can come back. same: the rows have the ids of the old ones, so the
 * table gets their history instead. Must be last in a transaction. E_CONFLICT: the existing table
 * isn't `was`, or its columns changed. */
enum err table_stage_show(struct ctx *c, const struct artifact *a, const struct data_table *t,
    const struct data_table *was, bool same);
#endif
