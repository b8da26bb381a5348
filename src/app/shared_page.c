/* SPDX-License-Identifier: Apache-2.0
 * Pages of things that are shared with a person. First by workspaces that they aren’t in, each with
 * its name and branding, with the contents of folders and the comments on artifacts; below by
 * owners of artifacts. A person who has only things of one workspace sees its branding alone. */
#include "sharing/shared_things.h"

#include "app/cards.h"
#include "core/artifact_top_page.h"
#include "core/branding.h"
#include "core/user.h"
#include "talk/comment_page.h"
#include "team/folder.h"

enum { GRANTS_SHOWN = PAGE_MAX, THINGS_A_PAGE = 60 };

/* ---- the whole page ---- */

#define SHARED_PAGE(F, T) \
	F(T, OBJ,  brand,    .sub = &branding_shape, \
		.doc = "Of the one workspace that the page is of; NULL: the page is ours") \
	F(T, LIST, sections, .sub = &shared_section_shape) \
	F(T, BOOL, outside,  .doc = "Something was shared with them from outside, once") \
	F(T, STR,  more,     .doc = "Where the rest is") \
	F(T, OBJ,  list,     .sub = &cards_shape, .doc = "By owners; NULL: not shown") \
	F(T, BOOL, searches, .doc = "These can be searched")
SHAPE(shared_page, SHARED_PAGE);

#define SHARED_QUERY(F, T) \
	CARD_QUERY(F, T) \
	F(T, STR, from, .hi = 100, .doc = "Of what workspaces share")
SHAPE(shared_query, SHARED_QUERY);

static enum err
brand_read(struct req *r, const char *workspace_id, void **brand)
{
	struct branding *b;

	TRY(branding_get(r->c, workspace_id, &b));
	*brand = b;
	return E_OK;
}

static enum err
outside_part(struct req *r, const struct shared_query *q, struct shared_page *page)
{
	struct shared_list rows;
	const char *next;
	bool alone;

	page->outside = r->who->outside;
	if (!r->who->outside)
		return E_OK;
	TRY(shared_list(r->c, r->who,
	    &(struct page_query){ .limit = GRANTS_SHOWN, .cursor = q->from }, &rows, &next));
	page->sections = shared_sections(r->c, &rows);
	page->more = next ? req_with(r, "from", next, "from|done") : NULL;
	if (page->sections.n != 1)
		return E_OK;
	TRY(user_is_only_outside(r->c, r->who->user_id, &alone));
	return alone ? brand_read(r, rows.v->workspace_id, &page->brand) : E_OK;
}

static enum err
owners_reply(struct req *r, const struct card_query *q, struct shared_page *page)
{
	const struct cards *list;

	TRY(cards_list(r, q, &(struct artifact_query){ .owner = "shared" }, &page->list));
	list = page->list;
	page->searches = list->cards.n || list->narrowed || !page->sections.n;
	return reply_page(r, 0, page);
}

static enum err
h_shared(struct req *r)
{
	const struct shared_query *q = r->query;
	struct shared_page page = { 0 };
	const struct card_query cards = { .q = q->q,
		.visibility = q->visibility,
		.favorite = q->favorite,
		.cursor = q->cursor };

	TRY(outside_part(r, q, &page));
	return page.brand ? reply_page(r, 0, &page) : owners_reply(r, &cards, &page);
}

/* ---- a folder ---- */

/* The pages of a folder and of an artifact share this shape. An artifact has only `talk`. */
#define SHARED_THING_PAGE(F, T) \
	F(T, OBJ,  brand,      .sub = &branding_shape) \
	F(T, OBJ,  folder,     .sub = &shared_folder_shape) \
	F(T, STR,  above_name) \
	F(T, WORD, capability, .arg = CAPABILITIES) \
	F(T, OBJ,  things,     .sub = &shared_things_shape) \
	F(T, STR,  next) \
	F(T, OBJ,  talk,       .sub = &comments_part_shape, .doc = "NULL: not for them")
SHAPE(shared_thing_page, SHARED_THING_PAGE);

static enum err
h_shared_folder(struct req *r)
{
	const struct tab_query *q = r->query;
	struct shared_things *things = mem_new(r->c->mem, struct shared_things);
	struct shared_folder *f = mem_new(r->c->mem, struct shared_folder);
	struct shared_thing_page page = { .folder = f, .things = things };
	const struct shared_workspace *w;
	struct shared_list grants;
	const char *next;

	TRY(shared_folder_get(r->c, r->who, req_param(r, "shared_fld"),
	    &(struct page_query){ .limit = THINGS_A_PAGE, .cursor = q->cursor }, f));
	w = f->workspace;
	TRY(shared_list(
	    r->c, r->who, &(struct page_query){ .limit = GRANTS_SHOWN }, &grants, &next));
	shared_items(r->c, f, &grants, things);
	TRY(folder_above(r->c, f->parent_id, &page.above_name));
	TRY(brand_read(r, w->id, &page.brand));
	page.capability = f->can_create && !f->can_edit ? "create" : shared_capability(f);
	page.next = req_next(r, f->next_cursor, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- an artifact ---- */

/* Redirects a caller with a role on the artifact to its own pages. */
static enum err
h_shared_artifact(struct req *r)
{
	const struct artifact *a = r->art;
	struct shared_thing_page page = { 0 };

	if (a->role)
		return reply_go(r, "/a/%s/comments", a->id);
	TRY(brand_read(r, a->workspace_id, &page.brand));
	if (a->can_comment)
		TRY(comments_part_read(r, 0, &page.talk));
	return reply_page(r, 0, &page);
}

#define SHARED_ART "/shared/artifacts/{art}"
static const struct route shared_page_routes[] = {
  { PAGE("/shared", SESSION, shared, h_shared), .query = &shared_query_shape,
    .doc = "What others share with you" },
  { PAGE_OF("/shared/folders/{shared_fld}", SESSION, "shared_folder", &shared_thing_page_shape,
	h_shared_folder),
    .query = &tab_query_shape, .doc = "What lies in a folder that is shared with you" },
  { PAGE_OF(SHARED_ART, ART_GIVEN, "shared_artifact", &shared_thing_page_shape,
	h_shared_artifact),
    .shows = SHOWS({ "reviews", SHOW_MAY "GET /v1/artifacts/{art}/reviews?limit=1" }),
    .query = &comments_query_shape,
    .doc = "An artifact that is shared with you, and what people say about it" },
  { POST, SHARED_ART "/comments", DOES("POST /v1/artifacts/{art}/comments"),
    .then = SHARED_ART "#{id}", .again = SHARED_ART, .doc = "Add a comment" },
  { POST, SHARED_ART "/comments/{cmt}", DOES("PATCH /v1/artifacts/{art}/comments/{cmt}"),
    .then = SHARED_ART "?state={state}#{cmt}", .again = SHARED_ART,
    .doc = "Change a comment of yours, or the state of its thread" },
  { POST, SHARED_ART "/comments/{cmt}/delete",
    DOES("DELETE /v1/artifacts/{art}/comments/{cmt}"),
    .ask = ASK(COMMENT_DELETE, SHARED_ART "#{cmt}", .find = comment_find,
	.url = "{url}", .who = ART_DISCUSS),
    .then = SHARED_ART "?done=comment_deleted",
    .doc = "Delete a comment of yours" },
};
ROUTES(shared_page, "Pages: shared with you",
    "What people see in the browser of what others share with them.");
