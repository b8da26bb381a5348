/* SPDX-License-Identifier: Apache-2.0
 * Who a request speaks for. Every subject is a row of `user`, a person or an agent; a token may be
 * limited to scopes, confined to one workspace, or bound to act through grants only. Domain
 * functions take the principal and never ask what kind it is: what it may do with a thing is its
 * role on it (core/rights.h). Source: interface, "Authentication". */
#ifndef VITRINE_PRINCIPAL_H
#define VITRINE_PRINCIPAL_H
#include "base/shape.h"
#include "base/visibility.h"

/* A guest was invited by address and has not signed in yet. */
#define SUBJECT_KINDS "person|agent|guest"

/* What an operator has made somebody: staff answer tickets and moderate artifacts, super staff see
 * all tickets, too. In user.is_staff, and as vitrinectl says it. */
enum staff { STAFF_NONE, STAFF_STAFF, STAFF_SUPER };
#define STAFF_LEVELS "none|staff|super"

/* The scopes that a token may be limited to: name in C, name on the wire. A new one goes to the
 * end, since its place in the list is its bit in token.scopes. */
#define SCOPES(S) \
	S(ARTIFACTS_READ, "artifacts:read") \
	S(ARTIFACTS_PUBLISH, "artifacts:publish") \
	S(DATA_READ, "data:read") \
	S(DATA_WRITE, "data:write")

/* Their names on the wire, as a shape's words. */
#define SCOPE_WORD_(name, wire) "|" wire
#define SCOPE_WORDS (SCOPES(SCOPE_WORD_) + 1)

/* The scope that a route demands of a token. */
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
/* email is NULL for an agent and a guest. scopes are bits; not GIVEN means that the token may do
 * all that its user may. workspace_id is NULL unless the token is confined to one, and "" when it
 * is confined to what is in none. With grants_only its user has there what the client sharee_id and
 * they themselves were given (core/reach.h), and nothing else. outside is false for who surely was
 * given nothing. grant_id is set for a token of a program that a person has connected; then
 * agent_host is where it is from, such as claude.ai, and agent_bound how the workspace that it is
 * confined to bounds it (core/rights.h). opens_to is the token's ceiling: up to which visibility it
 * may open something without a person; NULL: as far as its user. Either token_id or session_id is
 * set, never both. staff is enum staff: of a person in a browser, and of their token that is
 * limited in nothing, which counts for support tickets alone (http/permit.c). */
SHAPE_DECLARE(principal, PRINCIPAL);

/* The name on the wire, such as "artifacts:read"; NULL for NO_SCOPE, "any" for ANY_SCOPE. */
const char *scope_name(enum scope s);
int64_t scope_bits(const enum scope *scopes); /* as token.scopes has them; NO_SCOPE ends them */
int64_t scope_bits_of(const struct strs *words); /* the same; -1 when one stands twice */
struct strs scope_words(void *owner, int64_t bits);
/* The workspace that it is confined to, or NULL. */
const char *principal_workspace(const struct principal *who);
bool principal_is_limited(const struct principal *who); /* is the token limited to scopes? */
bool principal_has_scope(const struct principal *who, enum scope need);
struct strs principal_scopes(void *owner, const struct principal *who); /* names of its scopes */
/* Whether its ceiling lets it open something that far. who NULL: the service itself. */
bool principal_opens(const struct principal *who, const char *visibility);
/* E_ABOVE_CEILING where it doesn't. field: what of the request asks for it; where: the path of the
 * page on which a person can do it. */
enum err ceiling_check(struct ctx *c, const struct principal *who, const char *visibility,
    const char *field, const char *where);
#endif
