/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's folders: the folders and artifacts of one level, and changes of a
 * folder. */
#include "team/folder.h"

#include "app/folder_page.h"

#include "app/cards.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/find.h"
#include "core/place.h"
#include "core/workspace.h"
#include "http/req.h"
#include "team/folder_end.h"

enum { FOLDERS_A_PAGE = 60 };

enum err
folder_page_here(struct req *r, struct folder **out)
{
	return folder_get(r->c, r->ws, r->who, req_param(r, "fld"), out);
}

enum err
folder_page_back(struct req *r, const char *folder_id, const char *done)
{
	return reply_go(r, "/w/%s%s%s?done=%s", r->ws->id, folder_id ? "/folders/" : "",
	    folder_id ? folder_id : "", done);
}

/* ---- contents ---- */

#define PLACE_QUERY(F, T) \
	CARD_QUERY(F, T) \
	F(T, STR, after, .hi = 8000, .doc = "Of the list of folders")
SHAPE(place_query, PLACE_QUERY);

#define WORKSPACE_PAGE(F, T) \
	F(T, STR,  slug) \
	F(T, OBJ,  settings, .sub = &workspace_settings_shape) \
	F(T, OBJ,  folder, .sub = &folder_shape, .doc = "NULL: the top level") \
	F(T, WORD, opens, .arg = VISIBILITIES, .doc = "What is published here becomes that") \
	F(T, STR,  shown, .doc = "Whom outside the workspace the folder is shared with") \
	F(T, STR,  typed, .doc = "Its path as a shell wants it") \
	F(T, LIST, way, .sub = &folder_step_shape, .doc = "The folders that it lies in") \
	F(T, BOOL, making, .doc = "The form for a new folder is open") \
	F(T, BOOL, searched, .doc = "By a word: in all of the workspace") \
	F(T, LIST, folders, .sub = &folder_shape) \
	F(T, STR,  more_folders) \
	F(T, OBJ,  list, .sub = &cards_shape, .doc = "NULL: of folders only")
SHAPE(workspace_page, WORKSPACE_PAGE);

/* Lists folders of this level; with a search word, folders of all levels whose names contain it. */
static enum err
place_folders(struct req *r, const struct place_query *q, struct workspace_page *page)
{
	struct folder_query ask = { .limit = FOLDERS_A_PAGE, .cursor = q->after };
	const struct folder *in = page->folder;
	struct folder_list rows;
	const char *next;

	if (page->searched)
		ask.q = q->q;
	else
		ask.parent_id = in ? in->id : FOLDER_TOP;
	TRY(folder_list(r->c, r->ws, r->who, &ask, &rows, &next));
	page->folders = (struct list){ rows.v, rows.n };
	if (next)
		page->more_folders =
		    req_with(r, "after", next, "after|visibility|favorite|" NEXT_WITHOUT);
	return E_OK;
}

static enum err
place_artifacts(struct req *r, const struct place_query *q, struct workspace_page *page)
{
	const struct folder *in = page->folder;

	return cards_list(r,
	    &(struct card_query){ .q = q->q,
		.visibility = q->visibility,
		.favorite = q->favorite,
		.cursor = q->cursor },
	    &(struct artifact_query){ .workspace_id = r->ws->id,
		.folder_id = page->searched ? NULL : in ? in->id : FOLDER_TOP },
	    &page->list);
}

static enum err
place_shown(struct req *r, const char *folder_id, const char **names)
{
	struct shared_with_list to = { 0 };

	if (workspace_tier(r->c, r->ws).features & 1u << FEATURE_EXTERNAL_SHARING)
		TRY(shown_in(r->c, folder_id, &to));
	*names = shown_names(r->c, &(struct list){ to.v, to.n });
	return E_OK;
}

/* Lists folders, then artifacts. Each has a cursor of its own. */
static enum err
h_place(struct req *r)
{
	const struct workspace_settings *set = r->ws->settings;
	const struct place_query *q = r->query;
	struct workspace_page page = { .slug = r->ws->slug,
		.settings = r->ws->settings,
		.opens = set->default_visibility,
		.making = r->refused.row && str_ends(r->refused.row->path, "/folders"),
		.searched = q->q && *q->q };
	struct folder_step_list way;
	struct folder *in;

	if (route_has_param(r->route, "fld")) {
		TRY(folder_page_here(r, &in));
		page.folder = in;
		page.typed = str_shell(r->c->mem, in->path);
		TRY(place_default(r->c, r->ws->id, "folder", in->id, &page.opens));
		TRY(folder_way(r->c, in->parent_id, &way));
		page.way = (struct list){ way.v, way.n };
		TRY(place_shown(r, in->id, &page.shown));
	}
	if (!q->cursor)
		TRY(place_folders(r, q, &page));
	if (!q->after)
		TRY(place_artifacts(r, q, &page));
	return reply_page(r, 0, &page);
}

/* ---- defaults of new artifacts ---- */

#define WS_FOLDER_RULE_PAGE(F, T) \
	F(T, OBJ,  folder, .sub = &folder_shape) \
	F(T, WORD, otherwise, .arg = VISIBILITIES, .doc = "What it is if the folder says nothing")
