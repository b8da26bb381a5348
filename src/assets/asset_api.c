/* SPDX-License-Identifier: Apache-2.0
 * The asset library of a workspace, and a person's own. Source: interface, "Asset library". */
#include "assets/asset_api.h"

#include "assets/preview.h"
#include "assets/upload.h"
#include "base/conf.h"
#include "base/sniff.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/artifact.h"
#include "core/outside.h"
#include "core/workspace.h"

struct library
asset_library(const struct req *r)
{
	return library_of(r->c, r->ws, r->who->user_id);
}

const char *
asset_deliverable(const struct req *r)
{
	return req_param(r, r->ws ? "dlv" : "own_dlv");
}

const char *
asset_loose(const struct req *r)
{
	return req_param(r, r->ws ? "loose" : "own_loose");
}

/* workspace_id NULL: the blob is in the person's own library. */
static void
blob_url_set(struct req *r, struct asset_blob *b, const char *workspace_id)
{
	const char *at = workspace_id ? mem_printf(r->c->mem, "workspaces/%s/", workspace_id) : "";

	b->url = mem_printf(r->c->mem, "%s/v1/%sassets/blobs/%s/content", r->c->conf->base_url, at,
	    b->id);
}

static void
deliverable_url_set(struct req *r, struct deliverable *d)
{
	d->url = mem_printf(r->c->mem, "%s/v1/files/%s/content", r->c->conf->base_url, d->id);
}

enum err
asset_file_reply(struct req *r, const char *sha256, const char *mime, const char *name)
{
	TRY(reply_object(r, sha256, sniff_sent_as(mime), name, false));
	reply_header(r, "Cache-Control", "private, no-cache");
	return E_OK;
}

enum err
asset_preview_reply(struct req *r, const char *sha256)
{
	struct preview *p;

	TRY(preview_of(r->c, sha256, &p));
	if (!p)
		return fail(r->c, E_NOT_FOUND, "There is no preview of this file");
	TRY(reply_object(r, p->sha256, "image/png", "preview.png", true));
	reply_header(r, "Cache-Control", "private, no-cache");
	return E_OK;
}

/* ---- reading ---- */

static enum err
h_assets(struct req *r)
{
	struct library l = asset_library(r);
	struct deliverable *d;
	struct asset_blob *b;
	struct assets out;

	TRY(asset_list(r->c, &l, r->who, r->query, &out));
	d = out.deliverables.v;
	for (size_t i = 0; i < out.deliverables.n; i++)
		deliverable_url_set(r, &d[i]);
	b = out.loose.v;
	for (size_t i = 0; i < out.loose.n; i++)
		blob_url_set(r, &b[i], l.workspace_id);
	if (out.next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, out.next_cursor, "cursor"));
	return reply_flat(r, &out);
}

static enum err
h_blob_content(struct req *r)
{
	struct library l = asset_library(r);
	struct asset_blob *b;

	TRY(asset_blob_get(r->c, &l, r->who, asset_loose(r), &b));
	return asset_file_reply(r, b->sha256, b->mime_type, b->filename);
}

static enum err
h_blob_delete(struct req *r)
{
	struct library l = asset_library(r);

	TRY(asset_blob_delete(r->c, &l, r->who, asset_loose(r)));
	return reply_none(r);
}

static enum err
h_file_content(struct req *r)
{
	struct deliverable *d;

	TRY(deliverable_open(r->c, r->who, req_param(r, "dlv"), &d));
	if (d->by_grant) {
		struct outside_read *seen = mem_new(r->c->mem, struct outside_read);

		*seen = (struct outside_read){
			r->who->user_id, d->workspace_id, "download", "file", d->id, d->name };
		r->seen = seen;
	}
	return asset_file_reply(r, d->sha256, d->mime_type, d->name);
}

static enum err
h_file_preview(struct req *r)
{
	struct deliverable *d;

	TRY(deliverable_open(r->c, r->who, req_param(r, "dlv"), &d));
	return asset_preview_reply(r, d->sha256);
}

/* ---- a version in one request ---- */

/* Treats the bytes as an upload that has no row. */
struct file_put {
	struct upload upload;
	struct asset_blob *blob;
};

static enum err
file_put_check(struct req *r, struct deliverable **d)
{
	struct library l;
	bool outside;

	TRY(deliverable_open_to_add(r->c, r->who, req_param(r, "dlv"), false, d, &outside));
	l = deliverable_library(r->c, *d);
	return library_room(r->c, &l, req_file_least(r));
}

