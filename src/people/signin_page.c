/* SPDX-License-Identifier: Apache-2.0
 * The pages for signing in with a password and for setting one. */
#include "people/signin_page.h"

#include "base/email.h"
#include "base/passhash.h"
#include "core/mail.h"
#include "core/way.h"
#include "http/quota.h"
#include "http/req.h"
#include "people/password.h"

LIMIT(LIM_SIGNIN, "signin", OF_ADDRESS, FAILURES, signin_failures_per_hour,
    "failed attempts to sign in");
static LIMIT(LIM_MAIL_LINK, "mail_link", OF_ADDRESS, ALL, mail_links_per_hour,
    "requests for a link by e-mail");
static LIMIT(LIM_SIGNIN_ACCOUNT, "signin_account", OF_ALL, FAILURES, signin_failures_per_account,
    "failed attempts to sign in");

#define SIGNIN_QUERY(F, T) \
	F(T, STR, next,  .hi = NEXT_MAX, .doc = "Where to go afterwards: a page of this service") \
	F(T, STR, email, .hi = 254)
SHAPE(signin_query, SIGNIN_QUERY);

#define SIGNIN_FORM(F, T) \
	F(T, STR, email,    .flags = F_REQ, .hi = 254) \
	F(T, STR, password, .flags = F_REQ | F_SECRET, .hi = 1024) \
	F(T, STR, next,     .hi = NEXT_MAX)
SHAPE(signin_form, SIGNIN_FORM);

static enum err
signin_refused(struct req *r, int status, const char *why)
{
	const struct signin_form *in = r->in;

	return reply_refused(
	    r, status, why, &(struct signin_query){ .email = in->email, .next = in->next });
}

static enum err
h_signin(struct req *r)
{
	const struct signin_query *q = r->query;

	return r->who && r->who->session_id ? reply_redirect(r, next_path(q->next))
					    : reply_page(r, 0, q);
}

/* The part of a sign-in that needs no transaction. */
struct signin_try {
	struct password_proof proof;
	bool closed; /* the password wasn't checked: a link is mailed instead */
};

static enum err
signin_prove(struct req *r)
{
	const struct signin_form *in = r->in;
	struct signin_try *try = r->prepared;

	return password_prove(r->c, in->email, in->password, &try->proof);
}

/* Limits guesses at one account from all addresses, except from known browsers of its person. */
static enum err
signin_prepare(struct req *r)
{
	const struct signin_form *in = r->in;
	struct signin_try *try = r->prepared = mem_new(r->c->mem, struct signin_try);
	const char *browser;
	enum err e;
	bool known;

	TRY(browser_find(r, in->email, &browser, &known));
	e = known ? E_OK : quota_take_for(r, LIM_SIGNIN_ACCOUNT, email_fold(r->c, in->email));
	try->closed = e == E_RATE_LIMITED && mail_enabled(r->c);
	if (!try->closed)
		TRY(e);
	return try->closed ? E_OK : quota_cpu(r, known, signin_prove);
}

/* The person may be signing in from a browser that is new to them: a link in their mailbox lets
 * them in. Answer and work are the same if the account doesn't exist. */
static enum err
signin_closed(struct req *r, const struct signin_form *in)
{
	if (email_read(r->c->mem, in->email))
		TRY(password_ask_link(r->c, in->email, LETTER_SIGNIN));
	reply_header(r, "Retry-After", "%lld", (long long)r->quota.reset_s);
	return signin_refused(r, 429,
	    "There were too many wrong passwords for this address. "
	    "If it has an account here, a sign-in link has been sent to it; "
	    "in a browser that has signed in to it before, the password still works.");
}

static enum err
h_signin_post(struct req *r)
{
	const struct signin_form *in = r->in;
	const struct signin_try *try = r->prepared;
	struct user *u;

	if (try->closed)
		return signin_closed(r, in);
	TRY(password_proven(r->c, &try->proof, &u));
	if (!u)
		return signin_refused(r, 401,
		    "The e-mail address or the password is incorrect.");
	return signin_complete(r, u, "password", in->next);
}

/* With next: to sign in as another person, and come back. */
static enum err
h_signout(struct req *r)
{
	const struct button *in = r->in;

	TRY(session_leave(r->c, r->who));
	reply_cookie(r, "vitrine_access", "", "/", 0);
	reply_cookie(r, "vitrine_session", "", "/", 0);
	r->who = NULL;
	return reply_redirect(
	    r, in->next ? signin_path(r->c, next_path(in->next)) : "/auth/signin");
}

/* ---- links by e-mail ---- */

#define FORGOT_FORM(F, T) F(T, STR, email, .flags = F_REQ, .hi = 254)
SHAPE(forgot_form, FORGOT_FORM);

static enum err
h_forgot(struct req *r)
{
	return reply_page(r, 0, NULL);
}

/* Gives the same answer for every address. */
static enum err
h_forgot_post(struct req *r)
{
	const struct forgot_form *in = r->in;

	if (!mail_enabled(r->c))
		return h_forgot(r);
	TRY(password_ask_link(r->c, in->email, LETTER_RESET));
	return reply_page(r, 0, in);
}

#define PASSWORD_QUERY(F, T) \
	F(T, STR, link, .hi = 100, .doc = "From the e-mail") \
	F(T, STR, next, .hi = NEXT_MAX, .doc = "Where to go afterwards: a page of this service")
SHAPE(password_query, PASSWORD_QUERY);

