/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/tables/{table}/views. Source: data/README.md. */
#include "core/artifact.h"
#include "data/row_api.h"
#include "data/tableview.h"
#include "http/quota.h"
#include "http/req.h"

#define VIEWS_PATH "/v1/data/{art}/tables/{table}/views"

static enum err
view_reply(struct req *r, const struct table_for *tf, const char *id)
{
	struct data_view *v;

	TRY(tableview_get(r->c, r->art, r->who, tf->t->name, id, &v));
	return reply_noun(r, v);
}

static enum err
h_views(struct req *r)
{
	const struct page_query *q = r->query;
	struct data_view_list rows;
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(tableview_list(r->c, r->art, r->who, tf.t->name, &rows));
	return reply_part(
	    r, &(struct list){ rows.v, rows.n }, LIST_RISING, q->limit, q->cursor);
}

static enum err
h_view(struct req *r)
{
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	return view_reply(r, &tf, req_param(r, "viw"));
}

static enum err
h_view_add(struct req *r)
{
	struct table_for tf;
	const char *id;

	TRY(table_for_get(r, &tf));
	TRY(tableview_add(r->c, &tf, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/data/%s/tables/%s/views/%s", r->art->id, tf.t->name, id);
	return view_reply(r, &tf, id);
}

static enum err
h_view_put(struct req *r)
{
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(tableview_put(r->c, &tf, r->who, req_param(r, "viw"), r->in));
	return view_reply(r, &tf, req_param(r, "viw"));
}

static enum err
h_view_delete(struct req *r)
{
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(tableview_delete(r->c, r->art, r->who, tf.t->name, req_param(r, "viw")));
	return reply_none(r);
}

static const struct route tableview_routes[] = {
/* method  path                  who body                  reply
 * handler */
  { GET,    VIEWS_PATH,          ART_VIEW,
    TAKES_NOTHING,        GIVES_LIST("views", data_view), h_views,
    .scope = DATA_READ, .limit = LIM_DATA, .query = &page_query_shape,
    .doc = "List the shared views of a table, and yours" },
  { POST,   VIEWS_PATH,          ART_VIEW,
    TAKES(data_view_new), GIVES("view", data_view),       h_view_add,
    .scope = DATA_WRITE, .limit = LIM_DATA, .success = 201,
    .doc = "Save a view of a table: conditions, order and columns", .did = "Saved a view of" },
  { GET,    VIEWS_PATH "/{viw}", ART_VIEW,
    TAKES_NOTHING,        GIVES("view", data_view),       h_view,
    .scope = DATA_READ, .limit = LIM_DATA, .doc = "Get a view" },
  { PUT,    VIEWS_PATH "/{viw}", ART_VIEW,
    TAKES(data_view_new), GIVES("view", data_view),       h_view_put,
    .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Replace a view; without scope it keeps that", .did = "Changed a view of" },
  { DELETE, VIEWS_PATH "/{viw}", ART_VIEW,
    TAKES_NOTHING,        GIVES_NOTHING,                  h_view_delete,
    .scope = DATA_WRITE, .limit = LIM_DATA, .doc = "Delete a view",
    .did = "Deleted a view of" },
};
ROUTES(tableview, "Views",
    "Saved conditions, order and columns of a table, for yourself or for all who have a role. "
    "Lists, exports, summaries and charts take one as view. It shows the rows that the reader may "
    "read.");
