/* SPDX-License-Identifier: Apache-2.0
 * Signing in through an OpenID provider (OpenID Connect Core 1.0, Discovery 1.0): the code flow
 * with PKCE (RFC 7636, S256), state, nonce and the issuer in the answer (RFC 9207). The order is:
 * idp_login_new, idp_authorize_url, the browser goes to the provider and comes back,
 * idp_login_finish. The caller keeps one struct idp_login for each attempt, binds it to the browser
 * and uses it once; routes, cookies and rows are the caller's. Failures are E_UNAVAILABLE when the
 * provider can't be reached or its answers make no sense (its own fault or the operator's;
 * c->internal has the detail), and E_UNAUTHENTICATED when the provider refused or its answer can't
 * be trusted. Messages are fit for the person who signs in. */
#ifndef VITRINE_IDP_H
#define VITRINE_IDP_H
#include "base/ctx.h"

struct idp {
	const char *issuer; /* https, exactly as the provider spells it, no query or fragment */
	const char *client_id;
	const char *client_secret; /* NULL for a public client */
	const char *scopes;        /* NULL means "openid email profile" */
	const char *redirect_uri;
	bool trusted; /* the operator configured it: it may live on a private address or another
	                 port (egress.h) */
};

/* The secrets of one attempt, 43 characters each (256 random bits). */
struct idp_login {
	const char *state;    /* the provider returns it with its answer; finds the attempt */
	const char *nonce;    /* the provider repeats it inside the ID token */
	const char *verifier; /* of PKCE: without it nobody can redeem the code */
};

/* Parameters of the provider's redirect back to us; NULL when absent. The caller has checked
 * already that state belongs to an attempt of this browser. */
struct idp_answer {
	const char *code, *iss, *error;
};

struct idp_tokens {
	const char *id_token;
	const char *access_token; /* NULL when there is none */
};

struct idp_identity {
	const char *issuer, *subject; /* together they identify the person; e-mail does not */
	const char *email;            /* NULL when absent or malformed */
	bool email_verified;          /* false when the provider doesn't say */
	const char *name;             /* plain text of at most 200 characters, or NULL */
};

/* What the provider publishes about itself. Each process caches it for 10 minutes; the struct lives
 * in c->mem. */
struct idp_meta {
	const char *issuer, *authorization_endpoint, *token_endpoint, *jwks_uri,
	    *userinfo_endpoint; /* userinfo_endpoint may be NULL */
	bool iss_parameter;    /* the provider's answers carry iss (RFC 9207) */
	bool secret_in_form;   /* client_secret_post is offered and client_secret_basic is not */
};

struct idp_login *idp_login_new(void *owner);
enum err idp_discover(struct ctx *c, const struct idp *, struct idp_meta **out);
/* *out is the address to send the browser to. login_hint may be NULL. */
enum err idp_authorize_url(struct ctx *c, const struct idp *, const struct idp_login *,
    const char *login_hint, const char **out);
/* Everything after the browser has come back: the four functions below, in their order. */
enum err idp_login_finish(struct ctx *c, const struct idp *, const struct idp_login *,
    const struct idp_answer *, struct idp_identity **out);

enum err idp_check_answer(struct ctx *c, const struct idp *, const struct idp_answer *);
enum err idp_exchange(struct ctx *c, const struct idp *, const char *code, const char *verifier,
    struct idp_tokens **out);
/* Checks the signature, iss, aud, azp, nonce, and exp, iat and nbf with 60 s of leeway. Fetches the
 * keys again, at most once a minute, when the provider has rotated them. */
enum err idp_verify(struct ctx *c, const struct idp *, const char *id_token, const char *nonce,
    struct idp_identity **out);
/* Asks the userinfo endpoint for the e-mail address and name when the ID token had no address,
 * since many providers tell it only there. Does nothing without an access token or an endpoint. */
enum err
idp_userinfo(struct ctx *c, const struct idp *, const char *access_token, struct idp_identity *);
#endif
