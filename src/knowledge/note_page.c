/* SPDX-License-Identifier: Apache-2.0
 * The pages of notes: the tree, a note with the notes that link to it, its editor with a preview,
 * and its history. */
#include "base/str.h"
#include "core/clash.h"
#include "http/form.h"
#include "knowledge/knowledge_api.h"
#include "knowledge/notelook.h"
#include "knowledge/notenav.h"
#include "knowledge/notetext.h"
#include "knowledge/past.h"
#include "team/textfile.h"
#include "team/workspace_page.h"

/* All pages of notes share this shape; each shows what its template names. */
#define NOTE_PAGE(F, T) \
	WS_PAGE(F, T) \
	F(T, BOOL, asks,   .doc = "It has a main button of its own") \
	F(T, OBJ,  note,   .sub = &note_shape, .doc = "NULL: it is of a folder, or a new note") \
	F(T, STR,  at,     .doc = "Path of the note or folder") \
	F(T, STRS, crumbs, .doc = "Paths of the folders that it is in") \
	F(T, LIST, nav,    .sub = &note_nav_shape) \
	/* if the page shows a folder */ \
	F(T, BOOL, some,  .doc = "There is a note at all") \
	F(T, INT,  total) \
	F(T, LIST, rows,  .sub = &note_entry_shape) \
	F(T, STR,  next) \
	/* if it shows a note, a former text, or a comparison of two */ \
	F(T, STR,  text,  .doc = "Markdown, with links to pages") \
	F(T, OBJ,  newer, .sub = &note_newer_shape, .doc = "What its page says now") \
	F(T, LIST, pairs, .sub = &diff_pair_shape, .doc = "Where it differs from that") \
	F(T, LIST, pasts, .sub = &note_past_shape) \
	F(T, OBJ,  past,  .sub = &note_past_shape, .doc = "The one that is chosen") \
	F(T, BOOL, first, .doc = "Nothing is kept of what was before it") \
	F(T, LIST, lines, .sub = &diff_line_shape, .doc = "Where it differs from that") \
	/* an editor */ \
	TEXT_EDITED(F, T) \
	F(T, STR,  content) \
	F(T, STR,  preview)
SHAPE(note_page, NOTE_PAGE);
#define GIVES_NOTE(template_) { ANSWER_PAGE, template_, &note_page_shape }
#define NOTE_SHELL_OF(r, title, path) \
	WS_PAGE_OF(r, title), .at = path, .crumbs = note_crumbs((r)->c, path)

/* ---- a folder, or all ---- */

enum { FOLDER_ROWS = 100 };

#define NOTES_QUERY(F, T) \
	F(T, STR, done, .hi = 40) \
	F(T, STR, folder, .hi = NOTE_PATH_BYTES) \
	F(T, INT, from, .lo = 0, .hi = NOTES)
SHAPE(notes_query, NOTES_QUERY);

static enum err
h_notes(struct req *r)
{
	const struct notes_query *q = r->query;
	const char *folder = q->folder ? q->folder : "";
	struct note_page page = { NOTE_SHELL_OF(r, *folder ? str_base(folder) : "Notes", folder) };
	size_t from = (size_t)q->from;
	struct note_entry_list tree, in;

	TRY(note_tree(r->c, r->ws, r->who, &tree));
	note_folder_of(r->c, &tree, folder, &in);
	if (*folder && !in.n)
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	note_nav_of(r->c, &tree, folder, &page.nav);
	page.some = tree.n > 0;
	page.asks = !page.some;
	for (size_t i = 0; i < tree.n; i++)
		page.total += str_eq(tree.v[i].type, "file");
	if (from < in.n)
		page.rows = (struct list){ in.v + from,
			in.n - from < FOLDER_ROWS ? in.n - from : FOLDER_ROWS };
	if (from + page.rows.n < in.n)
		page.next = req_with(r, "from",
		    mem_printf(r->c->mem, "%zu", from + page.rows.n), "from|done");
	return reply_page(r, 0, &page);
}

/* ---- a note ---- */

