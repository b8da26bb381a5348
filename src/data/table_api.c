/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/tables. Source: interface, "Artifact data"; data/README.md. */
#include "data/retype.h"
#include "data/row.h"
#include "data/tablepolicy.h"
#include "http/quota.h"
#include "http/req.h"

#define TABLE_PATH "/v1/data/{art}/tables/{table}"

static enum err
h_tables(struct req *r)
{
	return reply_list_of(r, struct data_table_list, table_list, r->art, r->who, r->query);
}

static enum err
h_table(struct req *r)
{
	struct data_table *t;

	TRY(table_show(r->c, r->art, r->who, req_param(r, "table"), &t));
	return reply_noun(r, t);
}

static enum err
h_table_put(struct req *r)
{
	const struct data_table_new *in = r->in;
	const char *name = req_param(r, "table");
	/* The rules may follow renamed columns, so they are read again. */
	struct artifact now = *r->art;
	struct strs odd = { 0 }, ids;
	struct data_table *t;
	struct table_for tf;
	const char *policy;
	bool made;

	TRY(table_put(r->c, r->art, r->who, name, in, &made));
	if (in->rows && json_len(json_get(r->json, "rows"))) {
		TRY(table_get(r->c, r->art, r->who, name, &tf));
		TRY(rows_insert(r->c, &tf, json_get(r->json, "rows"), &ids));
	}
	if (in->policy)
		now.has.access_policy = ABSENT;
	TRY(table_show(r->c, &now, r->who, name, &t));
	TRY(rowpolicy_text(r->c, &now, &policy));
	TRY(tablepolicy_warn(r->c, r->art->id, policy, name, &odd));
	for (size_t i = 0; i < odd.n; i++)
		warn(r->c, "%s", odd.v[i]);
	TRY(reply_noun(r, t));
	if (made)
		reply_status(r, 201);
	return E_OK;
}

static enum err
h_table_delete(struct req *r)
{
	TRY(table_delete(r->c, r->art, req_param(r, "table")));
	return reply_none(r);
}

/* ---- another type for a column ---- */

/* Reads all rows before the transaction, which locks the artifact. */
static enum err
p_retype(struct req *r)
{
	struct retype_new *in = mem_dup(r->c->mem, r->in, sizeof *in);
	struct retyped *out = mem_new(r->c->mem, struct retyped);

	TRY(retype_try(r->c, r->art, r->who, req_param(r, "table"), in, out));
	r->prepared = out;
	r->in = in;
	return E_OK;
}

static enum err
h_retype(struct req *r)
{
	const struct retype_new *in = r->in;
	struct retyped *out = r->prepared;

	if (!in->dry_run)
		TRY(retype_do(r->c, r->art, r->who, req_param(r, "table"), in, out));
	TRY(reply_flat(r, out));
	if (out->operation)
		reply_status(r, 202);
	return E_OK;
}

static const struct route table_routes[] = {
/* method  path                     who body                   reply
 * handler */
  { GET,    "/v1/data/{art}/tables", ART_READ,
    TAKES_NOTHING,         GIVES_LIST("tables", data_table), h_tables,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &page_query_shape,
    .doc = "List the tables, with their columns" },
  { GET,    TABLE_PATH,              ART_READ,
    TAKES_NOTHING,         GIVES("table", data_table),       h_table,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true,
    .doc = "Get one table's columns and size" },
  { PUT,    TABLE_PATH,              ART_EDIT,
    TAKES(data_table_new), GIVES("table", data_table),       h_table_put,
    .slow = true, .scope = DATA_WRITE, .limit = LIM_DATA, .makes = true, .max_body = BODY_ROWS,
    .content = true, .doc = "Create a table (201), optionally with rows, or change its columns",
    .did = "Created or changed a table of" },
  { DELETE, TABLE_PATH,              ART_EDIT,
    TAKES_NOTHING,         GIVES_NOTHING,                    h_table_delete,
    .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .doc = "Delete a table with all its rows; for 30 days it can come back",
    .did = "Deleted a table of" },
  { POST,   TABLE_PATH "/retype",    ART_EDIT,
    TAKES(retype_new),     GIVES_FLAT(retyped),              h_retype,
    .slow = true, .scope = DATA_WRITE, .limit = LIM_DATA, .goes_on = true, .content = true,
    .prepare = p_retype,
    .doc = "Give a column another type: up to 1,000 rows at once, more as an operation (202), "
	   "during which writes of rows are refused (409 with Retry-After)",
    .did = "Changed the type of a column in a table of" },
};
ROUTES(table, "Tables",
    "Tables in an artifact's data: you define the columns, and rows can be listed by any of them. "
    "The access_policy determines who can read and write which rows.");
