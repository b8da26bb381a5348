/* SPDX-License-Identifier: Apache-2.0
 * Signing in through an OpenID provider (OpenID Connect Core 1.0, Discovery 1.0): the code flow
 * with PKCE (RFC 7636, S256), state, nonce and the issuer in the answer (RFC 9207). The caller
 * keeps one struct idp_login for each attempt, bound to the browser and used once; routes, cookies
 * and rows are his. idp_login_new → idp_authorize_url → (the browser goes there and comes back) →
 * idp_login_finish. Failures: E_UNAVAILABLE the provider can't be reached or its answers make no
 * sense (the operator's or its own fault; c->internal has the detail); E_UNAUTHENTICATED it said
 * no, or what it said is not to be believed. Messages are fit for the person who signs in. */
#ifndef VITRINE_IDP_H
#define VITRINE_IDP_H
#include "base/ctx.h"

struct idp {
	const char *issuer; /* https, exactly as the provider spells it, no query or fragment */
	const char *client_id;
	const char *client_secret; /* NULL: a public client */
	const char *scopes;        /* NULL: "openid email profile" */
	const char *redirect_uri;
	bool trusted; /* the operator configured it: it may live on a private address or another
	                 port (egress.h) */
};

/* Secrets of one attempt, 43 characters each (256 random bits). */
struct idp_login {
	const char *state;    /* comes back with the answer and finds the attempt */
	const char *nonce;    /* comes back inside the ID token */
	const char *verifier; /* PKCE: only we can redeem the code */
};

/* Parameters of the redirect back; NULL = absent. That state is the browser's own attempt has been
 * checked by the caller. */
struct idp_answer {
	const char *code, *iss, *error;
};

struct idp_tokens {
	const char *id_token;
	const char *access_token; /* NULL when there is none */
};

struct idp_identity {
	const char *issuer, *subject; /* together they are the person; an e-mail address is not */
	const char *email;            /* NULL when absent or malformed */
	bool email_verified;          /* false when the provider doesn't say */
	const char *name;             /* plain text of at most 200 characters, or NULL */
};

/* What the provider publishes about itself; from a cache of the process for 10 minutes. Lives in
 * c->mem. */
struct idp_meta {
	const char *issuer, *authorization_endpoint, *token_endpoint, *jwks_uri,
	    *userinfo_endpoint; /* the last may be NULL */
	bool iss_parameter;    /* its answers carry iss (RFC 9207) */
	bool secret_in_form;   /* client_secret_post is offered and client_secret_basic is not */
};

struct idp_login *idp_login_new(void *owner);
enum err idp_discover(struct ctx *c, const struct idp *, struct idp_meta **out);
/* Where to send the browser. login_hint may be NULL. */
enum err idp_authorize_url(struct ctx *c, const struct idp *, const struct idp_login *,
    const char *login_hint, const char **out);
/* The whole second half: the four steps below. */
enum err idp_login_finish(struct ctx *c, const struct idp *, const struct idp_login *,
    const struct idp_answer *, struct idp_identity **out);

enum err idp_check_answer(struct ctx *c, const struct idp *, const struct idp_answer *);
enum err idp_exchange(struct ctx *c, const struct idp *, const char *code, const char *verifier,
    struct idp_tokens **out);
/* Signature (one refetch of the keys a minute when the provider has rotated them), iss, aud, azp,
 * exp, iat, nbf with 60 s of leeway, nonce. */
enum err idp_verify(struct ctx *c, const struct idp *, const char *id_token, const char *nonce,
    struct idp_identity **out);
/* Fills an identity without an e-mail address from the userinfo endpoint: many providers tell it
 * only there. */
enum err
idp_userinfo(struct ctx *c, const struct idp *, const char *access_token, struct idp_identity *);
#endif
