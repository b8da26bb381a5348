/* SPDX-License-Identifier: Apache-2.0
 * A workspace's clients. Source: interface, "External sharing". */
#include "sharing/sharee.h"

#include "http/req.h"
#include "http/share.h"

static enum err
h_sharee_list(struct req *r)
{
	return reply_list_of(r, struct sharee_list, sharee_list, r->ws, r->query);
}

static enum err
sharee_reply(struct req *r, const char *id)
{
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, id, &s));
	return reply_noun(r, s);
}

static enum err
h_sharee_get(struct req *r)
{
	return sharee_reply(r, req_param(r, "shr"));
}

/* Decodes an image in the slow pool, because a few bytes can make a large picture. */
static enum err
logo_prepare(struct req *r, const struct sharee_branding_new *branding)
{
	struct object *logo;

	if (branding && branding->logo)
		TRY(share_slow(r));
	TRY(sharee_logo_store(r->c, branding, &logo));
	r->prepared = logo;
	return E_OK;
}

static enum err
p_sharee_add(struct req *r)
{
	return logo_prepare(r, ((const struct sharee_new *)r->in)->branding);
}

static enum err
h_sharee_add(struct req *r)
{
	const char *id;

	TRY(sharee_add(r->c, r->ws, r->who, r->in, r->prepared, &id));
	reply_header(r, "Location", "/v1/workspaces/%s/sharees/%s", r->ws->id, id);
	return sharee_reply(r, id);
}

static enum err
p_sharee_change(struct req *r)
{
	return logo_prepare(r, ((const struct sharee_edit *)r->in)->branding);
}

static enum err
h_sharee_change(struct req *r)
{
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(req_if_match(r, "sharee", &sharee_shape, s));
	TRY(sharee_change(r->c, r->ws, r->who, s, r->in, r->prepared));
	return sharee_reply(r, s->id);
}

static enum err
h_sharee_delete(struct req *r)
{
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(req_if_match(r, "sharee", &sharee_shape, s));
	TRY(sharee_delete(r->c, r->ws, r->who, s));
	return reply_none(r);
}

static const struct route sharee_routes[] = {
/*  method  path                                 who
    body                reply                          handler */
  { GET,    "/v1/workspaces/{ws}/sharees",       SHARE_ADMIN,
    TAKES_NOTHING,      GIVES_LIST("sharees", sharee), h_sharee_list,
    .query = &sharee_query_shape, .doc = "List clients by name" },
  { POST,   "/v1/workspaces/{ws}/sharees",       SHARE_ADMIN,
    TAKES(sharee_new),  GIVES("sharee", sharee),       h_sharee_add,
    .success = 201, .slow = true, .quick_when_small = true, .prepare = p_sharee_add,
    .doc = "Add a client" },
  { GET,    "/v1/workspaces/{ws}/sharees/{shr}", SHARE_ADMIN,
    TAKES_NOTHING,      GIVES("sharee", sharee),       h_sharee_get,
    .doc = "Get a client" },
  { PATCH,  "/v1/workspaces/{ws}/sharees/{shr}", SHARE_ADMIN,
    TAKES(sharee_edit), GIVES("sharee", sharee),       h_sharee_change,
    .slow = true, .quick_when_small = true, .prepare = p_sharee_change,
    .doc = "Change a client; null takes properties, branding, or a part of it away" },
  { DELETE, "/v1/workspaces/{ws}/sharees/{shr}", SHARE_ADMIN,
    TAKES_NOTHING,      GIVES_NOTHING,                 h_sharee_delete,
    .slow = true,
    .doc = "Remove a client with its people, grants, tokens, notes and activity; "
	   "what they have made stays" },
};
ROUTES(sharee, "Clients",
    "Organizations outside of a workspace, with people of their own, "
    "who see what you share with them. They take no seats.");
