/* SPDX-License-Identifier: Apache-2.0
 * The pages of what a workspace tells its agents: its files, and each of them to read and to
 * change. */
#include "team/context.h"

#include "base/str.h"
#include "core/clash.h"
#include "http/form.h"
#include "team/workspace_page.h"

/* The file with this name; NULL: none yet. */
static enum err
guide_find(struct req *r, const char *name, struct context_text **out)
{
	enum err e = context_read(r->c, r->ws, name, out);

	if (e != E_NOT_FOUND)
		return e;
	*out = NULL;
	return ctx_forgive(r->c);
}

static enum err
guide_write(struct req *r, const struct context_text *old, const char *name, const char *typed)
{
	const char *text = str_lines(r->c->mem, typed);

	TRY(context_write(r->c, r->ws, r->who, old, name, (struct bytes){ text, strlen(text) }));
	return form_done(r, NULL);
}

static enum err
h_ws_guide_make(struct req *r)
{
	const struct text_typed *in = r->in;
	struct context_text *old;

	TRY(text_file_name_check(r->c, "name", in->name ? in->name : ""));
	TRY(guide_find(r, in->name, &old));
	if (old)
		return fail(r->c, E_CONFLICT,
		    "name: a file with this name already exists; open it to change it");
	return guide_write(r, NULL, in->name, in->content);
}

/* ---- a file ---- */

#define WS_GUIDE_PAGE(F, T) \
	TEXT_EDITED(F, T) \
	F(T, OBJ,  file,    .sub = &context_text_shape, .doc = "NULL: there is none any more") \
	F(T, STR,  content, .doc = "As it is, or as it was typed")
SHAPE(ws_guide_page, WS_GUIDE_PAGE);

static struct ws_guide_page
guide_page(struct context_text *file, const char *content)
{
	return (struct ws_guide_page){ .what = "file",
		.file = file,
		.content = content,
		.seen = file ? file->sha256 : NULL,
		.lost = !file };
}

static enum err
h_ws_guide(struct req *r)
{
	struct context_text *file;
	struct ws_guide_page page;

	TRY(context_read(r->c, r->ws, req_param(r, "name"), &file));
	page = guide_page(file, file->content);
	return reply_page(r, 0, &page);
}

static enum err
h_ws_guide_save(struct req *r)
{
	const struct text_typed *in = r->in;
	const char *name = req_param(r, "name"), *text = str_lines(r->c->mem, in->content);
	struct ws_guide_page page;
	struct context_text *old;

	TRY(text_file_name_check(r->c, "name", name));
	TRY(guide_find(r, name, &old));
	if (old ? !text_clashes(in->seen, old->sha256, text, old->content) : !in->seen)
		return guide_write(r, old, name, text);
	page = guide_page(old, text);
	if (old)
		page.clash = clash_of(r->c,
		    mem_printf(r->c->mem, "/w/%s/context/%s", r->ws->id, name), old->content,
		    text, old->updated_at, old->updated_by);
	return reply_page(r, old ? 409 : 404, &page);
}

#define CONTEXT_AT "/w/{ws}/context"
static const struct route context_page_routes[] = {
  { SHOWN_PAGE(CONTEXT_AT, WS_MEMBER, "ws_context"),
    .shows = SHOWS({ "context", "GET /v1/workspaces/{ws}/context" }), .title = "Context",
    .query = &tab_query_shape, .doc = "What it tells its agents" },
  { FORM(CONTEXT_AT, WS_ADMIN, text_typed, h_ws_guide_make), .then = CONTEXT_AT "?done=file_saved",
    .again = CONTEXT_AT, .doc = "Write a new file" },
  { POST, "/w/{ws}/entry", DOES("PUT /v1/workspaces/{ws}/context"),
    .then = CONTEXT_AT "?done=saved", .again = CONTEXT_AT, .doc = "Choose the file to begin with" },
  { PAGE(CONTEXT_AT "/{name}", WS_MEMBER, ws_guide, h_ws_guide), .title = "{name}",
    .query = &tab_query_shape, .doc = "One of its files" },
  { FORM_PAGE(CONTEXT_AT "/{name}", WS_ADMIN, text_typed, ws_guide, h_ws_guide_save),
    .then = CONTEXT_AT "?done=file_saved", .again = CONTEXT_AT "/{name}", .title = "{name}",
    .doc = "Change it" },
  { POST, CONTEXT_AT "/{name}/delete", DOES("DELETE /v1/workspaces/{ws}/context/{name}"),
    .ask = ASK("Delete {name}?", "Agents will no longer read it. This can’t be undone.",
	"Delete file", CONTEXT_AT "/{name}", .of = "GET /v1/workspaces/{ws}/context/{name}"),
    .then = CONTEXT_AT "?done=file_deleted",
    .doc = "Delete it" },
};
ROUTES(context_page, "Pages: context",
    "What people see in the browser of what a workspace tells its agents.");
