/* SPDX-License-Identifier: Apache-2.0
 * A client's people, and their tokens. Source: interface, "External sharing". */
#include "http/req.h"
#include "sharing/sharee_token.h"

static enum err
h_sharee_member_list(struct req *r)
{
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	return reply_list_of(r, struct sharee_member_list, sharee_member_list, s, r->query);
}

static enum err
h_sharee_member_add(struct req *r)
{
	const struct sharee_member_new *in = r->in;
	struct sharee_member *m;
	struct sharee *s;
	bool made;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(sharee_member_add(r->c, r->ws, r->who, s, in->email, &m, &made));
	TRY(reply_noun(r, m));
	if (made)
		reply_status(r, 201);
	return E_OK;
}

static enum err
h_sharee_member_remove(struct req *r)
{
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(sharee_member_remove(r->c, r->ws, r->who, s, req_param(r, "ext")));
	return reply_none(r);
}

/* ---- their tokens ---- */

static enum err
named_find(struct req *r, struct sharee **s, struct sharee_member **m)
{
	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), s));
	return sharee_member_get(r->c, *s, req_param(r, "ext"), m);
}

static enum err
h_sharee_token_list(struct req *r)
{
	struct sharee_member *m;
	struct sharee *s;

	TRY(named_find(r, &s, &m));
	return reply_list_of(
	    r, struct sharee_token_list, sharee_token_list, s, m, r->query);
}

#define SHAREE_TOKEN_MADE(F, T) \
	F(T, STR,  token,      .doc = "The token's value, shown only once", .eg = "\"sot_...\"") \
	F(T, BOOL, shown_once) \
	F(T, ID,   token_id,   .arg = "tok_")
SHAPE(sharee_token_made, SHAREE_TOKEN_MADE);

static enum err
h_sharee_token_add(struct req *r)
{
	struct sharee_token_made made = { .shown_once = true };
	struct sharee_member *m;
	struct sharee *s;

	TRY(named_find(r, &s, &m));
	TRY(sharee_token_add(
	    r->c, r->ws, r->who, s, m, r->in, &made.token_id, &made.token));
	return reply_flat(r, &made);
}

static enum err
h_sharee_token_revoke(struct req *r)
{
	struct sharee_member *m;
	struct sharee *s;

	TRY(named_find(r, &s, &m));
	TRY(sharee_token_revoke(r->c, r->ws, r->who, s, m, req_param(r, "ext_tok")));
	return reply_none(r);
}

#define MEMBERS "/v1/workspaces/{ws}/sharees/{shr}/members"
static const struct route sharee_member_routes[] = {
/*  method  path                                     who
    body                      reply                                      handler */
  { GET,    MEMBERS,                                 SHARE_ADMIN,
    TAKES_NOTHING,            GIVES_LIST("members", sharee_member),      h_sharee_member_list,
    .query = &page_query_shape, .doc = "List a client's people" },
  { POST,   MEMBERS,                                 SHARE_ADMIN,
    TAKES(sharee_member_new), GIVES("member", sharee_member),            h_sharee_member_add,
    .makes = true, .whole = true, .opens = "unlisted",
    .doc = "Invite somebody into a client, whether or not they have an account" },
  { DELETE, MEMBERS "/{ext}",                        SHARE_ADMIN,
    TAKES_NOTHING,            GIVES_NOTHING,                             h_sharee_member_remove,
    .doc = "Remove somebody from this client; their tokens for it stop working at once" },
  { GET,    MEMBERS "/{ext}/tokens",                 SHARE_ADMIN,
    TAKES_NOTHING,            GIVES_LIST("tokens", sharee_token),        h_sharee_token_list,
    .query = &page_query_shape,
    .doc = "List the tokens made for somebody in this client, newest first; "
	   "their values are never shown" },
  { POST,   MEMBERS "/{ext}/tokens",                 SHARE_ADMIN,
    TAKES(sharee_token_new),  GIVES_FLAT(sharee_token_made),             h_sharee_token_add,
    .success = 201, .whole = true, .opens = "unlisted",
    .doc = "Create a token for a program of theirs, which is shown once; "
	   "it reaches what the client and they themselves were given here" },
  { DELETE, MEMBERS "/{ext}/tokens/{ext_tok}",       SHARE_ADMIN,
    TAKES_NOTHING,            GIVES_NOTHING,                             h_sharee_token_revoke,
    .whole = true, .doc = "Revoke such a token at once" },
};
ROUTES(sharee_member, "People of clients",
    "Who is in a client, and tokens for their programs. "
    "People outside see what was shared with them or their client, and nothing else.");