static enum err
page_begin(struct req *r, struct note **n, struct note_page *page)
{
	TRY(note_here(r, n));
	*page = (struct note_page){ NOTE_SHELL_OF(r, (*n)->title, (*n)->path), .note = *n };
	return note_nav_read(r->c, r->ws, r->who, (*n)->path, &page->nav);
}

static enum err
h_note(struct req *r)
{
	struct note_page page;
	struct note *n;

	TRY(page_begin(r, &n, &page));
	page.text = note_linked(r->c, r->ws, n);
	return reply_page(r, 0, &page);
}

/* ---- written and changed ---- */

/* Fills the page of the editor; n is NULL for a new note. */
static enum err
editor(struct req *r, struct note *n, const char *path, const char *content,
    struct note_page *out)
{
	*out = (struct note_page){ NOTE_SHELL_OF(r, n ? n->title : "New note", path),
		.note = n,
		.what = "note",
		.asks = true,
		.content = content,
		.seen = n ? n->sha256 : NULL };
	return note_nav_read(r->c, r->ws, r->who, path, &out->nav);
}

static enum err
h_edit(struct req *r)
{
	struct note_page page;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(editor(r, n, n->path, n->content, &page));
	return reply_page(r, 0, &page);
}

#define NOTE_NEW_QUERY(F, T) \
	F(T, STR, path, .hi = NOTE_PATH_BYTES)
SHAPE(note_new_query, NOTE_NEW_QUERY);

static enum err
h_new(struct req *r)
{
	const struct note_new_query *q = r->query;
	struct note_page page;

	TRY(editor(r, NULL, q->path ? q->path : "", "", &page));
	return reply_page(r, 0, &page);
}

static enum err
saved(struct req *r, const char *path)
{
	return reply_go(r, "%s?done=saved", note_page_path(r->c, r->ws->id, "read", path));
}

#define NOTE_TYPED(F, T) \
	F(T, STR,  path,    .hi = NOTE_PATH_BYTES, .doc = "Of a new note") \
	F(T, STR,  content, .flags = F_REQ) \
	F(T, STR,  seen,    .hi = 100) \
	F(T, BOOL, preview)
SHAPE(note_typed, NOTE_TYPED);

static enum err
h_new_save(struct req *r)
{
	const struct note_typed *in = r->in;
	const char *text = str_lines(r->c->mem, in->content), *path;
	struct note_page page;
	struct note *old;

	if (!str_given(in->path))
		return fail(r->c, E_INVALID, "path: is required");
	if (in->preview) {
		TRY(editor(r, NULL, in->path, text, &page));
		page.preview = note_preview(r->c, r->ws, text);
		return reply_page(r, 0, &page);
	}
	/* People needn't know how a note's file is called. */
	path = str_ends(in->path, ".md") ? in->path : mem_printf(r->c->mem, "%s.md", in->path);
	TRY(note_path_check(r->c, "path", &path));
	TRY(note_find(r->c, r->ws, r->who, path, &old));
	if (old)
		return fail(r->c, E_CONFLICT,
		    "path: there is a note with this name already; open it to change it");
	TRY(note_write(
	    r->c, r->ws, r->who, NULL, path, (struct bytes){ text, strlen(text) }));
	return saved(r, path);
}

static enum err
h_edit_save(struct req *r)
{
	const struct note_typed *in = r->in;
	const char *text = str_lines(r->c->mem, in->content), *path;
	struct note_page page;
	struct note *n;

	TRY(note_asked(r, &path));
	TRY(note_find(r->c, r->ws, r->who, path, &n));
	if (!n) {
		/* The text becomes a new note. Under NOTE_PAGES it needs another path. */
		TRY(editor(r, NULL, str_starts(path, NOTE_PAGES) ? "" : path, text, &page));
		page.lost = true;
		return reply_page(r, 404, &page);
	}
	if (in->preview) {
		TRY(editor(r, n, n->path, text, &page));
		page.seen = in->seen ? in->seen : page.seen;
		page.preview = note_preview(r->c, r->ws, text);
		return reply_page(r, 0, &page);
	}
	if (text_clashes(in->seen, n->sha256, text, n->content)) {
		TRY(editor(r, n, n->path, text, &page));
		page.clash = clash_of(r->c, note_page_path(r->c, r->ws->id, "read", n->path),
		    n->content, text, n->updated_at, n->updated_by);
		return reply_page(r, 409, &page);
	}
	TRY(note_write(
	    r->c, r->ws, r->who, n, n->path, (struct bytes){ text, strlen(text) }));
	return saved(r, n->path);
}

