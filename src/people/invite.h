/* SPDX-License-Identifier: Apache-2.0
 * Invites into a workspace: a link in an e-mail, which works once within seven days, and proves
 * that the person reads that mailbox. A person whose account has that address needs no link. Each
 * invited address of a workspace has one row; inviting it again renews the row and ends the earlier
 * link. Accepting an invite takes a seat, sending it doesn't. E_NOT_FOUND for an invite that is
 * used, revoked or expired, and for people who may not know of it. Rows live in c->mem. Source:
 * interface, "Workspaces"; people/README.md. */
#ifndef VITRINE_INVITE_H
#define VITRINE_INVITE_H
#include "core/artifact.h"
#include "core/member.h"
#include "core/user.h"
#include "core/workspace.h"

enum { INVITE_DAYS = 7, INVITES_PENDING = 500 /* of a workspace */ };

/* SQL: the addresses of a user, whose id it takes twice; and a condition that the invite `v` can
 * still be accepted, which takes now. */
#define INVITE_ADDRESSES \
	"(SELECT email FROM user WHERE id = ? UNION ALL SELECT email FROM email_alias" \
	" WHERE user_id = ?) mine"
#define INVITE_IS_OPEN "v.status = 'pending' AND v.expires_at > ?"

#define INVITE_STATUS "pending|accepted|declined|revoked|expired"
#define INVITE(F, T) \
	F(T, ID,    id,         .arg = "inv_") \
	F(T, EMAIL, email) \
	F(T, WORD,  role,       .arg = MEMBER_ROLES_GIVEN) \
	F(T, WORD,  status,     .arg = INVITE_STATUS) \
	F(T, OBJ,   invited_by, .sub = &ws_user_shape) \
	F(T, TIME,  created_at) \
	F(T, TIME,  expires_at) \
	F(T, TIME,  sent_at,    .doc = "When its current link was created") \
	F(T, BOOL,  mailed, \
		.doc = "false if no e-mail was sent because a limit was reached or the service " \
		       "can't send e-mail")
SHAPE_DECLARE(invite, INVITE);

#define INVITES_NEW(F, T) \
	F(T, STRS, emails, .flags = F_REQ, .lo = 1, .hi = 100, .item = K_EMAIL, .item_hi = 254, \
		.eg = "[\"ann@example.org\"]") \
	F(T, WORD, role,   .arg = MEMBER_ROLES_GIVEN, \
		.doc = "Defaults to member; only the owner can invite admins")
SHAPE_DECLARE(invites_new, INVITES_NEW);

#define INVITE_SKIPPED(F, T) \
	F(T, EMAIL, email) \
	F(T, WORD,  reason, .arg = "member|not_allowed", \
		.doc = "member: already a member; " \
		       "not_allowed: the access policy doesn't allow the address")
SHAPE_DECLARE(invite_skipped, INVITE_SKIPPED);

#define INVITES_MADE(F, T) \
	F(T, LIST, invites, .sub = &invite_shape) \
	F(T, LIST, skipped, .sub = &invite_skipped_shape)
SHAPE_DECLARE(invites_made, INVITES_MADE);

#define INVITE_QUERY(F, T) \
	F(T, WORD, status, .arg = INVITE_STATUS, .def = "pending") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(invite_query, INVITE_QUERY);

#define MEMBER_NEW(F, T) \
	F(T, EMAIL, email, \
		.doc = "Address of the person to add; a person without an account " \
		       "is invited instead", .eg = "\"ann@example.org\"") \
	F(T, ID,    user_id, .arg = "usr_", .doc = "The person's id, instead of email") \
	F(T, WORD,  role,    .arg = MEMBER_ROLES_GIVEN, \
		.doc = "Defaults to member; only the owner can add admins")
SHAPE_DECLARE(member_new, MEMBER_NEW);

#define MEMBER_ADDED(F, T) \
	F(T, OBJ, member, .flags = F_NUL, .sub = &member_shape, \
		.doc = "null if the person has no account and was invited instead") \
	F(T, OBJ, invite, .flags = F_NUL, .sub = &invite_shape)
SHAPE_DECLARE(member_added, MEMBER_ADDED);

