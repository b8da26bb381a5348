/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/grants and share-person. Source: interface, "External sharing". */
#include "sharing/share_grant.h"

#include "base/str.h"
#include "http/req.h"

static enum err
h_grants(struct req *r)
{
	return reply_list_of(r, struct share_grant_list, share_grant_list, r->ws, r->query);
}

static enum err
h_grant_give(struct req *r)
{
	struct share_grant *g;
	bool made;

	TRY(share_grant_give(r->c, r->ws, r->who, r->in, &made, &g));
	TRY(reply_noun(r, g));
	reply_status(r, made ? 201 : 200);
	return E_OK;
}

static enum err
h_grant_end(struct req *r)
{
	TRY(share_grant_end(r->c, r->ws, r->who, req_param(r, "grt")));
	return reply_none(r);
}

static enum err
h_share_person(struct req *r)
{
	const struct share_person_new *in = r->in;
	struct shared_person out;

	if (str_eq(in->capability, "edit") && !str_eq(in->resource_type, "artifact"))
		return fail(r->c, E_INVALID,
		    "capability: a %s is shared with a person for view or comment; "
		    "POST grants gives more",
		    in->resource_type);
	TRY(share_grant_to_person(r->c, r->ws, r->who, r->in, &out));
	return reply_flat(r, &out);
}

static const struct route share_grant_routes[] = {
/*  method  path                                   who
    body                      reply                            handler */
  { GET,    "/v1/workspaces/{ws}/grants",          SHARE_ADMIN,
    TAKES_NOTHING,            GIVES_LIST("grants", share_grant), h_grants,
    .query = &share_grant_query_shape,
    .doc = "List what clients and people outside were given, newest first" },
  { POST,   "/v1/workspaces/{ws}/grants",          SHARE_ADMIN,
    TAKES(share_grant_new),   GIVES("grant", share_grant),     h_grant_give,
    .makes = true,
    .doc = "Give a client or a person a folder, artifact or file; "
	   "what they had of it already is replaced" },
  { DELETE, "/v1/workspaces/{ws}/grants/{grt}",    SHARE_ADMIN,
    TAKES_NOTHING,            GIVES_NOTHING,                   h_grant_end,
    .doc = "End a grant, from the next request on" },
  { POST,   "/v1/workspaces/{ws}/share-person",    SHARE_ADMIN,
    TAKES(share_person_new),  GIVES_FLAT(shared_person),       h_share_person,
    .success = 201,
    .doc = "Give one person outside something by their address, and tell them by e-mail" },
};
ROUTES(share_grant, "Grants",
    "What people outside of a workspace can do with which of its folders, artifacts and files.");
