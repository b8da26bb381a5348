/* SPDX-License-Identifier: Apache-2.0
 * Routes of deleted tables and dropped columns. Source: data/README.md. */
#include "data/deleted.h"
#include "http/quota.h"
#include "http/req.h"

#define DELETED_RESTORE(F, T) \
	F(T, STR, name, .lo = 1, .hi = 64, .doc = "If another table or column has its old name")
SHAPE(deleted_restore_in, DELETED_RESTORE);

static enum err
h_deleted(struct req *r)
{
	struct data_deleted_list rows;
	const char *next;

	TRY(deleted_list(r->c, r->art, r->query, &rows, &next));
	return reply_list(r, &(struct list){ rows.v, rows.n }, next);
}

static enum err
h_deleted_restore(struct req *r)
{
	const struct deleted_restore_in *in = r->in;
	struct data_table *t;
	const char *name;

	TRY(deleted_restore(r->c, r->art, r->who, req_param(r, "del"), in->name, &name));
	TRY(table_show(r->c, r->art, r->who, name, &t));
	return reply_noun(r, t);
}

static enum err
h_deleted_forget(struct req *r)
{
	TRY(deleted_forget(r->c, r->art, req_param(r, "del")));
	return reply_none(r);
}

static const struct route deleted_routes[] = {
/* method  path                                        who body                       reply
 * handler */
  { GET,  "/v1/data/{art}/deleted",               DATA_EDIT,
    TAKES_NOTHING,             GIVES_LIST("deleted", data_deleted), h_deleted,
    .scope = DATA_READ, .limit = LIM_DATA, .query = &page_query_shape,
    .doc = "List the tables and columns that were deleted within 30 days" },
  { POST, "/v1/data/{art}/deleted/{del}/restore", ART_EDIT,
    TAKES(deleted_restore_in), GIVES("table", data_table),          h_deleted_restore,
    .slow = true, .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Bring back a deleted table with its rows, or a dropped column with its values",
    .did = "Restored a table or column of" },
  { DELETE, "/v1/data/{art}/deleted/{del}",       ART_EDIT,
    TAKES_NOTHING,             GIVES_NOTHING,                       h_deleted_forget,
    .scope = DATA_WRITE, .limit = LIM_DATA, .no_agents = true,
    .doc = "Delete a deleted table or a dropped column for good, before the 30 days are over",
    .did = "Deleted for good a table or column of" },
};
ROUTES(deleted, "Deleted tables and columns",
    "A deleted table and a dropped column can come back for 30 days. An artifact keeps the last 20 "
    "of each. Values of a dropped column are in no reply meanwhile.");
