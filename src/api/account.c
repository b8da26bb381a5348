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

static const struct route account_routes[] = {
/*  method path            who        body    reply     handler */
  { GET, "/v1/auth/me",   SIGNED_IN, NOBODY, FLAT(me), h_me, .scope = ANY_SCOPE, .doc = "Whose token this is, and what it may do" },
};
const struct route_list account_routes_list = ROUTES("Account", account_routes);
