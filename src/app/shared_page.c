/* SPDX-License-Identifier: Apache-2.0
 * Pages of things that are shared with a person: by workspaces that they aren’t in, each with its
 * own name and branding, with the contents of a folder and the comments on an artifact; and, below,
 * by owners of artifacts. A person who has only things of one workspace sees its branding alone. */
#include "sharing/shared.h"

#include "app/cards.h"
#include "base/conf.h"
#include "base/mime.h"
#include "base/str.h"
#include "core/branding.h"
#include "core/filename.h"
#include "core/notice.h"
#include "core/user.h"
#include "http/req.h"
#include "talk/comment_page.h"
#include "team/folder.h"

enum { GRANTS_SHOWN = PAGE_MAX, THINGS_A_PAGE = 60 };

/* ---- things, as the pages show them ---- */

#define SHARED_LOOK(F, T) \
	F(T, STR,  thing_id) \
	F(T, STR,  thing_name) \
	F(T, STR,  kind,       .doc = "Of a file, as core/filename.h has it") \
	F(T, URL,  thing_url) \
	F(T, WORD, capability, .arg = CAPABILITIES, .doc = "The most that they can do") \
	F(T, BOOL, adds,       .doc = "A folder that they can publish in") \
	F(T, BOOL, speaks,     .doc = "An artifact that they can comment on, or edit") \
	F(T, TIME, until,      .doc = "0: it doesn't end by itself") \
	F(T, TIME, changed_at)
SHAPE_DECLARE(shared_look, SHARED_LOOK);
SHAPE_DEFINE(shared_look, SHARED_LOOK);

#define SHARED_THINGS(F, T) \
	F(T, LIST, folders,   .sub = &shared_look_shape) \
	F(T, BOOL, has_folders) \
	F(T, LIST, artifacts, .sub = &shared_look_shape) \
	F(T, BOOL, has_artifacts) \
	F(T, LIST, files,     .sub = &shared_look_shape) \
	F(T, BOOL, has_files)
SHAPE_DECLARE(shared_things, SHARED_THINGS);
SHAPE_DEFINE(shared_things, SHARED_THINGS);

/* By type, with room for `most` of each. */
struct sorted {
	struct shared_look_list folder, artifact, file;
};

static void
sorted_begin(struct ctx *c, struct sorted *to, size_t most)
{
	struct shared_look_list *each[] = { &to->folder, &to->artifact, &to->file };

	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		*each[i] = (struct shared_look_list){
			mem_array(c->mem, struct shared_look, most + 1), 0
		};
}

static struct shared_look_list *
sorted_of(struct sorted *to, const char *type)
{
	return str_eq(type, "folder") ? &to->folder
	    : str_eq(type, "artifact") ? &to->artifact
				       : &to->file;
}

static struct list
list_of(const struct shared_look_list *l)
{
	return (struct list){ l->v, l->n };
}

static void
things_set(struct shared_things *out, const struct sorted *s)
{
	*out = (struct shared_things){ .folders = list_of(&s->folder),
		.has_folders = s->folder.n > 0,
		.artifacts = list_of(&s->artifact),
		.has_artifacts = s->artifact.n > 0,
		.files = list_of(&s->file),
		.has_files = s->file.n > 0 };
}

static int
capability_rank(const char *capability)
{
	static const char *const rising[] = { "view", "comment", "create", "edit" };
	int n = sizeof rising / sizeof *rising;

	while (n-- && !str_eq(rising[n], capability))
		;
	return n;
}

/* Of several grants on one thing, the one that gives the most counts. */
static void
look_gain(struct shared_look *l, const char *type, const char *capability, int64_t until)
{
	if (str_eq(capability, "create") && !str_eq(type, "folder"))
		capability = "view";
	if (capability_rank(capability) > capability_rank(l->capability)) {
		l->capability = capability;
		l->until = until;
	}
	l->adds = l->adds || (str_eq(type, "folder") && str_eq(capability, "create"));
	l->speaks = l->speaks ||
	    (str_eq(type, "artifact") && str_in(capability, "comment|edit"));
}

static struct shared_look *
look_named(const struct shared_look_list *all, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].thing_id, id))
			return &all->v[i];
	return NULL;
}

/* *into is the thing's: a new one, or what another grant of the same has made. */
static struct shared_look *
look_put(struct sorted *to, const char *type, const struct shared_look *l)
{
	struct shared_look_list *all = sorted_of(to, type);
	struct shared_look *there = look_named(all, l->thing_id);

	if (there)
		return there;
	all->v[all->n] = *l;
	return &all->v[all->n++];
}

