/* SPDX-License-Identifier: Apache-2.0
 * The pages of what members know of a client: its notes, and each of them, to read and to change.
 * Members read them who have their address; the list of clients is for admins, as in the API. */
#include "base/str.h"
#include "core/clash.h"
#include "http/req.h"
#include "sharing/client_page.h"
#include "sharing/sharee_note.h"

#define NOTE_ROW(F, T) \
	F(T, STR,  note) \
	F(T, TIME, changed) \
	F(T, OBJ,  updated_by, .sub = &ws_user_shape)
SHAPE_DECLARE(note_row, NOTE_ROW);
SHAPE_DEFINE(note_row, NOTE_ROW);

#define CLIENT_NOTES_PAGE(F, T) \
	CLIENT_PAGE(F, T) \
	F(T, BOOL, noted) \
	F(T, LIST, notes, .sub = &note_row_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(client_notes_page, CLIENT_NOTES_PAGE);
SHAPE_DEFINE(client_notes_page, CLIENT_NOTES_PAGE);

static enum err
h_client_notes(struct req *r)
{
	const struct tab_query *q = r->query;
	struct client_notes_page page;
	struct sharee_note_list rows;
	struct sharee *s;
	const char *next;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(sharee_note_list(r->c, r->ws, s->id,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = q->cursor }, &rows, &next));
	page = (struct client_notes_page){ CLIENT_PAGE_OF(r, s, "Notes", "notes"),
		.noted = rows.n > 0,
		.notes = list_made(r->c->mem, &rows, n,
		    (struct note_row){ .note = n->name,
			.changed = n->updated_at,
			.updated_by = n->updated_by }),
		.next = req_next(r, next, NEXT_WITHOUT) };
	return reply_page(r, 0, &page);
}

static enum err
note_write(struct req *r, const struct sharee_note_text *old, const char *name, const char *typed)
{
	const char *text = ws_page_text(r, typed);

	text = text ? text : "";
	TRY(sharee_note_write(r->c, r->ws, r->who, req_param(r, "shr"), old, name,
	    (struct bytes){ text, strlen(text) }));
	return client_back(r, mem_printf(r->c->mem, "/notes/%s", name), "saved");
}

#define NOTE_FORM(F, T) \
	F(T, STR, note,    .flags = F_REQ, .lo = 1, .hi = TEXT_FILE_NAME) \
	F(T, STR, content, .flags = F_REQ)
SHAPE_DECLARE(note_form, NOTE_FORM);
SHAPE_DEFINE(note_form, NOTE_FORM);

static enum err
h_client_note_make(struct req *r)
{
	const struct note_form *in = r->in;
	struct sharee_note_text *old;

	TRY(text_file_name_check(r->c, "note", in->note));
	TRY(sharee_note_find(r->c, r->ws, req_param(r, "shr"), in->note, &old));
	if (old)
		return fail(r->c, E_CONFLICT,
		    "note: there is one with this name already; open it to change it");
	return note_write(r, NULL, in->note, in->content);
}

/* ---- one of them ---- */

#define CLIENT_NOTE_PAGE(F, T) \
	CLIENT_PAGE(F, T) \
	TEXT_EDITED(F, T) \
	F(T, STR,  note) \
	F(T, STR,  content) \
	F(T, TIME, changed) \
	F(T, OBJ,  updated_by, .sub = &ws_user_shape)
SHAPE_DECLARE(client_note_page, CLIENT_NOTE_PAGE);
SHAPE_DEFINE(client_note_page, CLIENT_NOTE_PAGE);
SHAPE_DECLARE(client_note_edit_page, CLIENT_NOTE_PAGE);
SHAPE_DEFINE(client_note_edit_page, CLIENT_NOTE_PAGE);

/* n NULL: there is none any more. */
static struct client_note_page
note_page(struct req *r, const struct sharee *s, const struct sharee_note_text *n,
    const char *content)
{
	const char *name = req_param(r, "name");

	return (struct client_note_page){ CLIENT_PAGE_OF(r, s, name, "notes"),
		.what = "note",
		.note = name,
		.content = content,
		.seen = n ? n->sha256 : NULL,
		.lost = !n,
		.changed = n ? n->updated_at : 0,
		.updated_by = n ? n->updated_by : NULL };
}

/* To be read and to be changed, by the route's template. */
static enum err
h_client_note(struct req *r)
{
	struct sharee_note_text *n;
	struct client_note_page page;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(sharee_note_read(r->c, r->ws, s->id, req_param(r, "name"), &n));
	page = note_page(r, s, n, n->content);
	return reply_page(r, 0, &page);
}

#define NOTE_EDIT(F, T) \
	F(T, STR, content, .flags = F_REQ) \
	F(T, STR, seen,    .hi = 100)
SHAPE_DECLARE(note_edit, NOTE_EDIT);
SHAPE_DEFINE(note_edit, NOTE_EDIT);

static enum err
h_client_note_save(struct req *r)
{
	const struct note_edit *in = r->in;
	const char *name = req_param(r, "name"), *text = str_lines(r->c->mem, in->content);
	struct sharee_note_text *old;
	struct client_note_page page;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(text_file_name_check(r->c, "name", name));
	TRY(sharee_note_find(r->c, r->ws, s->id, name, &old));
	if (old ? !text_clashes(in->seen, old->sha256, text, old->content) : !in->seen)
		return note_write(r, old, name, text);
	page = note_page(r, s, old, text);
	if (old)
		page.clash = clash_of(r->c,
		    mem_printf(r->c->mem, "%s/notes/%s", client_path(r), name), old->content,
		    text, old->updated_at, old->updated_by);
	return reply_page(r, old ? 409 : 404, &page);
}

#define NOTES "/w/{ws}/clients/{shr}/notes"
static const struct route client_note_page_routes[] = {
/*  method path                   who
    body                   reply                         handler */
  { GET,  NOTES,                  WS_MEMBER,
    TAKES_NOTHING,         GIVES_PAGE(client_notes),     h_client_notes,
    .query = &tab_query_shape, .doc = "What members know of a client" },
  { POST, NOTES,                  SHARE_ADMIN,
    TAKES_FORM(note_form), GIVES_REDIRECT,               h_client_note_make,
    .again = NOTES, .doc = "Write a new note" },
  { GET,  NOTES "/{name}",        WS_MEMBER,
    TAKES_NOTHING,         GIVES_PAGE(client_note),      h_client_note,
    .query = &tab_query_shape, .doc = "One of its notes" },
  { GET,  NOTES "/{name}/edit",   WS_ADMIN,
    TAKES_NOTHING,         GIVES_PAGE(client_note_edit), h_client_note,
    .query = &tab_query_shape, .doc = "The note, to be changed" },
  { POST, NOTES "/{name}",        SHARE_ADMIN,
    TAKES_FORM(note_edit), GIVES_PAGE(client_note_edit), h_client_note_save,
    .again = NOTES "/{name}/edit", .doc = "Change it" },
  { POST, NOTES "/{name}/delete", DOES("DELETE /v1/workspaces/{ws}/sharees/{shr}/context/{name}"),
    .ask = ASK("Delete {name}?", "Nobody can read it any more. This can’t be undone.",
	"Delete note", NOTES "/{name}",
	.of = "GET /v1/workspaces/{ws}/sharees/{shr}/context/{name}"),
    .then = NOTES "?done=gone", .doc = "Delete it" },
};
ROUTES(client_note_page, "Pages: notes about clients",
    "What members of a workspace see in the browser of what it knows of its clients.");
