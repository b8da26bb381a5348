/* SPDX-License-Identifier: Apache-2.0
 * Invites in the browser: the page behind the link in an e-mail, where a person without an account
 * makes one, and a signed-in person's list of invites. Source: people/README.md. */
#include "base/passhash.h"
#include "base/str.h"
#include "core/branding.h"
#include "core/way.h"
#include "core/workspace.h"
#include "http/quota.h"
#include "http/req.h"
#include "people/invite.h"
#include "people/password.h"
#include "people/signin_page.h"

#define INVITE_LINK(F, T) F(T, STR, t, .hi = 100, .doc = "From the e-mail")
SHAPE(invite_link, INVITE_LINK);

#define INVITE_REPLY(F, T) \
	F(T, STR,  t,        .flags = F_REQ | F_SECRET, .hi = 100) \
	F(T, WORD, action,   .flags = F_REQ, .arg = "accept|decline") \
	F(T, STR,  name,     .hi = 200, .doc = "Of a new account") \
	F(T, STR,  password, .flags = F_SECRET, .hi = 1024)
SHAPE(invite_reply, INVITE_REPLY);

#define INVITE_PAGE(F, T) \
	F(T, STR,  t) \
	F(T, STR,  state, \
		.doc = "mine: to be answered by who is signed in; known: they sign in first; " \
		       "new: they have no account; other: somebody else is signed in; declined") \
	F(T, STR,  workspace) \
	F(T, OBJ,  brand, .sub = &branding_shape, .doc = "NULL: it has none") \
	F(T, OBJ,  open, .sub = &invite_open_shape) \
	F(T, STR,  until) \
	F(T, STR,  signin, .doc = "Where who has an account signs in") \
	F(T, INT,  least, .doc = "Characters of a password") \
	F(T, BOOL, full, .doc = "No seat is free") \
	F(T, STR,  joined, .doc = "Name of a workspace that they have just come into") \
	F(T, ID,   joined_id, .arg = "wsp_")
SHAPE(invite_page, INVITE_PAGE);

static const char mine_path[] = "/auth/invites";

/* Used, revoked, expired and unknown links get the same answer. */
static enum err
invite_over(struct req *r)
{
	reply_error_page(r, 404,
	    &(struct page_error){ .title = "This invitation is no longer valid",
		.message =
		    "It was already answered, was revoked, or is too old. "
		    "Ask the person who invited you to send it again.",
		.home = "/",
		.go = "Go to Vitrine" });
	return E_OK;
}

/* The person of a browser, or NULL. */
static const struct principal *
person_of(const struct req *r)
{
	return r->who && r->who->session_id ? r->who : NULL;
}

static const char *
invite_signin(struct req *r, const char *email)
{
	struct buf b = BUF(r->c->mem);

	buf_str(&b, signin_path(r->c, mine_path));
	buf_str(&b, "&email=");
	buf_form(&b, email);
	return buf_done(&b);
}

/* The person with the link may see the workspace’s branding. */
static enum err
invite_dress(struct req *r, const struct invite_open *v, struct invite_page *page)
{
	struct branding *b;

	TRY(branding_find(r->c, v->workspace_id, &b));
	page->workspace = b ? b->name : v->workspace;
	page->brand = b;
	return E_OK;
}

static enum err
invite_show(struct req *r, const char *t, struct invite_open *v)
{
	const struct principal *person = person_of(r);
	const char *until = str_date(r->c->mem, v->expires_at);
	struct invite_page page = { .t = t,
		.open = v,
		.until = mem_strndup(r->c->mem, until, strcspn(until, ",")),
		.least = PASSWORD_MIN };

	page.state = person ? str_eq(v->user_id, person->user_id) ? "mine" : "other"
	    : v->user_id    ? "known"
			    : "new";
	if (str_eq(page.state, "known"))
		page.signin = invite_signin(r, v->email);
	TRY(member_seats_full(r->c, v->workspace_id, &page.full));
	TRY(invite_dress(r, v, &page));
	return reply_page(r, str_eq(page.state, "other") ? 403 : 0, &page);
}

/* Opening the page doesn't use up the link, because mail programs open links, too. */
static enum err
h_invite(struct req *r)
{
	const struct invite_link *q = r->query;
	const struct invite_key key = { .hash = invite_digest(r->c, q->t) };
	struct invite_open *v;

	TRY(invite_find(r->c, &key, false, &v));
	return v ? invite_show(r, q->t, v) : invite_over(r);
}

static enum err
h_invite_declined(struct req *r, const struct invite_key *key)
{
	struct invite_page page = { .state = "declined" };
	struct invite_open *v;
	enum err e;

	TRY(invite_find(r->c, key, false, &v));
	e = v ? invite_decline(r->c, key, person_of(r)) : E_NOT_FOUND;
	if (e == E_NOT_FOUND)
		return invite_over(r);
	TRY(e);
	page.open = v;
	TRY(invite_dress(r, v, &page));
	return reply_page(r, 0, &page);
}

