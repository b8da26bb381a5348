/* SPDX-License-Identifier: Apache-2.0
 * The caller's account: who they are, their tokens and sessions; for programs, and as a page.
 * Source: people/README.md. */
#include "base/conf.h"
#include "base/passhash.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/service_api.h"
#include "core/storage.h"
#include "core/token.h"
#include "http/quota.h"
#include "http/req.h"
#include "people/factor.h"
#include "people/identity.h"
#include "people/password.h"
#include "people/signin_page.h"

#define ME(F, T) \
	F(T, WORD, kind,         .arg = SUBJECT_KINDS) \
	F(T, ID,   user_id,      .arg = "usr_") \
	F(T, STR,  email,        .flags = F_NUL, .doc = "null for an agent") \
	F(T, STR,  name) \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_", \
		.doc = "The only workspace the token works in") \
	F(T, STRS, scopes,       .flags = F_NUL, \
		.doc = "What the token is limited to; null: everything its owner can do") \
	F(T, ID,   token_id,     .flags = F_NUL, .arg = "tok_") \
	F(T, STR,  token_name,   .flags = F_NUL) \
	F(T, ID,   session_id,   .flags = F_NUL, .arg = "ses_", \
		.doc = "Of a browser; null with a token") \
	F(T, TIME, expires_at,   .flags = F_NUL, .doc = "null if the token never expires") \
	F(T, OBJ,  limits,       .sub = &limits_now_shape) \
	F(T, OBJ,  storage,      .sub = &storage_shape)
SHAPE(me, ME);

static enum err
h_me(struct req *r)
{
	const struct principal *w = r->who;
	struct me out = { .kind = w->kind,
		.user_id = w->user_id,
		.email = w->email,
		.name = w->name,
		.workspace_id = principal_workspace(w),
		.scopes = principal_scopes(r->c->mem, w),
		.token_id = w->token_id,
		.token_name = w->token_name,
		.session_id = w->session_id,
		.expires_at = w->expires_at,
		.limits = limits_now(r->c) };
	struct storage *storage;

	TRY(storage_get(r->c, w->user_id, &storage));
	out.storage = storage;
	out.has.scopes = principal_is_limited(w) ? GIVEN : NULLED;
	out.has.expires_at = w->expires_at < TOKEN_NEVER ? GIVEN : NULLED;
	return reply_flat(r, &out);
}

#define TOKEN_NAME(F, T) \
	F(T, STR, name, .flags = F_REQ, .lo = 1, .hi = 200, .eg = "\"Build server\"")
SHAPE(token_name, TOKEN_NAME);

static enum err
h_tokens(struct req *r)
{
	const struct page_query *q = r->query;
	struct list rows;

	TRY(token_list(r->c, r->who->user_id, &rows));
	return reply_part(r, &rows, LIST_FALLING, q->limit, q->cursor);
}

static enum err
h_token_rename(struct req *r)
{
	const struct token_name *in = r->in;
	struct token *t;

	TRY(token_rename(r->c, r->who->user_id, req_param(r, "tok"), in->name));
	TRY(token_get(r->c, r->who->user_id, req_param(r, "tok"), &t));
	return reply_noun(r, t);
}

static enum err
h_token_revoke(struct req *r)
{
	TRY(token_revoke(r->c, r->who->user_id, req_param(r, "tok")));
	return reply_none(r);
}

static enum err
h_sessions(struct req *r)
{
	const struct page_query *q = r->query;
	struct session_list rows;

	TRY(session_list(r->c, r->who, &rows));
	return reply_part(r, &(struct list){ rows.v, rows.n }, LIST_FALLING, q->limit, q->cursor);
}

static enum err
h_session_end(struct req *r)
{
	TRY(session_end(r->c, r->who->user_id, req_param(r, "ses")));
	return reply_none(r);
}

static enum err
h_sessions_end(struct req *r)
{
	TRY(session_end_others(r->c, r->who->user_id, r->who->session_id));
	return reply_none(r);
}