enum err
asset_version_ask(struct req *r)
{
	struct deliverable *d;

	return file_put_check(r, &d);
}

enum err
asset_version_prepare(
    struct req *r, const char *filename, const struct span *bytes, const char *path)
{
	struct file_put *put = r->prepared = mem_new(r->c->mem, struct file_put);
	struct deliverable *d;
	struct library l;

	TRY(file_put_check(r, &d));
	l = deliverable_library(r->c, d);
	put->upload = (struct upload){ .bucket_id = l.bucket_id,
		.workspace_id = l.workspace_id,
		.user_id = r->who->user_id,
		.filename = filename ? unicode_nfc(r->c->mem, filename) : d->name };
	TRY(filename_check(r->c, "filename", put->upload.filename));
	return upload_store(r->c, &put->upload, bytes, path, &put->blob);
}

static enum err
p_file_put(struct req *r)
{
	const struct file_added_query *q = r->query;

	return asset_version_prepare(r, q->filename, &r->form, r->body_path);
}

enum err
asset_version_record(struct req *r, struct deliverable **out)
{
	const struct file_put *put = r->prepared;
	struct deliverable *d;
	struct library l;
	bool outside;

	TRY(deliverable_open_to_add(r->c, r->who, req_param(r, "dlv"), true, &d, &outside));
	l = deliverable_library(r->c, d);
	TRY(upload_record(r->c, &put->upload, put->blob));
	TRY(deliverable_add_version(r->c, &l, r->who, d->id,
	    &(struct deliverable_next){ .blob_id = put->blob->id }));
	if (outside)
		TRY(outside_did(
		    r->c, r->who, d->workspace_id, "edit", "file", d->id, d->name));
	TRY(deliverable_get(r->c, &l, r->who, d->id, false, out));
	return library_take(r->c, &l, put->blob->size);
}

static enum err
h_file_put(struct req *r)
{
	const struct file_put *put = r->prepared;
	const struct asset_blob *b = put->blob;
	struct deliverable *d;

	TRY(asset_version_record(r, &d));
	deliverable_url_set(r, d);
	return reply_flat(r,
	    &(struct file_added){ .id = d->id,
		.version = d->version,
		.filename = b->filename,
		.mime_type = b->mime_type,
		.size = b->size,
		.sha256 = b->sha256,
		.url = d->url });
}

/* ---- deliverables ---- */

/* shown: the deliverable may have become visible to people outside, and the reply lists them. */
static enum err
deliverable_reply(struct req *r, const char *id, bool shown)
{
	struct library l = asset_library(r);
	struct shared_with_list to = { 0 };
	struct deliverable *d;

	TRY(deliverable_get(r->c, &l, r->who, id, false, &d));
	deliverable_url_set(r, d);
	if (shown && str_eq(d->visibility, "workspace"))
		TRY(shown_in(r->c, d->folder_id, &to));
	if (shown)
		SHOWN_SET(d, to);
	return reply_noun(r, d);
}

static enum err
h_deliverable_add(struct req *r)
{
	struct library l = asset_library(r);
	const char *id;

	TRY(deliverable_add(r->c, &l, r->who, r->in, &id));
	return deliverable_reply(r, id, true);
}

static enum err
h_deliverable_version(struct req *r)
{
	struct library l = asset_library(r);

	TRY(deliverable_add_version(r->c, &l, r->who, asset_deliverable(r), r->in));
	return deliverable_reply(r, asset_deliverable(r), false);
}

static enum err
h_deliverable_change(struct req *r)
{
	const struct deliverable_edit *in = r->in;
	struct library l = asset_library(r);

	TRY(deliverable_change(r->c, &l, r->who, asset_deliverable(r), in));
	return deliverable_reply(r, asset_deliverable(r), in->folder_id || in->visibility);
}

static enum err
h_deliverable_versions(struct req *r)
{
	struct library l = asset_library(r);
	struct deliverable *d;

	TRY(deliverable_get(r->c, &l, r->who, asset_deliverable(r), false, &d));
	return reply_list_of(
	    r, struct deliverable_version_list, deliverable_versions, d, r->query);
}

static enum err
h_version_content(struct req *r)
{
	struct library l = asset_library(r);
	struct deliverable_version *v;
	struct deliverable *d;

	TRY(deliverable_get(r->c, &l, r->who, asset_deliverable(r), false, &d));
	TRY(deliverable_version_get(r->c, d, req_param_no(r, "no"), &v));
	return asset_file_reply(r, v->sha256, v->mime_type, v->filename);
}

