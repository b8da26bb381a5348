/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/blobs. Source: interface, "Artifact data". */
#include "data/blob_api.h"

#include "base/conf.h"
#include "base/sniff.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/filename.h"
#include "core/slug.h"
#include "core/storage.h"
#include "http/multipart.h"
#include "http/quota.h"
#include "http/req.h"

enum { PARTS = 4 };

const char *
blob_path(const struct req *r, const struct blob *b)
{
	return mem_printf(r->c->mem, "/v1/data/%s/blobs/%s", r->art->id, b->id);
}

const char *
blob_url(const struct req *r, const struct blob *b)
{
	const char *label = r->domain ? r->domain
	    : r->site		      ? slug_host(r->c->mem, r->site, r->subdomain)
				      : NULL;
	const char *origin =
	    label ? conf_site_origin(r->c->mem, r->c->conf, label) : r->c->conf->base_url;

	return mem_printf(r->c->mem, "%s%s/content", origin, blob_path(r, b));
}

/* ---- adding ---- */

enum err
blob_ask_upload(struct req *r)
{
	TRY(blob_may_add(r->c, r->art, r->who));
	TRY(blob_room(r->c, r->art, req_file_least(r)));
	return storage_room(r->c, r->art->id, NULL, r->who, req_file_least(r));
}

#define BYTES_QUERY(F, T) \
	F(T, STR, filename, .flags = F_REQ, .lo = 1, .hi = FILENAME_BYTES, \
		.doc = "File name, without folders", .eg = "\"photo.png\"")
SHAPE(bytes_query, BYTES_QUERY);

static enum err
p_blob_bytes(struct req *r)
{
	const struct bytes_query *q = r->query;
	struct blob *b;

	TRY(blob_ask_upload(r));
	TRY(blob_store(r->c, r->who,
	    &(struct blob_new){ q->filename, r->form, r->body_path, NULL }, &b));
	r->prepared = b;
	return E_OK;
}

/* A part with a NUL is refused. */
static enum err
name_read(struct req *r, const struct part *part, const char **out)
{
	if (part->bytes.n > FILENAME_BYTES)
		return fail(r->c, E_INVALID, "filename: must be 1 to %d bytes of UTF-8",
		    FILENAME_BYTES);
	TRY(part_read(r->c, part, out));
	return strlen(*out) == (size_t)part->bytes.n
	    ? E_OK
	    : fail(r->c, E_INVALID, "filename: must be text");
}

static enum err
form_read(struct req *r, struct blob_new *in)
{
	const char *named = NULL;
	struct part parts[PARTS];
	size_t n;

	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, PARTS, &n));
	for (size_t i = 0; i < n; i++) {
		if (str_eq(parts[i].name, "filename") && !named)
			TRY(name_read(r, &parts[i], &named));
		else if (str_eq(parts[i].name, "file") && !in->filename)
			*in = (struct blob_new){ parts[i].filename ? parts[i].filename : "file",
				parts[i].bytes, NULL, NULL };
		else
			return fail(r->c, E_INVALID,
			    "the form has an extra part, %s; "
			    "send one file and at most one filename",
			    parts[i].name);
	}
	if (!in->filename)
		return fail(r->c, E_INVALID,
		    "file: is missing; the form needs a part with this name");
	if (named)
		in->filename = named;
	return E_OK;
}

static enum err
p_blob_form(struct req *r)
{
	struct blob_new in = { 0 };
	struct blob *b;

	TRY(blob_ask_upload(r));
	TRY(form_read(r, &in));
	TRY(blob_store(r->c, r->who, &in, &b));
	r->prepared = b;
	return E_OK;
}

static enum err
h_blob_add(struct req *r)
{
	struct blob *b = r->prepared;

	TRY(blob_may_add(r->c, r->art, r->who));
	TRY(blob_record(r->c, r->art, b));
	b->url = blob_url(r, b);
	reply_header(r, "Location", "%s", blob_path(r, b));
	return reply_noun(r, b);
}

/* ---- reading ---- */

static enum err
h_blobs(struct req *r)
{
	struct blob_page page;
	struct blob *b;

	TRY(blob_list(r->c, r->art, r->who, r->query, &page));
	b = page.blobs.v;
	for (size_t i = 0; i < page.blobs.n; i++)
		b[i].url = blob_url(r, &b[i]);
	return reply_noun(r, &page);
}

static enum err
h_blob(struct req *r)
{
	struct blob *b;

	TRY(blob_get(r->c, r->art, r->who, req_param(r, "blob"), &b));
	b->url = blob_url(r, b);
	return reply_noun(r, b);
}

/* The bytes never change, but rights do. So browsers must ask each time before they use a copy. */
static enum err
h_blob_content(struct req *r)
{
	struct blob *b;

	TRY(blob_get(r->c, r->art, r->who, req_param(r, "blob"), &b));
	TRY(reply_object(r, b->sha256, sniff_sent_as(b->mime_type), b->filename,
	    sniff_shows(b->mime_type)));
	reply_header(r, "Cache-Control", "private, no-cache");
	return E_OK;
}

static enum err
h_blob_delete(struct req *r)
{
	TRY(blob_delete(r->c, r->art, r->who, req_param(r, "blob")));
	return reply_none(r);
}

static const struct route blob_routes[] = {
/* method  path                                   who body           reply
 * handler */
  { GET,    "/v1/data/{art}/blobs",                ART_READ,
    TAKES_NOTHING, GIVES("data", blob_page), h_blobs,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &blob_query_shape,
    .doc = "List the files in an artifact's data, newest first" },
  { POST,   "/v1/data/{art}/blobs",                DATA_CHANGE,
    TAKES_FILE,    GIVES("data", blob),      h_blob_add,
    .slow = true, .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .success = 201, .max_body = BODY_BLOB, .judge = blob_ask_upload, .prepare = p_blob_form,
    .doc = "Add a file as a form" },
  { PUT,    "/v1/data/{art}/blobs",                DATA_CHANGE,
    TAKES_BYTES,   GIVES("data", blob),      h_blob_add,
    .slow = true, .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .success = 201, .max_body = BODY_BLOB, .judge = blob_ask_upload, .prepare = p_blob_bytes,
    .query = &bytes_query_shape, .doc = "Add a file as raw bytes; each request adds a new one" },
  { GET,    "/v1/data/{art}/blobs/{blob}",         ART_READ,
    TAKES_NOTHING, GIVES("data", blob),      h_blob,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .doc = "Get a file's metadata" },
  { DELETE, "/v1/data/{art}/blobs/{blob}",         DATA_CHANGE,
    TAKES_NOTHING, GIVES_NOTHING,            h_blob_delete,
    .scope = DATA_WRITE, .limit = LIM_DATA, .content = true,
    .doc = "Delete a file; for editors and the person who added it" },
  { GET,    "/v1/data/{art}/blobs/{blob}/content", ART_READ,
    TAKES_NOTHING, GIVES_BYTES,              h_blob_content,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .doc = "Download a file" },
};
ROUTES(blob, "Blobs",
    "Files that an artifact's page, people and programs add to its data, "
    "separate from what is published.");
