/* SPDX-License-Identifier: Apache-2.0
 * Identities: a person as a sign-in provider knows them. The provider's subject identifies the
 * person, never the e-mail address. An address only opens a new account, or one that an operator
 * made and nobody has signed in to, and only if the provider says that it is verified. One account
 * may have several identities. Linking an identity that has an account merges that account into the
 * present one, so that the person keeps all that either owned. Source: interface, "Authentication"
 * 7; people/README.md. */
#ifndef VITRINE_IDENTITY_H
#define VITRINE_IDENTITY_H
#include "core/user.h"
#include "ext/idp.h"

#define IDENTITY(F, T) \
	F(T, ID,    id,           .arg = "idn_") \
	F(T, STR,   issuer) \
	F(T, EMAIL, email,        .doc = "As last reported by the provider") \
	F(T, TIME,  created_at) \
	F(T, TIME,  last_used_at)
SHAPE_DECLARE(identity, IDENTITY);

/* An attempt to sign in at a provider, from our redirect to the provider’s answer; valid for 10
 * minutes. */
#define ATTEMPT(F, T) \
	F(T, STR, provider) \
	F(T, STR, nonce) \
	F(T, STR, verifier) \
	F(T, STR, next) \
	F(T, ID,  link_session_id, .arg = "ses_") \
	F(T, STR, invite_hash, .doc = "In hex: of the invite that it accepts")
SHAPE_DECLARE(attempt, ATTEMPT);

/* Stores an attempt. *browser is a secret for the browser's cookie, which must come back with the
 * answer. */
enum err
attempt_begin(struct ctx *c, const struct attempt *, const char *state, const char **browser);
/* Consumes an attempt. *out is NULL if there is none for that state, it has expired, or another
 * browser began it. */
enum err attempt_take(struct ctx *c, const char *state, const char *browser, struct attempt **out);

/* *out is the account that the identity signs in to, created if needed. allowed_domains is as in
 * provider.def. E_DENIED, with a message for the person. */
enum err identity_sign_in(
    struct ctx *c, const struct idp_identity *, const char *allowed_domains, struct user **out);
/* *out is the account of the identity, or NULL. */
enum err identity_owner(struct ctx *c, const struct idp_identity *, struct user **out);
/* Links the identity to user_id. If it has another account, that account is merged into user_id's;
 * E_DENIED if it is disabled. */
enum err identity_link(struct ctx *c, const struct idp_identity *, const char *user_id);
enum err identity_list(struct ctx *c, const char *user_id, struct list *out);
/* Unlinks an identity. E_NOT_FOUND; E_CONFLICT if the person couldn't sign in any more: the caller
 * must roll back. */
enum err identity_unlink(struct ctx *c, const char *user_id,
    const char *id);
/* Moves everything that `from` has to `into`, then deletes `from`. From then on its address finds
 * `into`. */
enum err user_merge(struct ctx *c, const char *from, const char *into);
/* Deletes an account that owns no artifact, with all that is its own. Audits of workspaces still
 * name it, and versions that it published for others keep its id. E_CONFLICT while it owns an
 * artifact. */
enum err user_delete(struct ctx *c, const char *id);
#endif