static const char *
kind_of(const char *type, const char *name)
{
	return str_eq(type, "file") ? file_kind(mime_of(name)) : NULL;
}

/* ---- all of it ---- */

/* The things that one workspace shares. */
#define SHARED_SECTION(F, T) \
	F(T, STR,  by) \
	F(T, STR,  by_initials) \
	F(T, URL,  logo_url) \
	F(T, STR,  color) \
	F(T, STR,  clients, .doc = "That they are of, or NULL") \
	F(T, OBJ,  things,  .sub = &shared_things_shape)
SHAPE_DECLARE(shared_section, SHARED_SECTION);
SHAPE_DEFINE(shared_section, SHARED_SECTION);

#define SHARED_FRAME(F, T) \
	F(T, STR,  done) \
	F(T, OBJ,  brand,  .sub = &branding_shape, \
		.doc = "Of the one workspace that the page is of; NULL: the page is ours") \
	F(T, STR,  brand_initials) \
	F(T, STR,  report, .doc = "Where to report what a page does")

#define SHARED_PAGE(F, T) \
	SHARED_FRAME(F, T) \
	F(T, LIST, sections, .sub = &shared_section_shape) \
	F(T, BOOL, some) \
	F(T, BOOL, outside,  .doc = "Something was shared with them from outside, once") \
	F(T, STR,  more,     .doc = "Where the rest is") \
	F(T, OBJ,  list,     .sub = &cards_shape, .doc = "By owners; NULL: not shown") \
	F(T, BOOL, has_cards) \
	F(T, BOOL, searches, .doc = "These can be searched")
SHAPE_DECLARE(shared_page, SHARED_PAGE);
SHAPE_DEFINE(shared_page, SHARED_PAGE);

#define SHARED_QUERY(F, T) \
	CARD_QUERY(F, T) \
	F(T, STR, from, .hi = 100, .doc = "Of what workspaces share")
SHAPE_DECLARE(shared_query, SHARED_QUERY);
SHAPE_DEFINE(shared_query, SHARED_QUERY);

/* Fills a section with the consecutive rows of one workspace. */
static void
section_fill(struct ctx *c, const struct shared *rows, size_t n, struct shared_section *out)
{
	const struct shared_workspace *w = rows->workspace;
	const char **clients = mem_array(c->mem, const char *, n + 1);
	struct shared_things *things = mem_new(c->mem, struct shared_things);
	struct sorted sorted;
	size_t client_n = 0;

	sorted_begin(c, &sorted, n);
	for (size_t i = 0; i < n; i++) {
		const struct shared *s = &rows[i];
		size_t k = 0;

		look_gain(look_put(&sorted, s->resource_type,
			      &(struct shared_look){ .thing_id = s->resource_id,
				  .thing_name = s->resource_name,
				  .kind = kind_of(s->resource_type, s->resource_name),
				  .thing_url = s->url,
				  .changed_at = s->updated_at }),
		    s->resource_type, s->capability, s->expires_at);
		while (k < client_n && !str_eq(clients[k], s->client))
			k++;
		if (k == client_n && s->client)
			clients[client_n++] = s->client;
	}
	things_set(things, &sorted);
	*out = (struct shared_section){ .by = w->name,
		.by_initials = page_initials(c->mem, w->name),
		.logo_url = w->logo_url,
		.color = w->color,
		.clients = client_n ? str_some(c->mem, clients, client_n) : NULL,
		.things = things };
}

static struct list
sections_of(struct ctx *c, const struct shared_list *rows)
{
	struct shared_section *all = mem_array(c->mem, struct shared_section, rows->n + 1);
	size_t n = 0, from = 0;

	for (size_t i = 1; i <= rows->n; i++) {
		if (i < rows->n && str_eq(rows->v[i].workspace_id, rows->v[from].workspace_id))
			continue;
		section_fill(c, &rows->v[from], i - from, &all[n++]);
		from = i;
	}
	return (struct list){ all, n };
}

static enum err
brand_read(struct req *r, const char *workspace_id, void **brand, const char **initials,
    const char **report)
{
	const char *terms = r->c->conf->terms_url;
	struct branding *b;

	TRY(branding_get(r->c, workspace_id, &b));
	*brand = b;
	*initials = page_initials(r->c->mem, b->name);
	*report = str_eq(terms, "-") ? NULL : terms;
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
	page->sections = sections_of(r->c, &rows);
	page->some = rows.n > 0;
	page->more = next ? req_with(r, "from", next, "from|done") : NULL;
	if (page->sections.n != 1)
		return E_OK;
	TRY(user_is_only_outside(r->c, r->who->user_id, &alone));
	return alone ? brand_read(r, rows.v->workspace_id, &page->brand, &page->brand_initials,
			   &page->report)
		     : E_OK;
}

