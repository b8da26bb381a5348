/* SPDX-License-Identifier: Apache-2.0
 * The history of a table's rows (data/past.h records it): who sees it, undo, and restoring. Source:
 * data/README.md. */
#ifndef VITRINE_HISTORY_H
#define VITRINE_HISTORY_H
#include "data/operation.h"
#include "data/row.h"

/* ---- reading ---- */

#define DATA_BATCH(F, T) \
	F(T, ID,   batch_id, .arg = "bat_") \
	F(T, TIME, at) \
	F(T, OBJ,  by,       .flags = F_NUL, .sub = &change_by_shape, \
		.doc = "null: a job, or an account that was deleted") \
	F(T, WORD, via,      .arg = VIAS, \
		.doc = "api: a token; page: a person in a browser; agent: an agent, also a " \
		       "connected one; import: a file; app: vitrine.yaml") \
	F(T, INT,  added) \
	F(T, INT,  changed) \
	F(T, INT,  deleted) \
	F(T, STR,  batch,    .flags = F_HID)
SHAPE_DECLARE(data_batch, DATA_BATCH);

#define HISTORY_QUERY(F, T) \
	F(T, ID,   row,   .arg = "row_", .doc = "Only changes of this row") \
	F(T, TIME, since) \
	F(T, WORD, via,   .arg = VIAS) \
	PAGE_FIELDS(F, T, 40)
SHAPE_DECLARE(history_query, HISTORY_QUERY);

/* Lists the batches, newest first. E_DENIED: the caller may not read all rows. */
enum err history_batches(struct ctx *c, const struct table_for *tf, const struct history_query *q,
    struct data_batch_list *out, const char **next);

#define ROW_CHANGE(F, T) \
	F(T, ID,   batch_id, .arg = "bat_") \
	F(T, TIME, at) \
	F(T, OBJ,  by,       .flags = F_NUL, .sub = &change_by_shape, \
		.doc = "Also null for callers without a role on the artifact") \
	F(T, WORD, via,      .arg = VIAS) \
	F(T, WORD, action,   .arg = "added|changed|deleted") \
	F(T, JSON, before,   .flags = F_NUL, .arg = "object", \
		.doc = "null: there was no row, or the access_policy doesn't let you read it") \
	F(T, JSON, after,    .flags = F_NUL, .arg = "object") \
	F(T, STR,  told,     .flags = F_HID, .doc = "For pages: which values are new")
SHAPE_DECLARE(row_change, ROW_CHANGE);
/* Lists a row's changes, newest first, of which the caller may read the state before or after.
 * E_NOT_FOUND: there are none, and they can't read the row. */
enum err history_row(struct ctx *c, const struct table_for *tf, const char *id,
    const struct page_query *q, struct row_change_list *out, const char **next);

/* ---- going back ---- */

#define WENT_BACK(F, T) \
	F(T, INT,  undone,    .doc = "Rows") \
	F(T, INT,  kept,      .doc = "Rows that others have changed since; they stay as they are") \
	F(T, STRS, kept_rows, .item = K_ID, .arg = "row_", .doc = "Up to 100 of these") \
	F(T, ID,   batch_id,  .flags = F_NUL, .arg = "bat_", \
		.doc = "Of the undo, which can be undone, too; null: nothing was changed") \
	F(T, OBJ,  operation, .flags = F_OPT, .sub = &operation_shape, \
		.doc = "With status 202, for more than 1,000 rows: does it; " \
		       "undone and kept are 0 then")
SHAPE_DECLARE(went_back, WENT_BACK);

/* Makes rows again what they were before a batch. E_NOT_FOUND: no such batch. E_CONFLICT: it is
 * older than the history. E_DENIED: it isn't the caller's, and they may not read all rows; or a
 * row may not be written. dry: only counts. */
enum err history_undo(struct ctx *c, const struct table_for *tf, const char *batch_id, bool dry,
    struct went_back *out);
/* Takes back a failed import's batch, without a check of rights. */
enum err history_take_back(struct ctx *c, const struct table_for *tf, const char *batch_id,
    struct went_back *out);
/* Makes one row again what it was before a batch, whatever happened since. */
enum err history_row_restore(struct ctx *c, const struct table_for *tf, const char *row_id,
    const char *batch_id);
/* Makes the rows again what they were at the end of the second `at`. E_CONFLICT: that is before the
 * history begins. */
enum err history_restore(struct ctx *c, const struct table_for *tf, int64_t at, bool dry,
    struct went_back *out);

/* ---- between the files of this folder ---- */

/* Converts a recorded state of a row to the table's present columns and types. *row gets the state,
 * *out its text and keys. */
enum err history_state(
    struct ctx *c, const struct table_for *tf, struct data_row *row, struct row_new *out);
/* Returns "bat_…" for bytes. */
const char *batch_id_of_hex(struct ctx *c, const char *hex);
#endif
