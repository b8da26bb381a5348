/* SPDX-License-Identifier: Apache-2.0
 * Routes of the history of tables and rows, and of undo. Source: data/README.md. */
#include "data/history.h"
#include "data/row_api.h"
#include "http/quota.h"
#include "http/req.h"

#define TABLE_PATH "/v1/data/{art}/tables/{table}"
#define ROW_PATH TABLE_PATH "/rows/{row}"

#define UNDO_ASKED(F, T) \
	F(T, ID,   batch_id, .flags = F_REQ, .arg = "bat_", \
		.doc = "From GET …/history", .eg = "\"bat_01j000000000000000000000zz\"") \
	F(T, BOOL, dry_run,  .doc = "Only count, change nothing")
SHAPE(undo_asked, UNDO_ASKED);

#define ROW_RESTORE(F, T) \
	F(T, ID, batch_id, .flags = F_REQ, .arg = "bat_", \
		.doc = "The row becomes what it was before this batch", \
		.eg = "\"bat_01j000000000000000000000zz\"")
SHAPE(row_restore, ROW_RESTORE);

#define TABLE_RESTORE(F, T) \
	F(T, TIME, at,      .flags = F_REQ, .doc = "The end of this second", .eg = "1767225600") \
	F(T, BOOL, dry_run, .doc = "Only count, change nothing")
SHAPE(table_restore, TABLE_RESTORE);

#define RESTORED_ROW(F, T) \
	F(T, JSON, row, .arg = "object", .doc = "id, and a member for each column")
SHAPE(restored_row, RESTORED_ROW);

static enum err
h_history(struct req *r)
{
	struct data_batch_list batches;
	struct table_for tf;
	const char *next;

	TRY(table_for_get(r, &tf));
	TRY(history_batches(r->c, &tf, r->query, &batches, &next));
	return reply_list(r, &(struct list){ batches.v, batches.n }, next);
}

static enum err
h_row_history(struct req *r)
{
	struct row_change_list changes;
	struct table_for tf;
	const char *next;

	TRY(table_for_get(r, &tf));
	TRY(history_row(r->c, &tf, req_param(r, "row"), r->query, &changes, &next));
	return reply_list(r, &(struct list){ changes.v, changes.n }, next);
}

static enum err
went_back_reply(struct req *r, const struct went_back *out)
{
	TRY(reply_flat(r, out));
	if (out->operation)
		reply_status(r, 202);
	return E_OK;
}

static enum err
h_undo(struct req *r)
{
	const struct undo_asked *in = r->in;
	struct went_back out;
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(history_undo(r->c, &tf, in->batch_id, in->dry_run, &out));
	return went_back_reply(r, &out);
}

static enum err
h_row_restore(struct req *r)
{
	const struct row_restore *in = r->in;
	const char *id = req_param(r, "row");
	struct table_for tf;
	struct data_row *row;

	TRY(table_for_get(r, &tf));
	TRY(history_row_restore(r->c, &tf, id, in->batch_id));
	TRY(row_get(r->c, &tf, id, &row));
	return reply_flat(r, &(struct restored_row){ .row = row_text(r->c, tf.t, row) });
}

static enum err
h_table_restore(struct req *r)
{
	const struct table_restore *in = r->in;
	struct went_back out;
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(history_restore(r->c, &tf, in->at, in->dry_run, &out));
	return went_back_reply(r, &out);
}

static const struct route history_routes[] = {
/* method  path                    who body              reply
 * handler */
  { GET,  TABLE_PATH "/history",  ART_READ,
    TAKES_NOTHING,        GIVES_LIST("batches", data_batch), h_history,
    .slow = true, .scope = DATA_READ, .limit = LIM_DATA, .query = &history_query_shape,
    .doc = "List the changes of a table's rows, newest first: who did what, when" },
  { GET,  ROW_PATH "/history",    ART_READ,
    TAKES_NOTHING,        GIVES_LIST("changes", row_change), h_row_history,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &page_query_shape,
    .doc = "List the changes of a row, newest first" },
  { POST, TABLE_PATH "/undo",     DATA_CHANGE,
    TAKES(undo_asked),    GIVES_FLAT(went_back),             h_undo,
    .slow = true, .goes_on = true, .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .doc = "Undo a batch of changes; rows that others have changed since stay",
    .did = "Undid changes of rows of" },
  { POST, ROW_PATH "/restore",    DATA_CHANGE,
    TAKES(row_restore),   GIVES_FLAT(restored_row),          h_row_restore,
    .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .doc = "Make a row, also a deleted one, again what it was before a batch",
    .did = "Restored a row of" },
  { POST, TABLE_PATH "/restore",  DATA_EDIT,
    TAKES(table_restore), GIVES_FLAT(went_back),             h_table_restore,
    .slow = true, .goes_on = true, .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Make a table's rows again what they were at a time",
    .did = "Restored the rows of" },
};
ROUTES(history, "History",
    "Each change of a table's rows is recorded for 30 days, as far as there is room: undo a batch, "
    "or restore a row or a whole table.");
