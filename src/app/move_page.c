/* SPDX-License-Identifier: Apache-2.0
 * The pages that move something. A folder or an artifact into another folder, chosen from a list of
 * all or, if there are many, level by level. An artifact into a workspace, or out of one. */
#include "app/folder_page.h"
#include "app/rehome.h"
#include "assets/library_page.h"
#include "base/id.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/place.h"

enum { CHOICES = 200, LEVEL_ROWS = 50 };

/* ---- choosing a folder ---- */

#define PLACE_CHOICE(F, T) \
	F(T, ID,   folder_id, .arg = "fld_") \
	F(T, STR,  path) \
	F(T, STR,  shown,  .doc = "Whom outside the workspace it is shared with") \
	F(T, BOOL, barred, .doc = "They see what is in it, and the caller may not let them")
SHAPE(place_choice, PLACE_CHOICE);

#define MOVE_PAGE(F, T) \
	F(T, STR,  title) \
	F(T, STR,  explains) \
	F(T, BOOL, may) \
	F(T, BOOL, shows,   .doc = "And to where people outside see it") \
	F(T, STR,  shower,  .doc = "Who may do that") \
	F(T, BOOL, shared,  .doc = "One of the folders is shown to somebody outside") \
	F(T, STR,  field,   .doc = "Name of the form's") \
	F(T, ID,   moved,   .arg = "fld_", .doc = "The folder that is moved, or NULL") \
	F(T, ID,   at,      .arg = "fld_", .doc = "The folder in which it lies; NULL: the top") \
	F(T, STR,  back,    .doc = "Path of where it lies") \
	F(T, STRS, several, .doc = "Those that were chosen in a list") \
	F(T, STR,  each,    .doc = "Name of the form's field of one of these") \
	F(T, BOOL, many,    .doc = "Too many to choose from: a level is shown") \
	F(T, LIST, choices, .sub = &place_choice_shape) \
	F(T, ID,   level,   .arg = "fld_", .doc = "NULL: the top") \
	F(T, STR,  level_name) \
	F(T, STR,  level_shown, .doc = "As of a choice") \
	F(T, BOOL, level_barred) \
	F(T, BOOL, here,    .doc = "It lies in this level") \
	F(T, LIST, way,     .sub = &folder_step_shape) \
	F(T, LIST, rows,    .sub = &folder_shape) \
	F(T, STR,  next) \
	F(T, OBJ,  rehome,  .sub = &rehome_part_shape)
SHAPE(ws_move_page, MOVE_PAGE);

#define MOVE_QUERY(F, T) \
	F(T, STR,  in,     .hi = FOLDER_ID_CHARS, .doc = "Shows the folders in this one") \
	F(T, BOOL, list) \
	F(T, STR,  cursor, .hi = 8000) \
	F(T, STRS, art,    .item = K_ID, .arg = "art_", .hi = CHOSEN_MOST) \
	F(T, STRS, file,   .item = K_ID, .arg = "dlv_", .hi = CHOSEN_MOST) \
	F(T, STR,  from,   .hi = FOLDER_ID_CHARS, \
		.doc = "The folder in whose list they were chosen")
SHAPE(move_query, MOVE_QUERY);

static enum err
level_shown(struct req *r, struct ws_move_page *page)
{
	const char *both[] = { page->at, page->level };
	struct shared_with_list all;
	struct list before, after;

	TRY(shown_by(r->c, both, 2, &all));
	before = shown_of(r->c, &all, page->at);
	after = shown_of(r->c, &all, page->level);
	page->level_shown = shown_names(r->c, &after);
	page->level_barred = !page->shows && shown_more(&before, &after);
	return E_OK;
}

static enum err
level_read(struct req *r, struct ws_move_page *page)
{
	const struct move_query *q = r->query;
	const char *in = q->in && *q->in ? q->in : FOLDER_TOP, *next;
	struct folder_step_list way;
	struct folder_list found;

	TRY(folder_list(r->c, r->ws, r->who,
	    &(struct folder_query){ .parent_id = in, .limit = LEVEL_ROWS, .cursor = q->cursor },
	    &found, &next));
	page->level = str_eq(in, FOLDER_TOP) ? NULL : in;
	TRY(folder_way(r->c, page->level, &way));
	page->level_name = way.n ? way.v[way.n - 1].folder_name : r->ws->name;
	page->way = (struct list){ way.v, way.n ? way.n - 1 : 0 };
	page->next = req_next(r, next, "cursor");
	page->rows = (struct list){ found.v, found.n };
	page->here = str_eq(page->level, page->at);
	return level_shown(r, page);
}