SHAPE(ws_folder_rule_page, WS_FOLDER_RULE_PAGE);

static enum err
h_folder_rule_ask(struct req *r)
{
	const struct workspace_settings *set = r->ws->settings;
	struct ws_folder_rule_page page = { .otherwise = set->default_visibility };
	struct folder *f;

	TRY(folder_page_here(r, &f));
	if (f->parent_id)
		TRY(place_default(r->c, r->ws->id, "folder", f->parent_id, &page.otherwise));
	page.folder = f;
	return reply_page(r, 0, &page);
}

#define FOLDER_RULE_FORM(F, T) \
	F(T, WORD, default_visibility, .flags = F_REQ, .arg = VISIBILITIES "|inherit")
SHAPE(folder_rule_form, FOLDER_RULE_FORM);

static enum err
h_folder_rule_form(struct req *r)
{
	const struct folder_rule_form *in = r->in;
	bool inherits = str_eq(in->default_visibility, "inherit");
	struct folder *f;

	TRY(folder_page_here(r, &f));
	TRY(folder_change(r->c, r->ws, r->who, f,
	    &(struct folder_edit){
		.default_visibility = inherits ? NULL : in->default_visibility,
		.has.default_visibility = inherits ? NULLED : GIVEN }));
	return folder_page_back(r, f->id, "folder_ruled");
}

/* ---- deleting ---- */

static enum err
folder_end_find(struct req *r, struct shown *out)
{
	const char *words;
	struct folder *f;
	bool moves;

	TRY(folder_page_here(r, &f));
	TRY(folder_end_words(r->c, r->ws, f, &words, &moves));
	return ASKED(r, out, .name = f->name, .words = words,
	    .field = moves ? "content" : NULL, .value = "moves");
}

#define FOLDER_END_FORM(F, T) F(T, WORD, content, .arg = "moves", .doc = "Absent: there is none")
SHAPE(folder_end_form, FOLDER_END_FORM);

static enum err
p_folder_delete_form(struct req *r)
{
	const struct folder_end_form *in = r->in;
	struct folder *f;

	TRY(folder_page_here(r, &f));
	return in->content ? folder_lighten(r->c, f) : E_OK;
}

static enum err
h_folder_delete_form(struct req *r)
{
	const struct folder_end_form *in = r->in;
	struct folder *f;
	enum err e;

	TRY(folder_page_here(r, &f));
	e = folder_delete(r->c, r->ws, r->who, f, in->content);
	if (e == E_CONFLICT)
		return fail(r->c, e,
		    "Not deleted: someone added something to the folder in the meantime");
	TRY(e);
	return folder_page_back(r, f->parent_id, in->content ? "folder_deleted" : "folder_gone");
}

#define FOLDER_AT "/w/{ws}/folders/{fld}"
static const struct route folder_page_routes[] = {
  { PAGE("/w/{ws}", WS_MEMBER, workspace, h_place), .query = &place_query_shape,
    .doc = "A workspace's folders and artifacts" },
  { POST, "/w/{ws}/folders", DOES("POST /v1/workspaces/{ws}/folders"),
    .then = "/w/{ws}?done=folder_made", .again = "/w/{ws}", .doc = "Create a folder" },
  { PAGE(FOLDER_AT, WS_MEMBER, workspace, h_place), .query = &place_query_shape,
    .opened = FIND_FOLDER, .doc = "The contents of a folder" },
  { POST, FOLDER_AT "/folders", DOES("POST /v1/workspaces/{ws}/folders"),
    .then = FOLDER_AT "?done=folder_made", .with = "parent_id={fld}", .again = FOLDER_AT,
    .doc = "Create a folder in it" },
  { SHOWN_PAGE(FOLDER_AT "/rename", WS_MEMBER, "ws_folder"),
    .shows = SHOWS({ "folder", "GET /v1/workspaces/{ws}/folders/{fld}" }),
    .doc = "Asks for a new name" },
  { POST, FOLDER_AT "/rename", DOES("PATCH /v1/workspaces/{ws}/folders/{fld}"),
    .then = FOLDER_AT "?done=folder_renamed", .again = FOLDER_AT "/rename", .doc = "Rename it" },
  { PAGE(FOLDER_AT "/visibility", WS_ADMIN, ws_folder_rule, h_folder_rule_ask),
    .doc = "Asks what a new artifact in it becomes" },
  { FORM(FOLDER_AT "/visibility", WS_ADMIN, folder_rule_form, h_folder_rule_form),
    .again = FOLDER_AT "/visibility", .doc = "Say what a new artifact in it becomes" },
  { FORM(FOLDER_AT "/delete", WS_MEMBER, folder_end_form, h_folder_delete_form), .slow = true,
    .prepare = p_folder_delete_form,
    .ask = ASK("Delete {name}?", "{words}", "Delete folder", FOLDER_AT, .find = folder_end_find),
    .doc = "Delete it; its contents move up" },
};
ROUTES(folder_page, "Pages: folders",
    "What people see of a workspace's folders and artifacts in the browser.");
