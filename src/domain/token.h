/* SPDX-License-Identifier: Apache-2.0
 * Tokens: only their SHA-256 is kept. Source: interface, "Authentication"; decisions, "People and
 * access". */
#ifndef VITRINE_TOKEN_H
#define VITRINE_TOKEN_H
#include "db/db.h"
#include "domain/principal.h"

#define TOKEN(F, T) \
	F(T, ID,   id, .arg = "tok_") \
	F(T, STR,  name) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, TIME, last_used_at, .flags = F_NUL) \
	F(T, TIME, revoked_at,   .flags = F_NUL)
SHAPE_DECLARE(token, TOKEN);

enum { TOKEN_YEAR_S = 365 * 86400 };

/* What a statement that finds a principal by a token's digest selects, as columns of principal, and
 * from where. */
#define PRINCIPAL_COLUMNS(p) \
	"u.kind AS `" p "kind`, t.user_id AS `" p "user_id`, u.email AS `" p "email`, u.name AS `" p "name`, t.id AS `" p "token_id`," \
	" t.name AS `" p "token_name`, t.scopes AS `" p "scopes`, t.workspace_id AS `" p "workspace_id`, t.grants_only AS `" p "grants_only`," \
	" t.expires_at AS `" p "expires_at`, t.last_used_at AS `" p "last_used_at`, t.revoked_at AS `" p "revoked_at`," \
	" u.disabled_at AS `" p "disabled_at`"
#define PRINCIPAL_TABLES "token t JOIN user u ON u.id = t.user_id"

/* The digest to look for; E_UNAUTHENTICATED for what can't be a token. */
enum err token_digest(struct ctx *c, const char *bearer, struct bytes *out);
/* Judges what was found, NULL included. */
enum err principal_check(struct ctx *c, const struct principal *p);
/* One SELECT; none for what can't be a token. E_UNAUTHENTICATED, E_TOKEN_REVOKED, E_TOKEN_EXPIRED.
 */
enum err token_check(struct ctx *c, const char *bearer, struct principal **out);
/* At most once a minute: it was used, which renews the life of a token that slides. */
enum err token_touch(struct ctx *c, const struct principal *who);
/* It ends after so many days; 0: a year after it was last used. */
enum err
token_mint(struct ctx *c, const char *user_id, const char *name, int64_t days, const char **token);
enum err token_list(struct ctx *c, const char *user_id, struct list *out);
enum err
token_list_live(struct ctx *c, const char *user_id, struct list *out); /* those that still work */
enum err token_rename(
    struct ctx *c, const char *user_id, const char *token_id, const char *name); /* E_NOT_FOUND */
enum err token_get(struct ctx *c, const char *user_id, const char *token_id, struct token **out);
enum err
token_revoke(struct ctx *c, const char *user_id, const char *token_id); /* E_NOT_FOUND; at once */
#endif
