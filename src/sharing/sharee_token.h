/* SPDX-License-Identifier: Apache-2.0
 * Tokens of a client's people, for their programs. Such a token may do what the grants of the
 * client and the person allow in the workspace (core/reach.h), within its scopes, and nothing else.
 * It ends with the membership. Source: interface, "External sharing"; sharing/README.md. */
#ifndef VITRINE_SHAREE_TOKEN_H
#define VITRINE_SHAREE_TOKEN_H
#include "core/token.h"
#include "core/user.h"
#include "sharing/sharee_member.h"

enum { SHAREE_TOKENS = 20 /* working tokens of one person in a client */ };

#define SHAREE_SCOPE_WORDS "artifacts:read|data:read|data:write"

#define SHAREE_TOKEN(F, T) \
	F(T, ID,   id,           .arg = "tok_") \
	F(T, STR,  name,         .flags = F_NUL) \
	F(T, STRS, scopes) \
	TOKEN_MADE_FOR(F, T)
SHAPE_DECLARE(sharee_token, SHAREE_TOKEN);

#define SHAREE_TOKEN_NEW(F, T) \
	F(T, STRS, scopes,     .flags = F_REQ, .lo = 1, .hi = 3, .item = K_WORD, \
		.arg = SHAREE_SCOPE_WORDS, .eg = "[\"data:read\"]") \
	F(T, STR,  name,       .flags = F_NUL, .lo = 1, .hi = 100) \
	F(T, TIME, expires_at, .flags = F_NUL, \
		.doc = "At most five years from now; if absent, the token doesn't expire")
SHAPE_DECLARE(sharee_token_new, SHAREE_TOKEN_NEW);

/* Lists the newest first, ended ones too. */
enum err sharee_token_list(struct ctx *c, const struct sharee *, const struct sharee_member *,
    const struct page_query *, struct sharee_token_list *out, const char **next);
/* *token is the only copy of the secret. E_LIMIT_REACHED past SHAREE_TOKENS. */
enum err sharee_token_add(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sharee *, const struct sharee_member *, const struct sharee_token_new *,
    const char **id, const char **token);
/* Ends a token at once; E_OK if it has ended. E_NOT_FOUND. */
enum err sharee_token_revoke(struct ctx *c, const struct workspace *,
    const struct principal *who, const struct sharee *, const struct sharee_member *,
    const char *id);
#endif
