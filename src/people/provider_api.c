/* SPDX-License-Identifier: Apache-2.0
 * Signing in through OpenID providers, and linking them to an account. Source: interface,
 * "Authentication" 6 and 7. */
#include "base/conf.h"
#include "base/email.h"
#include "base/json.h"
#include "base/seal.h"
#include "base/str.h"
#include "core/way.h"
#include "http/quota.h"
#include "http/req.h"
#include "people/identity.h"
#include "people/invite.h"
#include "people/signin_page.h"

enum { ATTEMPT_COOKIE_S = 600, LINK_S = 600 };

static enum err
provider_find(struct req *r, const char *name, struct idp *out, const struct provider **found)
{
	const struct conf *conf = r->c->conf;

	for (size_t i = 0; i < conf->provider_n; i++) {
		const struct provider *p = &conf->providers[i];
		const char *secret = NULL;

		if (!str_eq(p->name, name))
			continue;
		if (conf_has(p->client_secret_file) &&
		    !(secret = conf_secret(r->c->mem, p->client_secret_file)))
			return fail_here(r->c, "client_secret_file %s of provider %s can't be read",
			    p->client_secret_file, p->name);
		*out = (struct idp){ .issuer = p->issuer,
			.client_id = p->client_id,
			.client_secret = secret,
			.scopes = p->scopes,
			.trusted = true,
			.redirect_uri = mem_printf(r->c->mem, "%s/auth/callback", conf->base_url) };
		*found = p;
		return E_OK;
	}
	return fail(r->c, E_NOT_FOUND, "There is no sign-in provider %s", name);
}

#define START_QUERY(F, T) \
	F(T, STR,  next,  .hi = NEXT_MAX, .doc = "Page of this service to go to afterwards") \
	F(T, STR,  email, .hi = 254, .doc = "Passed to the provider as a hint") \
	F(T, BOOL, link,  .doc = "1: link the sign-in to the account that is signed in") \
	F(T, STR,  invite, .hi = 100, \
		.doc = "Code from an invite's link: " \
		       "accept the invite with the account that is signed in or created")
SHAPE(start_query, START_QUERY);

static enum err
h_provider_start(struct req *r)
{
	const struct start_query *q = r->query;
	struct idp_login *login = idp_login_new(r->c->mem);
	struct attempt a = { .provider = req_param(r, "provider"),
		.nonce = login->nonce,
		.verifier = login->verifier,
		.next = next_path(q->next) };
	const struct provider *p;
	const char *to, *browser;
	struct idp idp;

	TRY(provider_find(r, req_param(r, "provider"), &idp, &p));
	if (q->link && !(r->who && r->who->session_id))
		return fail(r->c, E_UNAUTHENTICATED, "Sign in first");
	a.link_session_id = q->link ? r->who->session_id : NULL;
	if (q->invite) {
		/* Only the digest of the link's secret is stored. */
		const struct bytes *digest = invite_digest(r->c, q->invite);

		if (!digest || a.link_session_id)
			return fail(r->c, E_INVALID,
			    "invite: isn't a code from an invite's link; "
			    "open the link in the e-mail again");
		a.invite_hash = crypto_hex(r->c->mem, digest->p, digest->n);
	}
	TRY(idp_authorize_url(
	    r->c, &idp, login, q->email ? email_read(r->c->mem, q->email) : NULL, &to));
	TRY(attempt_begin(r->c, &a, login->state, &browser));
	reply_cookie(r, "vitrine_attempt", browser, "/auth", ATTEMPT_COOKIE_S);
	return reply_redirect(r, to);
}

/* ---- linking ---- */

#define LINK_PAGE(F, T) \
	F(T, STR,  sealed) \
	F(T, STR,  title) \
	F(T, STR,  email, .doc = "At the provider") \
	F(T, STR,  account) \
	F(T, STR,  other, .doc = "Address of the account that it has")
SHAPE(link_page, LINK_PAGE);

/* The provider’s answer, sealed in the form. It is valid in the session that it was made for, for
 * ten minutes. */
#define PROVEN(F, T) \
	F(T, STR, issuer,  .flags = F_REQ) \
	F(T, STR, subject, .flags = F_REQ) \
	F(T, STR, email,   .flags = F_NUL) \
	F(T, INT, until,   .flags = F_REQ)
