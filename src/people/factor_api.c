/* SPDX-License-Identifier: Apache-2.0
 * The second factor: its section of the account page, and the page that asks for a code after the
 * right password. The session begins after the code. */
#include "people/factor.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/otp.h"
#include "base/qr.h"
#include "base/str.h"
#include "http/quota.h"
#include "http/req.h"
#include "people/password.h"
#include "people/signin_page.h"

static LIMIT(LIM_FACTOR, "factor", OF_ALL, FAILURES, factor_failures_per_account, "wrong codes");

static const char wrong_code[] =
    "This code is incorrect or has already been used. Wait for the next one.";
static const char wrong_recovery[] = "This recovery code is incorrect or has already been used.";
static const char sealed_code[] =
    "Codes from apps can’t be checked at the moment. "
    "Use a recovery code, or tell whoever runs the service.";

static const char *
proof_problem(enum factor_proof proof, const char *typed)
{
	return proof == FACTOR_SEALED   ? sealed_code
	    : proof != FACTOR_WRONG     ? NULL
	    : factor_is_recovery(typed) ? wrong_recovery
					: wrong_code;
}

/* Wrong codes of an app are counted by account, so many addresses give no more tries. Each known
 * browser of the person has a count of its own; all other browsers share one, so they can't use up
 * the person's tries. Recovery codes are too long to be guessed, so they have no limit. */
static enum err
code_quota(struct req *r, const struct user *u, const char *typed)
{
	const char *browser, *key = u->id;
	bool known;

	if (factor_is_recovery(typed))
		return E_OK;
	TRY(browser_find(r, u->email, &browser, &known));
	if (known) {
		const struct bytes *digest = secret_digest(r->c, browser, "brw_");

		key = mem_printf(
		    r->c->mem, "%s/%s", u->id, crypto_hex(r->c->mem, digest->p, digest->n));
	}
	return quota_take_for(r, LIM_FACTOR, key);
}

/* ---- signing in ---- */

#define CODE_PAGE(F, T) F(T, STR, email)
SHAPE(code_page, CODE_PAGE);

#define FACTOR_FORM(F, T) F(T, STR, code, .flags = F_REQ | F_SECRET, .lo = 1, .hi = 100)
SHAPE(factor_form, FACTOR_FORM);

enum err
signin_ask_code(struct req *r, const struct user *u, const char *next, bool *asked)
{
	struct factor *f;
	const char *cookie;

	TRY(factor_get(r->c, u->id, &f));
	*asked = f != NULL;
	if (!f)
		return E_OK;
	TRY(factor_login_begin(r->c, u->id, next, &cookie));
	reply_cookie(r, "vitrine_factor", cookie, "/auth", FACTOR_LOGIN_S);
	return reply_redirect(r, "/auth/factor");
}

static enum err
code_problem(struct req *r, int status, const struct factor_login *login, const char *problem)
{
	const struct user *u = login->user;

	return reply_refused(r, status, problem, &(struct code_page){ .email = u->email });
}

static enum err
login_over(struct req *r, int status, const char *why)
{
	reply_cookie(r, "vitrine_factor", "", "/auth", 0);
	reply_error_page(r, status,
	    &(struct page_error){ .title = "Sign in again",
		.message = why,
		.home = "/auth/signin",
		.go = "Go to sign in" });
	return E_OK;
}

/* Finds the sign-in that waits for its code; *login is NULL if none of the browser's cookies leads
 * to one. */
static enum err
login_find(struct req *r, const char **cookie, struct factor_login **login)
{
	struct cookies all;

	req_cookies(r, "vitrine_factor", &all);
	*login = NULL;
	for (size_t i = 0; i < all.n && !*login; i++) {
		*cookie = all.v[i];
		TRY(factor_login_get(r->c, *cookie, login));
	}
	return E_OK;
}

static enum err
h_code(struct req *r)
{
	struct factor_login *login;
	const char *cookie;

	TRY(login_find(r, &cookie, &login));
	if (!login)
		return reply_redirect(r, "/auth/signin");
	return reply_page(
	    r, 0, &(struct code_page){ .email = ((const struct user *)login->user)->email });
}

static enum err
login_prove(struct req *r, const char *cookie, const char *typed)
{
	struct factor_login *login;
	enum factor_proof proof;

	TRY(factor_login_try(r->c, cookie, &login));
	if (!login)
		return login_over(r, 410, "It took too long, or you have already signed in.");
	TRY(factor_prove(r->c, login->user, typed, &proof));
	if (proof == FACTOR_WRONG || proof == FACTOR_SEALED) {
		if (login->tries < FACTOR_TRIES)
			return code_problem(r, 401, login, proof_problem(proof, typed));
		TRY(factor_login_failed(r->c, cookie, login));
		return login_over(r, 401, "There were too many wrong codes.");
	}
	TRY(factor_login_end(r->c, cookie));
	reply_cookie(r, "vitrine_factor", "", "/auth", 0);
	return signin_finish(r, login->user, "password", login->next);
}

