/* SPDX-License-Identifier: Apache-2.0
 * Routes of governance. Source: interface, "Admin governance". */
#include "core/artifact.h"
#include "http/req.h"
#include "share/govern.h"

static enum err
h_govern_list(struct req *r)
{
	return reply_list_of(r, struct governed_list, govern_list, r->ws, r->query);
}

static enum err
governed_reply(struct req *r)
{
	struct governed *g;

	TRY(govern_row(r->c, r->ws, req_param(r, "art"), &g));
	return reply_noun(r, g);
}

static enum err
h_govern_pause(struct req *r)
{
	struct artifact *a;

	TRY(govern_get(r->c, r->ws, r->who, req_param(r, "art"), &a));
	TRY(govern_pause_set(r->c, a, r->in));
	return governed_reply(r);
}

static enum err
h_govern_visibility(struct req *r)
{
	const struct govern_visibility *in = r->in;
	struct artifact *a;

	TRY(govern_get(r->c, r->ws, r->who, req_param(r, "art"), &a));
	TRY(govern_show(r->c, a, in->visibility));
	return governed_reply(r);
}

static enum err
h_govern_transfer(struct req *r)
{
	const struct govern_transfer *in = r->in;
	struct artifact *a;

	TRY(govern_get(r->c, r->ws, r->who, req_param(r, "art"), &a));
	TRY(govern_give(r->c, r->ws, a, in->new_owner_id));
	return governed_reply(r);
}

static const struct route govern_routes[] = {
/*  method path                                                   who
    body                      reply                              handler */
  { GET,  "/v1/workspaces/{ws}/admin/artifacts",                  WS_ADMIN,
    TAKES_NOTHING,            GIVES_LIST("artifacts", governed), h_govern_list,
    .query = &govern_query_shape,
    .doc = "List all artifacts in a workspace with their owner, size and views" },
  { POST, "/v1/workspaces/{ws}/admin/artifacts/{art}/pause",      WS_ADMIN,
    TAKES(govern_pause),      GIVES("artifact", governed),       h_govern_pause,
    .doc = "Pause an artifact's pages for all visitors, or resume them; "
	   "its owner can't resume them" },
  { POST, "/v1/workspaces/{ws}/admin/artifacts/{art}/visibility", WS_ADMIN,
    TAKES(govern_visibility), GIVES("artifact", governed),       h_govern_visibility,
    .doc = "Change who can see an artifact; its owner can change it again" },
  { POST, "/v1/workspaces/{ws}/admin/artifacts/{art}/transfer",   WS_ADMIN,
    TAKES(govern_transfer),   GIVES("artifact", governed),       h_govern_transfer,
    .doc = "Make another member or an agent the owner; the previous owner stays as an editor" },
};
ROUTES(govern, "Governance",
    "What a workspace's admins can do with its artifacts, whoever owns them.");
