/* SPDX-License-Identifier: Apache-2.0
 * Who a sign-in provider says somebody is. The provider's subject is the person, never the e-mail
 * address: an address only opens a new account, or one that an operator made and nobody has signed
 * in to, and only when the provider says it is verified. One account may have several identities;
 * linking one that has an account of its own merges the two, so that what any of them owns is the
 * person's. Source: interface, "Authentication" 7; decisions, "People and access". */
#ifndef VITRINE_IDENTITY_H
#define VITRINE_IDENTITY_H
#include "domain/user.h"
#include "ext/idp.h"

#define IDENTITY(F, T) \
	F(T, ID,    id,           .arg = "idn_") \
	F(T, STR,   issuer) \
	F(T, EMAIL, email,        .doc = "As the provider last said") \
	F(T, TIME,  created_at) \
	F(T, TIME,  last_used_at)
SHAPE_DECLARE(identity, IDENTITY);

/* One attempt at a provider, between our redirect and the answer. */
#define ATTEMPT(F, T) \
	F(T, STR, provider) \
	F(T, STR, nonce) \
	F(T, STR, verifier) \
	F(T, STR, next) \
	F(T, ID,  link_session_id, .arg = "ses_")
SHAPE_DECLARE(attempt, ATTEMPT);

/* *browser is the secret for the browser's cookie, which the answer must come back with. */
enum err
attempt_begin(struct ctx *c, const struct attempt *, const char *state, const char **browser);
/* Once: *out NULL when there is no such attempt, it is over, or it is another browser's. */
enum err attempt_take(struct ctx *c, const char *state, const char *browser, struct attempt **out);
enum err attempt_reap(struct ctx *c, int64_t limit, int64_t *removed);

/* The account it opens, made if need be. allowed_domains as in provider.def. E_DENIED with words
 * for the person. */
enum err identity_sign_in(
    struct ctx *c, const struct idp_identity *, const char *allowed_domains, struct user **out);
/* Whose it is; *out NULL: nobody's. */
enum err identity_owner(struct ctx *c, const struct idp_identity *, struct user **out);
/* Makes it one of user's; an account that it has is merged into user's. */
enum err identity_link(struct ctx *c, const struct idp_identity *, const char *user_id);
enum err identity_list(struct ctx *c, const char *user_id, struct list *out);
enum err identity_unlink(struct ctx *c, const char *user_id,
    const char *id); /* E_NOT_FOUND; E_CONFLICT for the last way to sign in */
/* Everything of from is into's afterwards; from is gone, and its address stands for into. */
enum err user_merge(struct ctx *c, const char *from, const char *into);
#endif
