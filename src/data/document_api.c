/* SPDX-License-Identifier: Apache-2.0
 * Routes of an artifact's JSON document, and of who views a page. Source: interface, "Artifact
 * data". */
#include "data/document.h"
#include "data/rowpolicy.h"

#include "base/json.h"
#include "core/artifact.h"
#include "http/describe.h"
#include "http/quota.h"
#include "http/req.h"

#define DOCUMENT_TOLD(F, T) \
	F(T, JSON, data, .flags = F_NUL, .arg = "object", \
		.doc = "The document, with numbers and names exactly as they were sent", \
		.eg = OBJECT_SAMPLE)
SHAPE(document_told, DOCUMENT_TOLD);

#define DOCUMENT_SAVED(F, T) \
	F(T, BOOL, saved) \
	F(T, STR,  etag, .doc = "The document's ETag, as GET returns it, for If-Match", \
		.eg = "\"\\\"5d41402abc4b2a76b9719d91\\\"\"") \
	F(T, TIME, updated_at) \
	F(T, JSON, data, .flags = F_OPT, .arg = "object", \
		.doc = "The changed document; only after a PATCH", .eg = OBJECT_SAMPLE)
SHAPE(document_saved, DOCUMENT_SAVED);

#define DOCUMENT_QUERY(F, T) \
	F(T, BOOL, or_null, \
		.doc = "1: if there is no document, get null with status 200 instead of a 404")
SHAPE(document_query, DOCUMENT_QUERY);

/* If-None-Match made the statement omit the body. If the ETag still differs by HTTP's rules,
 * read the body now. */
static enum err
h_document_get(struct req *r)
{
	const struct document_query *q = r->query;
	struct document *d;
	struct artifact bare = *r->art;
	enum err e =
	    document_get(r->c, r->art, r->who, req_header(r, "HTTP_IF_NONE_MATCH"), &d);

	if (e == E_NOT_FOUND && q->or_null) {
		ctx_forgive(r->c);
		return reply_flat(r, &(struct document_told){ 0 });
	}
	TRY(e);
	if (reply_etag(r, document_etag(r->c->mem, d)))
		return E_OK;
	bare.document = NULL;
	if (!d->body)
		TRY(document_get(r->c, &bare, r->who, NULL, &d));
	return reply_flat(r, &(struct document_told){ .data = d->body });
}

static enum err
document_lock_checked(struct req *r, bool body, struct document **old)
{
	TRY(document_lock(r->c, r->art, r->who, body, old));
	return req_conditions(r, document_etag(r->c->mem, *old));
}

static enum err
reply_saved(struct req *r, const struct document *d, const char *data)
{
	return reply_flat(r,
	    &(struct document_saved){ .saved = true,
		.etag = document_etag(r->c->mem, d),
		.updated_at = d->updated_at,
		.data = data });
}

static enum err
h_document_put(struct req *r)
{
	struct document *old, now;

	TRY(document_lock_checked(r, false, &old));
	TRY(document_put(r->c, r->art, old, r->in, &now));
	return reply_saved(r, &now, NULL);
}

static enum err
h_document_patch(struct req *r)
{
	struct document *old, now;

	TRY(document_lock_checked(r, true, &old));
	TRY(document_patch(r->c, r->art, old, r->in, &now));
	return reply_saved(r, &now, now.body);
}

static enum err
h_document_delete(struct req *r)
{
	struct document *old;

	TRY(document_lock_checked(r, false, &old));
	TRY(document_delete(r->c, r->art, old));
	return reply_none(r);
}

#define VIEWER_TOLD(F, T) \
	F(T, ID,    id,    .flags = F_NUL, .arg = "usr_") \
	F(T, EMAIL, email, .flags = F_NUL) \
	F(T, STR,   name,  .flags = F_NUL) \
	F(T, WORD,  role,  .flags = F_NUL, .arg = ROLES "|external", \
		.doc = "On this artifact; external if it's shared with them as somebody outside " \
		       "its workspace; null if they see only what everyone sees")
SHAPE(viewer_told, VIEWER_TOLD);

static enum err
h_viewer(struct req *r)
{
	const struct principal *who = r->frame ? NULL : r->who;

	return reply_noun(r,
	    &(struct viewer_told){ .id = who ? who->user_id : NULL,
		.email = who ? who->email : NULL,
		.name = who ? who->name : NULL,
		.role = r->frame ? NULL : viewer_role(r->art) });
}

static const struct route document_routes[] = {
/* method  path                     who body           reply                         handler */
  { GET,    "/v1/data/{art}/json",   DOCUMENT_READ,
    TAKES_NOTHING, GIVES_FLAT(document_told),    h_document_get,
    .content = true, .scope = DATA_READ, .limit = LIM_DATA, .query = &document_query_shape,
    .doc = "Get the JSON document" },
  { PUT,    "/v1/data/{art}/json",   DATA_CHANGE,
    TAKES_OBJECT,  GIVES_FLAT(document_saved),   h_document_put,
    .content = true, .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Create or replace the JSON document",
    .did = "Replaced the document of" },
  { PATCH,  "/v1/data/{art}/json",   DATA_CHANGE,
    TAKES_OBJECT,  GIVES_FLAT(document_saved),   h_document_patch,
    .content = true, .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Change members of the JSON document with a merge patch (RFC 7396)",
    .did = "Changed the document of" },
  { DELETE, "/v1/data/{art}/json",   DATA_CHANGE,
    TAKES_NOTHING, GIVES_NOTHING,                h_document_delete,
    .content = true, .scope = DATA_WRITE, .limit = LIM_DATA, .doc = "Delete the JSON document",
    .did = "Deleted the document of" },
  { GET,    "/v1/data/{art}/viewer", ART_READ,
    TAKES_NOTHING, GIVES("viewer", viewer_told), h_viewer,
    .content = true, .scope = DATA_READ, .limit = LIM_DATA,
    .doc = "Get who you are to this artifact; all null if you aren't signed in" },
};
ROUTES(document, "Data",
    "What an artifact's page stores in its JSON document, and who is viewing the page. "
    "The same addresses work on the page's own host, with self in place of the ID.");