/* Names the outsiders to whom each choice is shared. */
static enum err
choices_shown(struct req *r, struct ws_move_page *page)
{
	struct place_choice *choice = page->choices.v;
	size_t n = page->choices.n;
	const char **ids = mem_array(r->c->mem, const char *, n + 1);
	struct shared_with_list all;
	struct list before, after;

	ids[n] = page->at;
	for (size_t i = 0; i < n; i++)
		ids[i] = choice[i].folder_id;
	TRY(shown_by(r->c, ids, n + 1, &all));
	page->shared = all.n > 0;
	before = shown_of(r->c, &all, page->at);
	for (size_t i = 0; i < n && all.n; i++) {
		after = shown_of(r->c, &all, choice[i].folder_id);
		choice[i].shown = shown_names(r->c, &after);
		choice[i].barred = !page->shows && shown_more(&before, &after);
	}
	return E_OK;
}

static bool
is_library(const struct req *r)
{
	return strstr(r->route->path, "/library/") != NULL;
}

static enum err
move_reply(struct req *r, struct ws_move_page *page)
{
	struct folder_step_list all;
	bool some;

	page->back = mem_printf(r->c->mem, "%s%s%s", is_library(r) ? "/library" : "",
	    page->at ? "/folders/" : "", page->at ? page->at : "");
	if (!page->may)
		return reply_page(r, 0, page);
	TRY(folder_choices(r->c, r->ws, page->moved, CHOICES, &all, &some));
	page->many = !some;
	page->choices = list_made(r->c->mem, &all, f,
	    (struct place_choice){ .folder_id = f->folder_id, .path = f->folder_name });
	TRY(some ? choices_shown(r, page) : level_read(r, page));
	return reply_page(r, 0, page);
}

/* An empty choice means the top level. */
static enum err
place_chosen(struct req *r, const char *field, const char *chosen, const char **id)
{
	*id = str_given(chosen);
	return !*id || id_valid(*id, "fld_")
	    ? E_OK
	    : fail(r->c, E_INVALID, "%s: choose a folder", field);
}

static bool
governs(const struct req *r)
{
	return member_rank(r->ws->role) >= MEMBER_ADMIN;
}

/* ---- a folder ---- */

static enum err
h_folder_move_ask(struct req *r)
{
	struct ws_move_page page = { .may = true,
		.shows = governs(r),
		.shower = "admins",
		.field = "parent_id" };
	struct folder *f;

	TRY(folder_page_here(r, &f));
	page.title = mem_printf(r->c->mem, "Move %s", f->name);
	page.explains = "Everything in it moves with it and keeps its addresses.";
	page.moved = f->id;
	page.at = f->parent_id;
	return move_reply(r, &page);
}

/* ---- an artifact ---- */

/* Reads an artifact of the workspace that the caller may know of, as folder_take() does for a
 * folder. */