static enum err
h_deliverable_preview(struct req *r)
{
	struct library l = asset_library(r);
	struct deliverable *d;

	TRY(deliverable_get(r->c, &l, r->who, asset_deliverable(r), false, &d));
	return asset_preview_reply(r, d->sha256);
}

static enum err
h_deliverable_delete(struct req *r)
{
	struct library l = asset_library(r);

	TRY(deliverable_delete(r->c, &l, r->who, asset_deliverable(r)));
	return reply_none(r);
}

/* ---- uploads ---- */

static enum err
h_upload_make(struct req *r)
{
	struct library l = asset_library(r);
	struct upload_made made;

	TRY(upload_make(r->c, &l, r->who, r->in, &made));
	return reply_flat(r, &made);
}

static enum err
upload_of(struct req *r, struct upload **out)
{
	return upload_find(r->c, req_param(r, "upload"), r->who, out);
}

static enum err
upload_ask(struct req *r)
{
	struct upload *u;

	TRY(upload_of(r, &u));
	/* Room for all its pieces is reserved already. */
	if (u->has.total == GIVEN)
		return E_OK;
	return library_room(
	    r->c, &(struct library){ u->bucket_id, u->workspace_id }, req_file_least(r));
}

struct received {
	struct piece_place place;
	struct asset_blob *blob; /* NULL: more pieces follow */
};

static enum err
p_upload(struct req *r)
{
	struct received *got = r->prepared = mem_new(r->c->mem, struct received);
	const char *range = req_header(r, "HTTP_CONTENT_RANGE");
	struct upload *u;

	TRY(upload_of(r, &u));
	if (!range)
		return upload_store(r->c, u, &r->form, r->body_path, &got->blob);
	TRY(piece_read(r->c, range, r->form.n, &got->place));
	return upload_store_piece(r->c, u, &got->place, &r->form, &got->blob);
}

/* Reads the upload again: its maker may have left the workspace meanwhile. */
static enum err
h_upload(struct req *r)
{
	const struct received *got = r->prepared;
	struct upload_done out = { 0 };
	struct upload *u;

	TRY(upload_of(r, &u));
	out.token_id = u->id;
	out.received = got->place.at + r->form.n;
	if (!got->blob) {
		TRY(upload_advance(r->c, u, &got->place, r->form.n));
		TRY(reply_flat(r, &out));
		reply_status(r, 202);
		return E_OK;
	}
	TRY(upload_finish(r->c, u, got->blob));
	blob_url_set(r, got->blob, u->workspace_id);
	out.blob_id = got->blob->id;
	out.blob = got->blob;
	return reply_flat(r, &out);
}

static enum err
h_upload_look(struct req *r)
{
	struct upload_state now;

	TRY(upload_look(r->c, req_param(r, "upload"), r->who, &now));
	return reply_flat(r, &now);
}

static enum err
h_upload_cancel(struct req *r)
{
	struct upload *u;

	TRY(upload_of(r, &u));
	TRY(upload_cancel(r->c, u));
	return reply_none(r);
}

