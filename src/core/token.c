/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token.h"

#include "base/id.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/reach.h"
#include "db/db.h"

SHAPE_DEFINE(token, TOKEN);

enum { TOUCH_S = 60, HINT_CHARS = 4 };

bool
token_is_agents(const char *bearer)
{
	return str_starts(bearer, "som_");
}

enum err
token_digest(struct ctx *c, const char *bearer, struct bytes *out)
{
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);

	if (!token_valid(bearer, "so_") && !token_valid(bearer, "sot_") &&
	    !token_valid(bearer, "som_"))
		return fail(c, E_UNAUTHENTICATED,
		    "The token isn't one of this service's tokens, or wasn't copied in full");
	token_hash(bearer, hash);
	*out = (struct bytes){ hash, SHA256_BYTES };
	return E_OK;
}

enum err
principal_check(struct ctx *c, const struct principal *p)
{
	if (!p || p->disabled_at)
		return fail(c, E_UNAUTHENTICATED, "The token isn't valid");
	if (p->revoked_at)
		return fail(c, E_TOKEN_REVOKED, "%s", err_table[E_TOKEN_REVOKED].text);
	if (p->expires_at <= c->now)
		return fail(c, E_TOKEN_EXPIRED, "%s", err_table[E_TOKEN_EXPIRED].text);
	TRY(reach_token_check(c, p));
	return agent_reads(c, p, p->agent_bound);
}

enum err
token_check(struct ctx *c, const char *bearer, struct principal **out)
{
	struct bytes digest;

	TRY(token_digest(c, bearer, &digest));
	TRY(db_find(c,
	    token_is_agents(bearer)
		? ROWS(principal,
		      "SELECT " AGENT_TOKEN_COLUMNS("") " FROM " AGENT_TOKEN_TABLES
		      " WHERE t.hash = ?")
		: ROWS(principal,
		      "SELECT " PRINCIPAL_COLUMNS("") " FROM " PRINCIPAL_TABLES
		      " WHERE t.hash = ?"),
	    ARGS(digest), out));
	return principal_check(c, *out);
}

enum err
principal_now(struct ctx *c, const char *user_id, const char *token_id, enum scope need,
    struct principal **out)
{
	if (token_id)
		TRY(db_find(c,
		    ROWS(principal,
			"SELECT " AGENT_TOKEN_COLUMNS("") " FROM " PRINCIPAL_TABLES
			" LEFT JOIN agent_grant g ON g.id = t.grant_id"
			" LEFT JOIN workspace w ON w.id = t.workspace_id WHERE t.id = ?"),
		    ARGS(token_id), out));
	else
		TRY(db_find(c,
		    ROWS(principal,
			"SELECT kind, id AS user_id, email, name, outside, disabled_at,"
			" 253402300799 AS expires_at FROM user WHERE id = ?"),
		    ARGS(user_id), out));
	TRY(principal_check(c, *out));
	if (!(*out)->grant_id)
		(*out)->agent_bound = NULL;
	return principal_has_scope(*out, need)
	    ? E_OK
	    : fail(c, E_SCOPE, "The token lacks the scope %s", scope_name(need));
}

enum err
token_touch(struct ctx *c, const struct principal *who)
{
	if (who->last_used_at + TOUCH_S > c->now)
		return E_OK;
	return db_exec(c,
	    EXEC(
		"UPDATE token SET last_used_at = ?,"
		" expires_at = IF(slide_s IS NULL, expires_at, GREATEST(expires_at, ? + slide_s))"
		" WHERE id = ? AND user_id = ? AND revoked_at IS NULL AND expires_at > ?"),
	    ARGS(c->now, c->now, who->token_id, who->user_id, c->now), NULL);
}

struct bytes
token_secret(struct ctx *c, const char *prefix, const char **token, const char **hint)
{
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);

	*token = token_new(c->mem, prefix);
	*hint = *token + strlen(*token) - HINT_CHARS;
	token_hash(*token, hash);
	return (struct bytes){ hash, SHA256_BYTES };
}

enum err
token_ends(struct ctx *c, uint8_t has, int64_t at, int64_t *ends)
{
	*ends = has == GIVEN ? at : TOKEN_NEVER;
	if (has == GIVEN && (at <= c->now || at > c->now + TOKEN_YEARS * TOKEN_YEAR_S))
		return fail(c, E_INVALID,
		    "expires_at: %lld must be in the future, and within %d years", (long long)at,
		    TOKEN_YEARS);
	return E_OK;
}