SHAPE(proven, PROVEN);

static const char *
seal_purpose(struct req *r)
{
	return mem_printf(r->c->mem, "link:%s", r->who->session_id);
}

/* Asks whether to link. The person has proved both the account and the provider's identity, but
 * only they know whether both are theirs. */
static enum err
link_ask(struct req *r, const struct provider *p, const struct idp_identity *who)
{
	struct proven proven = { .issuer = who->issuer,
		.subject = who->subject,
		.email = who->email,
		.until = r->c->now + LINK_S,
		.has = { 1, 1, 1, 1 } };
	const char *text = shape_text(r->c->mem, &proven_shape, &proven);
	struct user *owner;

	TRY(identity_owner(r->c, who, &owner));
	return reply_page(r, 0,
	    &(struct link_page){ .sealed = seal_close(r->c->mem, seal_purpose(r), text),
		.title = p->title,
		.email = who->email,
		.account = r->who->email,
		.other = owner && !str_eq(owner->id, r->who->user_id) ? owner->email : NULL });
}

#define LINK_FORM(F, T) F(T, STR, sealed, .flags = F_REQ, .hi = 4096)
SHAPE(link_form, LINK_FORM);

static enum err
h_identity_link(struct req *r)
{
	const struct link_form *in = r->in;
	const char *text = seal_open(r->c->mem, seal_purpose(r), in->sealed);
	struct proven *proven;
	struct json *tree;

	if (!text)
		return fail(r->c, E_DENIED,
		    "This form belongs to another sign-in; start again on your account page");
	TRY(json_parse(r->c, text, strlen(text), &tree));
	TRY(shape_read(r->c, &proven_shape, tree, (void **)&proven));
	if (proven->until <= r->c->now)
		return fail(r->c, E_DENIED, "This took too long; start again on your account page");
	TRY(identity_link(r->c,
	    &(struct idp_identity){
		.issuer = proven->issuer, .subject = proven->subject, .email = proven->email },
	    r->who->user_id));
	return reply_redirect(r, "/auth/account");
}

static enum err
h_identities(struct req *r)
{
	const struct page_query *q = r->query;
	struct list rows;

	TRY(identity_list(r->c, r->who->user_id, &rows));
	return reply_part(r, &rows, LIST_RISING, q->limit, q->cursor);
}

static enum err
h_identity_unlink(struct req *r)
{
	TRY(identity_unlink(r->c, r->who->user_id, req_param(r, "idn")));
	return reply_none(r);
}

/* ---- the answer ---- */

#define CALLBACK_QUERY(F, T) \
	F(T, STR, state, .hi = 500) \
	F(T, STR, code,  .hi = 5000) \
	F(T, STR, iss,   .hi = 500) \
	F(T, STR, error, .hi = 500)
SHAPE(callback_query, CALLBACK_QUERY);

static enum err
attempt_refused(struct req *r, int status, const char *why)
{
	reply_error_page(r, status,
	    &(struct page_error){
		.title = "Sign-in didn’t work",
		.message = why,
		.home = "/auth/signin",
		.go = "Back to signing in" });
	return E_OK;
}

/* Makes the account (if there is none), its membership and the session in one transaction. The
 * invite allows the account, so the provider must vouch for the invite's address. */
static enum err
sign_in_by_invite(struct req *r, const struct idp_identity *who, const char *invite_hash)
{
	uint8_t raw[SHA256_BYTES];
	const struct bytes digest = { raw, sizeof raw };
	const struct invite_key key = { .hash = &digest };
	struct invite_open *v;
	struct user *u;
	bool vouched;

	if (!crypto_unhex(invite_hash, raw, sizeof raw))
		return fail_here(r->c, "invite_hash of an attempt is no digest");
	TRY(db_begin(r->c));
	TRY(invite_find(r->c, &key, true, &v));
	if (!v)
		return attempt_refused(r, 404,
		    "This invitation was already answered or revoked, or it has expired. "
		    "Ask the person who invited you to send it again.");
	vouched = who->email && who->email_verified &&
	    str_eq(email_fold(r->c, who->email), v->email);
	TRY(identity_owner(r->c, who, &u));
	if (!u && !vouched)
		return fail(r->c, E_DENIED,
		    "This invitation is for %s, but you signed in with another address, "
		    "or with one that the provider hasn't verified",
		    v->email);
	TRY(identity_sign_in(r->c, who, "-", &u));
	TRY(invite_accept(r->c, v, invite_person(r->c, u)));
	TRY(signin_complete(
	    r, u, "provider", mem_printf(r->c->mem, "/auth/invites?joined=%s", v->slug)));
	return db_commit(r->c);
}