/* dlv and loose: what their ids are called in the path. */
#define LIBRARY(at, who, dlv, loose, whole_) \
  { GET,    at,                      who, \
    TAKES_NOTHING,           GIVES_FLAT(assets),                h_assets, \
    .scope = DATA_READ, .whole = whole_, .query = &asset_query_shape, \
    .doc = "List the files of the library that you see, and how full it is" }, \
  { POST,   at "/upload",            who, \
    TAKES(upload_new),       GIVES_FLAT(upload_made),           h_upload_make, \
    .scope = DATA_WRITE, .whole = whole_, .success = 201, \
    .doc = "Start an upload: get an address to send a file's bytes to" }, \
  { GET,    at "/blobs/" loose "/content", who, \
    TAKES_NOTHING,           GIVES_BYTES,                       h_blob_content, \
    .scope = DATA_READ, .whole = whole_, \
    .doc = "Download a file of yours that is in no deliverable" }, \
  { DELETE, at "/blobs/" loose,      who, \
    TAKES_NOTHING,           GIVES_NOTHING,                     h_blob_delete, \
    .scope = DATA_WRITE, .whole = whole_, \
    .doc = "Delete a file of yours that is in no deliverable" }, \
  { POST,   at "/deliverables",      who, \
    TAKES(deliverable_new),  GIVES("deliverable", deliverable), h_deliverable_add, \
    .scope = DATA_WRITE, .whole = whole_, .success = 201, \
    .doc = "Make a deliverable of a file, which is its version 1" }, \
  { POST,   at "/deliverables/" dlv "/version", who, \
    TAKES(deliverable_next), GIVES("deliverable", deliverable), h_deliverable_version, \
    .scope = DATA_WRITE, .whole = whole_, .success = 201, .doc = "Add a version" }, \
  { GET,    at "/deliverables/" dlv "/versions", who, \
    TAKES_NOTHING, GIVES_LIST("versions", deliverable_version), h_deliverable_versions, \
    .scope = DATA_READ, .whole = whole_, .query = &page_query_shape, \
    .doc = "List its versions, newest first" }, \
  { GET,    at "/deliverables/" dlv "/versions/{no}/content", who, \
    TAKES_NOTHING,           GIVES_BYTES,                       h_version_content, \
    .scope = DATA_READ, .whole = whole_, .doc = "Download one of its versions" }, \
  { GET,    at "/deliverables/" dlv "/preview", who, \
    TAKES_NOTHING,           GIVES_BYTES,                       h_deliverable_preview, \
    .scope = DATA_READ, .whole = whole_, \
    .doc = "Get a picture of the latest version: a PDF's first page, or a frame of a film" }, \
  { PATCH,  at "/deliverables/" dlv, who, \
    TAKES(deliverable_edit), GIVES("deliverable", deliverable), h_deliverable_change, \
    .scope = DATA_WRITE, .whole = whole_, \
    .doc = "Rename it, move it, or change who sees it" }, \
  { DELETE, at "/deliverables/" dlv, who, \
    TAKES_NOTHING,           GIVES_NOTHING,                     h_deliverable_delete, \
    .scope = DATA_WRITE, .whole = whole_, .doc = "Delete it with all its versions" }

static const struct route asset_routes[] = {
  LIBRARY("/v1/workspaces/{ws}/assets", WS_READ, "{dlv}", "{loose}", false),
  { GET,    "/v1/files/{dlv}/content", SIGNED_IN,
    TAKES_NOTHING, GIVES_BYTES,              h_file_content,
    .scope = DATA_READ,
    .doc = "Download the latest version of a deliverable, a workspace's or your own, "
	   "or one that is shared with you" },
  { PUT,    "/v1/files/{dlv}/content", SIGNED_IN,
    TAKES_BYTES,   GIVES_FLAT(file_added),   h_file_put,
    .scope = DATA_WRITE, .success = 201, .slow = true, .max_body = BODY_ASSET,
    .query = &file_added_query_shape, .judge = asset_version_ask, .prepare = p_file_put,
    .doc = "Add a version to a deliverable, of these bytes: one you see in your workspace, "
	   "your own, or one that was shared with you to edit" },
  { GET,    "/v1/files/{dlv}/preview", SIGNED_IN,
    TAKES_NOTHING, GIVES_BYTES,              h_file_preview,
    .scope = DATA_READ,
    .doc = "Get a picture of its latest version: a PDF's first page, or a frame of a film" },
  { PUT,    "/v1/uploads/{upload}",    PUBLIC,
    TAKES_BYTES,   GIVES_FLAT(upload_done),  h_upload,
    .success = 201, .slow = true, .max_body = BODY_ASSET, .judge = upload_ask,
    .prepare = p_upload, .goes_on = true,
    .doc = "Send a file's bytes to an upload, once; or in pieces, with Content-Range" },
  { GET,    "/v1/uploads/{upload}",    PUBLIC,
    TAKES_NOTHING, GIVES_FLAT(upload_state), h_upload_look,
    .doc = "What is there of an upload, to go on with it" },
  { DELETE, "/v1/uploads/{upload}",    PUBLIC,
    TAKES_NOTHING, GIVES_NOTHING,            h_upload_cancel,
    .doc = "Give up an upload that nothing has been sent to" },
};
ROUTES(asset, "Asset library",
    "Files of a workspace with versions, separate from what is published.");

static const struct route own_asset_routes[] = {
  LIBRARY("/v1/assets", SIGNED_IN, "{own_dlv}", "{own_loose}", true),
};
ROUTES(own_asset, "Your own asset library", "The same, of yours alone.");
