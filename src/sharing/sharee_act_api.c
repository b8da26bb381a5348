/* SPDX-License-Identifier: Apache-2.0
 * Routes of outside people’s acts. Source: interface, "External sharing". */
#include "sharing/sharee_act.h"

#include "http/req.h"

static enum err
h_activity_of(struct req *r)
{
	return reply_list_of(
	    r, struct sharee_act_list, sharee_act_list, r->ws, req_param(r, "shr"), r->query);
}

static enum err
h_activity(struct req *r)
{
	return reply_list_of(r, struct sharee_act_list, sharee_act_list, r->ws, NULL, r->query);
}

static const struct route sharee_act_routes[] = {
/*  method  path                                          who
    body                       reply                                handler */
  { GET,    "/v1/workspaces/{ws}/sharees/{shr}/activity", SHARE_ADMIN,
    TAKES_NOTHING,             GIVES_LIST("activity", sharee_act),  h_activity_of,
    .query = &page_query_shape,
    .doc = "List what people of a client opened, downloaded, wrote and made, newest first" },
  { GET,    "/v1/workspaces/{ws}/sharee-activity",        SHARE_ADMIN,
    TAKES_NOTHING,             GIVES_LIST("activity", sharee_act),  h_activity,
    .query = &page_query_shape,
    .doc = "List what all people outside opened, downloaded, wrote and made, newest first" },
};
ROUTES(sharee_act, "What clients did",
    "What people outside of a workspace did with what they were given, for 90 days.");
