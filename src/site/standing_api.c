/* SPDX-License-Identifier: Apache-2.0
 * Standing approvals of an artifact. */
#include "http/req.h"
#include "site/standing.h"

static enum err
h_standing_list(struct req *r)
{
	return reply_list_of(r, struct standing_approval_list, standing_list, r->art, r->query);
}

static enum err
h_standing_add(struct req *r)
{
	struct standing_approval *s;
	const char *id;

	TRY(standing_add(r->c, r->art, r->who, r->in, &id));
	TRY(standing_get(r->c, r->art, id, &s));
	return reply_noun(r, s);
}

static enum err
h_standing_end(struct req *r)
{
	TRY(standing_end(r->c, r->art, r->who, req_param(r, "sta")));
	return reply_none(r);
}

#define STANDING "/v1/artifacts/{art}/standing-approvals"
static const struct route standing_routes[] = {
/*  method  path                                 who
    body                 reply                                                handler */
  { GET,    STANDING,                            ART_CHANGE,
    TAKES_NOTHING,       GIVES_LIST("standing_approvals", standing_approval), h_standing_list,
    .query = &page_query_shape, .whole = true,
    .doc = "List which agents refresh the artifact without being asked about, newest first" },
  { POST,   STANDING,                            ART_ALLOW,
    TAKES(standing_new), GIVES("standing_approval", standing_approval),       h_standing_add,
    .success = 201, .whole = true,
    .doc = "Let one agent replace the files of the artifact for a time, as open as it is now; "
	   "for its owner and the admins of its workspace" },
  { DELETE, STANDING "/{sta}",                   ART_ALLOW,
    TAKES_NOTHING,       GIVES_NOTHING,                                       h_standing_end,
    .whole = true, .doc = "End one; the agent's next version is a draft again" },
  { POST, "/a/{art}/standing/{sta}/end", DOES("DELETE " STANDING "/{sta}"),
    .then = "/a/{art}/sharing?done=standing_ended", .again = "/a/{art}/sharing",
    .doc = "End that an agent refreshes it" },
};
ROUTES(standing, "Standing approvals",
    "Agents that refresh an artifact which others see, without being asked about each time.");
