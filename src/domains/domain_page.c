/* SPDX-License-Identifier: Apache-2.0
 * The page of an artifact's domains. */
#include "core/artifact_top_page.h"
#include "domains/domain.h"

static enum err
domain_find(struct req *r, struct shown *out)
{
	struct domain *d;

	TRY(domain_get(r->c, r->art, req_param(r, "dom"), &d));
	*out = SHOWN(domain, d);
	return E_OK;
}

#define PLACE "/a/{art}/domains"
#define API "/v1/artifacts/{art}/domains"
static const struct route domain_page_routes[] = {
  { SHOWN_PAGE(PLACE, ART_CHANGE, "domains"),
    .shows = SHOWS({ "domains", "GET " API "?limit=50" }), .query = &tab_query_shape,
    .title = "Domains", .doc = "Domains at which it is served" },
  { POST, PLACE, DOES("POST " API), .then = PLACE "?done=domain_added", .again = PLACE,
    .doc = "Add a domain" },
  { POST, PLACE "/{dom}/check", DOES("POST " API "/{dom}/check"),
    .then = PLACE "?done=domain_asked", .again = PLACE, .doc = "Have its records looked at now" },
  { POST, PLACE "/{dom}/remove", DOES("DELETE " API "/{dom}"),
    .ask = ASK("Remove {host}?",
	"The artifact is no longer served there. Its address here goes on working.",
	"Remove domain", PLACE, .find = domain_find),
    .then = PLACE "?done=domain_removed", .doc = "Remove a domain" },
};
ROUTES(domain_page, "Pages: domains",
    "What people who can edit an artifact see of its domains in the browser.");
