/* SPDX-License-Identifier: Apache-2.0
 * The subject of a request. Each is a row of `user`, a person or an agent; its token may be limited
 * to scopes, confined to one workspace, or limited to grants. Domain functions take the principal
 * and don't ask its kind: its role on a thing (core/rights.h) decides. Source: interface,
 * "Authentication". */
#ifndef VITRINE_PRINCIPAL_H
#define VITRINE_PRINCIPAL_H
#include "base/shape.h"
#include "base/visibility.h"

/* A guest was invited by address and hasn't signed in yet. */
#define SUBJECT_KINDS "person|agent|guest"

/* Rights that an operator gives: staff answer tickets and moderate artifacts, super staff also see
 * all tickets. Stored in user.is_staff; vitrinectl uses the names. */
enum staff { STAFF_NONE, STAFF_STAFF, STAFF_SUPER };

/* The scopes that a token may be limited to: name in C, name on the wire. Add a new one at the end,
 * because its place in the list is its bit in token.scopes. */
#define SCOPES(S) \
	S(ARTIFACTS_READ, "artifacts:read") \
	S(ARTIFACTS_PUBLISH, "artifacts:publish") \
	S(DATA_READ, "data:read") \
	S(DATA_WRITE, "data:write")

/* The names on the wire, for a shape's .arg. */
#define SCOPE_WORD_(name, wire) "|" wire
#define SCOPE_WORDS (SCOPES(SCOPE_WORD_) + 1)

/* The scope that a route requires of a token. */
enum scope {
	NO_SCOPE,  /* refuses every token that is limited to scopes */
	ANY_SCOPE, /* lets every token through */
#define SCOPE_NAME_(name, wire) name,
	SCOPES(SCOPE_NAME_)
#undef SCOPE_NAME_
	SCOPE_END
};

#define PRINCIPAL(F, T) \
	F(T, WORD, kind,         .arg = SUBJECT_KINDS) \
	F(T, ID,   user_id,      .arg = "usr_") \
	F(T, STR,  email) \
	F(T, STR,  name) \
	F(T, INT,  scopes) \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, BOOL, grants_only) \
	F(T, ID,   sharee_id,    .arg = "shr_") \
	F(T, BOOL, outside) \
	F(T, ID,   token_id,     .arg = "tok_") \
	F(T, STR,  token_name) \
	F(T, ID,   grant_id,     .arg = "ogr_") \
	F(T, WORD, opens_to,     .arg = VISIBILITIES) \
	F(T, STR,  agent_host) \
	F(T, STR,  agent_bound) \
	F(T, ID,   session_id,   .arg = "ses_") \
	F(T, INT,  staff) \
	F(T, TIME, expires_at) \
	F(T, TIME, last_used_at) \
	F(T, TIME, revoked_at) \
	F(T, TIME, disabled_at)
/* email: NULL for an agent and a guest. scopes: bits; if not GIVEN, the token isn't limited.
 * workspace_id: the workspace that the token is confined to; NULL if it isn't confined, "" if it is
 * confined to artifacts in no workspace. grants_only: in that workspace the user has only what the
 * client sharee_id and they themselves were granted (core/reach.h). outside: false if the user
 * certainly has no grants. grant_id: of a program that a person has connected; then agent_host is
 * its host, such as claude.ai, and agent_bound the limit that the workspace sets it
 * (core/rights.h). opens_to: the token's ceiling, the widest visibility that it may set without a
 * person; NULL means no ceiling. Either token_id or session_id is set, never both. staff: enum
 * staff, only in a browser session or with a token that isn't limited, and then for support tickets
 * alone (http/permit.c). */
SHAPE_DECLARE(principal, PRINCIPAL);

/* Returns the name on the wire, such as "artifacts:read"; NULL for NO_SCOPE, "any" for ANY_SCOPE.
 */
const char *scope_name(enum scope s);
int64_t scope_bits(const enum scope *scopes); /* bits for token.scopes; NO_SCOPE ends the list */
int64_t scope_bits_of(const struct strs *words); /* bits of the words; -1 if a word is repeated */
struct strs scope_words(void *owner, int64_t bits);
/* Returns the workspace that the token is confined to, or NULL. */
const char *principal_workspace(const struct principal *who);
/* True for an agent's own token, and for a connected agent that acts for its person. */
bool principal_is_agent(const struct principal *who);
bool principal_is_limited(const struct principal *who); /* the token is limited to scopes */
bool principal_has_scope(const struct principal *who, enum scope need);
struct strs principal_scopes(void *owner, const struct principal *who); /* names of its scopes */
/* True if the token's ceiling allows this visibility. who NULL means the service itself: no
 * ceiling. */
bool principal_opens(const struct principal *who, const char *visibility);
/* Fails with E_ABOVE_CEILING unless principal_opens(). field: the part of the request that asks for
 * it. where: the path of the page on which a person can do it. */
enum err ceiling_check(struct ctx *c, const struct principal *who, const char *visibility,
    const char *field, const char *where);
#endif