/* ---- the page ---- */

/* A browser that is signed in. */
#define BROWSER(F, T) \
	F(T, ID,   id,      .arg = "ses_") \
	F(T, STR,  browser) \
	F(T, BOOL, current) \
	F(T, STR,  address) \
	F(T, TIME, last_used_at)
SHAPE(browser, BROWSER);

/* A provider that is linked. */
#define LINKED(F, T) \
	F(T, ID,   id,    .arg = "idn_") \
	F(T, STR,  title) \
	F(T, STR,  email) \
	F(T, TIME, last_used_at)
SHAPE(linked, LINKED);

/* How much storage is used, by kind. */
#define ROOM(F, T) \
	F(T, INT,  used_bytes) \
	F(T, INT,  limit_bytes) \
	F(T, INT,  percent) \
	F(T, BOOL, full) \
	F(T, LIST, largest, .sub = &storage_item_shape)
SHAPE(room, ROOM);

enum { ROOM_LARGEST = 5 };

#define ACCOUNT_PAGE(F, T) \
	F(T, STR,  email) \
	F(T, STR,  name) \
	F(T, BOOL, has_password) \
	F(T, INT,  least) \
	F(T, OBJ,  factor,     .sub = &factor_shape) \
	F(T, STR,  done) \
	F(T, STR,  token,      .doc = "A new one, to be shown once") \
	F(T, LIST, sessions,   .sub = &browser_shape) \
	F(T, LIST, tokens,     .sub = &token_shape) \
	F(T, LIST, identities, .sub = &linked_shape) \
	F(T, LIST, providers,  .sub = &offer_shape) \
	F(T, OBJ,  room,       .sub = &room_shape) \
	F(T, BOOL, no_others,  .doc = "The service has no providers")
SHAPE(account_page, ACCOUNT_PAGE);

static const struct provider *
provider_of(const struct conf *conf, const char *issuer)
{
	for (size_t i = 0; i < conf->provider_n; i++)
		if (str_eq(conf->providers[i].issuer, issuer))
			return &conf->providers[i];
	return NULL;
}

static bool
is_linked(const struct list *identities, const char *issuer)
{
	const struct identity *row = identities->v;

	for (size_t i = 0; i < identities->n; i++)
		if (str_eq(row[i].issuer, issuer))
			return true;
	return false;
}

/* The providers that the person has linked, and those that they can link. */
static enum err
linked_list(struct req *r, struct account_page *page)
{
	const struct conf *conf = r->c->conf;
	const struct identity *row;
	struct linked *to;
	struct offer *left;
	struct list rows;
	size_t n = 0;

	TRY(identity_list(r->c, r->who->user_id, &rows));
	to = mem_array(r->c->mem, struct linked, rows.n + 1);
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		const struct provider *p = provider_of(conf, row->issuer);

		to[i] = (struct linked){ .id = row->id,
			.title = p ? p->title : row->issuer,
			.email = row->email,
			.last_used_at = row->last_used_at };
	}
	page->identities = (struct list){ to, rows.n };
	page->providers = offers(r);
	left = page->providers.v;
	for (size_t i = 0; i < conf->provider_n; i++)
		if (!is_linked(&rows, conf->providers[i].issuer))
			left[n++] = left[i];
	page->providers.n = n;
	page->no_others = !conf->provider_n && !rows.n;
	return E_OK;
}

static enum err
room_read(struct req *r, void **out)
{
	struct room *room = *out = mem_new(r->c->mem, struct room);
	struct storage *s;

	TRY(storage_get(r->c, r->who->user_id, &s));
	room->used_bytes = s->used_bytes;
	room->limit_bytes = s->limit_bytes;
	room->full = s->limit_bytes && s->used_bytes >= s->limit_bytes;
	if (s->limit_bytes)
		room->percent = (int64_t)(100 * ((double)s->used_bytes / (double)s->limit_bytes));
	if (room->full)
		room->percent = 100;
	return storage_largest(r->c, r->who->user_id, ROOM_LARGEST, &room->largest);
}