static enum err
h_code_post(struct req *r)
{
	const struct factor_form *in = r->in;
	struct factor_login *login;
	const char *cookie;
	enum err e;

	TRY(login_find(r, &cookie, &login));
	if (!login)
		return login_over(r, 410, "It took too long, or you have already signed in.");
	e = code_quota(r, login->user, in->code);
	if (e == E_RATE_LIMITED) {
		reply_header(r, "Retry-After", "%lld", (long long)r->quota.reset_s);
		return code_problem(r, 429, login,
		    mem_printf(r->c->mem,
			"Too many wrong codes. Use a recovery code, or try again in %lld minutes.",
			(long long)(r->quota.reset_s + 59) / 60));
	}
	TRY(e);
	return login_prove(r, cookie, in->code);
}

/* ---- the section of the account page ---- */

#define RECOVERY_CODE(F, T) F(T, STR, code)
SHAPE(recovery_code, RECOVERY_CODE);

#define FACTOR_PAGE(F, T) \
	F(T, STR,  email) \
	F(T, STR,  state, .doc = "no_password, off, setup, on") \
	F(T, TIME, on_at) \
	F(T, INT,  left) \
	F(T, BOOL, few, .doc = "Recovery codes are running out") \
	F(T, STR,  secret, .doc = "To be typed, in parts") \
	F(T, STR,  done) \
	F(T, BOOL, fresh, .doc = "There are new codes, to be shown this once") \
	F(T, LIST, codes, .sub = &recovery_code_shape)
SHAPE(factor_page, FACTOR_PAGE);

enum { SECRET_PART = 4, FEW = 3 };

static const char *
secret_parted(struct req *r, const char *secret)
{
	struct buf b = BUF(r->c->mem);

	for (size_t i = 0; secret[i]; i++) {
		if (i && i % SECRET_PART == 0)
			buf_chr(&b, ' ');
		buf_chr(&b, secret[i]);
	}
	return buf_done(&b);
}

static enum err
factor_read(struct req *r, struct factor_page *page)
{
	const char *secret;
	struct factor *f;
	bool has_password;

	page->email = r->who->email;
	TRY(factor_get(r->c, r->who->user_id, &f));
	if (f) {
		page->state = "on";
		page->on_at = f->on_at;
		page->left = f->left;
		page->few = f->left <= FEW;
		return E_OK;
	}
	TRY(password_exists(r->c, r->who->user_id, &has_password));
	TRY(factor_setup_secret(r->c, r->who->session_id, &secret));
	page->state = !has_password ? "no_password" : secret ? "setup" : "off";
	page->secret = secret ? secret_parted(r, secret) : NULL;
	return E_OK;
}

static enum err
factor_page(struct req *r, struct factor_page *page)
{
	TRY(factor_read(r, page));
	return reply_page(r, 0, page);
}

static enum err
h_factor(struct req *r)
{
	return factor_page(r, &(struct factor_page){ 0 });
}

static enum err
factor_problem(struct req *r, int status, const char *problem)
{
	struct factor_page page = { 0 };

	TRY(factor_read(r, &page));
	return reply_refused(r, status, problem, &page);
}

#define FACTOR_START(F, T) F(T, STR, password, .flags = F_REQ | F_SECRET, .hi = 1024)
SHAPE(factor_start, FACTOR_START);

/* Checks the password again: a passer-by at an open browser could otherwise turn the factor on and
 * lock the person out. */
static enum err
start_prove(struct req *r)
{
	const struct factor_start *in = r->in;

	return password_prove(r->c, r->who->email, in->password, r->prepared);
}

static enum err
factor_start_prepare(struct req *r)
{
	r->prepared = mem_new(r->c->mem, struct password_proof);
	return quota_cpu(r, true, start_prove);
}

static enum err
h_factor_start(struct req *r)
{
	struct factor *f;
	struct user *u;

	TRY(password_proven(r->c, r->prepared, &u));
	if (!u)
		return factor_problem(r, 403, "password: That isn’t your password.");
	TRY(factor_get(r->c, u->id, &f));
	if (!f)
		TRY(factor_setup_begin(r->c, r->who->session_id));
	return reply_redirect(r, "/auth/account/factor");
}

