/* SPDX-License-Identifier: Apache-2.0
 * The members of a workspace and their roles: people, each of whom takes a seat, and agents. Nobody
 * can give or take a role at or above their own. There is one owner, who changes by a transfer
 * only. Every change locks the workspace's row first (core/who_api.c), so seats are exact and the
 * caller's role is current. Rows live in c->mem. Source: interface, "Workspaces";
 * core/README.md. */
#ifndef VITRINE_MEMBER_H
#define VITRINE_MEMBER_H
#include "base/principal.h"
#include "core/mail.h"
#include "core/role.h"
#include "db/db.h"

struct workspace;

#define MEMBER(F, T) \
	F(T, ID,    user_id, .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, STR,   name) \
	F(T, WORD,  role,    .arg = "member|admin|owner") \
	F(T, TIME,  joined_at) \
	F(T, TIME,  last_active_at, .flags = F_HID | F_NUL) \
	F(T, INT,   artifacts,      .flags = F_HID) \
	F(T, TIME,  disabled_at,    .flags = F_HID | F_NUL)
SHAPE_DECLARE(member, MEMBER);

#define MEMBER_QUERY(F, T) \
	F(T, STR,  q,      .hi = 200, .doc = "Part of a name or an address") \
	F(T, WORD, role,   .arg = "member|admin|owner") \
	PAGE_FIELDS(F, T, 200) \
	F(T, BOOL, counted, .flags = F_HID, .doc = "Also return last_active_at and artifacts")
SHAPE_DECLARE(member_query, MEMBER_QUERY);

#define MEMBER_EDIT(F, T) \
	F(T, WORD, role, .flags = F_REQ, .arg = MEMBER_ROLES_GIVEN, .eg = "\"admin\"")
SHAPE_DECLARE(member_edit, MEMBER_EDIT);

#define MEMBER_END(F, T) \
	F(T, ID,   transfer_to,   .arg = "usr_", \
		.doc = "Member who gets their artifacts in the workspace; default: the owner") \
	F(T, BOOL, revoke_agents, .doc = "1: also revoke the agent tokens they created")
SHAPE_DECLARE(member_end, MEMBER_END);

#define MEMBER_ENDED(F, T) \
	F(T, INT, agent_tokens_made, .doc = "Agent tokens they created that still work") \
	F(T, INT, revoked_links,     .doc = "Delivery links of theirs, which ended")
SHAPE_DECLARE(member_ended, MEMBER_ENDED);

#define WS_HEIR(F, T) \
	F(T, ID,    new_owner_id, .arg = "usr_") \
	F(T, ID,    user_id,      .arg = "usr_", .doc = "Same as new_owner_id") \
	F(T, EMAIL, email, \
		.doc = "Alternatively, the member's e-mail address", .eg = "\"ann@example.org\"")
SHAPE_DECLARE(ws_heir, WS_HEIR);

#define MEMBER_TOKEN_NEW(F, T) \
	F(T, STR,  name,       .flags = F_REQ, .lo = 1, .hi = 100, .eg = "\"Build server\"") \
	F(T, WORD, opens_to,   .arg = VISIBILITIES, \
		.doc = "A ceiling: up to which visibility it can open artifacts. " \
		       "If absent, as far as the member") \
	F(T, TIME, expires_at, \
		.doc = "In the future, at most five years from now; default: one year from now")
SHAPE_DECLARE(member_token_new, MEMBER_TOKEN_NEW);

#define MEMBER_TOKEN(F, T) \
	F(T, STR,  token) \
	F(T, BOOL, shown_once) \
	F(T, ID,   token_id, .arg = "tok_")
SHAPE_DECLARE(member_token, MEMBER_TOKEN);

#define MEMBER_TOKENS_ENDED(F, T) F(T, INT, revoked)
SHAPE_DECLARE(member_tokens_ended, MEMBER_TOKENS_ENDED);

/* Columns of a member m: when their browser, or a token that may act in the workspace, was last
 * used (NULL: never), and how many artifacts they own there. */
