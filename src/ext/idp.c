/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/idp.h"

#include "base/buf.h"
#include "base/crypto.h"
#include "base/email.h"
#include "base/str.h"
#include "ext/egress.h"
#include "ext/idp_meta.h"
#include "ext/jws.h"

enum { SECRET_BYTES = 32, CODE_BYTES = 4096, LEEWAY_S = 60, SUBJECT_BYTES = 255, NAME_CHARS = 200 };

static const char *
secret_new(void *owner)
{
	uint8_t raw[SECRET_BYTES];

	crypto_random(raw, sizeof raw);
	return crypto_base64url(owner, raw, sizeof raw);
}

struct idp_login *
idp_login_new(void *owner)
{
	struct idp_login *l = mem_new(owner, struct idp_login);

	l->state = secret_new(l);
	l->nonce = secret_new(l);
	l->verifier = secret_new(l);
	return l;
}

enum err
idp_authorize_url(struct ctx *c, const struct idp *idp, const struct idp_login *login,
    const char *login_hint, const char **out)
{
	struct buf b = BUF(c->mem);
	uint8_t hash[SHA256_BYTES];
	struct idp_meta *meta;

	TRY(idp_discover(c, idp, &meta));
	crypto_sha256(login->verifier, strlen(login->verifier), hash);
	buf_str(&b, meta->authorization_endpoint);
	if (!strchr(meta->authorization_endpoint, '?'))
		buf_chr(&b, '?');
	form_pair(&b, "response_type", "code");
	form_pair(&b, "client_id", idp->client_id);
	form_pair(&b, "redirect_uri", idp->redirect_uri);
	form_pair(&b, "scope", idp->scopes ? idp->scopes : "openid email profile");
	form_pair(&b, "state", login->state);
	form_pair(&b, "nonce", login->nonce);
	form_pair(&b, "code_challenge", crypto_base64url(c->mem, hash, sizeof hash));
	form_pair(&b, "code_challenge_method", "S256");
	form_pair(&b, "login_hint", login_hint);
	*out = buf_done(&b);
	return E_OK;
}

/* Returns an OAuth error code (RFC 6749 section 4.1.2.1) for a message. The code comes from
 * outside, so text that doesn't look like a code isn't shown. */
static const char *
error_code(const char *code)
{
	return code && *code && strspn(code, "abcdefghijklmnopqrstuvwxyz_") == strlen(code) &&
		strlen(code) < 64
	    ? code
	    : "unknown reason";
}

static enum err
answer_check(struct ctx *c, const struct idp *idp, const struct idp_answer *a)
{
	struct idp_meta *meta;

	TRY(idp_discover(c, idp, &meta));
	/* Checks the issuer first: another provider's answer must not have any effect, even an
	 * error. */
	if (a->iss ? !str_eq(a->iss, idp->issuer) : meta->iss_parameter)
		return fail(c, E_UNAUTHENTICATED,
		    "iss: the response isn't from the sign-in provider %s; start the sign-in again",
		    idp->issuer);
	if (a->error)
		return fail(
		    c, E_UNAUTHENTICATED, "the sign-in provider refused: %s", error_code(a->error));
	if (!a->code || !*a->code || strlen(a->code) > CODE_BYTES || !str_plain(a->code))
		return fail(c, E_UNAUTHENTICATED,
		    "code: is missing or malformed in the sign-in provider's response; "
		    "start the sign-in again");
	return E_OK;
}

/* Converts a 400 or 401 of the token endpoint into a failure, by the error code in its body (RFC
 * 6749 section 5.2). Wrong client credentials are the operator's to correct. */
static enum err
exchange_refused(struct ctx *c, const struct idp *idp, const struct egress_res *res)
{
	struct json *tree;
	const char *code = NULL;

	if (json_parse(c, res->body, res->body_n, &tree) == E_OK)
		code = json_word(tree, "error");
	if (str_eq(code, "invalid_client") || str_eq(code, "unauthorized_client"))
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider %s doesn't accept this service's client_id and secret; "
		    "the service's operator must correct them",
		    idp->issuer);
	return fail(c, E_UNAUTHENTICATED,
	    "the sign-in provider didn't accept the code (%s); start the sign-in again",
	    error_code(code));
}

struct idp_tokens {
	const char *id_token;
	const char *access_token; /* NULL if there is none */
};

static enum err
code_exchange(struct ctx *c, const struct idp *idp, const char *code, const char *verifier,
    struct idp_tokens **out)
{
	struct buf form = BUF(c->mem);
	const char *headers[] = { "Accept: application/json", NULL, NULL };
	struct egress_res *res;
	const struct json *tree;
	struct idp_meta *meta;
	bool in_form;

