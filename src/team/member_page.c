/* SPDX-License-Identifier: Apache-2.0
 * The page of a workspace's people: members, invited people, roles, seats. */
#include "base/email.h"
#include "core/artifact_top_page.h"
#include "core/member.h"

#include "base/str.h"
#include "core/tier.h"
#include "http/form.h"
#include "people/invite.h"

#define WS_MEMBERS_PAGE(F, T) \
	F(T, BOOL, choice,  .doc = "There are other plans") \
	F(T, LIST, pending, .sub = &invite_shape) \
	F(T, OBJ,  member,  .sub = &member_shape, .doc = "Who is to be removed") \
	F(T, LIST, heirs,   .sub = &member_shape, .doc = "Who can get their things")
SHAPE(ws_members_page, WS_MEMBERS_PAGE);

static enum err
h_ws_members(struct req *r)
{
	const struct invite_query open = { .status = "pending", .limit = INVITES_PENDING };
	struct ws_members_page page = { .choice = tier_choice(r->c) };
	struct invite_list invites = { 0 };
	const char *next;

	if (member_rank(r->ws->role) >= MEMBER_ADMIN)
		TRY(invite_list(r->c, r->ws, &open, &invites, &next));
	page.pending = (struct list){ invites.v, invites.n };
	return reply_page(r, 0, &page);
}

/* ---- inviting ---- */

enum { INVITED_AT_ONCE = 100 };

#define INVITES_FORM(F, T) \
	F(T, STR,  emails, .flags = F_REQ | F_LONG, .hi = 20000) \
	F(T, WORD, role,   .flags = F_REQ, .arg = MEMBER_ROLES_GIVEN)
SHAPE(invites_form, INVITES_FORM);

static enum err
emails_read(struct req *r, const char *typed, struct strs *out)
{
	const char *items = emails_typed(r->c->mem, typed);
	char *rest = mem_strdup(r->c->mem, items ? items : ""), *s;

	*out = (struct strs){ .v = mem_array(r->c->mem, const char *, INVITED_AT_ONCE) };
	while ((s = str_split(&rest, ','))) {
		if (!email_read(r->c->mem, s))
			return fail(r->c, E_INVALID,
			    "emails: “%s” isn’t a full e-mail address. No one has been invited yet",
			    str_cut(r->c->mem, s, 80));
		if (out->n == INVITED_AT_ONCE)
			return fail(r->c, E_INVALID,
			    "emails: there are more than %d addresses. No one has been invited yet",
			    INVITED_AT_ONCE);
		out->v[out->n++] = s;
	}
	return E_OK;
}

static enum err
h_ws_invite(struct req *r)
{
	const struct invites_form *in = r->in;
	struct invites_made made = { 0 };
	struct strs emails;

	TRY(emails_read(r, in->emails, &emails));
	TRY(invite_send(r->c, r->ws, r->who,
	    &(struct invites_new){ .emails = emails, .role = in->role }, &made));
	return form_stay(r, invites_told(r->c, &made));
}

/* ---- going ---- */

static enum err
h_ws_remove_ask(struct req *r)
{
	struct ws_members_page page = { 0 };
	struct member *m;

	TRY(member_get(r->c, r->ws->id, req_param(r, "user"), false, &m));
	page.member = m;
	TRY(member_heirs(r->c, r->ws, m->user_id, &page.heirs));
	return reply_page(r, 0, &page);
}

#define MEMBERS "/w/{ws}/members"
static const struct route member_page_routes[] = {
  { PAGE(MEMBERS, WS_MEMBER, ws_members, h_ws_members),
    .shows = SHOWS({ "people", "GET /v1/workspaces/{ws}/members?limit=50" },
	{ "workspace", "GET /v1/workspaces/{ws}" }), .query = &list_query_shape,
    .title = "Members", .doc = "Its people, seats and open invites" },
  { FORM("/w/{ws}/invites", WS_ADMIN, invites_form, h_ws_invite), .stays = MEMBERS,
    .again = MEMBERS, .doc = "Invite people" },
  { POST, "/w/{ws}/invites/{inv}/resend", DOES("POST /v1/workspaces/{ws}/invites/{inv}/resend"),
    .then = MEMBERS "?done=invite_mailed_{mailed}", .again = MEMBERS, .doc = "Resend an invite" },
  { POST, "/w/{ws}/invites/{inv}/revoke", DOES("DELETE /v1/workspaces/{ws}/invites/{inv}"),
    .then = MEMBERS "?done=invite_revoked", .again = MEMBERS, .doc = "Revoke an invite" },
  { POST, MEMBERS "/{user}/role", DOES("PATCH /v1/workspaces/{ws}/members/{user}"),
    .then = MEMBERS "?done=role_changed", .again = MEMBERS, .doc = "Change a role" },
  { PAGE_OF(MEMBERS "/{user}/remove", WS_MEMBER, "ws_remove",
	&ws_members_page_shape, h_ws_remove_ask),
    .doc = "Asks whether to remove a member, and who gets their artifacts" },
  { POST, MEMBERS "/{user}/remove", DOES("DELETE /v1/workspaces/{ws}/members/{user}"),
    .then = MEMBERS "?done=member_removed", .again = MEMBERS "/{user}/remove",
    .doc = "Remove a member" },
  { POST, MEMBERS "/{user}/leave", DOES("DELETE /v1/workspaces/{ws}/members/{user}"),
    .then = "/w?done=workspace_left", .again = MEMBERS "/{user}/remove", .doc = "Leave" },
  { POST, "/w/{ws}/owner", DOES("POST /v1/workspaces/{ws}/transfer-ownership"),
    .then = MEMBERS "?done=ownership_given", .again = "/w/{ws}/settings",
    .doc = "Make another member the owner" },
};
ROUTES(member_page, "Pages: members",
    "What people see of a workspace's people in the browser.");