#define MEMBER_ACTIVE \
	"NULLIF(GREATEST(COALESCE((SELECT MAX(s.last_used_at) FROM session s" \
	" WHERE s.user_id = m.user_id), 0)," \
	" COALESCE((SELECT MAX(t.last_used_at) FROM token t WHERE t.user_id = m.user_id" \
	" AND COALESCE(t.workspace_id, m.workspace_id) = m.workspace_id), 0)), 0)"
#define MEMBER_ARTIFACTS \
	"(SELECT COUNT(*) FROM artifact a FORCE INDEX (artifact_member)" \
	" WHERE a.owner_id = m.user_id AND a.workspace_id = m.workspace_id" \
	" AND a.deleted_at IS NULL)"

/* Lists the workspace's people, oldest accounts first, without agents. */
enum err member_list(struct ctx *c, const struct workspace *, const struct member_query *,
    struct member_list *out, const char **next);
/* Reads one person of the workspace; E_NOT_FOUND. lock: locks the row. */
enum err member_get(struct ctx *c, const char *workspace_id, const char *user_id, bool lock,
    struct member **out);
/* Records in the audit what was done to a member; before and after as in struct audit. */
enum err audit_member(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *action, const struct member *, const char *before, const char *after);
/* True if the user, a person or an agent, is a member. */
enum err member_is_in(
    struct ctx *c, const char *workspace_id, const char *user_id, bool *yes);

/* Inserts a member and takes a seat. E_SEATS_FULL. The user's invites of that workspace end. */
enum err
member_join(struct ctx *c, const char *workspace_id, const char *user_id, const char *role);
/* *full is true if nobody can join before a seat is free. */
enum err member_seats_full(struct ctx *c, const char *workspace_id, bool *full);
enum err member_self_join(struct ctx *c, const struct workspace *, const struct principal *who,
    struct member **out);
/* Changes a member's role. E_CONFLICT for the owner. */
enum err member_set_role(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *user_id, const char *role, struct member **out);
/* Ends a membership: the caller's own, or one with a role below the caller's (else E_DENIED).
 * E_CONFLICT for the owner. Their artifacts go to an heir; E_CONFLICT if the heir's account is
 * disabled. */
enum err member_remove(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *user_id, const struct member_end *, struct member_ended *out);
/* Transfers the workspace. The former owner becomes an admin. E_INVALID if the new owner is no
 * member, E_CONFLICT if their account is disabled, E_LIMIT_REACHED if they own as many workspaces
 * as one person may. */
enum err member_transfer(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct ws_heir *);

/* Makes a token that acts as the member, in this workspace only. For the caller or a member with a
 * role below theirs: else E_DENIED. */
enum err member_token_make(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *user_id, const struct member_token_new *, struct member_token *out);
/* Ends all tokens that were made so. */
enum err member_tokens_end(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *user_id, int64_t *ended);

/* Mails a member about a change of their membership. E_OK without an e-mail if there is no mail
 * server or a budget is used up. by may be NULL. */
enum err member_tell(struct ctx *c, enum mail_template, const struct workspace *,
    const struct principal *by, const char *email, const struct mail_values *);
/* Returns the name of an account for other people, or its address if it has no name. */
const char *principal_word(const struct principal *who);

/* A workspace with a wrong count of seats, or without an owner: for fsck. */
#define MEMBER_ODD(F, T) \
	F(T, ID,  id,     .arg = "wsp_") \
	F(T, INT, people) \
	F(T, INT, members) \
	F(T, INT, owners)
SHAPE_DECLARE(member_odd, MEMBER_ODD);
enum err members_check(struct ctx *c, struct member_odd_list *out);
/* Recounts the seats, while other requests run. */
enum err member_recount(struct ctx *c, int64_t *mended);

/* E_CONFLICT if the account owns a workspace, so that it can't be deleted. */
enum err member_may_go(struct ctx *c, const char *user_id);

/* Lists people who can get a leaving member's things, as member_remove() allows: the owner first.
 */
enum err member_heirs(
    struct ctx *c, const struct workspace *, const char *leaver, struct list *out);
#endif
