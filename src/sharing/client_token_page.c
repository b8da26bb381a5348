/* SPDX-License-Identifier: Apache-2.0
 * The page of the tokens of a client's people, of which a new one is shown once. */
#include "base/str.h"
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/client_page.h"
#include "sharing/sharee_token.h"

enum { DAY_S = 86400 };

#define TOKEN_ROW(F, T) \
	F(T, ID,   id,      .arg = "tok_") \
	F(T, ID,   user_id, .arg = "usr_") \
	F(T, STR,  name) \
	F(T, STR,  whose) \
	F(T, STR,  hint) \
	F(T, STR,  can) \
	F(T, TIME, created_at) \
	F(T, TIME, last_used_at) \
	F(T, TIME, expires_at) \
	F(T, WORD, state,   .arg = "live|revoked|expired")
SHAPE_DECLARE(client_token_row, TOKEN_ROW);
SHAPE_DEFINE(client_token_row, TOKEN_ROW);

/* Whom a token may be for. */
#define TOKEN_PERSON(F, T) \
	F(T, ID,  id, .arg = "usr_") \
	F(T, STR, name) \
	F(T, STR, email)
SHAPE_DECLARE(token_person, TOKEN_PERSON);
SHAPE_DEFINE(token_person, TOKEN_PERSON);

#define CLIENT_TOKENS_PAGE(F, T) \
	CLIENT_PAGE(F, T) \
	F(T, STR,  token,   .doc = "A new one, to be shown once") \
	F(T, BOOL, held,    .doc = "There are some") \
	F(T, LIST, tokens,  .sub = &client_token_row_shape) \
	F(T, STR,  next) \
	F(T, BOOL, peopled) \
	F(T, LIST, people,  .sub = &token_person_shape)
SHAPE_DECLARE(client_tokens_page, CLIENT_TOKENS_PAGE);
SHAPE_DEFINE(client_tokens_page, CLIENT_TOKENS_PAGE);

static struct client_token_row
token_row_of(struct ctx *c, const struct client_token *t)
{
	struct strs scopes = scope_words(c->mem, t->scope_bits);
	bool over = t->expires_at && t->expires_at <= c->now;

	return (struct client_token_row){ .id = t->id,
		.user_id = t->user_id,
		.name = t->name ? t->name : mem_printf(c->mem, "Token of %s", t->whose),
		.whose = t->whose,
		.hint = t->hint,
		.can = ws_page_scopes(c, &scopes),
		.created_at = t->created_at,
		.last_used_at = t->last_used_at,
		.expires_at = t->expires_at,
		.state = t->revoked_at ? "revoked" : over ? "expired" : "live" };
}

/* token: a new one, or NULL. */
static enum err
tokens_reply(struct req *r, const struct sharee *s, const char *cursor, const char *token)
{
	struct client_tokens_page page = { CLIENT_PAGE_OF(r, s, "Tokens", "tokens"),
		.token = token };
	struct sharee_member_list people;
	struct client_token_list rows;
	const char *next, *more;

	TRY(client_tokens(r->c, s->id,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = cursor }, &rows, &next));
	page.tokens = list_made(r->c->mem, &rows, t, token_row_of(r->c, t));
	page.held = rows.n > 0;
	page.next = token ? NULL : req_next(r, next, NEXT_WITHOUT);
	TRY(sharee_member_list(
	    r->c, s, &(struct page_query){ .limit = PAGE_MAX }, &people, &more));
	page.people = list_made(r->c->mem, &people, m,
	    (struct token_person){ .id = m->id, .name = m->name, .email = m->email });
	page.peopled = people.n > 0;
	return reply_page(r, 0, &page);
}

static enum err
h_client_tokens(struct req *r)
{
	const struct tab_query *q = r->query;
	struct sharee *s;

	TRY(client_here(r, &s));
	return s ? tokens_reply(r, s, q->cursor, NULL) : E_OK;
}

#define CLIENT_TOKEN_FORM(F, T) \
	F(T, ID,   user_id, .flags = F_REQ, .arg = "usr_") \
	F(T, STR,  name,    .hi = 100) \
	F(T, STRS, scopes,  .hi = 3, .item = K_WORD, .arg = SHAREE_SCOPE_WORDS) \
	F(T, INT,  days,    .flags = F_REQ, .hi = TOKEN_YEARS * 365, \
		.doc = "0: it does not expire")
SHAPE_DECLARE(client_token_form, CLIENT_TOKEN_FORM);
SHAPE_DEFINE(client_token_form, CLIENT_TOKEN_FORM);

static enum err
h_client_token_make(struct req *r)
{
	const struct client_token_form *in = r->in;
	struct sharee_token_new wish = { .name = in->name && *in->name ? in->name : NULL,
		.scopes = in->scopes };
	struct sharee_member *m;
	struct sharee *s;
	const char *id, *token;

	if (!in->scopes.n)
		return fail(r->c, E_INVALID, "Choose at least one thing that the token can do");
	if (in->days) {
		wish.expires_at = r->c->now + in->days * DAY_S;
		wish.has.expires_at = GIVEN;
	}
	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(sharee_member_get(r->c, s, in->user_id, &m));
	TRY(sharee_token_add(r->c, r->ws, r->who, s, m, &wish, &id, &token));
	return tokens_reply(r, s, NULL, token);
}

#define TOKENS "/w/{ws}/clients/{shr}/tokens"
#define REVOKE "/w/{ws}/clients/{shr}/people/{ext}/tokens/{ext_tok}/revoke"
static const struct route client_token_page_routes[] = {
/*  method path           who
    body                           reply                      handler */
  { GET,  TOKENS,         WS_ADMIN,
    TAKES_NOTHING,                 GIVES_PAGE(client_tokens), h_client_tokens,
    .query = &tab_query_shape, .doc = "Tokens of a client's people" },
  { POST, TOKENS,         SHARE_ADMIN,
    TAKES_FORM(client_token_form), GIVES_PAGE(client_tokens), h_client_token_make,
    .again = TOKENS, .doc = "Create a token, which is shown once" },
  { POST, REVOKE,
    DOES("DELETE /v1/workspaces/{ws}/sharees/{shr}/members/{ext}/tokens/{ext_tok}"),
    .ask = ASK("Revoke this token?",
	"It stops working at once and for good. Its person keeps what they can open.",
	"Revoke token", TOKENS),
    .then = TOKENS "?done=revoked", .doc = "Revoke it" },
};
ROUTES(client_token_page, "Pages: clients' tokens",
    "What admins see of the tokens of a client's people in the browser.");
