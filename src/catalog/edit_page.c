/* SPDX-License-Identifier: Apache-2.0
 * Editing an entry of the data catalog, without a script. The page shows the typed text as readers
 * will see it, or the line with an error. It saves only if nobody else has saved meanwhile;
 * otherwise it shows both texts. */
#include "base/json.h"
#include "base/str.h"
#include "catalog/catalog_page.h"
#include "core/clash.h"
#include "core/way.h"
#include "http/form.h"

/* seen: the ETag of the replaced text. */
#define CATALOG_EDIT_PAGE(F, T) \
	TEXT_EDITED(F, T) \
	F(T, STR,  action) \
	F(T, STR,  back) \
	F(T, ID,   id,      .arg = "cat_", .doc = "NULL: it is new") \
	F(T, STR,  title) \
	F(T, STR,  path) \
	F(T, STR,  content) \
	F(T, INT,  used_by, .doc = "How many entries name its path") \
	F(T, INT,  line,    .doc = "Number of the one that can't be read; 0: none") \
	F(T, INT,  first,   .doc = "Number of the first of these") \
	F(T, LIST, lines,   .sub = &text_line_shape) \
	F(T, OBJ,  preview, .sub = &catalog_entry_shape, .doc = "What was typed, as an entry") \
	F(T, STR,  body,    .doc = "Its Markdown")
SHAPE(catalog_edit_page, CATALOG_EDIT_PAGE);

/* old NULL: the page of a new entry. */
static struct catalog_edit_page
edit_page(struct req *r, const struct catalog_entry *old)
{
	const char *at = catalog_at(r);
	const char *back = old ? mem_printf(r->c->mem, "%s/%s", at, old->id) : at;

	return (struct catalog_edit_page){ .what = "entry",
		.action = mem_printf(r->c->mem, "%s/%s", back, old ? "edit" : "new"),
		.back = back,
		.id = old ? old->id : NULL,
		.title = old ? old->title : NULL,
		.path = old ? old->path : NULL,
		.content = old ? old->content : NULL,
		.seen = old ? old->etag : NULL,
		.used_by = old ? old->used_by : 0 };
}

/* ---- to be written ---- */

static enum err
h_catalog_new(struct req *r)
{
	struct catalog_edit_page page = edit_page(r, NULL);
	bool on;

	TRY(catalog_is_on(r->c, r->ws, &on));
	if (!on)
		return reply_redirect(r, catalog_at(r));
	page.content = "---\n"
		       "kind: dataset\n"
		       "title: \n"
		       "description: \n"
		       "domain: \n"
		       "status: draft\n"
		       "tags: []\n"
		       "columns: []\n"
		       "upstream: []\n"
		       "---\n\n";
	return reply_page(r, 0, &page);
}

static enum err
h_catalog_edit(struct req *r)
{
	struct catalog_edit_page page;
	struct catalog_entry *e;

	TRY(catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &e));
	if (!e)
		return reply_redirect(r, catalog_at(r));
	page = edit_page(r, e);
	return reply_page(r, 0, &page);
}

/* ---- errors ---- */

/* An error that names no field is about the text. */
static enum err
edit_refused(struct req *r, enum err e, struct catalog_edit_page *page)
{
	const char *why = r->c->message ? r->c->message : err_table[e].text;
	int status = err_table[e].status;

	if (status < 400 || status >= 500)
		return e;
	page->lines = text_mistake(r->c, page->content, &page->line, &page->first);
	if (page->line)
		why = mem_printf(r->c->mem, "content: %s", why);
	return reply_refused(r, status, why, page);
}

/* ---- concurrent edits ---- */

/* Shows the present text beside the typed one; saving again replaces it. */
static enum err
edit_meanwhile(struct req *r, struct catalog_edit_page *page)
{
	struct catalog_entry *now;

	TRY(catalog_entry_get(r->c, r->ws, r->who, page->id, &now));
	if (!now)
		return reply_redirect(r, catalog_at(r));
	page->clash = clash_of(r->c, page->back, now->content, page->content, now->updated_at,
	    now->updated_by);
	page->preview = NULL;
	page->seen = now->etag;
	return reply_page(r, err_table[E_PRECONDITION].status, page);
}

/* ---- saving ---- */

#define CATALOG_EDIT(F, T) \
	F(T, STR,  path,    .flags = F_REQ) \
	F(T, STR,  content, .flags = F_REQ) \
	F(T, STR,  seen,    .hi = 100) \
	F(T, WORD, act,     .arg = "save|preview", .def = "save")
SHAPE(catalog_edit, CATALOG_EDIT);

