/* SPDX-License-Identifier: Apache-2.0
 * The uploads among an artifact's data, in the browser. */
#include "core/artifact_top_page.h"
#include "core/filename.h"
#include "data/blob_api.h"
#include "http/form.h"
#include "http/multipart.h"

enum { ROWS_A_PAGE = 50, FILES_AT_ONCE = 100 };

#define BLOBS_PAGE(F, T) \
	F(T, BOOL, may_add) \
	F(T, LIST, blobs, .sub = &blob_shape) \
	F(T, INT,  total) \
	F(T, INT,  most) \
	F(T, INT,  max_size, .doc = "Of one") \
	F(T, INT,  used_size) \
	F(T, INT,  most_size, .doc = "Of all") \
	F(T, STR,  before) \
	F(T, STR,  next)
SHAPE(blobs_page, BLOBS_PAGE);

#define BLOBS_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, INT, offset, .lo = 0, .hi = 1000000000, .def = "0")
SHAPE(blobs_query, BLOBS_QUERY);

static const char *
page_address(struct req *r, int64_t offset)
{
	return mem_printf(r->c->mem, "/a/%s/data/blobs?offset=%lld", r->art->id,
	    (long long)(offset > 0 ? offset : 0));
}

static enum err
page_fill(struct req *r, const struct blobs_query *q, struct blobs_page *page)
{
	struct blob_rights rights;
	struct blob_page found;
	struct blob *b;

	TRY(blob_rights_find(r->c, r->art, r->who, &rights));
	TRY(blob_list(r->c, r->art, r->who,
	    &(struct blob_query){ .limit = ROWS_A_PAGE, .offset = q->offset }, &found));
	page->may_add = rights.add;
	b = found.blobs.v;
	for (size_t i = 0; i < found.blobs.n; i++) {
		b[i].kind = file_kind(b[i].mime_type);
		b[i].drawn = file_is_thumbnail(b[i].mime_type, b[i].size);
		b[i].may_delete = blob_may_delete(&rights, &b[i]);
	}
	page->blobs = found.blobs;
	page->total = found.total;
	page->before = q->offset ? page_address(r, q->offset - ROWS_A_PAGE) : NULL;
	page->next = found.has_more ? page_address(r, q->offset + ROWS_A_PAGE) : NULL;
	return E_OK;
}

static enum err
h_blobs_page(struct req *r)
{
	const struct conf *conf = r->c->conf;
	struct blobs_page page = { .most = conf->max_blobs,
		.max_size = conf->max_blob_bytes,
		.most_size = conf->max_blob_storage_bytes };
	struct blob_usage used;

	TRY(page_fill(r, r->query, &page));
	TRY(blob_usage_get(r->c, r->art->id, &used));
	page.used_size = used.bytes;
	return reply_page(r, 0, &page);
}

/* ---- to add ---- */

struct uploads {
	struct blob *v[FILES_AT_ONCE];
	size_t n;
};

/* A browser sends a part without a name for a file field that was left empty, and the way through a
 * folder that was dropped. */
static enum err
p_blobs_upload(struct req *r)
{
	struct part *parts = mem_array(r->c->mem, struct part, FILES_AT_ONCE);
	struct uploads *all = mem_new(r->c->mem, struct uploads);
	size_t n;

	TRY(blob_ask_upload(r));
	TRY(multipart_parse(
	    r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, FILES_AT_ONCE, &n));
	for (size_t i = 0; i < n; i++) {
		const char *name = parts[i].filename, *slash = name ? strrchr(name, '/') : NULL;
		struct blob_new in = { slash ? slash + 1 : name, parts[i].bytes, NULL, NULL };

		if (!in.filename || !*in.filename)
			continue;
		TRY(blob_store(r->c, r->who, &in, &all->v[all->n++]));
	}
	r->prepared = all;
	return all->n ? E_OK : fail(r->c, E_INVALID, "No file was chosen. Choose one, then upload");
}

static enum err
h_blobs_upload(struct req *r)
{
	const struct uploads *all = r->prepared;

	TRY(blob_may_add(r->c, r->art, r->who));
	for (size_t i = 0; i < all->n; i++)
		TRY(blob_record(r->c, r->art, all->v[i]));
	return form_done(r, NULL);
}

/* ---- to delete, asked before ---- */

static enum err
blob_find(struct req *r, struct shown *out)
{
	struct blob *b;

	TRY(blob_get(r->c, r->art, r->who, req_param(r, "blob"), &b));
	return ASKED(r, out, .name = b->filename, .url = blob_url(r, b));
}

static const struct route blob_page_routes[] = {
  { PAGE("/a/{art}/data/blobs", ART_VIEW, blobs, h_blobs_page), .query = &blobs_query_shape,
    .title = "Uploads", .doc = "The files among its data" },
  { POST, "/a/{art}/data/blobs",               ART_VIEW,
    TAKES_FILES,        GIVES_REDIRECT,      h_blobs_upload,
    .again = "/a/{art}/data/blobs", .slow = true, .max_body = BODY_BLOB, .judge = blob_ask_upload,
    .prepare = p_blobs_upload, .then = "/a/{art}/data/blobs?done=uploaded", .doc = "Upload files" },
  { POST, "/a/{art}/data/blobs/{blob}/delete", DOES("DELETE /v1/data/{art}/blobs/{blob}"),
    .ask = ASK("Delete {name}?",
	"Pages that show it or link to it lose it at once. This can’t be undone.",
	"Delete file", "/a/{art}/data/blobs", .find = blob_find, .url = "{url}", .who = ART_VIEW),
    .then = "/a/{art}/data/blobs?done=gone",
    .doc = "Delete one" },
};
ROUTES(blob_page, "Pages: blobs",
    "What people see of the files among an artifact's data in the browser.");
