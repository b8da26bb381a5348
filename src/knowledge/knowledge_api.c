/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/workspaces/…/knowledge. Source: interface, "Knowledge library". */
#include "knowledge/knowledge_api.h"

#include "base/etag.h"
#include "base/path.h"
#include "base/str.h"
#include "knowledge/knowledge.h"
#include "knowledge/learning.h"
#include "knowledge/past.h"
#include "knowledge/tree.h"
#include "team/textfile_api.h"

enum err
note_asked(struct req *r, const char **path)
{
	const char *raw = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?"));

	*path = req_param(r, "+note");
	if (strcasestr(raw, "%2f"))
		return fail(r->c, E_INVALID,
		    "path: has a slash that was sent as %%2f; send it as / between two names");
	return path_check(r->c, "path", path);
}

enum err
note_here(struct req *r, struct note **out)
{
	const char *path;

	TRY(note_asked(r, &path));
	return note_get(r->c, r->ws, r->who, path, out);
}

static enum err
h_knowledge(struct req *r)
{
	struct knowledge *out;

	TRY(knowledge_get(r->c, r->ws, r->who, &out));
	return reply_flat(r, out);
}

static enum err
h_status(struct req *r)
{
	struct learning_status *out;

	TRY(learning_recent(r->c, r->ws, r->who, &out));
	return reply_flat(r, out);
}

#define NOTE_TREE(F, T) F(T, LIST, tree, .sub = &note_entry_shape)
SHAPE(note_tree, NOTE_TREE);

static enum err
h_tree(struct req *r)
{
	struct note_entry_list all;

	TRY(note_tree(r->c, r->ws, r->who, &all));
	return reply_flat(r, &(struct note_tree){ .tree = { all.v, all.n } });
}

static enum err
h_enable(struct req *r)
{
	TRY(knowledge_set(r->c, r->ws, r->who, r->in));
	return h_knowledge(r);
}

#define BACKFILL(F, T) \
	F(T, STRS, artifact_ids, .item = K_ID, .arg = "art_", .lo = 1, .hi = LEARNING_QUEUE, \
		.doc = "Omitted: the newest 200 that aren't learned, or have changed since. " \
		       "What is named is learned even if it was forgotten")
SHAPE(backfill, BACKFILL);

static enum err
h_backfill(struct req *r)
{
	const struct backfill *in = r->in;
	const struct strs none = { 0 };
	struct learning_queued *out;

	TRY(knowledge_learns(r->c, r->ws));
	TRY(learning_queue(r->c, r->ws, r->who, in ? &in->artifact_ids : &none, &out));
	return reply_flat(r, out);
}

/* ---- a note ---- */

static enum err
note_reply(struct req *r, const struct note *n)
{
	const char *accept = req_header(r, "HTTP_ACCEPT"), *text, *of_text;
	uint8_t digest[SHA256_BYTES];

	if (accept && strstr(accept, "text/markdown"))
		return text_file_reply(r, n->sha256, n->content, n);
	reply_header(r, "Vary", "Accept");
	/* The JSON also contains backlinks, which change without the text. So its ETag has a
	 * second part. */
	text = shape_text(r->c->mem, &note_shape, n);
	of_text = etag_of_sha256(r->c->mem, n->sha256);
	crypto_sha256(text, strlen(text), digest);
	return reply_etag(r, mem_printf(r->c->mem, "%.*s-%s\"", (int)strlen(of_text) - 1, of_text,
				 crypto_hex(r->c->mem, digest, 4)))
	    ? E_OK : reply_flat(r, n);
}

/* If-Match may have the ETag of the text or of the JSON. */
static enum err
note_conditions(struct req *r, const struct note *old)
{
	const char *etag = etag_of_sha256(r->c->mem, old ? old->sha256 : NULL),
		   *given = req_header(r, "HTTP_IF_MATCH");
	size_t n = etag ? strlen(etag) - 1 : 0;

	if (n && given && strncmp(given, etag, n) == 0 && given[n] == '-')
		return E_OK;
	return req_conditions(r, etag);
}

static enum err
h_note(struct req *r)
{
	struct note *n;

	TRY(note_here(r, &n));
	return note_reply(r, n);
}

static enum err
h_note_write(struct req *r)
{
	struct note *old, *now;
	struct bytes content;
	const char *path;

	TRY(note_asked(r, &path));
	TRY(note_find(r->c, r->ws, r->who, path, &old));
	TRY(note_conditions(r, old));
	TRY(text_file_sent(r, &content));
	TRY(note_write(r->c, r->ws, r->who, old, path, content));
	TRY(note_get(r->c, r->ws, r->who, path, &now));
	TRY(note_reply(r, now));
	reply_status(r, old ? 200 : 201);
	return E_OK;
}

#define NOTE_REMOVE_QUERY(F, T) \
	F(T, BOOL, forget, .doc = "1: its page is not learned again")
SHAPE(note_remove_query, NOTE_REMOVE_QUERY);

static enum err
h_note_remove(struct req *r)
{
	const struct note_remove_query *q = r->query;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(note_conditions(r, n));
	TRY(knowledge_remove(r->c, r->ws, r->who, n, q->forget));
	return reply_none(r);
}

#define NOTE_PAST_QUERY(F, T) \
	F(T, INT, no, .lo = 1, .doc = "That one alone, with its content")
SHAPE(note_past_query, NOTE_PAST_QUERY);

