/* SPDX-License-Identifier: Apache-2.0
 * Invites into a workspace, for people who send them and people who get them. Source: interface,
 * "Workspaces". */
#include "core/workspace.h"
#include "http/req.h"
#include "people/invite.h"

static enum err
h_invite_list(struct req *r)
{
	return reply_list_of(r, struct invite_list, invite_list, r->ws, r->query);
}

static enum err
h_invite_send(struct req *r)
{
	struct invites_made out = { 0 };

	TRY(invite_send(r->c, r->ws, r->who, r->in, &out));
	return reply_flat(r, &out);
}

static enum err
h_invite_revoke(struct req *r)
{
	TRY(invite_revoke(r->c, r->ws, r->who, req_param(r, "inv")));
	return reply_none(r);
}

static enum err
h_invite_resend(struct req *r)
{
	struct invite *v;

	TRY(invite_resend(r->c, r->ws, r->who, req_param(r, "inv"), &v));
	return reply_noun(r, v);
}

static enum err
h_invite_mine(struct req *r)
{
	return reply_list_of(r, struct my_invite_list, invite_mine, r->who, r->query);
}

static enum err
h_invite_accept(struct req *r)
{
	const struct invite_key key = { .id = req_param(r, "inv"), .by = r->who };
	struct workspace *w;
	const char *id;

	TRY(invite_take(r->c, &key, r->who, &id));
	TRY(workspace_get(r->c, id, r->who, false, &w));
	return reply_noun(r, w);
}

static enum err
h_invite_decline(struct req *r)
{
	const struct invite_key key = { .id = req_param(r, "inv"), .by = r->who };

	TRY(invite_decline(r->c, &key, r->who));
	return reply_none(r);
}

static const struct route invite_routes[] = {
/*  method  path                                        who
    body                reply                             handler */
  { POST,   "/v1/workspaces/{ws}/members/invite",       WS_ADMIN,
    TAKES(invites_new), GIVES_FLAT(invites_made),         h_invite_send,
    .success = 201, .whole = true,
    .doc = "Invite people by e-mail, or send them a new link; either all are invited or none" },
  { GET,    "/v1/workspaces/{ws}/invites",              WS_ADMIN,
    TAKES_NOTHING,      GIVES_LIST("invites", invite),    h_invite_list,
    .query = &invite_query_shape, .doc = "List invites, oldest first" },
  { DELETE, "/v1/workspaces/{ws}/invites/{inv}",        WS_ADMIN,
    TAKES_NOTHING,      GIVES_NOTHING,                    h_invite_revoke,
    .whole = true, .doc = "Revoke an invite; its link stops working" },
  { POST,   "/v1/workspaces/{ws}/invites/{inv}/resend", WS_ADMIN,
    TAKES_NOTHING,      GIVES("invite", invite),          h_invite_resend,
    .whole = true, .doc = "Send a new link, valid for seven days; the previous one stops working" },
  { GET,    "/v1/invites",                              SIGNED_IN,
    TAKES_NOTHING,      GIVES_LIST("invites", my_invite), h_invite_mine,
    .query = &page_query_shape, .doc = "List your open invites" },
  { POST,   "/v1/invites/{inv}/accept",                 SIGNED_IN,
    TAKES_NOTHING,      GIVES("workspace", workspace),    h_invite_accept,
    .doc = "Accept an invite and become a member" },
  { POST,   "/v1/invites/{inv}/decline",                SIGNED_IN,
    TAKES_NOTHING,      GIVES_NOTHING,                    h_invite_decline,
    .doc = "Decline an invite; you can be invited again" },
};
ROUTES(invite, "Invites",
    "How people join a workspace by invitation.");
