/* SPDX-License-Identifier: Apache-2.0
 * Tokens of the API: only their SHA-256 is stored. Source: interface,
 * "Authentication"; core/README.md. */
#ifndef VITRINE_TOKEN_H
#define VITRINE_TOKEN_H
#include "base/principal.h"
#include "core/role.h"
#include "db/db.h"

/* Members of a token that somebody made for another one, behind what it is for. */
#define TOKEN_MADE_FOR(F, T) \
	F(T, OBJ,  created_by,   .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: their account has been deleted") \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at,   .flags = F_NUL, .doc = "null if it doesn't expire") \
	F(T, TIME, last_used_at, .flags = F_NUL) \
	F(T, TIME, revoked_at,   .flags = F_NUL) \
	F(T, STR,  hint,         .doc = "The token's last characters") \
	F(T, INT,  scope_bits,   .flags = F_HID)

#define TOKEN(F, T) \
	F(T, ID,   id, .arg = "tok_") \
	F(T, STR,  name) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, TIME, last_used_at, .flags = F_NUL) \
	F(T, TIME, revoked_at,   .flags = F_NUL)
SHAPE_DECLARE(token, TOKEN);
/* 9999-12-31, later than any time that a shape accepts: a token that never expires */
#define TOKEN_NEVER INT64_C(253402300799)

enum { TOKEN_YEAR_S = 365 * 86400, TOKEN_YEARS = 5 };

/* Columns and tables of a statement that finds a principal by a token's digest. p is the prefix of
 * each column's name, as in ARTIFACT_PLAIN: "who." or "". staff is only true for a token without
 * any limit. */
#define PRINCIPAL_COLUMNS(p) \
	"u.kind AS `" p "kind`, t.user_id AS `" p "user_id`, u.email AS `" p "email`," \
	" u.name AS `" p "name`, t.id AS `" p "token_id`," \
	" t.name AS `" p "token_name`, t.scopes AS `" p "scopes`," \
	" IF(t.own_only, '', t.workspace_id) AS `" p "workspace_id`," \
	" t.grants_only AS `" p "grants_only`, t.sharee_id AS `" p "sharee_id`," \
	" u.outside AS `" p "outside`, t.grant_id AS `" p "grant_id`," \
	" t.opens_to AS `" p "opens_to`, IF(t.scopes IS NULL AND t.workspace_id IS NULL" \
	" AND t.grant_id IS NULL AND t.opens_to IS NULL AND NOT t.own_only" \
	" AND NOT t.grants_only, u.is_staff, 0) AS `" p "staff`," \
	" t.expires_at AS `" p "expires_at`, t.last_used_at AS `" p "last_used_at`," \
	" t.revoked_at AS `" p "revoked_at`, u.disabled_at AS `" p "disabled_at`"
#define PRINCIPAL_TABLES "token t JOIN user u ON u.id = t.user_id"

/* Columns for a connected agent's token: those of the principal, the host of the agent's program,
 * and what the policy on agents says in the workspace that the token is confined to, if any. */
#define AGENT_TOKEN_COLUMNS(p) \
	PRINCIPAL_COLUMNS(p) ", g.host AS `" p "agent_host`, " AGENT_BOUND("w", "g.host") \
	" AS `" p "agent_bound`"
#define AGENT_TOKEN_TABLES \
	PRINCIPAL_TABLES " JOIN agent_grant g ON g.id = t.grant_id" \
	" LEFT JOIN workspace w ON w.id = t.workspace_id"

/* True if the token is a connected agent's. */
bool token_is_agents(const char *bearer);
/* *out is the digest under which the token is stored. E_UNAUTHENTICATED for text that can't be a
 * token. */
enum err token_digest(struct ctx *c, const char *bearer, struct bytes *out);
/* Checks the principal of a digest. E_UNAUTHENTICATED if there is none (NULL), its user is
 * disabled, or it is a client's token that core/reach.h refuses; E_TOKEN_REVOKED; E_TOKEN_EXPIRED;
 * E_DENIED for an agent whose own workspace bars it. */
enum err principal_check(struct ctx *c, const struct principal *p);
/* Finds and checks the token's principal. One SELECT, or none for text that can't be a token. Fails
 * as token_digest() and principal_check() do. */
enum err token_check(struct ctx *c, const char *bearer, struct principal **out);
/* Finds and checks, as they are now, who acted by a token, or without one (token_id NULL). Fails as
 * principal_check() does, and with E_SCOPE if the token lacks the scope. */
enum err principal_now(struct ctx *c, const char *user_id, const char *token_id, enum scope need,
    struct principal **out);
/* Records that the token was used, at most once a minute. If its life slides, that renews it. */
enum err token_touch(struct ctx *c, const struct principal *who);
/* A new secret, the digest under which we store it, and its last characters, by which people tell
 * tokens apart. */
struct bytes token_secret(
    struct ctx *c, const char *prefix, const char **token, const char **hint);
/* Sets when a token ends: `at`, or never (unless has is GIVEN). E_INVALID, of expires_at, unless
 * that is in the future and within TOKEN_YEARS years. */
enum err token_ends(struct ctx *c, uint8_t has, int64_t at, int64_t *ends);
/* A new token. */
struct token_wish {
	const char *name;
	int64_t days;              /* 0: a year after its last use */
	const enum scope *scopes;  /* its scopes, ended by NO_SCOPE; NULL: no limit */
};
/* Inserts a token. *token is the only copy of the secret. */
enum err
token_mint(struct ctx *c, const char *user_id, const struct token_wish *, const char **token);
/* A token that acts for its user in one workspace only, until a fixed time. */
struct token_confined {
	const char *name;
	const char *opens_to; /* the highest role that it has; NULL: the user's role */
	int64_t until;
};
enum err token_mint_confined(struct ctx *c, const char *user_id, const char *workspace_id,
    const struct token_confined *, const char **token, const char **id);
enum err token_list(struct ctx *c, const char *user_id, struct list *out);
/* Lists the tokens that still work. */
enum err
token_list_live(struct ctx *c, const char *user_id, struct list *out);
enum err token_rename(
    struct ctx *c, const char *user_id, const char *token_id, const char *name); /* E_NOT_FOUND */
enum err token_get(struct ctx *c, const char *user_id, const char *token_id, struct token **out);
/* Makes the token stop working at once. E_NOT_FOUND. */
enum err
token_revoke(struct ctx *c, const char *user_id, const char *token_id);

/* Tokens that a person made for agents of a workspace: counts those that still work, and ends
 * all. */
enum err token_agents_made_by(
    struct ctx *c, const char *workspace_id, const char *user_id, int64_t *n);
enum err token_agents_revoke(struct ctx *c, const char *workspace_id, const char *user_id);
#endif
