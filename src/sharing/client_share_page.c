/* SPDX-License-Identifier: Apache-2.0
 * The page on which something is chosen to be shared with a client: a folder, an artifact, or a
 * file, each in a form of its own. */
#include "base/str.h"
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/client_page.h"

#define CLIENT_SHARE_PAGE(F, T) \
	CLIENT_TOP(F, T) \
	F(T, LIST, things,   .sub = &share_choice_shape) \
	F(T, BOOL, cut,      .doc = "There are more than are shown")
SHAPE(client_share_page, CLIENT_SHARE_PAGE);

static enum err
h_client_share(struct req *r)
{
	const struct list_query *query = r->query;
	struct share_choices *found = mem_new(r->c->mem, struct share_choices);
	struct client_share_page page;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(client_choices(r->c, r->ws, r->who, s, str_given(query->q), found));
	page = (struct client_share_page){ CLIENT_TOP_OF(r, s),
		.things = { found->v, found->n },
		.cut = found->cut };
	return reply_page(r, 0, &page);
}

#define CLIENT "/w/{ws}/clients/{shr}"
#define SHARE(a, type, id) \
  { POST, CLIENT "/share/" type "/{" id "}", DOES("POST /v1/workspaces/{ws}/grants"), \
    .with = "subject_type=sharee&subject_id={shr}&resource_type=" type \
	    "&resource_id={" id "}", \
    .then = CLIENT "?done=shared_with_client", .again = CLIENT "/share", \
    .doc = "Share " a " " type " with it" }
static const struct route client_share_page_routes[] = {
  { PAGE(CLIENT "/share", WS_ADMIN, client_share, h_client_share), .title = "Share",
    .query = &list_query_shape, .doc = "What may be shared with a client" },
  SHARE("a", "folder", "fld"),
  SHARE("an", "artifact", "art"),
  SHARE("a", "file", "dlv"),
};
ROUTES(client_share_page, "Pages: sharing with clients",
    "How admins share something with a client in the browser.");