#define PASSWORD_FORM(F, T) \
	F(T, STR, link,     .flags = F_REQ | F_SECRET, .hi = 100) \
	F(T, STR, password, .flags = F_REQ | F_SECRET, .hi = 1024) \
	F(T, STR, name,     .hi = 200, .doc = "Of whoever has none yet") \
	F(T, STR, next,     .hi = NEXT_MAX)
SHAPE(password_form, PASSWORD_FORM);

#define PASSWORD_PAGE(F, T) \
	F(T, STR, link) \
	F(T, STR, next) \
	F(T, STR, email) \
	F(T, BOOL, nameless) \
	F(T, INT, least)
SHAPE(password_page, PASSWORD_PAGE);

static struct password_page
password_page(const struct user *u, const char *link, const char *next)
{
	return (struct password_page){
		.link = link,
		.next = next,
		.email = u->email,
		.nameless = !*u->name,
		.least = PASSWORD_MIN
	};
}

static enum err
link_over(struct req *r)
{
	reply_error_page(r, 410,
	    &(struct page_error){ .title = "This link has expired",
		.message = "It has already been used, or it is too old.",
		.home = "/auth/password/forgot",
		.go = "Send a new link" });
	return E_OK;
}

/* The page of either link. Opening it doesn't use up the link, because mail programs open links,
 * too. */
static enum err
h_link(struct req *r)
{
	const struct password_query *q = r->query;
	struct password_page page;
	struct user *u;

	TRY(password_link_owner(r->c, q->link, false, &u));
	if (!u)
		return link_over(r);
	page = password_page(u, q->link, q->next);
	return reply_page(r, 0, &page);
}

/* Checks and hashes the password; the transaction consumes the link. */
static enum err
password_hash(struct req *r)
{
	const struct password_form *in = r->in;
	struct password_page page;
	struct user *u;

	TRY(password_link_owner(r->c, in->link, false, &u));
	if (!u)
		return link_over(r);
	page = password_page(u, in->link, in->next);
	if (password_judge(r->c, u, in->password))
		return reply_refused(r, 400, r->c->message, &page);
	r->prepared = (void *)(uintptr_t)passhash_new(r->c->mem, in->password);
	return E_OK;
}

static enum err
password_prepare(struct req *r)
{
	return quota_cpu(r, false, password_hash);
}

/* Ends all other sessions. */
static enum err
h_password_post(struct req *r)
{
	const struct password_form *in = r->in;
	struct user *u;

	/* Refused before the transaction, with the page. */
	if (!r->prepared)
		return E_OK;
	TRY(password_link_owner(r->c, in->link, true, &u));
	if (!u)
		return link_over(r);
	TRY(password_set(r->c, u, r->prepared));
	if (!*u->name && in->name)
		TRY(user_name_set(r->c, u, in->name));
	TRY(session_end_others(r->c, u->id, NULL));
	return signin_complete(r, u, "password", in->next);
}

#define SIGNIN_LINK_FORM(F, T) F(T, STR, link, .flags = F_REQ | F_SECRET, .hi = 100)
SHAPE(signin_link_form, SIGNIN_LINK_FORM);

static enum err
h_signin_link_post(struct req *r)
{
	const struct signin_link_form *in = r->in;
	struct user *u;

	TRY(password_link_owner(r->c, in->link, true, &u));
	return u ? signin_complete(r, u, "password", NULL) : link_over(r);
}

#define GIVES_SIGNIN { ANSWER_PAGE, "signin", &signin_query_shape }
#define GIVES_FORGOT { ANSWER_PAGE, "forgot", &forgot_form_shape }
static const struct route signin_page_routes[] = {
  { PAGE_OF("/auth/signin", PUBLIC, "signin", &signin_query_shape, h_signin),
    .query = &signin_query_shape, .doc = "Sign in" },
  { POST, "/auth/signin",          PUBLIC,
    TAKES_FORM(signin_form),      GIVES_SIGNIN,            h_signin_post,
    .again = "/auth/signin", .slow = true, .limit = LIM_SIGNIN, .prepare = signin_prepare,
    .doc = "Sign in with a password" },
  { PAGE_OF("/auth/signin/link", PUBLIC, "signin_link", &password_page_shape, h_link),
    .query = &password_query_shape, .doc = "Sign in with the link from an e-mail" },
  { FORM("/auth/signin/link", PUBLIC, signin_link_form, h_signin_link_post),
    .again = "/auth/signin/link", .limit = LIM_SIGNIN, .doc = "Sign in with the link, once" },
  { FORM("/auth/signout", SESSION, button, h_signout), .again = "/",
    .doc = "Sign out in this browser" },
  { PAGE_OF("/auth/password/forgot", PUBLIC, "forgot", &forgot_form_shape, h_forgot),
    .doc = "Ask for a link to set a password" },
  { POST, "/auth/password/forgot", PUBLIC,
    TAKES_FORM(forgot_form),      GIVES_FORGOT,            h_forgot_post,
    .again = "/auth/password/forgot", .limit = LIM_MAIL_LINK,
    .doc = "Send a link to set a password by e-mail" },
  { PAGE("/auth/password/set", PUBLIC, password, h_link), .query = &password_query_shape,
    .doc = "Set a password with the link from an e-mail" },
  { FORM_PAGE("/auth/password/set", PUBLIC, password_form, password, h_password_post),
    .again = "/auth/password/set", .slow = true, .limit = LIM_SIGNIN, .prepare = password_prepare,
    .doc = "Set a password; every session ends, and this browser is signed in" },
};
ROUTES(signin_page, "Sign-in pages",
    "Signing in with a password, in the browser.");
