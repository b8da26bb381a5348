/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/sharees/…/context. Source: interface, "External sharing". */
#include "sharing/sharee_note.h"

#include "base/etag.h"
#include "team/textfile_api.h"

static enum err
h_notes(struct req *r)
{
	return reply_list_of(
	    r, struct sharee_note_list, sharee_note_list, r->ws, req_param(r, "shr"), r->query);
}

static enum err
h_note_read(struct req *r)
{
	struct sharee_note_text *note;

	TRY(sharee_note_read(r->c, r->ws, req_param(r, "shr"), req_param(r, "name"), &note));
	return text_file_reply(r, note->sha256, note->content, note);
}

static enum err
note_old(struct req *r, struct sharee_note_text **old)
{
	TRY(sharee_note_find(r->c, r->ws, req_param(r, "shr"), req_param(r, "name"), old));
	return req_conditions(r, etag_of_sha256(r->c->mem, *old ? (*old)->sha256 : NULL));
}

static enum err
h_note_write(struct req *r)
{
	const char *client = req_param(r, "shr"), *name = req_param(r, "name");
	struct sharee_note_text *old, *now;
	struct bytes content;

	TRY(note_old(r, &old));
	TRY(text_file_sent(r, &content));
	TRY(sharee_note_write(r->c, r->ws, r->who, client, old, name, content));
	TRY(sharee_note_read(r->c, r->ws, client, name, &now));
	TRY(reply_flat(r, now));
	reply_status(r, old ? 200 : 201);
	return E_OK;
}

static enum err
h_note_remove(struct req *r)
{
	struct sharee_note_text *old;

	TRY(note_old(r, &old));
	TRY(sharee_note_remove(
	    r->c, r->ws, r->who, req_param(r, "shr"), req_param(r, "name")));
	return reply_none(r);
}

#define NOTES_AT "/v1/workspaces/{ws}/sharees/{shr}/context"
static const struct route sharee_note_routes[] = {
/*  method  path               who
    body                       reply                             handler */
  { GET,    NOTES_AT,          SHARE_MEMBER,
    TAKES_NOTHING,             GIVES_LIST("notes", sharee_note), h_notes,
    .query = &page_query_shape,
    .doc = "List the workspace's own notes about a client, by name; the client doesn't see them" },
  { GET,    NOTES_AT "/{name}", SHARE_MEMBER,
    TAKES_NOTHING,             GIVES_FLAT(sharee_note_text),     h_note_read,
    .doc = "Get a note as JSON, or as raw markdown with Accept: text/markdown" },
  { PUT,    NOTES_AT "/{name}", SHARE_ADMIN,
    TAKES_BYTES,               GIVES_FLAT(sharee_note_text),     h_note_write,
    .makes = true, .doc = "Create or replace a note: send raw markdown, or {\"content\": \"…\"}" },
  { DELETE, NOTES_AT "/{name}", SHARE_ADMIN,
    TAKES_NOTHING,             GIVES_NOTHING,                    h_note_remove,
    .doc = "Delete a note" },
};
ROUTES(sharee_note, "Notes about clients",
    "What a workspace writes down about a client, as markdown, for its members alone.");
