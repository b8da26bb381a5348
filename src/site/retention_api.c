/* SPDX-License-Identifier: Apache-2.0
 * How long old versions stay: of an artifact, and of a workspace. */
#include "site/retention.h"

#include "http/req.h"

static enum err
h_retention(struct req *r)
{
	struct retention *out;

	TRY(retention_get(r->c, r->art, r->method == GET ? r->query : NULL, &out));
	return reply_flat(r, out);
}

static enum err
h_retention_set(struct req *r)
{
	TRY(retention_set(r->c, r->art, r->in));
	return h_retention(r);
}

static enum err
h_retention_unset(struct req *r)
{
	TRY(retention_set(r->c, r->art, NULL));
	return h_retention(r);
}

static enum err
h_ws_retention(struct req *r)
{
	struct ws_retention *out;

	TRY(retention_ws_get(r->c, r->ws->id, &out));
	return reply_flat(r, out);
}

static enum err
h_ws_retention_set(struct req *r)
{
	TRY(retention_ws_set(r->c, r->ws, r->who, r->in));
	return h_ws_retention(r);
}

static const struct route retention_routes[] = {
/*  method  path                              who
    body                    reply                     handler */
  { GET,    "/v1/artifacts/{art}/retention",  ART_EDIT,
    TAKES_NOTHING,          GIVES_FLAT(retention),    h_retention,
    .scope = ARTIFACTS_READ, .query = &retention_query_shape,
    .doc = "Get how long its old versions stay, and how many would go now" },
  { PUT,    "/v1/artifacts/{art}/retention",  ART_OWN,
    TAKES(retention_edit),  GIVES_FLAT(retention),    h_retention_set,
    .scope = ARTIFACTS_PUBLISH,
    .doc = "Choose how long its old versions stay; without values, all of them do" },
  { DELETE, "/v1/artifacts/{art}/retention",  ART_OWN,
    TAKES_NOTHING,          GIVES_FLAT(retention),    h_retention_unset,
    .scope = ARTIFACTS_PUBLISH, .doc = "Let its versions stay as long as its workspace says" },
  { GET,    "/v1/workspaces/{ws}/retention",  WS_MEMBER,
    TAKES_NOTHING,          GIVES_FLAT(ws_retention), h_ws_retention,
    .doc = "Get how long old versions of its artifacts stay" },
  { PUT,    "/v1/workspaces/{ws}/retention",  WS_ADMIN,
    TAKES(retention_edit),  GIVES_FLAT(ws_retention), h_ws_retention_set,
    .doc = "Choose how long old versions of its artifacts stay, unless an artifact says" },
};
ROUTES(retention, "Old versions",
    "How long versions stay: the runner removes old ones once a day. Never the live, the pinned, "
    "or an approved one, one of the last day, or a draft of the last 30 days.");
