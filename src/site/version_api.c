/* SPDX-License-Identifier: Apache-2.0
 * Versions and files of an artifact. Source: interface, "Artifacts"; site/README.md. */
#include "site/version.h"

#include "base/str.h"
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"
#include "site/check.h"
#include "site/filehistory.h"
#include "site/pdfpage.h"
#include "site/retention.h"

static enum err
h_version_list(struct req *r)
{
	return reply_list_of(r, struct list, version_list, r->art, r->query);
}

static enum err
h_version_get(struct req *r)
{
	struct version *v;

	TRY(version_get(r->c, r->art, req_param_no(r, "no"), &v));
	return reply_noun(r, v);
}

static enum err
h_version_change(struct req *r)
{
	TRY(version_change(r->c, r->art, req_param_no(r, "no"), r->in));
	return h_version_get(r);
}

static enum err
h_version_restore(struct req *r)
{
	struct version *v;

	TRY(req_if_match(r, "artifact", &artifact_shape, r->art));
	TRY(checks_restore(r->c, r->art, req_param_no(r, "no")));
	TRY(version_get(r->c, r->art, req_param_no(r, "no"), &v));
	v->is_live = v->is_open = true;
	v->is_draft = false;
	return reply_noun(r, v);
}

static enum err
h_version_remove(struct req *r)
{
	/* Agents can't remove for good, so that their person can undo everything. */
	if (r->outer)
		return fail(r->c, E_DENIED,
		    "version_no: agents can't remove versions for good; "
		    "your person can, on the artifact's page of versions");
	TRY(version_remove(r->c, r->art, req_param_no(r, "no")));
	return reply_none(r);
}

static enum err
export_write(void *r, struct ctx *c, const void *bytes, size_t n)
{
	(void)c;
	return req_write(r, bytes, n);
}

static enum err
export_send(struct req *r, void *files)
{
	return version_export(r->c, files, export_write, r);
}

static enum err
h_version_export(struct req *r)
{
	struct list *files = mem_new(r->c->mem, struct list);

	TRY(version_export_files(r->c, r->art, req_param_no(r, "no"), files));
	return reply_stream(r, "application/zip",
	    mem_printf(r->c->mem, "%s-v%lld.zip", r->art->slug, (long long)req_param_no(r, "no")),
	    export_send, files);
}

static enum err
h_files(struct req *r)
{
	return reply_list_of(r, struct list, version_files, r->art, r->query);
}

static enum err
h_file(struct req *r)
{
	const struct files_query *q = r->query;
	struct version_file *f;

	TRY(version_file_get(r->c, r->art, q->version, req_param(r, "+"), &f));
	return reply_object(
	    r, f->sha256, f->mime, strrchr(f->path, '/') ? strrchr(f->path, '/') + 1 : f->path,
	    false);
}

static enum err
h_file_history(struct req *r)
{
	return reply_list_of(r, struct list, file_history, r->art, r->query);
}

static enum err
h_blame(struct req *r)
{
	struct blame *out;

	TRY(file_blame(r->c, r->art, r->query, &out));
	return reply_flat(r, out);
}

#define PDF_PAGE_QUERY(F, T) \
	F(T, INT, version, .lo = 1, .hi = 2147483647, .doc = "Default: the live version") \
	F(T, STR, path,    .flags = F_REQ, .lo = 1, .hi = 1024, .eg = "index.html") \
	F(T, INT, page,    .lo = 1, .hi = 10000, .def = "1")
SHAPE(pdf_page_query, PDF_PAGE_QUERY);

static enum err
h_pdf_page(struct req *r)
{
	const struct pdf_page_query *q = r->query;
	struct version_file *f;
	const char *sha256;

	TRY(version_file_get(r->c, r->art, q->version, q->path, &f));
	TRY(pdf_page_find(r->c, r->art->id, f->sha256, q->page, &sha256));
	TRY(reply_object(r, sha256, "image/png",
	    mem_printf(r->c->mem, "page-%lld.png", (long long)q->page), true));
	reply_header(r, "Cache-Control", "private, no-store");
	return E_OK;
}

static const struct route version_routes[] = {
/*  method path                                         who
    body                 reply                              handler */
  { GET,   "/v1/artifacts/{art}/versions",              ART_READ,
    TAKES_NOTHING,       GIVES_LIST("versions", version),   h_version_list,
    .scope = ARTIFACTS_READ, .query = &page_query_shape, .doc = "List the versions, newest first" },
  { GET,   "/v1/artifacts/{art}/versions/{no}",         ART_READ,
    TAKES_NOTHING,       GIVES("version", version),         h_version_get,
    .scope = ARTIFACTS_READ, .doc = "Get one version" },
  { PATCH, "/v1/artifacts/{art}/versions/{no}",         ART_OWN,
    TAKES(version_edit), GIVES("version", version),         h_version_change,
    .scope = ARTIFACTS_PUBLISH, .doc = "Open or close a version's own address" },
  { DELETE, "/v1/artifacts/{art}/versions/{no}",        ART_OWN,
    TAKES_NOTHING,       GIVES_NOTHING,                     h_version_remove,
    .scope = ARTIFACTS_PUBLISH, .doc = "Remove a version for good; its number isn't used again" },
  { POST,  "/v1/artifacts/{art}/versions/{no}/restore", ART_EDIT,
    TAKES_NOTHING,       GIVES("version", version),         h_version_restore,
    .slow = true, .scope = ARTIFACTS_PUBLISH,
    .doc = "Make a version live; If-Match: only while the artifact has that ETag",
    .did = "Made another version live of", .undo = true },
  { GET,   "/v1/artifacts/{art}/versions/{no}/export",  ART_READ,
    TAKES_NOTHING,       GIVES_STREAM,                      h_version_export,
    .slow = true, .scope = ARTIFACTS_READ, .limit = LIM_EXPORT, .visit = "download",
    .doc = "Download all files of a version as a .zip" },
  { GET,   "/v1/artifacts/{art}/files",                 ART_READ,
    TAKES_NOTHING,       GIVES_LIST("files", version_file), h_files,
    .scope = ARTIFACTS_READ, .query = &files_query_shape, .doc = "List the files of a version" },
  { GET,   "/v1/artifacts/{art}/files/{+}",             ART_READ,
    TAKES_NOTHING,       GIVES_BYTES,                       h_file,
    .scope = ARTIFACTS_READ, .query = &files_query_shape, .visit = "download",
    .doc = "Download one file as published" },
  { GET,   "/v1/artifacts/{art}/pdf-page",              ART_READ,
    TAKES_NOTHING,       GIVES_BYTES,                       h_pdf_page,
    .scope = ARTIFACTS_READ, .query = &pdf_page_query_shape,
    .doc = "Get a picture of a page of a PDF, which exists once somebody looked at the page in the "
	   "review view" },
  { GET,   "/v1/artifacts/{art}/file-history",          ART_VIEW,
    TAKES_NOTHING,       GIVES_LIST("changes", file_change), h_file_history,
    .scope = ARTIFACTS_READ, .query = &file_history_query_shape,
    .doc = "List the versions that changed a file, newest first" },
  { GET,   "/v1/artifacts/{art}/blame",                 ART_VIEW,
    TAKES_NOTHING,       GIVES_FLAT(blame),                 h_blame,
    .slow = true, .scope = ARTIFACTS_READ, .query = &blame_query_shape,
    .doc = "Get the version that each line of a text comes from" },
};
ROUTES(version, "Versions and files",
    "Each publish creates a version, which never changes: list, inspect, export, make live again.");
