/* SPDX-License-Identifier: Apache-2.0
 * /v1/auth: who am I. Source: decisions, "People and access". */
#include "api/tables.h"

#define ME(F, T) \
	F(T, WORD, kind,         .arg = "user|agent|external") \
	F(T, ID,   user_id,      .arg = "usr_") \
	F(T, STR,  email) \
	F(T, STR,  name) \
	F(T, ID,   workspace_id, .flags = NUL, .arg = "wsp_") \
	F(T, JSON, scopes,       .flags = NUL, .doc = "null: everything the person may do") \
	F(T, ID,   token_id,     .arg = "tok_") \
	F(T, STR,  token_name) \
	F(T, TIME, expires_at)
SHAPE_DECLARE(me, ME);
SHAPE_DEFINE(me, ME);

static enum err
h_me(struct req *r)
{
	const struct principal *w = r->who;
	struct me out = { .kind = w->kind, .user_id = w->user_id, .email = w->email, .name = w->name, .workspace_id = w->workspace_id,
		.scopes = w->scopes, .token_id = w->token_id, .token_name = w->token_name, .expires_at = w->expires_at };

	return reply_flat(r, &out);
}

#define TOKEN_NAME(F, T) F(T, STR, name, .flags = REQ, .lo = 1, .hi = 200)
SHAPE_DECLARE(token_name, TOKEN_NAME);
SHAPE_DEFINE(token_name, TOKEN_NAME);

static enum err
h_tokens(struct req *r)
{
	struct list rows;

	TRY(token_list(r->c, r->who->user_id, &rows));
	return reply_list(r, &rows, NULL);
}

static enum err
h_token_rename(struct req *r)
{
	const struct token_name *in = r->in;
	struct token *t;

	TRY(token_rename(r->c, r->who->user_id, r->p[0], in->name));
	TRY(token_get(r->c, r->who->user_id, r->p[0], &t));
	return reply_noun(r, t);
}

static enum err
h_token_revoke(struct req *r)
{
	TRY(token_revoke(r->c, r->who->user_id, r->p[0]));
	return reply_none(r);
}

static const struct route account_routes[] = {
/*  method path            who        body    reply     handler */
  { GET, "/v1/auth/me",   SIGNED_IN, NOBODY, FLAT(me), h_me, .scope = ANY_SCOPE, .doc = "Whose token this is, and what it may do" },
  { GET,    "/v1/auth/tokens",      SIGNED_IN, NOBODY,         LIST("tokens", token), h_tokens,       .doc = "List your tokens, newest first" },
  { PATCH,  "/v1/auth/tokens/{id}", SIGNED_IN, IN(token_name), OUT("token", token),   h_token_rename, .doc = "Name one of your tokens" },
  { DELETE, "/v1/auth/tokens/{id}", SIGNED_IN, NOBODY,         NONE,                  h_token_revoke, .doc = "Revoke one of your tokens, at once" },
};
const struct route_list account_routes_list = ROUTES("Account", account_routes);