/* The workspace, as an invited person sees it. */
#define WS_SEEN(F, T) \
	F(T, ID,  id,       .arg = "wsp_") \
	F(T, STR, name) \
	F(T, URL, logo_url, .flags = F_NUL) \
	F(T, STR, logo,       .flags = F_HID) \
	F(T, STR, brand_name, .flags = F_HID, .doc = "What its branding calls it, or NULL")
SHAPE_DECLARE(ws_seen, WS_SEEN);
#define MY_INVITE(F, T) \
	F(T, ID,    id,         .arg = "inv_") \
	F(T, OBJ,   workspace,  .sub = &ws_seen_shape) \
	F(T, EMAIL, email,      .doc = "Your address that was invited") \
	F(T, WORD,  role,       .arg = MEMBER_ROLES_GIVEN) \
	F(T, OBJ,   invited_by, .sub = &ws_user_shape) \
	F(T, TIME,  created_at) \
	F(T, TIME,  expires_at)
SHAPE_DECLARE(my_invite, MY_INVITE);

/* ---- for the workspace ---- */

enum err invite_list(struct ctx *c, const struct workspace *, const struct invite_query *,
    struct invite_list *out, const char **next);
/* Invites all addresses or none. E_DENIED for a role at or above the caller's, also one that an
 * earlier invite had; E_LIMIT_REACHED past INVITES_PENDING; E_SEATS_FULL if more invites would wait
 * than seats are free. Skips members and addresses that the access policy doesn't allow. Sends
 * e-mails until the sender's budget is used up. Takes a few statements for any number. */
enum err invite_send(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct invites_new *, struct invites_made *out);
/* Renews an invite: a new link, and seven more days. E_CONFLICT if it was answered or revoked;
 * E_DENIED. */
enum err invite_resend(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, struct invite **out);
enum err invite_revoke(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id);
/* Makes a person with an account a member at once; invites others. E_DENIED for an address outside
 * the access policy and for a role at the caller's; E_CONFLICT for a member; E_SEATS_FULL. */
enum err member_add(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct member_new *, struct member_added *out);

/* ---- for the invited person ---- */

/* An invite that can be accepted now. */
#define INVITE_OPEN(F, T) \
	F(T, ID,    id,           .arg = "inv_") \
	F(T, ID,    workspace_id, .arg = "wsp_") \
	F(T, STR,   workspace) \
	F(T, SLUG,  slug) \
	F(T, EMAIL, email) \
	F(T, WORD,  role,         .arg = MEMBER_ROLES_GIVEN) \
	F(T, STR,   by) \
	F(T, EMAIL, by_email) \
	F(T, TIME,  expires_at) \
	F(T, ID,    user_id,      .arg = "usr_", \
		.doc = "Of the account that has the address; NULL: none")
SHAPE_DECLARE(invite_open, INVITE_OPEN);

/* Finds an invite by its id, for the person whose address it names only; or by the digest of its
 * link (id NULL). */
struct invite_key {
	const char *id;
	const struct principal *by;
	const struct bytes *hash;
};
/* Returns the digest of a link's secret; NULL for text that can't be one. */
const struct bytes *invite_digest(struct ctx *c, const char *secret);
/* *out is NULL if no such invite is open. lock: locks the workspace's row, and with it the
 * invite. */
enum err invite_find(
    struct ctx *c, const struct invite_key *, bool lock, struct invite_open **out);
enum err invite_mine(struct ctx *c, const struct principal *who, const struct page_query *,
    struct my_invite_list *out, const char **next);
/* Makes `who` a member by an invite that invite_find() has locked. A member keeps their role.
 * E_DENIED if the address isn't theirs, or the access policy no longer admits it; E_SEATS_FULL,
 * which leaves the invite open. */
enum err invite_accept(
    struct ctx *c, const struct invite_open *, const struct principal *who);
/* Accepts an invite by its key. Also sets *workspace_id if they had accepted it before.
 * E_NOT_FOUND. */
enum err invite_take(struct ctx *c, const struct invite_key *, const struct principal *who,
    const char **workspace_id);
/* who NULL: a person with the link, not signed in. */
enum err invite_decline(
    struct ctx *c, const struct invite_key *, const struct principal *who);
/* A principal for a person who isn’t signed in yet. */
struct principal *invite_person(struct ctx *c, const struct user *);

/* Says how many were invited, who was not and why, and whether e-mails were sent. */
const char *invites_told(struct ctx *c, const struct invites_made *);
#endif
