/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/subdomain. Source: interface, "Policies, subdomain, …". */
#include "team/subdomain.h"

#include "core/workspace.h"
#include "http/req.h"

static enum err
h_subdomain(struct req *r)
{
	struct subdomain out;

	TRY(subdomain_get(r->c, r->ws, &out));
	return reply_flat(r, &out);
}

static enum err
subdomain_turn(struct req *r, bool on)
{
	struct workspace *now;
	struct subdomain out;

	TRY(subdomain_set(r->c, r->ws, r->who, on));
	TRY(workspace_get(r->c, r->ws->id, r->who, false, &now));
	TRY(subdomain_get(r->c, now, &out));
	return reply_flat(r, &out);
}

static enum err
h_subdomain_set(struct req *r)
{
	const struct subdomain_new *in = r->in;

	return subdomain_turn(r, in->enabled);
}

static enum err
h_subdomain_off(struct req *r)
{
	return subdomain_turn(r, false);
}

static const struct route subdomain_routes[] = {
/*  method  path                             who
    body                  reply                  handler */
  { GET,    "/v1/workspaces/{ws}/subdomain", WS_ADMIN,
    TAKES_NOTHING,        GIVES_FLAT(subdomain), h_subdomain,
    .doc = "Get whether the workspace has its own host; "
	   "these routes require the plan's subdomain feature" },
  { POST,   "/v1/workspaces/{ws}/subdomain", WS_ADMIN,
    TAKES(subdomain_new), GIVES_FLAT(subdomain), h_subdomain_set,
    .doc = "Turn the workspace's host on or off; the artifacts' other addresses keep working" },
  { DELETE, "/v1/workspaces/{ws}/subdomain", WS_ADMIN,
    TAKES_NOTHING,        GIVES_FLAT(subdomain), h_subdomain_off,
    .doc = "Turn the workspace's host off; "
	   "for 30 days its addresses redirect to the artifacts' own" },
};
ROUTES(subdomain, "Subdomain",
    "A workspace's own host, with a front page of what is public.");