static enum err
owners_reply(struct req *r, const struct card_query *q, struct shared_page *page)
{
	const struct cards *list;

	TRY(cards_list(r, q, &(struct artifact_query){ .owner = "shared" }, &page->list));
	list = page->list;
	page->has_cards = list->cards.n > 0;
	page->searches = page->has_cards || list->narrowed || !page->some;
	return reply_page(r, 0, page);
}

static enum err
h_shared(struct req *r)
{
	const struct shared_query *q = r->query;
	struct shared_page page = { .done = notice_text(r->c, q->done) };
	const struct card_query cards = { .q = q->q,
		.visibility = q->visibility,
		.favorite = q->favorite,
		.cursor = q->cursor };

	TRY(outside_part(r, q, &page));
	return page.brand ? reply_page(r, 0, &page) : owners_reply(r, &cards, &page);
}

/* ---- a folder ---- */

#define SHARED_FOLDER_PAGE(F, T) \
	SHARED_FRAME(F, T) \
	F(T, ID,   here_id,     .arg = "fld_") \
	F(T, STR,  here_name) \
	F(T, ID,   above_id,    .arg = "fld_", .doc = "NULL: they don't have that") \
	F(T, STR,  above_name) \
	F(T, WORD, capability,  .arg = CAPABILITIES) \
	F(T, BOOL, adds) \
	F(T, OBJ,  things,      .sub = &shared_things_shape) \
	F(T, BOOL, some) \
	F(T, STR,  next)
SHAPE_DECLARE(shared_folder_page, SHARED_FOLDER_PAGE);
SHAPE_DEFINE(shared_folder_page, SHARED_FOLDER_PAGE);

#define SHARED_FOLDER_QUERY(F, T) \
	F(T, STR, cursor, .hi = 40) \
	F(T, STR, done,   .hi = 40)
SHAPE_DECLARE(shared_folder_query, SHARED_FOLDER_QUERY);
SHAPE_DEFINE(shared_folder_query, SHARED_FOLDER_QUERY);

/* The most that they can do with what is in it. */
static const char *
capability_in(const struct shared_folder *f)
{
	return f->can_edit ? "edit" : f->can_comment ? "comment" : "view";
}

/* Reads the caller’s grants on the folder, on folders above it, and on each thing in it, such as
 * things that they made. */
static enum err
items_look(struct req *r, const struct shared_folder *f, struct shared_things *out)
{
	const struct shared_item *item = f->items.v;
	struct shared_list grants;
	struct sorted sorted;
	const char *next;

	TRY(shared_list(
	    r->c, r->who, &(struct page_query){ .limit = GRANTS_SHOWN }, &grants, &next));
	sorted_begin(r->c, &sorted, f->items.n);
	for (size_t i = 0; i < f->items.n; i++) {
		const char *type = item[i].resource_type;
		struct shared_look *l = look_put(&sorted, type,
		    &(struct shared_look){ .thing_id = item[i].resource_id,
			.thing_name = item[i].resource_name,
			.kind = kind_of(type, item[i].resource_name),
			.thing_url = item[i].url,
			.changed_at = item[i].updated_at });

		look_gain(l, type, capability_in(f), 0);
		if (f->can_create)
			look_gain(l, type, "create", 0);
		for (size_t k = 0; k < grants.n; k++)
			if (str_eq(grants.v[k].resource_id, l->thing_id))
				look_gain(l, type, grants.v[k].capability,
				    grants.v[k].expires_at);
	}
	things_set(out, &sorted);
	return E_OK;
}

/* Only what they have is named. */
static enum err
above_read(struct req *r, const char *parent_id, struct shared_folder_page *page)
{
	struct folder_step_list way;

	page->above_id = parent_id;
	if (!parent_id)
		return E_OK;
	TRY(folder_way(r->c, parent_id, &way));
	page->above_name = way.n ? way.v[way.n - 1].folder_name : "…";
	return E_OK;
}