static enum err
h_factor_qr(struct req *r)
{
	const char *host = r->c->conf->base_url + strlen("https://");
	const char *secret, *issuer, *svg;

	TRY(factor_setup_secret(r->c, r->who->session_id, &secret));
	if (!secret)
		return fail(r->c, E_CONFLICT,
		    "No second factor is being set up in this browser; start on the account page");
	/* The app shows this name above its codes, because people may have accounts at several
	 * services that run this program. */
	issuer = mem_printf(r->c->mem, "Vitrine %.*s", (int)strcspn(host, ":/"), host);
	svg = qr_svg(r->c->mem, otp_address(r->c->mem, issuer, r->who->email, secret));
	if (!svg)
		return fail_here(r->c, "no QR code for %s", r->who->user_id);
	r->status = 200;
	buf_str(&r->out, svg);
	reply_header(r, "Content-Type", "image/svg+xml");
	reply_header(r, "Content-Security-Policy", "default-src 'none'; sandbox");
	return E_OK;
}

/* Shows new recovery codes, once. */
static enum err
codes_page(struct req *r, const struct strs *codes, const char *done)
{
	return factor_page(r,
	    &(struct factor_page){ .done = done, .fresh = true,
		.codes = list_made(
		    r->c->mem, codes, code, (struct recovery_code){ .code = *code }) });
}

static enum err
h_factor_on(struct req *r)
{
	const struct factor_form *in = r->in;
	struct strs codes;

	TRY(factor_turn_on(r->c, r->who, in->code, &codes));
	if (!codes.n)
		return factor_problem(
		    r, 400, "code: This code is incorrect. Enter the one your app shows now.");
	return codes_page(r, &codes, "The second factor is on.");
}

/* Asks for a code again, so that a passer-by can't turn it off in an open browser. *problem is NULL
 * if the code was right. */
static enum err
account_code(struct req *r, const char **problem)
{
	const struct factor_form *in = r->in;
	const struct user u = { .id = r->who->user_id, .email = r->who->email };
	enum factor_proof proof;

	TRY(code_quota(r, &u, in->code));
	TRY(factor_prove(r->c, &u, in->code, &proof));
	*problem = proof_problem(proof, in->code);
	if (*problem)
		*problem = mem_printf(r->c->mem, "code: %s", *problem);
	return E_OK;
}

static enum err
h_factor_codes(struct req *r)
{
	const char *problem;
	struct strs codes;

	TRY(account_code(r, &problem));
	if (problem)
		return factor_problem(r, 403, problem);
	TRY(factor_renew_recovery(r->c, r->who->user_id, &codes));
	return codes_page(r, &codes,
	    "These are your new recovery codes. The old ones no longer work.");
}

static enum err
h_factor_off(struct req *r)
{
	const struct user u = { .id = r->who->user_id, .email = r->who->email };
	const char *problem;

	TRY(account_code(r, &problem));
	if (problem)
		return factor_problem(r, 403, problem);
	TRY(factor_turn_off(r->c, &u));
	return factor_page(r, &(struct factor_page){ .done = "The second factor is off." });
}

static const struct route factor_routes[] = {
/*  method path                         who
    body                      reply               handler */
  { GET,  "/auth/factor",               PUBLIC,
    TAKES_NOTHING,            GIVES_PAGE(code),   h_code,
    .doc = "Asks for the code that follows a password" },
  { POST, "/auth/factor",               PUBLIC,
    TAKES_FORM(factor_form),  GIVES_PAGE(code),   h_code_post,
    .again = "/auth/factor", .limit = LIM_SIGNIN,
    .doc = "Sign in with the code of an app, or a recovery code" },
  { GET,  "/auth/account/factor",       SESSION,
    TAKES_NOTHING,            GIVES_PAGE(factor), h_factor,
    .doc = "The second factor of your account" },
  { POST, "/auth/account/factor/start", SESSION,
    TAKES_FORM(factor_start), GIVES_PAGE(factor), h_factor_start,
    .again = "/auth/account/factor",
    .slow = true, .limit = LIM_SIGNIN, .prepare = factor_start_prepare,
    .doc = "Start setting up the second factor; requires the password" },
  { GET,  "/auth/account/factor/qr",    SESSION,
    TAKES_NOTHING,            GIVES_BYTES,        h_factor_qr,
    .doc = "The secret that is being set up, as a QR code" },
  { POST, "/auth/account/factor/on",    SESSION,
    TAKES_FORM(factor_form),  GIVES_PAGE(factor), h_factor_on,
    .again = "/auth/account/factor",
    .doc = "Turn the second factor on, with a code of the app that was set up" },
  { POST, "/auth/account/factor/codes", SESSION,
    TAKES_FORM(factor_form),  GIVES_PAGE(factor), h_factor_codes,
    .again = "/auth/account/factor", .limit = LIM_SIGNIN,
    .doc = "Create new recovery codes to replace the old ones" },
  { POST, "/auth/account/factor/off",   SESSION,
    TAKES_FORM(factor_form),  GIVES_PAGE(factor), h_factor_off,
    .again = "/auth/account/factor", .limit = LIM_SIGNIN, .doc = "Turn the second factor off" },
};
ROUTES(factor, "Second factor",
    "The code that sign-in asks for after a password.");