static enum err
attempt_finish(struct req *r, const struct attempt *a)
{
	const struct callback_query *q = r->query;
	struct idp_login login = { .state = q->state, .nonce = a->nonce, .verifier = a->verifier };
	struct idp_answer answer = { .code = q->code, .iss = q->iss, .error = q->error };
	const struct provider *p;
	struct idp_identity *who;
	struct user *u;
	struct idp idp;

	TRY(provider_find(r, a->provider, &idp, &p));
	TRY(idp_login_finish(r->c, &idp, &login, &answer, &who));
	if (a->invite_hash)
		return sign_in_by_invite(r, who, a->invite_hash);
	if (!a->link_session_id) {
		TRY(db_begin(r->c));
		TRY(identity_sign_in(r->c, who, p->allowed_domains, &u));
		TRY(signin_complete(r, u, "provider", a->next));
		return db_commit(r->c);
	}
	if (!r->who || !str_eq(r->who->session_id, a->link_session_id))
		return attempt_refused(
		    r, 400, "Someone else has signed in since; start again on the account page.");
	return link_ask(r, p, who);
}

/* This GET changes rows, since a provider's redirect is always a GET. The attempt's own cookie
 * shows that this browser began the attempt. */
static enum err
h_provider_callback(struct req *r)
{
	const struct callback_query *q = r->query;
	struct attempt *a = NULL;
	struct cookies all;
	enum err e;

	req_cookies(r, "vitrine_attempt", &all);
	for (size_t i = 0; i < all.n && !a; i++)
		TRY(attempt_take(r->c, q->state, all.v[i], &a));
	if (!a)
		return attempt_refused(r, 400,
		    "This sign-in has expired or was started in another browser. Sign in again.");
	reply_cookie(r, "vitrine_attempt", "", "/auth", 0);
	e = attempt_finish(r, a);
	if (e == E_SEATS_FULL)
		return attempt_refused(r, 409, r->c->message);
	return e == E_UNAUTHENTICATED || e == E_DENIED ? attempt_refused(r, 403, r->c->message) : e;
}

static LIMIT(LIM_PROVIDER, "provider", OF_ADDRESS, ALL, provider_starts_per_hour,
    "sign-ins with a provider");

static const struct route provider_routes[] = {
/*  method  path                                     who
    body                   reply                               handler */
  { GET,    "/auth/provider/{provider}",             PUBLIC,
    TAKES_NOTHING,         GIVES_REDIRECT,                     h_provider_start,
    .slow = true, .limit = LIM_PROVIDER, .query = &start_query_shape,
    .doc = "Go to a sign-in provider" },
  { GET,    "/auth/callback",                        PUBLIC,
    TAKES_NOTHING,         GIVES_PAGE(link),                   h_provider_callback,
    .slow = true, .query = &callback_query_shape,
    .doc = "Where a provider sends the browser back to" },
  { POST,   "/auth/account/link",                    SESSION,
    TAKES_FORM(link_form), GIVES_REDIRECT,                     h_identity_link,
    .again = "/auth/account", .doc = "Link the sign-in that was just confirmed to the account" },
  { POST, "/auth/account/identities/{idn}/unlink", SESSION,
    DOES("DELETE /v1/auth/identities/{idn}"),
    .then = "/auth/account", .again = "/auth/account", .doc = "Unlink a sign-in" },
  { GET,    "/v1/auth/identities",                   SIGNED_IN,
    TAKES_NOTHING,         GIVES_LIST("identities", identity), h_identities,
    .query = &page_query_shape, .doc = "List the sign-ins linked to your account" },
  { DELETE, "/v1/auth/identities/{idn}",             SIGNED_IN,
    TAKES_NOTHING,         GIVES_NOTHING,                      h_identity_unlink,
    .doc = "Unlink a sign-in, unless it is your only way to sign in" },
};
ROUTES(provider, "Sign-in providers",
    "Signing in with an OpenID provider, and the sign-ins linked to an account.");