static enum err
art_here(struct req *r, const char *id, struct artifact **out)
{
	struct artifact *a;

	TRY(artifact_get(r->c, id, r->who, false, &a));
	*out = a;
	return str_eq(a->workspace_id, r->ws->id) && !a->deleted_at && (a->role || a->is_open)
	    ? E_OK
	    : fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

static enum err
h_art_move_ask(struct req *r)
{
	struct ws_move_page page = { .field = "folder_id", .shower = "its owner and admins" };
	struct artifact *a;

	TRY(art_here(r, req_param(r, "art"), &a));
	page.at = a->folder_id;
	page.may = role_rank(a->role) >= ROLE_EDITOR || governs(r);
	page.shows = role_rank(a->role) == ROLE_OWNER || governs(r);
	page.title = mem_printf(r->c->mem, "Move %s", a->name);
	page.explains = page.may
	    ? "Its addresses stay the same, and so does who in the workspace can see it."
	    : "Only its owner, its editors and admins of the workspace can move it.";
	if (page.may)
		TRY(rehome_part_read(r->c, a, r->who, &page.rehome));
	return move_reply(r, &page);
}

#define MOVE_FORM(F, T) \
	F(T, STRS, art,       .item = K_ID, .arg = "art_", .hi = CHOSEN_MOST) \
	F(T, STRS, file,      .item = K_ID, .arg = "dlv_", .hi = CHOSEN_MOST) \
	F(T, STR,  folder_id, .flags = F_REQ, .hi = FOLDER_ID_CHARS) \
	F(T, STR,  from,      .hi = FOLDER_ID_CHARS) \
	F(T, BOOL, list)
SHAPE(move_form, MOVE_FORM);

/* A caller who came from a list returns there. */
static enum err
h_art_move(struct req *r)
{
	const struct move_form *in = r->in;
	struct artifact *a;
	const char *to;

	TRY(art_here(r, req_param(r, "art"), &a));
	TRY(place_chosen(r, "folder_id", in->folder_id, &to));
	TRY(folder_take(r->c, r->ws, r->who, a->id, to));
	return in->list
	    ? folder_page_back(r, a->folder_id, "moved")
	    : reply_go(r, "/a/%s?done=moved", a->id);
}

/* ---- several artifacts, or files of the library ---- */

static enum err
several_back(struct req *r, const char *from, const char *done)
{
	return (is_library(r) ? library_back : folder_page_back)(r, from, done);
}

/* Reads the names, and whether the caller may show all of them to people outside. */
static enum err
arts_read(struct req *r, const struct strs *ids, const char **names, bool *shows)
{
	struct artifact *a;

	for (size_t i = 0; i < ids->n; i++) {
		TRY(art_here(r, ids->v[i], &a));
		names[i] = a->name;
		*shows = *shows && (role_rank(a->role) == ROLE_OWNER || governs(r));
	}
	return E_OK;
}

static enum err
files_read(struct req *r, const struct strs *ids, const char **names, bool *shows)
{
	struct library l = library_of(r->c, r->ws, NULL);
	struct deliverable_list files;

	TRY(deliverables_named(r->c, &l, r->who, ids, true, &files));
	for (size_t i = 0; i < files.n; i++) {
		const struct asset_person *owner = files.v[i].owner;

		names[i] = files.v[i].name;
		*shows = *shows && (str_eq(owner->id, r->who->user_id) || governs(r));
	}
	return E_OK;
}

static enum err
h_several_ask(struct req *r)
{
	const struct move_query *q = r->query;
	bool files = is_library(r);
	const struct strs *ids = files ? &q->file : &q->art;
	const char **names = mem_array(r->c->mem, const char *, ids->n + 1), *all;
	struct ws_move_page page = { .may = true,
		.shows = true,
		.shower = "their owner and admins",
		.field = "folder_id",
		.several = *ids,
		.each = files ? "file" : "art" };

	TRY(place_chosen(r, "from", q->from, &page.at));
	if (!ids->n)
		return several_back(r, page.at, files ? "no_files_chosen" : "none_chosen");
	TRY((files ? files_read : arts_read)(r, ids, names, &page.shows));
	page.title = ids->n == 1
	    ? mem_printf(r->c->mem, "Move %s", names[0])
	    : mem_printf(r->c->mem, "Move %zu %s", ids->n, files ? "files" : "artifacts");
	all = str_some(r->c->mem, names, ids->n);
	page.explains = !files
	    ? mem_printf(r->c->mem,
		  "%s. Their addresses stay the same, and so does who in the workspace can see "
		  "them.",
		  all)
	    : ids->n == 1
	    ? "Who in the workspace can see it stays the same."
	    : mem_printf(r->c->mem, "%s. Who in the workspace can see them stays the same.", all);
	return move_reply(r, &page);
}

/* folder_take() with the artifact’s name in the error. */
static enum err
one_of_many_take(struct req *r, const char *id, const char *to)
{
	enum err e = folder_take(r->c, r->ws, r->who, id, to);
	struct artifact *a;

	if (e != E_DENIED)
		return e;
	TRY(art_here(r, id, &a));
	if (role_rank(a->role) >= ROLE_EDITOR)
		return fail(r->c, e,
		    "Nothing was moved: people outside the workspace can open what is in that "
		    "folder, so only its owner and workspace admins can move %s there",
		    a->name);
	return fail(r->c, e,
	    "Nothing was moved: only its owner, its editors and workspace admins can move %s",
	    a->name);
}

/* Moves all or none. */
static enum err
h_several_move(struct req *r)
{
	const struct move_form *in = r->in;
	bool files = is_library(r);
	const struct strs *chosen = files ? &in->file : &in->art;
	const char **ids, *to, *from;
	struct library l = library_of(r->c, r->ws, NULL);

	if (!chosen->n)
		return fail(r->c, E_INVALID, "%s: is required", files ? "file" : "art");
	TRY(place_chosen(r, "folder_id", in->folder_id, &to));
	TRY(place_chosen(r, "from", in->from, &from));
	ids = ids_in_order(r->c, chosen->v, chosen->n);
	for (size_t i = 0; i < chosen->n; i++)
		TRY(!files ? one_of_many_take(r, ids[i], to)
			   : deliverable_change(r->c, &l, r->who, ids[i],
				 &(struct deliverable_edit){
				     .folder_id = to, .has.folder_id = to ? GIVEN : NULLED }));
	return several_back(r, from, "moved");
}

/* ---- an artifact, into a workspace or out of one ---- */

#define REHOME_QUERY(F, T) F(T, STR, to, .hi = FOLDER_ID_CHARS, .doc = "Empty: to its owner alone")
SHAPE(rehome_query, REHOME_QUERY);

/* The chosen workspace, which the caller must be in; NULL: none, only its owner. */
static enum err
rehome_target(struct req *r, const char *typed, struct workspace **out)
{
	*out = NULL;
	if (!typed || !*typed)
		return E_OK;
	if (!id_valid(typed, "wsp_"))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(workspace_get(r->c, typed, r->who, false, out));
	return (*out)->deleted_at ? fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text)
				  : E_OK;
}

