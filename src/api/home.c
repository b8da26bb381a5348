/* SPDX-License-Identifier: Apache-2.0
 * The page that the service's address opens: what it is for strangers, else the artifacts of who is
 * signed in; and its siblings, what is shared with them and their trash. */
#include "api/notice.h"
#include "api/tables.h"
#include "base/conf.h"
#include "base/str.h"

#define HOME_QUERY(F, T) \
	F(T, STR,  q,          .hi = 200) \
	F(T, STR,  visibility, .hi = 20) \
	F(T, BOOL, favorite) \
	F(T, STR,  cursor,     .hi = 200) \
	F(T, STR,  done,       .hi = 40)
SHAPE_DECLARE(home_query, HOME_QUERY);
SHAPE_DEFINE(home_query, HOME_QUERY);

#define HOME_PAGE(F, T) \
	F(T, STR,  heading) \
	F(T, STR,  done) \
	F(T, BOOL, can_publish) \
	F(T, BOOL, searchable) \
	F(T, BOOL, narrowed, .doc = "By what was searched for") \
	F(T, STR,  q) \
	F(T, STR,  visibility) \
	F(T, BOOL, favorite) \
	F(T, INT,  trash_days) \
	F(T, LIST, artifacts, .sub = &artifact_shape) \
	F(T, STR,  next, .doc = "Address of the next page, or NULL")
SHAPE_DECLARE(home_page, HOME_PAGE);
SHAPE_DEFINE(home_page, HOME_PAGE);

enum { CARDS = 24 };

/* The list as asked for, on a page which has its heading already. */
static enum err
home_reply(struct req *r, struct home_page *page, const struct artifact_query *which)
{
	const struct home_query *q = r->query;
	struct artifact_query ask = *which;
	const char *cursor;

	ask.q = q->q && *q->q ? q->q : NULL;
	ask.visibility =
	    q->visibility && str_in(q->visibility, VISIBILITIES) ? q->visibility : NULL;
	ask.favorite = q->favorite;
	ask.cursor = q->cursor;
	ask.limit = CARDS;
	TRY(artifact_list(r->c, r->who, &ask, &page->artifacts, &cursor));
	page->q = ask.q;
	page->visibility = ask.visibility;
	page->favorite = ask.favorite;
	page->narrowed = ask.q || ask.visibility || ask.favorite;
	page->next = req_next(r, cursor, NEXT_WITHOUT);
	page->done = notice_text(q->done);
	page->trash_days = r->c->conf->trash_days;
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
h_shared(struct req *r)
{
	return home_reply(r, &(struct home_page){ .heading = "Shared with me", .searchable = true },
	    &(struct artifact_query){ .owner = "shared" });
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
    .query = &home_query_shape, .doc = "Your artifacts; for strangers, what the service is" },
  { GET,   "/shared", SESSION, TAKES_NOTHING, GIVES_PAGE(home), h_shared,
    .query = &home_query_shape, .doc = "What others share with you" },
  { GET,   "/trash",  SESSION, TAKES_NOTHING, GIVES_PAGE(home), h_trash,
    .query = &home_query_shape, .doc = "What you have deleted" },
};
const struct route_list home_routes_list = ROUTES("Pages: home", home_routes,
    "What people see first in the browser.");
