/* SPDX-License-Identifier: Apache-2.0
 * The page of the tokens of a client's people, of which a new one is shown once. */
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/client_page.h"
#include "sharing/sharee_token.h"

#define CLIENT_TOKENS_PAGE(F, T) \
	CLIENT_TOP(F, T) \
	F(T, LIST, tokens,      .sub = &client_token_shape) \
	F(T, STR,  tokens_next)
SHAPE(client_tokens_page, CLIENT_TOKENS_PAGE);

static enum err
h_client_tokens(struct req *r)
{
	const struct tab_query *q = r->query;
	struct client_tokens_page page;
	struct client_token_list rows;
	struct sharee *s;
	const char *next;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(client_tokens(r->c, s->id,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = q->cursor }, &rows, &next));
	for (size_t i = 0; i < rows.n; i++)
		rows.v[i].scopes = scope_words(r->c->mem, rows.v[i].scope_bits);
	page = (struct client_tokens_page){ CLIENT_TOP_OF(r, s),
		.tokens = { rows.v, rows.n },
		.tokens_next = r->made ? NULL : req_next(r, next, NEXT_WITHOUT) };
	return reply_page(r, 0, &page);
}

#define MEMBERS "/v1/workspaces/{ws}/sharees/{shr}/members"
#define TOKENS "/w/{ws}/clients/{shr}/tokens"
#define REVOKE "/w/{ws}/clients/{shr}/people/{ext}/tokens/{ext_tok}/revoke"
static const struct route client_token_page_routes[] = {
  { PAGE(TOKENS, WS_ADMIN, client_tokens, h_client_tokens),
    .shows = SHOWS({ "people", "GET " MEMBERS "?limit=200" }), .title = "Tokens",
    .query = &tab_query_shape, .doc = "Tokens of a client's people" },
  { POST, TOKENS, DOES("POST " MEMBERS "/{ext}/tokens"), .stays = TOKENS, .again = TOKENS,
    .doc = "Create a token for external_user_id, which is shown once" },
  { POST, REVOKE,
    DOES("DELETE " MEMBERS "/{ext}/tokens/{ext_tok}"),
    .ask = ASK("Revoke this token?",
	"It stops working at once and for good. Its person keeps what they can open.",
	"Revoke token", TOKENS),
    .then = TOKENS "?done=revoked", .doc = "Revoke it" },
};
ROUTES(client_token_page, "Pages: clients' tokens",
    "What admins see of the tokens of a client's people in the browser.");
