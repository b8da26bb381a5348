/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces. Source: interface, "Workspaces". */
#include "core/workspace.h"
#include "http/req.h"

static enum err
h_workspace_list(struct req *r)
{
	return reply_list_of(r, struct workspace_list, workspace_list, r->who, r->query);
}

/* Replies with the workspace as the caller sees it after the change. */
static enum err
workspace_reply(struct req *r, const char *id)
{
	struct workspace *w;

	TRY(workspace_get(r->c, id, r->who, false, &w));
	return reply_noun(r, w);
}

static enum err
h_workspace_add(struct req *r)
{
	const char *id;

	TRY(workspace_add(r->c, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/workspaces/%s", id);
	return workspace_reply(r, id);
}

static enum err
h_workspace_get(struct req *r)
{
	return reply_noun(r, r->ws);
}

static enum err
h_workspace_by_slug(struct req *r)
{
	struct workspace_found *w;

	TRY(workspace_by_slug(r->c, req_param(r, "slug"), r->who, &w));
	return reply_noun(r, w);
}

static enum err
h_workspace_change(struct req *r)
{
	TRY(req_if_match(r, "workspace", &workspace_shape, r->ws));
	TRY(workspace_change(r->c, r->ws, r->who, r->in));
	return workspace_reply(r, r->ws->id);
}

static enum err
h_workspace_delete(struct req *r)
{
	TRY(req_if_match(r, "workspace", &workspace_shape, r->ws));
	TRY(workspace_delete(r->c, r->ws, r->who));
	return reply_none(r);
}

static enum err
h_workspace_restore(struct req *r)
{
	TRY(workspace_restore(r->c, r->ws, r->who));
	return workspace_reply(r, r->ws->id);
}

static const struct route workspace_routes[] = {
/*  method  path                             who
    body                   reply                                handler */
  { GET,    "/v1/workspaces",                SIGNED_IN,
    TAKES_NOTHING,         GIVES_LIST("workspaces", workspace), h_workspace_list,
    .scope = ARTIFACTS_READ, .query = &workspace_query_shape,
    .doc = "List the workspaces you are in, oldest first" },
  { POST,   "/v1/workspaces",                SIGNED_IN,
    TAKES(workspace_new),  GIVES("workspace", workspace),       h_workspace_add,
    .success = 201, .doc = "Create a workspace that you own" },
  { GET,    "/v1/workspaces/by-slug/{slug}", SIGNED_IN,
    TAKES_NOTHING,         GIVES("workspace", workspace_found), h_workspace_by_slug,
    .scope = ARTIFACTS_READ,
    .doc = "Find a workspace by its slug, or by one it had in the last 30 days" },
  { GET,    "/v1/workspaces/{ws}",           WS_READ,
    TAKES_NOTHING,         GIVES("workspace", workspace),       h_workspace_get,
    .scope = ARTIFACTS_READ, .doc = "Get a workspace and its seats" },
  { PATCH,  "/v1/workspaces/{ws}",           WS_ADMIN,
    TAKES(workspace_edit), GIVES("workspace", workspace),       h_workspace_change,
    .doc = "Change the name, slug and settings" },
  { DELETE, "/v1/workspaces/{ws}",           WS_OWN,
    TAKES_NOTHING,         GIVES_NOTHING,                       h_workspace_delete,
    .doc = "Delete a workspace: its pages go offline at once and its tokens are revoked for good; "
	   "it can be restored for 30 days" },
  { POST,   "/v1/workspaces/{ws}/restore",   WS_TRASH,
    TAKES_NOTHING,         GIVES("workspace", workspace),       h_workspace_restore,
    .doc = "Restore a workspace from the trash" },
};
ROUTES(workspace, "Workspaces",
    "Where a team publishes together.");
