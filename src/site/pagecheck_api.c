/* SPDX-License-Identifier: Apache-2.0 */
#include "http/req.h"
#include "site/pagecheck.h"

static enum err
h_problems(struct req *r)
{
	struct page_problems *p;

	TRY(pagecheck_find(r->c, r->art, &p));
	return reply_noun(r, p);
}

static const struct route pagecheck_routes[] = {
/*  method path                           who
    body           reply                             handler */
  { GET, "/v1/artifacts/{art}/problems", ART_EDIT,
    TAKES_NOTHING, GIVES("problems", page_problems), h_problems,
    .scope = ARTIFACTS_READ,
    .doc = "Get what went wrong when the live version was opened in a browser" },
};
ROUTES(pagecheck, "Problems of a page",
    "What broke when a browser of the service's opened the live version: scripts that failed, "
    "files that are missing.");