/* ---- history ---- */

#define NOTE_HISTORY_QUERY(F, T) \
	F(T, INT, no, .lo = 1)
SHAPE(note_history_query, NOTE_HISTORY_QUERY);

static enum err
h_history(struct req *r)
{
	const struct note_history_query *q = r->query;
	struct note_past *now, *before;
	struct diff_line_list all, lines;
	struct note_past_list pasts;
	struct note_page page;
	struct note *n;
	enum err e;

	TRY(page_begin(r, &n, &page));
	TRY(note_past_list(r->c, n, &pasts));
	TRY(note_past_get(r->c, n, q->no ? q->no : pasts.v[0].no, &now));
	e = note_past_get(r->c, n, now->no - 1, &before);
	if (e && e != E_NOT_FOUND)
		return e;
	page.first = e == E_NOT_FOUND;
	if (page.first)
		ctx_forgive(r->c);
	text_diff(r->c->mem, page.first ? "" : before->content, now->content, &all);
	text_diff_fold(r->c->mem, &all, &lines);
	page.pasts = (struct list){ pasts.v, pasts.n };
	page.past = now;
	page.lines = (struct list){ lines.v, lines.n };
	return reply_page(r, 0, &page);
}

#define NOTE_BACK_FORM(F, T) \
	F(T, INT, no, .flags = F_REQ, .lo = 1)
SHAPE(note_back_form, NOTE_BACK_FORM);

static enum err
h_bring_back(struct req *r)
{
	const struct note_back_form *in = r->in;
	struct note_past *past;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(note_past_get(r->c, n, in->no, &past));
	TRY(note_write(r->c, r->ws, r->who, n, n->path,
	    (struct bytes){ past->content, strlen(past->content) }));
	return saved(r, n->path);
}

/* ---- compared with its page's present text ---- */

/* Begins the page that compares. Without a newer text, what people changed can be compared: it
 * redirects to the history, and page->newer is NULL. */
static enum err
compare_begin(struct req *r, struct note **n, struct note_page *page)
{
	struct diff_line_list all, lines;
	struct note_newer *newer;
	struct diff_pair_list pairs;

	TRY(page_begin(r, n, page));
	TRY(note_newer_get(r->c, *n, &newer));
	if (!newer)
		return reply_redirect(
		    r, note_page_path(r->c, r->ws->id, "history", (*n)->path));
	text_diff(r->c->mem, note_shown(r->c, (*n)->content), note_shown(r->c, newer->content),
	    &all);
	text_diff_fold(r->c->mem, &all, &lines);
	text_diff_pairs(r->c->mem, &lines, &pairs);
	page->asks = true;
	page->newer = newer;
	page->pairs = (struct list){ pairs.v, pairs.n };
	return E_OK;
}

static enum err
h_compare(struct req *r)
{
	struct note_page page;
	struct note *n;

	TRY(compare_begin(r, &n, &page));
	return page.newer ? reply_page(r, 0, &page) : E_OK;
}

#define NOTE_TAKE_FORM(F, T) \
	F(T, INT, version_no, .flags = F_REQ, .lo = 1) \
	F(T, STR, seen,       .flags = F_REQ, .hi = 100)
SHAPE(note_take_form, NOTE_TAKE_FORM);

