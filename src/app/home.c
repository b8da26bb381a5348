/* SPDX-License-Identifier: Apache-2.0
 * The first page: for strangers a description of the service, for a signed-in user their artifacts;
 * and their trash. */
#include "app/cards.h"
#include "base/conf.h"
#include "core/artifact.h"
#include "core/notice.h"
#include "http/req.h"

#define HOME_PAGE(F, T) \
	F(T, STR,  heading) \
	F(T, STR,  done) \
	F(T, BOOL, can_publish) \
	F(T, BOOL, searchable) \
	F(T, OBJ,  list, .sub = &cards_shape)
SHAPE(home_page, HOME_PAGE);

/* The list for the query, on a page that has a heading already. */
static enum err
home_reply(struct req *r, struct home_page *page, const struct artifact_query *which)
{
	const struct card_query *q = r->query;

	TRY(cards_list(r, q, which, &page->list));
	page->done = notice_text(r->c, q->done);
	return reply_page(r, 0, page);
}

static enum err
h_home(struct req *r)
{
	if (!r->who || !r->who->session_id)
		return reply_page(r, 0, &(struct home_page){ .heading = "Artifacts" });
	return home_reply(r,
	    &(struct home_page){
		.heading = "Artifacts", .can_publish = true, .searchable = true },
	    &(struct artifact_query){ 0 });
}

static enum err
h_trash(struct req *r)
{
	return home_reply(r, &(struct home_page){ .heading = "Trash" },
	    &(struct artifact_query){ .deleted = true });
}

static const struct route home_routes[] = {
/*  method path       who      body           reply             handler */
  { GET,   "/",       PUBLIC,  TAKES_NOTHING, GIVES_PAGE(home), h_home,
    .query = &card_query_shape,
    .doc = "Your artifacts; for people who aren't signed in, what the service is" },
  { GET,   "/trash",  SESSION, TAKES_NOTHING, GIVES_PAGE(home), h_trash,
    .query = &card_query_shape, .doc = "Artifacts you deleted" },
};
ROUTES(home, "Pages: home",
    "What people see first in the browser.");
