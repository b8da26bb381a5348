/* SPDX-License-Identifier: Apache-2.0
 * The page of the tokens of a client's people, of which a new one is shown once. */
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/client_page.h"
#include "sharing/sharee_token.h"

static enum err
tokens_find(struct req *r, struct shown *out)
{
	const struct tab_query *q = r->query;
	struct client_token_list rows;
	const char *next;

	TRY(client_tokens(r->c, req_param(r, "shr"),
	    &(struct page_query){ .limit = WS_ROWS, .cursor = q->cursor }, &rows, &next));
	for (size_t i = 0; i < rows.n; i++)
		rows.v[i].scopes = scope_words(r->c->mem, rows.v[i].scope_bits);
	*out = (struct shown){ .rows = { rows.v, rows.n }, .cursor = r->made ? NULL : next };
	return E_OK;
}

#define MEMBERS "/v1/workspaces/{ws}/sharees/{shr}/members"
#define TOKENS "/w/{ws}/clients/{shr}/tokens"
#define REVOKE "/w/{ws}/clients/{shr}/people/{ext}/tokens/{ext_tok}/revoke"
static const struct route client_token_page_routes[] = {
  { PAGE_OF(TOKENS, WS_ADMIN, "client_tokens", &client_top_shape, client_shows),
    .shows = SHOWS({ "people", "GET " MEMBERS "?limit=200" },
	{ "tokens", .find = tokens_find, .rows_of = &client_token_shape }), .title = "Tokens",
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
