/* SPDX-License-Identifier: Apache-2.0
 * The pages of what members know of a client: its notes, and each of them, to read and to change.
 * Members read them who have their address; the list of clients is for admins, as in the API. */
#include "base/str.h"
#include "core/clash.h"
#include "http/form.h"
#include "sharing/client_page.h"
#include "sharing/sharee_note.h"

static enum err
note_write(struct req *r, const struct sharee_note_text *old, const char *name, const char *typed)
{
	const char *text = str_lines(r->c->mem, typed);

	TRY(sharee_note_write(r->c, r->ws, r->who, req_param(r, "shr"), old, name,
	    (struct bytes){ text, strlen(text) }));
	return form_done(r, NULL);
}

static enum err
h_client_note_make(struct req *r)
{
	const struct text_typed *in = r->in;
	struct sharee_note_text *old;

	TRY(text_file_name_check(r->c, "note", in->note ? in->note : ""));
	TRY(sharee_note_find(r->c, r->ws, req_param(r, "shr"), in->note, &old));
	if (old)
		return fail(r->c, E_CONFLICT,
		    "note: there is one with this name already; open it to change it");
	return note_write(r, NULL, in->note, in->content);
}

/* ---- one note, to edit ---- */

#define CLIENT_NOTE_EDIT(F, T) \
	CLIENT_TOP(F, T) \
	TEXT_EDITED(F, T) \
	F(T, STR, content)
SHAPE(client_note_edit_page, CLIENT_NOTE_EDIT);

/* Makes the page of the editor; n is NULL if the note was deleted. */
static struct client_note_edit_page
edit_page(
    struct req *r, struct sharee *s, const struct sharee_note_text *n, const char *content)
{
	return (struct client_note_edit_page){ CLIENT_TOP_OF(r, s),
		.what = "note",
		.content = content,
		.seen = n ? n->sha256 : NULL,
		.lost = !n };
}

static enum err
h_client_note_edit(struct req *r)
{
	struct client_note_edit_page page;
	struct sharee_note_text *n;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(sharee_note_read(r->c, r->ws, s->id, req_param(r, "name"), &n));
	page = edit_page(r, s, n, n->content);
	return reply_page(r, 0, &page);
}

static enum err
h_client_note_save(struct req *r)
{
	const struct text_typed *in = r->in;
	const char *name = req_param(r, "name"), *text = str_lines(r->c->mem, in->content);
	struct sharee_note_text *old;
	struct client_note_edit_page page;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(text_file_name_check(r->c, "name", name));
	TRY(sharee_note_find(r->c, r->ws, s->id, name, &old));
	if (old ? !text_clashes(in->seen, old->sha256, text, old->content) : !in->seen)
		return note_write(r, old, name, text);
	page = edit_page(r, s, old, text);
	if (old)
		page.clash = clash_of(r->c,
		    mem_printf(r->c->mem, "/w/%s/clients/%s/notes/%s", r->ws->id, s->id, name),
		    old->content, text, old->updated_at, old->updated_by);
	return reply_page(r, old ? 409 : 404, &page);
}

#define API "/v1/workspaces/{ws}/sharees/{shr}/context"
#define NOTES "/w/{ws}/clients/{shr}/notes"
static const struct route client_note_page_routes[] = {
  { PAGE_OF(NOTES, WS_MEMBER, "client_notes", &client_top_shape, client_shows),
    .shows = SHOWS({ "notes", "GET " API "?limit=50" }), .title = "Notes",
    .query = &tab_query_shape, .doc = "What members know of a client" },
  { FORM(NOTES, SHARE_ADMIN, text_typed, h_client_note_make), .then = NOTES "/{note}?done=saved",
    .again = NOTES, .doc = "Write a new note" },
  { PAGE_OF(NOTES "/{name}", WS_MEMBER, "client_note", &client_top_shape, client_shows),
    .shows = SHOWS({ "note", "GET " API "/{name}" }), .title = "{name}", .query = &tab_query_shape,
    .doc = "One of its notes" },
  { PAGE(NOTES "/{name}/edit", WS_ADMIN, client_note_edit, h_client_note_edit), .title = "{name}",
    .query = &tab_query_shape, .doc = "The note, to be changed" },
  { FORM_PAGE(NOTES "/{name}", SHARE_ADMIN, text_typed, client_note_edit, h_client_note_save),
    .then = NOTES "/{name}?done=saved", .again = NOTES "/{name}/edit", .title = "{name}",
    .doc = "Change it" },
  { POST, NOTES "/{name}/delete", DOES("DELETE " API "/{name}"),
    .ask = ASK("Delete {name}?", "Nobody can read it any more. This can’t be undone.",
	"Delete note", NOTES "/{name}",
	.of = "GET " API "/{name}"),
    .then = NOTES "?done=gone", .doc = "Delete it" },
};
ROUTES(client_note_page, "Pages: notes about clients",
    "What members of a workspace see in the browser of what it knows of its clients.");