static enum err
h_rehome_ask(struct req *r)
{
	const struct rehome_query *q = r->query;
	const struct artifact *a = r->art;
	struct workspace *to, *from = NULL;
	bool may = a->workspace_id ? member_rank(a->workspace_role) >= MEMBER_ADMIN
				   : role_rank(a->role) == ROLE_OWNER;

	TRY(rehome_target(r, q->to, &to));
	if (!may || str_eq(to ? to->id : NULL, a->workspace_id))
		return reply_go(r, "/a/%s", a->id);
	if (a->workspace_id)
		TRY(workspace_get(r->c, a->workspace_id, r->who, false, &from));
	return reply_page(r, 0,
	    &(struct confirm_page){ .url = a->url,
		.question = to ? mem_printf(r->c->mem, "Move %s to %s?", a->name, to->name)
			       : mem_printf(r->c->mem, "Take %s out of %s?", a->name, from->name),
		.consequence = mem_printf(r->c->mem, "%s%s%s",
		    from ? mem_printf(r->c->mem,
			       "It leaves %s at once: its folder and its approvals there are lost, "
			       "and members keep access only if it is shared with them. ",
			       from->name)
			 : "",
		    from && !to ? "It will belong to its owner alone. " : "",
		    to ? rehome_entered(r->c, to) : ""),
		.action = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?")),
		.verb = to ? "Move artifact" : "Take it out",
		.gentle = !from,
		.field = "to",
		.value = to ? to->id : "",
		.back = mem_printf(r->c->mem, "/a/%s", a->id) });
}

#define REHOME_FORM(F, T) F(T, STR, to, .flags = F_REQ, .hi = FOLDER_ID_CHARS)
SHAPE(rehome_form, REHOME_FORM);

/* A caller who moved it out of a workspace may no longer see it. */
static enum err
h_rehome(struct req *r)
{
	const char *from = r->art->workspace_id;
	const struct rehome_form *in = r->in;
	struct workspace *to;
	struct artifact *a;
	enum err e;

	TRY(rehome_target(r, in->to, &to));
	TRY(artifact_rehome(r->c, r->art, r->who, to ? to->id : NULL));
	e = artifact_get(r->c, r->art->id, r->who, false, &a);
	if (!e && a->role)
		return reply_go(r, "/a/%s?done=%s", a->id, to ? "moved_in" : "moved_home");
	return e && e != E_NOT_FOUND
	    ? e
	    : reply_go(r, "/w/%s?done=moved_out", from);
}

#define FILES_MOVE "/w/{ws}/library/move"
#define FOLDER_MOVES "/w/{ws}/folders/{fld}/move"
#define ART_MOVES "/w/{ws}/artifacts/{art}/move"
#define ARTS_MOVE "/w/{ws}/artifacts/move"
static const struct route move_page_routes[] = {
  { PAGE(FOLDER_MOVES, WS_MEMBER, ws_move, h_folder_move_ask), .query = &move_query_shape,
    .doc = "Asks where to move a folder" },
  { POST, FOLDER_MOVES, DOES("PATCH /v1/workspaces/{ws}/folders/{fld}"),
    .then = "/w/{ws}/folders/{fld}?done=folder_moved", .again = FOLDER_MOVES,
    .doc = "Move it there" },
  { PAGE(ART_MOVES, WS_MEMBER, ws_move, h_art_move_ask), .query = &move_query_shape,
    .doc = "Asks where to move an artifact" },
  { FORM(ART_MOVES, WS_MEMBER, move_form, h_art_move), .again = ART_MOVES,
    .doc = "Move it there" },
  { PAGE(ARTS_MOVE, WS_MEMBER, ws_move, h_several_ask), .query = &move_query_shape,
    .doc = "Asks where to move several artifacts" },
  { FORM(ARTS_MOVE, WS_MEMBER, move_form, h_several_move), .again = ARTS_MOVE,
    .doc = "Move all of them there, or none" },
  { PAGE(FILES_MOVE, WS_MEMBER, ws_move, h_several_ask), .query = &move_query_shape,
    .doc = "Asks where to move files of the library" },
  { FORM(FILES_MOVE, WS_MEMBER, move_form, h_several_move), .again = FILES_MOVE,
    .doc = "Move all of them there, or none" },
  { PAGE("/a/{art}/workspace", ART_CHANGE, confirm, h_rehome_ask), .query = &rehome_query_shape,
    .doc = "Asks whether to move it into a workspace or out of one" },
  { FORM("/a/{art}/workspace", ART_CHANGE, rehome_form, h_rehome), .again = "/a/{art}/workspace",
    .doc = "Move it there" },
};
ROUTES(move_page, "Pages: moving",
    "How people move folders and artifacts in the browser.");
