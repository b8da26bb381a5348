/* SPDX-License-Identifier: Apache-2.0
 * The page that the service's address opens: what it is for strangers, else the artifacts of who is
 * signed in; and its siblings, what is shared with them and their trash. */
#include "api/notice.h"
#include "api/tables.h"
#include "base/conf.h"
#include "base/str.h"
#include "domain/stats.h"

#define HOME_QUERY(F, T) \
	F(T, STR,  q,          .hi = 200) \
	F(T, STR,  visibility, .hi = 20) \
	F(T, BOOL, favorite) \
	F(T, STR,  cursor,     .hi = 200) \
	F(T, STR,  done,       .hi = 40)
SHAPE_DECLARE(home_query, HOME_QUERY);
SHAPE_DEFINE(home_query, HOME_QUERY);

/* An artifact in the list. */
#define CARD(F, T) \
	F(T, OBJ, art, .sub = &artifact_shape) \
	F(T, INT, views)
SHAPE_DECLARE(card, CARD);
SHAPE_DEFINE(card, CARD);

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
	F(T, LIST, cards, .sub = &card_shape) \
	F(T, INT,  view_days) \
	F(T, STR,  next, .doc = "Address of the next page, or NULL")
SHAPE_DECLARE(home_page, HOME_PAGE);
SHAPE_DEFINE(home_page, HOME_PAGE);

enum { CARDS = 24, VIEWS_OF_DAYS = 30 };

static enum err
cards_make(struct ctx *c, const struct list *artifacts, struct list *out)
{
	size_t n = artifacts->n;
	struct card *cards = mem_array(c->mem, struct card, n + 1);
	const char **ids = mem_array(c->mem, const char *, n + 1);
	int64_t *views = mem_array(c->mem, int64_t, n + 1);
	struct artifact *a = artifacts->v;

	for (size_t i = 0; i < n; i++)
		ids[i] = a[i].id;
	TRY(stats_of(c, ids, n, VIEWS_OF_DAYS, views));
	for (size_t i = 0; i < n; i++)
		cards[i] = (struct card){ .art = &a[i], .views = views[i] };
	*out = (struct list){ cards, n };
	return E_OK;
}

/* The list as asked for, on a page which has its heading already. */
static enum err
home_reply(struct req *r, struct home_page *page, const struct artifact_query *which)
{
	const struct home_query *q = r->query;
	struct artifact_query ask = *which;
	struct list found;
	const char *cursor;

	ask.q = q->q && *q->q ? q->q : NULL;
	ask.visibility =
	    q->visibility && str_in(q->visibility, VISIBILITIES) ? q->visibility : NULL;
	ask.favorite = q->favorite;
	ask.cursor = q->cursor;
	ask.limit = CARDS;
	TRY(artifact_list(r->c, r->who, &ask, &found, &cursor));
	TRY(cards_make(r->c, &found, &page->cards));
	page->view_days = VIEWS_OF_DAYS;
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