static enum err
account_read(struct req *r, struct account_page *page)
{
	struct session_list sessions;
	struct factor *factor;

	page->email = r->who->email;
	page->name = r->who->name;
	page->least = PASSWORD_MIN;
	TRY(password_exists(r->c, r->who->user_id, &page->has_password));
	TRY(factor_get(r->c, r->who->user_id, &factor));
	page->factor = factor;
	TRY(session_list(r->c, r->who, &sessions));
	page->sessions = list_made(r->c->mem, &sessions, s,
	    (struct browser){ .id = s->id,
		.browser = agent_name(r->c, s->agent),
		.current = s->current,
		.address = s->address,
		.last_used_at = s->last_used_at });
	TRY(token_list_live(r->c, r->who->user_id, &page->tokens));
	TRY(room_read(r, &page->room));
	return linked_list(r, page);
}

static enum err
account_page(struct req *r, int status, struct account_page *page)
{
	TRY(account_read(r, page));
	return reply_page(r, status, page);
}

static enum err
account_refused(struct req *r, int status, const char *why)
{
	struct account_page page = { 0 };

	TRY(account_read(r, &page));
	return reply_refused(r, status, why, &page);
}

static enum err
h_account(struct req *r)
{
	return account_page(r, 200, &(struct account_page){ 0 });
}

#define NEW_PASSWORD(F, T) \
	F(T, STR, current,  .flags = F_SECRET, .hi = 1024) \
	F(T, STR, password, .flags = F_REQ | F_SECRET, .hi = 1024)
SHAPE(new_password, NEW_PASSWORD);

static const char wrong_password[] = "current: That isn’t your password.";

/* The part of a change of the password that needs no transaction. */
struct change {
	struct password_proof proof;
	const char *problem, *hash; /* the new one's hash; NULL with a problem */
	int status;
};

/* A person with a password must enter it, because a browser may be left open. */
static enum err
password_change_hash(struct req *r)
{
	struct change *change = r->prepared = mem_new(r->c->mem, struct change);
	const struct new_password *in = r->in;
	struct user *u;
	bool has;

	TRY(user_get_by_email(r->c, r->who->email, &u));
	TRY(password_exists(r->c, u->id, &has));
	if (has)
		TRY(password_prove(
		    r->c, u->email, in->current ? in->current : "", &change->proof));
	if (has && !change->proof.user_id) {
		change->status = 403;
		change->problem = wrong_password;
	} else if (password_judge(r->c, u, in->password)) {
		change->status = 400;
		change->problem = r->c->message;
	} else {
		change->hash = passhash_new(r->c->mem, in->password);
	}
	return E_OK;
}

static enum err
password_change_prepare(struct req *r)
{
	return quota_cpu(r, true, password_change_hash);
}

static enum err
h_password_change(struct req *r)
{
	const struct change *change = r->prepared;
	struct user *u, *proven = NULL;
	bool has;

	if (change->problem)
		return account_refused(r, change->status, change->problem);
	TRY(user_get_by_email(r->c, r->who->email, &u));
	TRY(password_exists(r->c, u->id, &has));
	if (has)
		TRY(password_proven(r->c, &change->proof, &proven));
	if (has && !proven)
		return account_refused(r, 403, wrong_password);
	TRY(password_set(r->c, u, change->hash));
	TRY(session_end_others(r->c, u->id, r->who->session_id));
	return account_page(r, 200,
	    &(struct account_page){
		.done = "Password set. You’ve been signed out everywhere else." });
}

#define TOKEN_FORM(F, T) \
	F(T, STR,  name,  .flags = F_REQ, .lo = 1, .hi = 200) \
	F(T, INT,  days,  .flags = F_REQ, .lo = 1, .hi = 3650) \
	F(T, WORD, scope, .flags = F_REQ, .arg = "publish|read|all")