static enum err
h_shared_folder(struct req *r)
{
	const struct shared_folder_query *q = r->query;
	struct shared_folder_page page = { .done = notice_text(r->c, q->done) };
	struct shared_things *things = page.things = mem_new(r->c->mem, struct shared_things);
	const struct shared_workspace *w;
	struct shared_folder f;

	TRY(shared_folder_get(r->c, r->who, req_param(r, "shared_fld"),
	    &(struct page_query){ .limit = THINGS_A_PAGE, .cursor = q->cursor }, &f));
	w = f.workspace;
	TRY(items_look(r, &f, things));
	TRY(above_read(r, f.parent_id, &page));
	TRY(brand_read(r, w->id, &page.brand, &page.brand_initials, &page.report));
	page.here_id = f.id;
	page.here_name = f.name;
	page.capability = f.can_create && !f.can_edit ? "create" : capability_in(&f);
	page.adds = f.can_create;
	page.some = f.items.n > 0;
	page.next = req_next(r, f.next_cursor, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- an artifact ---- */

#define SHARED_ARTIFACT_PAGE(F, T) \
	SHARED_FRAME(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, URL,  artifact_url) \
	F(T, WORD, capability,  .arg = CAPABILITIES) \
	F(T, BOOL, edits,       .doc = "They can publish versions") \
	F(T, TIME, changed_at) \
	F(T, OBJ,  talk,        .sub = &comments_part_shape, .doc = "NULL: not for them")
SHAPE_DECLARE(shared_artifact_page, SHARED_ARTIFACT_PAGE);
SHAPE_DEFINE(shared_artifact_page, SHARED_ARTIFACT_PAGE);

static const char *
shared_artifact_path(const struct req *r)
{
	return mem_printf(r->c->mem, "/shared/artifacts/%s", r->art->id);
}

/* A caller with a role on the artifact is sent to its own pages. */
static enum err
h_shared_artifact(struct req *r)
{
	const struct comments_query *q = r->query;
	const struct artifact *a = r->art;
	const char *at = shared_artifact_path(r);
	struct shared_artifact_page page = { .done = notice_text(r->c, q->done),
		.artifact_id = a->id,
		.artifact_name = a->name,
		.artifact_url = a->url,
		.capability = a->capability,
		.edits = a->can_edit,
		.changed_at = a->updated_at };

	if (a->role)
		return reply_redirect(r, mem_printf(r->c->mem, "/a/%s/comments", a->id));
	TRY(brand_read(
	    r, a->workspace_id, &page.brand, &page.brand_initials, &page.report));
	if (a->can_comment)
		TRY(comments_part_read(r, at, mem_printf(r->c->mem, "%s/comments", at),
		    NAMES_ONLY, &page.talk));
	return reply_page(r, 0, &page);
}

static enum err
comment_find_shared(struct req *r, struct shown *out)
{
	return comment_find(r, NAMES_ONLY, out);
}

#define SHARED_ART "/shared/artifacts/{art}"
static const struct route shared_page_routes[] = {
/*  method path                                  who
    body                   reply                       handler */
  { GET,  "/shared",                             SESSION,
    TAKES_NOTHING,         GIVES_PAGE(shared),         h_shared,
    .query = &shared_query_shape, .doc = "What others share with you" },
  { GET,  "/shared/folders/{shared_fld}",        SESSION,
    TAKES_NOTHING,         GIVES_PAGE(shared_folder),  h_shared_folder,
    .query = &shared_folder_query_shape,
    .doc = "What lies in a folder that is shared with you" },
  { GET,  SHARED_ART,                            ART_GIVEN,
    TAKES_NOTHING,         GIVES_PAGE(shared_artifact), h_shared_artifact,
    .query = &comments_query_shape,
    .doc = "An artifact that is shared with you, and what people say about it" },
  { POST, SHARED_ART "/comments", DOES("POST /v1/artifacts/{art}/comments"),
    .then = SHARED_ART "#{id}", .again = SHARED_ART, .doc = "Add a comment" },
  { POST, SHARED_ART "/comments/{cmt}", DOES("PATCH /v1/artifacts/{art}/comments/{cmt}"),
    .then = SHARED_ART "#{cmt}", .again = SHARED_ART, .doc = "Change a comment of yours" },
  { POST, SHARED_ART "/comments/{cmt}/delete",
    DOES("DELETE /v1/artifacts/{art}/comments/{cmt}"),
    .ask = ASK(COMMENT_DELETE, SHARED_ART "#{cmt}", .find = comment_find_shared,
	.url = "{url}", .who = ART_DISCUSS),
    .then = SHARED_ART "?done=comment_deleted",
    .doc = "Delete a comment of yours" },
};
ROUTES(shared_page, "Pages: shared with you",
    "What people see in the browser of what others share with them.");
