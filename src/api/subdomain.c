/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/subdomain. Source: interface, "Policies, subdomain, …". */
#include "domain/subdomain.h"

#include "api/tables.h"

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
/*  method  path                             who       body                  reply                  handler */
  { GET,    "/v1/workspaces/{ws}/subdomain", WS_ADMIN, TAKES_NOTHING,        GIVES_FLAT(subdomain), h_subdomain,
    .doc = "Whether the workspace has a host of its own; takes the plan's subdomain, as the others do" },
  { POST,   "/v1/workspaces/{ws}/subdomain", WS_ADMIN, TAKES(subdomain_new), GIVES_FLAT(subdomain), h_subdomain_set,
    .doc = "Turn it on or off; addresses that artifacts have without it go on serving" },
  { DELETE, "/v1/workspaces/{ws}/subdomain", WS_ADMIN, TAKES_NOTHING,        GIVES_FLAT(subdomain), h_subdomain_off,
    .doc = "Turn it off; its addresses lead to the artifacts' own for 30 days" },
};
const struct route_list subdomain_routes_list = ROUTES("Subdomain", subdomain_routes, "A host of a workspace's own, with a front page of what is public.");
