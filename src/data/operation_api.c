/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/operations. Source: data/README.md. */
#include "data/operation.h"
#include "http/quota.h"
#include "http/req.h"

static enum err
h_operation(struct req *r)
{
	struct operation *op;

	TRY(operation_get(r->c, r->art, r->who, req_param(r, "opr"), &op));
	return reply_noun(r, op);
}

static enum err
h_operations(struct req *r)
{
	struct operation_list all;
	const char *next;

	TRY(operation_list(r->c, r->art, r->who, r->query, &all, &next));
	return reply_list(r, &(struct list){ all.v, all.n }, next);
}

static const struct route operation_routes[] = {
  { GET,    "/v1/data/{art}/operations", DATA_FOLLOW,
    TAKES_NOTHING, GIVES_LIST("operations", operation), h_operations,
    .scope = DATA_READ, .limit = LIM_DATA, .query = &operation_query_shape,
    .doc = "List the operations that you asked for, or as an editor all, newest first" },
  { GET,    "/v1/data/{art}/operations/{opr}", DATA_FOLLOW,
    TAKES_NOTHING, GIVES("operation", operation), h_operation,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true,
    .doc = "Follow a change of a table that takes longer than a request. "
	   "The person who asked for it and editors see it, for 7 days after its end" },
};
ROUTES(operation, "Operations",
    "Changes of tables that take longer than a request. "
    "The request gets a 202 with the operation.");