static enum err
h_invite_taken(struct req *r, const struct invite_key *key)
{
	struct workspace *w;
	const char *id;
	enum err e = invite_take(r->c, key, r->who, &id);

	if (e == E_NOT_FOUND)
		return invite_over(r);
	TRY(e);
	TRY(workspace_get(r->c, id, r->who, false, &w));
	return reply_go(r, "%s?joined=%s", mine_path, w->slug);
}

/* Checks and hashes the password for the new account. */
static enum err
invite_hash(struct req *r)
{
	const struct invite_reply *in = r->in;
	const struct invite_key key = { .hash = invite_digest(r->c, in->t) };
	struct invite_open *v;

	TRY(invite_find(r->c, &key, false, &v));
	if (!v || v->user_id)
		return E_OK;
	if (!in->name || !*in->name)
		return fail(r->c, E_INVALID, "name: is required; enter your name");
	TRY(password_judge(
	    r->c, &(struct user){ .email = v->email }, in->password ? in->password : ""));
	r->prepared = (void *)(uintptr_t)passhash_new(r->c->mem, in->password);
	return E_OK;
}

static enum err
invite_prepare(struct req *r)
{
	const struct invite_reply *in = r->in;

	return person_of(r) || str_eq(in->action, "decline") ? E_OK
							     : quota_cpu(r, false, invite_hash);
}

/* The link proves the mailbox, so the account may be made. One transaction makes the account, its
 * membership, and the session. */
static enum err
account_make(struct req *r, const struct invite_open *v)
{
	const struct invite_reply *in = r->in;
	struct user *u;

	if (v->user_id || !r->prepared)
		return reply_redirect(r, invite_signin(r, v->email));
	TRY(user_add(r->c, v->email, in->name, &u));
	TRY(password_set(r->c, u, r->prepared));
	TRY(invite_accept(r->c, v, invite_person(r->c, u)));
	return signin_complete(
	    r, u, "password", mem_printf(r->c->mem, "%s?joined=%s", mine_path, v->slug));
}

static enum err
h_invite_post(struct req *r)
{
	const struct invite_reply *in = r->in;
	const struct invite_key key = { .hash = invite_digest(r->c, in->t) };
	struct invite_open *v;

	if (str_eq(in->action, "decline"))
		return h_invite_declined(r, &key);
	if (person_of(r))
		return h_invite_taken(r, &key);
	TRY(invite_find(r->c, &key, true, &v));
	return v ? account_make(r, v) : invite_over(r);
}

/* ---- a signed-in person's invites ---- */

#define INVITES_QUERY(F, T) F(T, SLUG, joined, .doc = "A workspace that they have just come into")
SHAPE(invites_query, INVITES_QUERY);

/* Names the workspace only to its members. */
static enum err
h_invites(struct req *r)
{
	const struct invites_query *q = r->query;
	struct invite_page page = { 0 };
	struct workspace_found *w = NULL;
	enum err e = q->joined ? workspace_by_slug(r->c, q->joined, r->who, &w) : E_OK;

	if (e && e != E_NOT_FOUND)
		return e;
	page.joined = w ? w->name : NULL;
	page.joined_id = w ? w->id : NULL;
	return reply_page(r, 0, &page);
}

static const struct route invite_page_routes[] = {
  { PAGE("/auth/invite", PUBLIC, invite, h_invite), .query = &invite_link_shape,
    .doc = "View an invite with the link from an e-mail" },
  { FORM_PAGE("/auth/invite", PUBLIC, invite_reply, invite, h_invite_post),
    .again = "/auth/invite", .slow = true, .limit = LIM_SIGNIN, .prepare = invite_prepare,
    .doc = "Accept it, with a new account if necessary, or decline it" },
  { PAGE_OF("/auth/invites", SESSION, "invites", &invite_page_shape, h_invites),
    .shows = SHOWS({ "invites", "GET /v1/invites?limit=200" }), .query = &invites_query_shape,
    .doc = "Your pending invites" },
  { POST, "/auth/invites/{inv}/accept", SESSION, DOES("POST /v1/invites/{inv}/accept"),
    .then = "/auth/invites?joined={slug}", .again = "/auth/invites", .doc = "Accept an invite" },
  { POST, "/auth/invites/{inv}/decline", SESSION, DOES("POST /v1/invites/{inv}/decline"),
    .then = "/inbox?done=deny", .again = "/auth/invites", .doc = "Decline an invite" },
};
ROUTES(invite_page, "Pages: invites",
    "Joining a workspace in the browser.");
