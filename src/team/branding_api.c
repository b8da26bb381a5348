/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/branding. Source: interface, "Policies, …, branding". */
#include "core/branding.h"
#include "core/workspace.h"
#include "http/req.h"

static enum err
h_branding(struct req *r)
{
	struct branding *out;

	TRY(branding_get(r->c, r->ws->id, &out));
	return reply_flat(r, out);
}

static enum err
h_branding_set(struct req *r)
{
	TRY(branding_set(r->c, r->ws, r->who, r->in));
	return h_branding(r);
}

static const struct route branding_routes[] = {
/*  method path                          who
    body                 reply                 handler */
  { GET, "/v1/workspaces/{ws}/branding", WS_MEMBER,
    TAKES_NOTHING,       GIVES_FLAT(branding), h_branding,
    .doc = "Get the workspace's branding" },
  { PUT, "/v1/workspaces/{ws}/branding", WS_ADMIN,
    TAKES(branding_new), GIVES_FLAT(branding), h_branding_set,
    .doc = "Replace the branding; fields left out return to their defaults" },
};
ROUTES(branding, "Branding",
    "A workspace's name, color and logo, as others see them.");