/* Saves as the API does, with its checks of rights and of a change meanwhile. */
static enum err
edit_save(struct req *r, const struct catalog_entry *old, const struct catalog_file *file,
    struct catalog_edit_page *page)
{
	const struct catalog_edit *in = r->in;
	const char *seen = in->seen ? in->seen : "\"\"", *done = "saved";
	const char *uri = mem_printf(r->c->mem, "/v1/workspaces/%s/catalog/files", r->ws->id);
	bool moves = !old || !str_eq(old->path, file->path);
	struct catalog_entry *now;
	const struct req *put;
	enum err e;

	if (old && moves && !str_eq(old->etag, seen))
		return edit_meanwhile(r, page);
	put = req_serve(r,
	    &(struct serving){ "PUT", uri,
		.body = json_new(r->c, "path", file->path, "content", file->content, NULL),
		.if_match = moves ? NULL : seen, .if_none_match = moves ? "*" : NULL });
	e = req_served(r, put);
	if (e == E_PRECONDITION && !moves)
		return edit_meanwhile(r, page);
	if (e == E_PRECONDITION)
		e = fail(r->c, E_CONFLICT, "path: there is an entry of this path already");
	if (e)
		return edit_refused(r, e, page);
	if (old && moves &&
	    req_serve(r,
		&(struct serving){ "DELETE", uri,
		    (const struct pair[]){ { "path", old->path }, { NULL, NULL } },
		    .if_match = seen })->status >= 400)
		done = "catalog_copied";
	TRY(catalog_entry_at(r->c, r->ws, r->who, file->path, &now));
	return catalog_back(r, now ? now->id : NULL, done);
}

static enum err
edit_take(struct req *r, const struct catalog_entry *old, struct catalog_edit_page *page)
{
	const struct catalog_edit *in = r->in;
	const struct catalog_file file = { .path = in->path,
		.content = str_lines(r->c->mem, in->content) };
	struct catalog_entry *tried;
	enum err e;

	page->path = file.path;
	page->content = file.content;
	if (old && in->seen)
		page->seen = in->seen;
	e = catalog_try(r->c, r->ws, r->who, &file, &tried);
	if (e)
		return edit_refused(r, e, page);
	page->preview = tried;
	page->body = catalog_body(r->c, file.path, file.content, tried->title);
	if (str_eq(in->act, "preview"))
		return reply_page(r, 0, page);
	return edit_save(r, old, &file, page);
}

static enum err
h_catalog_make(struct req *r)
{
	struct catalog_edit_page page = edit_page(r, NULL);

	return edit_take(r, NULL, &page);
}

/* If somebody has deleted the entry meanwhile, shows the typed text as that of a new one. */
static enum err
h_catalog_save(struct req *r)
{
	const struct catalog_edit *in = r->in;
	struct catalog_edit_page page;
	struct catalog_entry *old;
	enum err e = catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &old);

	if (e == E_NOT_FOUND) {
		ctx_forgive(r->c);
		page = edit_page(r, NULL);
		page.path = in->path;
		page.content = in->content;
		page.lost = true;
		return reply_page(r, err_table[E_NOT_FOUND].status, &page);
	}
	TRY(e);
	if (!old)
		return reply_redirect(r, catalog_at(r));
	page = edit_page(r, old);
	return edit_take(r, old, &page);
}

/* ---- deleting ---- */

static enum err
h_catalog_remove(struct req *r)
{
	struct catalog_entry *e;

	TRY(catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &e));
	if (e)
		TRY(catalog_delete(r->c, r->ws, r->who, e->path));
	return form_done(r, NULL);
}

#define NEW CATALOG_AT "/new"
#define EDIT CATALOG_AT "/{cat}/edit"
#define REMOVE CATALOG_AT "/{cat}/delete"
static const struct route catalog_edit_page_routes[] = {
  { PAGE(NEW, WS_MEMBER, catalog_edit, h_catalog_new), .doc = "An entry to be written" },
  { FORM_PAGE(NEW, WS_MEMBER, catalog_edit, catalog_edit, h_catalog_make), .again = NEW,
    .no_transaction = true, .max_body = BODY_ROWS, .doc = "Look at it, or save it" },
  { PAGE(EDIT, WS_MEMBER, catalog_edit, h_catalog_edit), .doc = "An entry to be changed" },
  { FORM_PAGE(EDIT, WS_MEMBER, catalog_edit, catalog_edit, h_catalog_save), .again = EDIT,
    .no_transaction = true, .max_body = BODY_ROWS, .doc = "Look at it, or save it" },
  { FORM(REMOVE, WS_MEMBER, button, h_catalog_remove), .ask = ASK("Delete the entry {title}?",
	"What it says is gone for good. What it is about stays.",
	"Delete entry", CATALOG_AT "/{cat}", .of = "GET /v1/workspaces/{ws}/catalog/entries/{cat}"),
    .then = CATALOG_AT "?done=gone", .doc = "Delete it" },
};
ROUTES(catalog_edit_page, "Pages: writing the catalog",
    "What people see in the browser as they write an entry of the data catalog.");