enum err
token_mint(struct ctx *c, const char *user_id, const struct token_wish *wish, const char **token)
{
	int64_t life_s = wish->days ? wish->days * 86400 : TOKEN_YEAR_S;
	uint8_t hash[SHA256_BYTES];

	*token = token_new(c->mem, "so_");
	token_hash(*token, hash);
	return db_exec(c,
	    EXEC(
		"INSERT INTO token"
		" (id, hash, user_id, name, created_at, expires_at, slide_s, scopes)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "tok_"), ((struct bytes){ hash, sizeof hash }), user_id, wish->name,
		c->now, c->now + life_s, wish->days ? arg_null() : arg_int(life_s),
		wish->scopes ? arg_int(scope_bits(wish->scopes)) : arg_null()),
	    NULL);
}

enum err
token_mint_confined(struct ctx *c, const char *user_id, const char *workspace_id,
    const struct token_confined *wish, const char **token, const char **id)
{
	uint8_t hash[SHA256_BYTES];

	*token = token_new(c->mem, "so_");
	*id = id_new(c->mem, "tok_");
	token_hash(*token, hash);
	return db_exec(c,
	    EXEC(
		"INSERT INTO token (id, hash, user_id, workspace_id, name, opens_to, created_at,"
		" expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, ((struct bytes){ hash, sizeof hash }), user_id, workspace_id, wish->name,
		wish->opens_to, c->now, wish->until),
	    NULL);
}

enum err
token_list(struct ctx *c, const char *user_id, struct list *out)
{
	return db_all(c,
	    ROWS(token,
		"SELECT id, name, created_at, expires_at, last_used_at, revoked_at FROM token"
		" WHERE user_id = ? AND grant_id IS NULL ORDER BY id DESC"),
	    ARGS(user_id), out);
}

enum err
token_list_live(struct ctx *c, const char *user_id, struct list *out)
{
	return db_all(c,
	    ROWS(token,
		"SELECT id, name, created_at, expires_at, last_used_at, revoked_at FROM token"
		" WHERE user_id = ? AND grant_id IS NULL AND revoked_at IS NULL AND expires_at > ?"
		" ORDER BY id DESC"),
	    ARGS(user_id, c->now), out);
}

enum err
token_revoke(struct ctx *c, const char *user_id, const char *token_id)
{
	return db_exec1(c,
	    EXEC(
		"UPDATE token SET revoked_at = COALESCE(revoked_at, ?)"
		" WHERE id = ? AND user_id = ? AND grant_id IS NULL"),
	    ARGS(c->now, token_id, user_id));
}

enum err
token_get(struct ctx *c, const char *user_id, const char *token_id, struct token **out)
{
	return db_one(c,
	    ROWS(token,
		"SELECT id, name, created_at, expires_at, last_used_at, revoked_at FROM token"
		" WHERE id = ? AND user_id = ? AND grant_id IS NULL"),
	    ARGS(token_id, user_id), out);
}

enum err
token_rename(struct ctx *c, const char *user_id, const char *token_id, const char *name)
{
	return db_exec1(c,
	    EXEC("UPDATE token SET name = ? WHERE id = ? AND user_id = ? AND grant_id IS NULL"),
	    ARGS(name, token_id, user_id));
}

/* ---- agents' tokens, by the person who made them ---- */

#define AGENTS_MADE(F, T) F(T, INT, n)
SHAPE(agents_made, AGENTS_MADE);

enum err
token_agents_made_by(struct ctx *c, const char *workspace_id, const char *user_id, int64_t *n)
{
	struct agents_made *row;

	TRY(db_one(c,
	    ROWS(agents_made,
		"SELECT COUNT(*) AS n FROM token t"
		" JOIN user u ON u.id = t.user_id AND u.kind = 'agent' WHERE t.made_by = ?"
		" AND t.workspace_id = ? AND t.revoked_at IS NULL AND t.expires_at > ?"),
	    ARGS(user_id, workspace_id, c->now), &row));
	*n = row->n;
	return E_OK;
}

enum err
token_agents_revoke(struct ctx *c, const char *workspace_id, const char *user_id)
{
	return db_exec(c,
	    EXEC(
		"UPDATE token t JOIN user u ON u.id = t.user_id AND u.kind = 'agent'"
		" SET t.revoked_at = ?"
		" WHERE t.made_by = ? AND t.workspace_id = ? AND t.revoked_at IS NULL"),
	    ARGS(c->now, user_id, workspace_id), NULL);
}

/* ---- when other things change ---- */

USERS(USER_ENDS(token, user_id)
      USER_UNSET(token, made_by))
WORKSPACE_ROWS(token, "")
FOLLOWS(token, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });
