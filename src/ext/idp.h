/* SPDX-License-Identifier: Apache-2.0
 * Sign-in through an OpenID provider (OpenID Connect Core 1.0, Discovery 1.0): the code flow with
 * PKCE (RFC 7636, S256), state, nonce and the issuer in the answer (RFC 9207). Call
 * idp_login_new(), then idp_authorize_url(), send the browser to the provider, and call
 * idp_login_finish() when it comes back. The caller stores one struct idp_login per attempt, binds
 * it to the browser and uses it once; routes, cookies and rows are the caller's. E_UNAVAILABLE: the
 * provider can't be reached or its answer is malformed (its fault or the operator's; c->internal
 * has details). E_UNAUTHENTICATED: the provider refused, or its answer can't be trusted. Messages
 * are for the person who signs in. */
#ifndef VITRINE_IDP_H
#define VITRINE_IDP_H
#include "base/ctx.h"

struct idp {
	/* Https, exactly as the provider spells it, without query or fragment. */
	const char *issuer;
	const char *client_id;
	const char *client_secret; /* NULL for a public client */
	const char *scopes;        /* NULL means "openid email profile" */
	const char *redirect_uri;
	/* The operator configured it, so private addresses and other ports are allowed (egress.h).
	 */
	bool trusted;
};

/* The secrets of one attempt, 43 characters each (256 random bits). */
struct idp_login {
	const char *state;    /* identifies the attempt in the provider's answer */
	const char *nonce;    /* the provider repeats it in the ID token */
	const char *verifier; /* of PKCE: needed to redeem the code */
};

/* Parameters of the provider's redirect to us; NULL if missing. The caller must have checked that
 * state belongs to an attempt of this browser. */
struct idp_answer {
	const char *code, *iss, *error;
};

struct idp_identity {
	/* Together they identify the person; the e-mail address doesn't. */
	const char *issuer, *subject;
	const char *email;            /* NULL if missing or malformed */
	bool email_verified;          /* false if the provider doesn't say */
	const char *name;             /* plain text of at most 200 characters, or NULL */
};

/* The provider's published configuration. Each process caches it for 10 minutes; the struct lives
 * in c->mem. */
struct idp_meta {
	const char *issuer, *authorization_endpoint, *token_endpoint, *jwks_uri,
	    *userinfo_endpoint; /* userinfo_endpoint may be NULL */
	bool iss_parameter;    /* the provider's answers contain iss (RFC 9207) */
	bool secret_in_form;   /* client_secret_post is offered and client_secret_basic isn't */
};

struct idp_login *idp_login_new(void *owner);
enum err idp_discover(struct ctx *c, const struct idp *, struct idp_meta **out);
/* *out is the address to send the browser to. login_hint may be NULL. */
enum err idp_authorize_url(struct ctx *c, const struct idp *, const struct idp_login *,
    const char *login_hint, const char **out);
/* Does all steps after the browser has come back. *out: who signed in. */
enum err idp_login_finish(struct ctx *c, const struct idp *, const struct idp_login *,
    const struct idp_answer *, struct idp_identity **out);
#endif