/* Takes the page's text if both texts are still those that were shown. */
static enum err
h_compare_take(struct req *r)
{
	const struct note_take_form *in = r->in;
	const struct note_newer *newer;
	struct note_page page;
	struct note *n;

	TRY(compare_begin(r, &n, &page));
	newer = page.newer;
	if (!newer)
		return E_OK;
	if (newer->version_no != in->version_no || !str_eq(in->seen, n->sha256))
		return reply_refused(r, 409,
		    "Nothing was changed: the note or its page says something else by now. "
		    "Compare them again",
		    &page);
	TRY(note_newer_take(r->c, r->ws, n, newer));
	return form_done(r, NULL);
}

/* ---- deleted, and forgotten ---- */

static enum err
note_to_delete(struct req *r, struct shown *out)
{
	struct note *n;

	TRY(note_here(r, &n));
	return ASKED(r, out, .name = n->title,
	    .words = n->source ? "The note comes back when the page is published again."
			       : "Links to it stay, and lead nowhere.");
}

static enum err
note_to_forget(struct req *r, struct shown *out)
{
	struct note *n;

	TRY(note_here(r, &n));
	if (!n->source)
		return fail(r->c, E_INVALID, "Only a note that was learned can be forgotten");
	return ASKED(r, out, .name = n->title);
}

#define AT "/w/{ws}/notes"
#define API "/v1/workspaces/{ws}/knowledge"
static const struct route note_page_routes[] = {
  { PAGE_OF(AT, WS_MEMBER, "notes", &note_page_shape, h_notes),
    .query = &notes_query_shape, .doc = "A workspace's notes, or those in a folder" },
  { PAGE(AT "/read/{+note}", WS_MEMBER, note, h_note), .query = &tab_query_shape,
    .doc = "A note" },
  { PAGE_OF(AT "/new", WS_MEMBER, "note_edit", &note_page_shape, h_new),
    .query = &note_new_query_shape, .doc = "To write a new note" },
  { POST, AT "/new",           WS_MEMBER,
    TAKES_FORM(note_typed),     GIVES_NOTE("note_edit"),  h_new_save,
    .again = AT "/new", .doc = "Save it, or see how it would look" },
  { PAGE_OF(AT "/edit/{+note}", WS_MEMBER, "note_edit", &note_page_shape, h_edit),
    .doc = "A note, to be changed" },
  { POST, AT "/edit/{+note}",      WS_MEMBER,
    TAKES_FORM(note_typed),     GIVES_NOTE("note_edit"),  h_edit_save,
    .again = AT "/edit/{+note}", .doc = "Change it, or see how it would look" },
  { PAGE_OF(AT "/history/{+note}", WS_MEMBER, "note_history", &note_page_shape, h_history),
    .query = &note_history_query_shape, .doc = "What a note said before, and what changed" },
  { FORM(AT "/history/{+note}", WS_MEMBER, note_back_form, h_bring_back),
    .again = AT "/history/{+note}", .doc = "Bring a former text back" },
  { PAGE_OF(AT "/compare/{+note}", WS_MEMBER, "note_compare", &note_page_shape, h_compare),
    .doc = "A changed note beside what its page says now" },
  { POST, AT "/compare/{+note}",   WS_MEMBER,
    TAKES_FORM(note_take_form), GIVES_NOTE("note_compare"), h_compare_take,
    .again = AT "/compare/{+note}", .then = AT "/read/{+note}?done=note_taken",
    .doc = "Put what the page says in the note's place" },
  { POST, AT "/delete/{+note}",    DOES("DELETE " API "/files/{+note}"),
    .ask = ASK("Delete “{name}”?",
	"Its text and history are deleted; this can’t be undone. {words}",
	"Delete note", AT "/read/{+note}", .find = note_to_delete),
    .then = AT "?done=gone", .doc = "Delete it" },
  { POST, AT "/forget/{+note}",    DOES("DELETE " API "/files/{+note}"), .with = "forget=true",
    .ask = ASK("Forget “{name}”?",
	"The note is deleted with its history; this can’t be undone. Its page isn’t learned "
	"again, whatever is published there. The page itself stays as it is.",
	"Forget note", AT "/read/{+note}", .find = note_to_forget),
    .then = AT "?done=note_forgotten", .doc = "Forget it" },
};
ROUTES(note_page, "Pages: notes",
    "What people see in the browser of a workspace's notes.");
