/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cards.h"

#include "base/str.h"
#include "core/artifact.h"
#include "core/workspace.h"
#include "site/stats.h"
#include "team/folder.h"

SHAPE_DEFINE(card_query, CARD_QUERY);
SHAPE_DEFINE(card, CARD);
SHAPE_DEFINE(cards, CARDS);

enum { CARDS_A_PAGE = 24, VIEWS_OF_DAYS = 30 };

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

/* A search in the whole workspace shows the folder of each result. */
static enum err
cards_place(struct ctx *c, const struct list *found)
{
	struct card *cards = found->v;
	const char **ids = mem_array(c->mem, const char *, found->n + 1),
		   **paths = mem_array(c->mem, const char *, found->n + 1);

	for (size_t i = 0; i < found->n; i++)
		ids[i] = ((struct artifact *)cards[i].art)->folder_id;
	TRY(folder_paths(c, ids, found->n, paths));
	for (size_t i = 0; i < found->n; i++)
		cards[i].lies_in = paths[i];
	return E_OK;
}

enum err
cards_list(struct req *r, const struct card_query *q, const struct artifact_query *which,
    void **out)
{
	struct cards *page = *out = mem_new(r->c->mem, struct cards);
	struct artifact_query ask = *which;
	bool governs = r->ws && member_rank(r->ws->role) >= MEMBER_ADMIN;
	struct card *cards;
	struct list found;
	const char *cursor;

	ask.q = str_given(q->q);
	ask.visibility =
	    q->visibility && str_in(q->visibility, VISIBILITIES) ? q->visibility : NULL;
	ask.favorite = q->favorite;
	ask.cursor = q->cursor;
	ask.limit = CARDS_A_PAGE;
	TRY(artifact_list(r->c, r->who, &ask, &found, &cursor));
	TRY(cards_make(r->c, &found, &page->cards));
	cards = page->cards.v;
	for (size_t i = 0; r->ws && i < page->cards.n; i++) {
		cards[i].may_move =
		    governs || role_rank(((struct artifact *)cards[i].art)->role) >= ROLE_EDITOR;
		page->movable = page->movable || cards[i].may_move;
	}
	if (r->ws && !which->folder_id)
		TRY(cards_place(r->c, &page->cards));
	page->view_days = VIEWS_OF_DAYS;
	page->q = ask.q;
	page->visibility = ask.visibility;
	page->favorite = ask.favorite;
	page->narrowed = ask.q || ask.visibility || ask.favorite;
	page->next = req_next(r, cursor, NEXT_WITHOUT);
	return E_OK;
}