	TRY(idp_discover(c, idp, &meta));
	in_form = !idp->client_secret || meta->secret_in_form;
	form_pair(&form, "grant_type", "authorization_code");
	form_pair(&form, "code", code);
	form_pair(&form, "redirect_uri", idp->redirect_uri);
	form_pair(&form, "code_verifier", verifier);
	form_pair(&form, "client_id", in_form ? idp->client_id : NULL);
	form_pair(&form, "client_secret", in_form ? idp->client_secret : NULL);
	if (!in_form) {
		struct buf b = BUF(c->mem);

		/* RFC 6749 section 2.3.1: id and secret are form-encoded before the colon joins
		 * them. */
		buf_form(&b, idp->client_id);
		buf_chr(&b, ':');
		buf_form(&b, idp->client_secret);
		headers[1] = mem_printf(
		    c->mem, "Authorization: Basic %s", crypto_base64(c->mem, b.s, b.n));
	}
	TRY(idp_send(c, idp, meta->token_endpoint, buf_done(&form), headers, &res));
	if (res->status == 400 || res->status == 401)
		return exchange_refused(c, idp, res);
	TRY(idp_object(c, meta->token_endpoint, res, &tree));
	*out = mem_new(c->mem, struct idp_tokens);
	(*out)->id_token = json_word(tree, "id_token");
	(*out)->access_token = json_word(tree, "access_token");
	if (!(*out)->id_token)
		return fail(c, E_UNAUTHENTICATED,
		    "the sign-in provider returned no ID token; "
		    "the service's operator must make sure that scopes includes openid");
	return E_OK;
}

static enum err
answer_distrust(struct ctx *c, const char *why)
{
	return fail(c, E_UNAUTHENTICATED,
	    "the sign-in provider's ID token isn't valid: %s", why);
}

/* aud is a string or an array of strings. A token for several parties must name us as azp, the
 * party that requested it (Core section 3.1.3.7). */
static enum err
check_audience(struct ctx *c, const struct idp *idp, const struct json *claims)
{
	const struct json *aud = json_get(claims, "aud"), *azp = json_get(claims, "azp");
	bool list = aud && json_kind(aud) == J_ARR,
	     ours = str_eq(json_word(claims, "aud"), idp->client_id);

	for (size_t i = 0; list && i < json_len(aud); i++) {
		if (json_kind(json_at(aud, i)) != J_STR)
			return answer_distrust(c, "aud is malformed");
		ours = ours || str_eq(json_str(json_at(aud, i)), idp->client_id);
	}
	if (!ours)
		return answer_distrust(c, "aud doesn't name this service");
	if (azp ? !str_eq(json_word(claims, "azp"), idp->client_id) : list && json_len(aud) > 1)
		return answer_distrust(c, "azp doesn't name this service");
	return E_OK;
}

/* Reads a time in Unix seconds, with an optional fraction (RFC 7519 section 2). Returns false if
 * the claim is missing or isn't a number. */
static bool
time_of(const struct json *claims, const char *name, double *out)
{
	const struct json *v = json_get(claims, name);

	if (!v || (json_kind(v) != J_INT && json_kind(v) != J_NUM))
		return false;
	*out = json_num(v);
	return true;
}

static enum err
check_times(struct ctx *c, const struct json *claims)
{
	double exp, iat, nbf = 0, now = (double)c->now;

	if (!time_of(claims, "exp", &exp) || !time_of(claims, "iat", &iat) ||
	    (json_get(claims, "nbf") && !time_of(claims, "nbf", &nbf)))
		return answer_distrust(c, "exp and iat are required, and times must be numbers");
	if (now >= exp + LEEWAY_S)
		return answer_distrust(c, "it has expired");
	if (iat > now + LEEWAY_S || nbf > now + LEEWAY_S)
		return answer_distrust(c, "it is dated in the future; check the clocks");
	return E_OK;
}

/* Returns the claim if it is plain text of 1 to most_chars characters, else NULL. */
static const char *
plain_claim(const struct json *claims, const char *name, size_t most_chars)
{
	const char *s = json_word(claims, name);

	return s && *s && str_plain(s) && str_chars(s) <= most_chars ? s : NULL;
}

static void
read_person(void *mem, const struct json *claims, struct idp_identity *who)
{
	const struct json *verified = json_get(claims, "email_verified");
	const char *email = json_word(claims, "email");

	who->email = email ? email_read(mem, email) : NULL;
	/* Some providers send the string "true" instead of the boolean. Other values mean no. */
	who->email_verified = who->email && verified &&
	    (json_kind(verified) == J_BOOL ? json_true(verified)
					   : str_eq(json_word(claims, "email_verified"), "true"));
	if (!who->name)
		who->name = plain_claim(claims, "name", NAME_CHARS);
}