#define NOTE_HISTORY(F, T) F(T, LIST, edits, .sub = &note_past_shape)
SHAPE(note_history, NOTE_HISTORY);

static enum err
h_note_past(struct req *r)
{
	const struct note_past_query *q = r->query;
	struct note_past_list all;
	struct note_past *one;
	struct note *n;

	TRY(note_here(r, &n));
	if (q->has.no == GIVEN) {
		TRY(note_past_get(r->c, n, q->no, &one));
		return reply_flat(r, &(struct note_history){ .edits = { one, 1 } });
	}
	TRY(note_past_list(r->c, n, &all));
	return reply_flat(r, &(struct note_history){ .edits = { all.v, all.n } });
}

/* ---- a changed note and its page ---- */

static enum err
newer_here(struct req *r, struct note **n, struct note_newer **newer)
{
	TRY(note_here(r, n));
	TRY(note_newer_get(r->c, *n, newer));
	return *newer ? E_OK
		      : fail(r->c, E_NOT_FOUND,
			    "The note says what its page says, as far as that has been learned");
}

static enum err
h_newer(struct req *r)
{
	struct note_newer *newer;
	struct note *n;

	TRY(newer_here(r, &n, &newer));
	return reply_flat(r, newer);
}

#define NOTE_TAKE(F, T) \
	F(T, INT, version_no, .flags = F_REQ, .lo = 1, .eg = "1", \
		.doc = "Of the text that you have read; 409 when there is a newer one")
SHAPE(note_take, NOTE_TAKE);

static enum err
h_newer_take(struct req *r)
{
	const struct note_take *in = r->in;
	struct note_newer *newer;
	struct note *n, *now;

	TRY(newer_here(r, &n, &newer));
	TRY(note_conditions(r, n));
	if (newer->version_no != in->version_no)
		return fail(r->c, E_CONFLICT,
		    "version_no: version %lld of the page has been learned since; read it first",
		    (long long)newer->version_no);
	TRY(note_newer_take(r->c, r->ws, n, newer));
	TRY(note_get(r->c, r->ws, r->who, n->path, &now));
	return note_reply(r, now);
}

#define AT "/v1/workspaces/{ws}/knowledge"
static const struct route knowledge_routes[] = {
/* method  path                 who body                         reply
 * handler */
  { GET,    AT,                  WS_READ,
    TAKES_NOTHING,               GIVES_FLAT(knowledge),         h_knowledge,
    .scope = DATA_READ, .doc = "Get whether pages are learned, and how many notes there are" },
  { GET,    AT "/status",        WS_READ,
    TAKES_NOTHING,               GIVES_FLAT(learning_status),   h_status,
    .scope = DATA_READ, .doc = "Get what was learned in the last 24 hours, and what waits" },
  { GET,    AT "/tree",          WS_READ,
    TAKES_NOTHING,               GIVES_FLAT(note_tree),         h_tree,
    .scope = DATA_READ, .doc = "List all notes and their folders, by path" },
  { GET,    AT "/files/{+note}",     WS_READ,
    TAKES_NOTHING,               GIVES_FLAT(note),              h_note,
    .scope = DATA_READ,
    .doc = "Get a note as JSON, or as raw markdown with Accept: text/markdown" },
  { PUT,    AT "/files/{+note}",     WS_READ,
    TAKES_BYTES,                 GIVES_FLAT(note),              h_note_write,
    .scope = DATA_WRITE, .makes = true,
    .doc = "Create or replace a note: send raw markdown, or {\"content\": \"…\"}. "
	   "A learned note that you change is left alone by learning" },
  { DELETE, AT "/files/{+note}",     WS_ADMIN,
    TAKES_NOTHING,               GIVES_NOTHING,                 h_note_remove,
    .scope = DATA_WRITE, .query = &note_remove_query_shape,
    .doc = "Delete a note with its history; a learned one comes back with the page's next version, "
	   "unless it is forgotten" },
  { GET,    AT "/history/{+note}",   WS_READ,
    TAKES_NOTHING,               GIVES_FLAT(note_history),      h_note_past,
    .scope = DATA_READ, .query = &note_past_query_shape,
    .doc = "List what a note said before people changed it, newest first; "
	   "to bring a text back, PUT it" },
  { GET,    AT "/learned/{+note}",   WS_READ,
    TAKES_NOTHING,               GIVES_FLAT(note_newer),        h_newer,
    .scope = DATA_READ,
    .doc = "Get what a page says whose note people have changed, as learned since; "
	   "404 when there is no such text" },
  { POST,   AT "/learned/{+note}",   WS_READ,
    TAKES(note_take),            GIVES_FLAT(note),              h_newer_take,
    .scope = DATA_WRITE,
    .doc = "Put that in the note's place, and learn the page again from now on; "
	   "what people wrote stays in the history" },
  { POST,   AT "/enable",        WS_ADMIN,
    TAKES(knowledge_switch),     GIVES_FLAT(knowledge),         h_enable,
    .doc = "Turn learning from pages on or off; notes stay" },
  { POST,   AT "/backfill",      WS_ADMIN,
    { BODY_JSON_OPTIONAL, &backfill_shape }, GIVES_FLAT(learning_queued), h_backfill,
    .scope = DATA_WRITE, .success = 202,
    .doc = "Learn pages that aren't learned yet, up to 200 at once" },
};
ROUTES(knowledge, "Knowledge library",
    "Notes of a workspace: what its pages say, learned from them, and what people write down.");
