/* SPDX-License-Identifier: Apache-2.0
 * Grants: a person's consent that a program works for them, with its rights, place and time. The
 * program trades a code, and later refresh tokens, for access tokens: rows of `token` that only
 * /mcp accepts. A grant's end ends its tokens with the next request. Source: RFC 6749, RFC 7636,
 * RFC 9700; oauth/README.md. */
#ifndef VITRINE_OAUTH_GRANT_H
#define VITRINE_OAUTH_GRANT_H
#include "base/principal.h"
#include "core/artifact.h"

enum { ACCESS_S = 86400, CODE_S = 60, GRANT_KEPT_DAYS = 90 };

/* A person's consent. */
struct consent {
	const char *workspace_id; /* the workspace to work in; NULL: see own_only */
	bool own_only;            /* reaches things outside of workspaces only; else all that the
				   * person may */
	int64_t scopes;           /* bits of token.scopes */
	const char *opens_to;     /* the ceiling, of VISIBILITIES (base/principal.h) */
	int64_t days; /* 0: until it is ended */
	const char *client_id, *name, *host, *redirect_uri, *challenge;
};
/* Begins a grant. *code is valid for CODE_S seconds and can be redeemed once. */
enum err grant_begin(
    struct ctx *c, const struct principal *who, const struct consent *, const char **code);

#define GRANT_TOKENS(F, T) \
	F(T, STR, access_token) \
	F(T, STR, token_type) \
	F(T, INT, expires_in) \
	F(T, STR, refresh_token, .flags = F_OPT, .doc = "Of programs that a person has connected") \
	F(T, STR, scope,         .flags = F_OPT)
SHAPE_DECLARE(grant_tokens, GRANT_TOKENS);
/* Both mint tokens. If the program sent something wrong, they set *wrong to it in words and return
 * E_OK, so what they wrote stays. A code that is redeemed twice, or a refresh token that was traded
 * minutes ago, has been in other hands, so the grant ends. Call them inside a transaction. */
struct redeemed {
	const char *code, *client_id;
	const char *redirect_uri; /* NULL: not sent, which is allowed */
	const char *verifier;
};
enum err grant_redeem(
    struct ctx *c, const struct redeemed *, struct grant_tokens *out, const char **wrong);
/* A traded refresh token can be traded again for a while, because programs send parallel
 * requests. */
enum err grant_refresh(struct ctx *c, const char *refresh, const char *client_id,
    struct grant_tokens *out, const char **wrong);

#define AGENT(F, T) \
	F(T, ID,   id,           .arg = "ogr_") \
	F(T, STR,  name,         .doc = "What the program calls itself; not verified") \
	F(T, STR,  host,         .doc = "Where it was connected from, such as claude.ai") \
	F(T, STRS, scopes,       .item = K_WORD, .arg = SCOPE_WORDS) \
	F(T, WORD, opens_to,     .arg = VISIBILITIES, \
		.doc = "Up to which visibility it opens things without asking") \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_", .doc = "The one that it works in") \
	F(T, BOOL, own_only,     .doc = "It works outside of workspaces only") \
	F(T, STR,  workspace,    .flags = F_HID) \
	F(T, INT,  bits,         .flags = F_HID) \
	F(T, INT,  changes,      .doc = "What it has changed, in 90 days") \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at,   .flags = F_NUL, .doc = "null: it works until it is ended") \
	F(T, TIME, last_used_at, .flags = F_NUL) \
	F(T, TIME, ended_at,     .flags = F_NUL)
SHAPE_DECLARE(agent_granted, AGENT);
/* Lists the latest first, with those that ended in the last 90 days. */
enum err grant_list(struct ctx *c, const char *user_id, struct agent_granted_list *out);
enum err grant_get(struct ctx *c, const char *user_id, const char *id, struct agent_granted **out);
/* Ends a grant; does nothing if it has ended. Fails with E_NOT_FOUND. */
enum err grant_end(struct ctx *c, const char *user_id, const char *id);
/* Ends the grant of an access token or a refresh token. */
enum err grant_end_by_token(struct ctx *c, const char *token);

/* Stores what the request's program changed, in the change's transaction. */
struct act {
	const char *what; /* the error in words */
	const char *artifact_id; /* or NULL */
	const struct artifact *was; /* the artifact before, if the act can be undone; or NULL */
};
enum err grant_note(struct ctx *c, const struct principal *who, const struct act *);

#define AGENT_ACT(F, T) \
	F(T, ID,   id,          .arg = "act_") \
	F(T, TIME, at) \
	F(T, STR,  what,        .doc = "In words that the artifact's name follows") \
	F(T, ID,   artifact_id, .flags = F_NUL, .arg = "art_") \
	F(T, STR,  name,        .flags = F_NUL, .doc = "The artifact's at the time") \
	F(T, STR,  request_id) \
	F(T, INT,  was_live,    .flags = F_NUL, \
		.doc = "The version that was live before; null if no other became live") \
	F(T, WORD, was_visibility, .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = "The visibility before; null if it stayed") \
	F(T, STR,  was_name,    .flags = F_NUL, .doc = "The name before; null if it stayed") \
	F(T, BOOL, trashed,     .doc = "It moved the artifact to the trash") \
	F(T, STR,  since,       .flags = F_NUL, \
		.doc = "What has changed since, so that it can't be undone any more; " \
		       "told if you have a role on the artifact") \
	F(T, BOOL, can_undo) \
	F(T, INT,  now_live,    .flags = F_HID) \
	F(T, STR,  now_visibility, .flags = F_HID) \
	F(T, STR,  role,        .flags = F_HID, .doc = "The person's on the artifact; NULL: none") \
	F(T, INT,  live_no,     .flags = F_HID, .doc = "The artifact's, as all that follows, now") \
	F(T, STR,  visibility,  .flags = F_HID) \
	F(T, STR,  called,      .flags = F_HID) \
	F(T, TIME, deleted_at,  .flags = F_HID)
SHAPE_DECLARE(agent_act, AGENT_ACT);
/* Lists the latest first. before: the cursor, an id, or NULL. */
enum err grant_acts(struct ctx *c, const char *grant_id, const char *before, int64_t limit,
    struct agent_act_list *out);
/* Fails with E_NOT_FOUND. */
enum err grant_act_get(struct ctx *c, const char *grant_id, const char *id, struct agent_act **out);
/* Returns whether acts of this kind can be undone. */
bool grant_act_has_undo(const struct agent_act *);
/* Fails with E_CONFLICT and a newer change, if that changed what the act did. */
enum err grant_act_judge(struct ctx *c, const struct agent_act *, const struct artifact *now);
#endif