SHAPE(token_form, TOKEN_FORM);

static enum err
h_page_token_make(struct req *r)
{
	static const enum scope publish[] = { ARTIFACTS_READ, ARTIFACTS_PUBLISH, NO_SCOPE },
				read[] = { ARTIFACTS_READ, NO_SCOPE };
	const struct token_form *in = r->in;
	struct token_wish wish = { .name = in->name,
		.days = in->days,
		.scopes = str_eq(in->scope, "publish") ? publish
		    : str_eq(in->scope, "read")        ? read
						       : NULL };
	const char *token;

	TRY(token_mint(r->c, r->who->user_id, &wish, &token));
	return account_page(r, 0, &(struct account_page){ .token = token });
}

static const struct route account_routes[] = {
/*  method  path                                 who
    body                      reply                            handler */
  { GET,    "/v1/auth/me",                       SIGNED_IN,
    TAKES_NOTHING,            GIVES_FLAT(me),                  h_me,
    .scope = ANY_SCOPE, .doc = "Whose token this is, and what it can do" },
  { GET,    "/v1/auth/tokens",                   SIGNED_IN,
    TAKES_NOTHING,            GIVES_LIST("tokens", token),     h_tokens,
    .query = &page_query_shape, .doc = "List your tokens, newest first" },
  { PATCH,  "/v1/auth/tokens/{tok}",             SIGNED_IN,
    TAKES(token_name),        GIVES("token", token),           h_token_rename,
    .doc = "Rename one of your tokens" },
  { DELETE, "/v1/auth/tokens/{tok}",             SIGNED_IN,
    TAKES_NOTHING,            GIVES_NOTHING,                   h_token_revoke,
    .doc = "Revoke one of your tokens, at once" },
  { GET,    "/v1/auth/sessions",                 SIGNED_IN,
    TAKES_NOTHING,            GIVES_LIST("sessions", session), h_sessions,
    .query = &page_query_shape, .doc = "List the browsers you are signed in with" },
  { DELETE, "/v1/auth/sessions",                 SIGNED_IN,
    TAKES_NOTHING,            GIVES_NOTHING,                   h_sessions_end,
    .doc = "Sign out everywhere else" },
  { DELETE, "/v1/auth/sessions/{ses}",           SIGNED_IN,
    TAKES_NOTHING,            GIVES_NOTHING,                   h_session_end,
    .doc = "Sign one browser out, at once" },
  { GET,    "/auth/account",                     SESSION,
    TAKES_NOTHING,            GIVES_PAGE(account),             h_account,
    .doc = "Your account" },
  { POST,   "/auth/account/password",            SESSION,
    TAKES_FORM(new_password), GIVES_PAGE(account),             h_password_change,
    .again = "/auth/account", .slow = true, .limit = LIM_SIGNIN, .prepare = password_change_prepare,
    .doc = "Set or change your password; every other session ends" },
  { POST, "/auth/account/sessions/{ses}/end", SESSION, DOES("DELETE /v1/auth/sessions/{ses}"),
    .then = "/auth/account", .again = "/auth/account", .doc = "Sign one browser out" },
  { POST, "/auth/account/sessions/end", SESSION, DOES("DELETE /v1/auth/sessions"),
    .then = "/auth/account", .again = "/auth/account", .doc = "Sign out everywhere else" },
  { POST,   "/auth/account/tokens",              SESSION,
    TAKES_FORM(token_form),   GIVES_PAGE(account),             h_page_token_make,
    .again = "/auth/account", .doc = "Create a token; it is shown once" },
  { POST, "/auth/account/tokens/{tok}/revoke", SESSION, DOES("DELETE /v1/auth/tokens/{tok}"),
    .then = "/auth/account", .again = "/auth/account", .doc = "Revoke a token" },
};
ROUTES(account, "Account",
    "Whose token it is, the account's other tokens, and the browsers that are signed in.");