static enum err
check_claims(struct ctx *c, const struct idp *idp, const struct json *claims, const char *nonce)
{
	const char *subject = plain_claim(claims, "sub", SUBJECT_BYTES),
		   *said = json_word(claims, "nonce");

	if (!str_eq(json_word(claims, "iss"), idp->issuer))
		return answer_distrust(c, "iss doesn't match the configured issuer");
	TRY(check_audience(c, idp, claims));
	TRY(check_times(c, claims));
	if (!said || strlen(said) != strlen(nonce) || !crypto_equal(said, nonce, strlen(nonce)))
		return answer_distrust(c, "nonce doesn't match this sign-in");
	if (!subject || strlen(subject) > SUBJECT_BYTES)
		return answer_distrust(c, "sub is missing or malformed");
	return E_OK;
}

/* Tries the cached keys first. If none has the token's kid, the provider may have changed its keys,
 * so they are fetched again, at most once a minute. */
static enum err
check_signature(struct ctx *c, const struct idp *idp, const char *token, struct jws *jws)
{
	const struct json *keys, *newer;

	TRY(idp_keys(c, idp, false, &keys));
	if (jws_verify(c, token, keys, jws) == E_OK)
		return E_OK;
	if (jws->unknown_key) {
		const char *why = c->message;

		TRY(idp_keys(c, idp, true, &newer));
		if (newer && jws_verify(c, token, newer, jws) == E_OK)
			return E_OK;
		c->message = newer ? c->message : why;
	}
	return answer_distrust(c, c->message);
}

/* Checks the signature, iss, aud, azp, nonce, and exp, iat and nbf with 60 s of leeway. Fetches the
 * keys again, at most once a minute, if the provider has changed them. */
static enum err
token_verify(struct ctx *c, const struct idp *idp, const char *id_token, const char *nonce,
    struct idp_identity **out)
{
	struct json *claims;
	struct jws jws;

	TRY(check_signature(c, idp, id_token, &jws));
	/* RFC 8725 section 3.11: the same keys may sign other tokens, such as logout tokens. */
	if (jws.typ && strcasecmp(jws.typ, "JWT") != 0)
		return answer_distrust(c, "typ isn't JWT");
	if (json_parse(c, jws.payload, jws.payload_n, &claims) || json_kind(claims) != J_OBJ)
		return answer_distrust(c, "its claims aren't a JSON object");
	TRY(check_claims(c, idp, claims, nonce));
	*out = mem_new(c->mem, struct idp_identity);
	(*out)->issuer = json_word(claims, "iss");
	(*out)->subject = json_word(claims, "sub");
	read_person(c->mem, claims, *out);
	return E_OK;
}

/* Reads e-mail address and name from the userinfo endpoint if the ID token had no address, because
 * many providers send it only there. Does nothing without an access token or an endpoint. */
static enum err
userinfo_read(
    struct ctx *c, const struct idp *idp, const char *access_token, struct idp_identity *who)
{
	const char *headers[] = { "Accept: application/json", NULL, NULL };
	struct egress_res *res;
	const struct json *tree;
	struct idp_meta *meta;

	TRY(idp_discover(c, idp, &meta));
	if (who->email || !access_token || !meta->userinfo_endpoint)
		return E_OK;
	/* The characters of b64token in RFC 6750. Others could, for example, end the header's line.
	 */
	if (strspn(access_token,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=") !=
	    strlen(access_token))
		return fail(c, E_UNAVAILABLE, "the sign-in provider's access token is malformed");
	headers[1] = mem_printf(c->mem, "Authorization: Bearer %s", access_token);
	TRY(idp_send(c, idp, meta->userinfo_endpoint, NULL, headers, &res));
	TRY(idp_object(c, meta->userinfo_endpoint, res, &tree));
	/* Core section 5.3.4: without this check the userinfo could describe another person. */
	if (!str_eq(json_word(tree, "sub"), who->subject))
		return fail(c, E_UNAUTHENTICATED,
		    "the sign-in provider's userinfo is about someone else; "
		    "start the sign-in again");
	read_person(c->mem, tree, who);
	return E_OK;
}

enum err
idp_login_finish(struct ctx *c, const struct idp *idp, const struct idp_login *login,
    const struct idp_answer *answer, struct idp_identity **out)
{
	struct idp_tokens *tokens;

	TRY(answer_check(c, idp, answer));
	TRY(code_exchange(c, idp, answer->code, login->verifier, &tokens));
	TRY(token_verify(c, idp, tokens->id_token, login->nonce, out));
	return userinfo_read(c, idp, tokens->access_token, *out);
}
