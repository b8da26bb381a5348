/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/workspaces/…/catalog. Source: interface, "Data catalog". */
#include "base/str.h"
#include "catalog/lineage.h"
#include "catalog/manifest.h"
#include "catalog/seed.h"
#include "core/find.h"
#include "http/req.h"

static enum err
h_catalog(struct req *r)
{
	struct catalog *out;

	TRY(catalog_list(r->c, r->ws, r->who, r->query, &out));
	if (out->next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, out->next_cursor, "cursor"));
	return reply_flat(r, out);
}

static enum err
h_manifest(struct req *r)
{
	struct catalog_manifest *out;

	TRY(catalog_manifest(r->c, r->ws, r->who, &out));
	return reply_flat(r, out);
}

#define CATALOG_ONE(F, T) \
	F(T, BOOL, enabled) \
	F(T, OBJ,  entry, .flags = F_NUL, .sub = &catalog_entry_shape, \
		.doc = "null while the catalog is off")
SHAPE(catalog_one, CATALOG_ONE);

static enum err
h_entry(struct req *r)
{
	struct catalog_entry *e;

	TRY(catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &e));
	return reply_flat(r, &(struct catalog_one){ .enabled = e != NULL, .entry = e });
}

static enum err
h_lineage(struct req *r)
{
	struct lineage *out;

	TRY(catalog_lineage(r->c, r->ws, r->who, r->query, &out));
	return reply_flat(r, out);
}

static enum err
h_enable(struct req *r)
{
	const struct catalog_switch *in = r->in;

	TRY(catalog_enable(r->c, r->ws, r->who, in->enabled));
	return reply_flat(r, in);
}

static enum err
h_seed(struct req *r)
{
	struct catalog_seeded *out;

	TRY(catalog_seed(r->c, r->ws, r->who, &out));
	return reply_flat(r, out);
}

/* If-Match may have the ETag of the file or of the GET's reply, which also changes with the
 * entry's source. */
static enum err
file_conditions(struct req *r, const char *path)
{
	const char *sent = req_header(r, "HTTP_IF_MATCH");
	struct catalog_entry *old;

	TRY(catalog_entry_at(r->c, r->ws, r->who, path, &old));
	if (!old || !sent || strstr(sent, old->etag))
		return req_conditions(r, old ? old->etag : NULL);
	TRY(catalog_entry_get(r->c, r->ws, r->who, old->id, &old));
	return req_if_match_body(r,
	    mem_printf(r->c->mem, "{\"success\":true,%s",
		shape_text(r->c->mem, &catalog_one_shape,
		    &(struct catalog_one){ .enabled = old != NULL, .entry = old }) +
		    1));
}

static enum err
h_file_put(struct req *r)
{
	const struct catalog_file *in = r->in;
	struct catalog_entry *e;
	const char *id;
	bool made;

	TRY(file_conditions(r, in->path));
	TRY(catalog_put(r->c, r->ws, r->who, in, &made, &id));
	TRY(catalog_entry_get(r->c, r->ws, r->who, id, &e));
	TRY(reply_noun(r, e));
	reply_status(r, made ? 201 : 200);
	return E_OK;
}

#define CATALOG_PATH(F, T) \
	F(T, STR, path, .flags = F_REQ, .lo = 1, .doc = "Exactly that file", \
		.eg = "\"sales/orders.md\"")
SHAPE(catalog_path, CATALOG_PATH);

static enum err
h_file_delete(struct req *r)
{
	const struct catalog_path *q = r->query;

	TRY(file_conditions(r, q->path));
	TRY(catalog_delete(r->c, r->ws, r->who, q->path));
	return reply_none(r);
}

static const struct route catalog_routes[] = {
/* method  path                                          who body                    reply
 * handler */
  { GET,    "/v1/workspaces/{ws}/catalog",                WS_READ,
    TAKES_NOTHING,          GIVES_FLAT(catalog),          h_catalog,
    .query = &catalog_query_shape, .scope = DATA_READ,
    .doc = "List the entries that you see, with counts of kinds, domains, statuses and tags" },
  { GET,    "/v1/workspaces/{ws}/catalog/manifest",       WS_READ,
    TAKES_NOTHING,          GIVES_FLAT(catalog_manifest), h_manifest,
    .scope = DATA_READ, .slow = true,
    .doc = "Get all entries that you see, and which come from which, as one document" },
  { GET,    "/v1/workspaces/{ws}/catalog/entries/{cat}",  WS_READ,
    TAKES_NOTHING,          GIVES_FLAT(catalog_one),      h_entry,
    .scope = DATA_READ, .opened = FIND_ENTRY,
    .doc = "Get an entry with its file, and what comes from it" },
  { GET,    "/v1/workspaces/{ws}/catalog/lineage",        WS_READ,
    TAKES_NOTHING,          GIVES_FLAT(lineage),          h_lineage,
    .query = &lineage_query_shape, .scope = DATA_READ,
    .doc = "Get where an entry's data comes from, and what depends on it" },
  { POST,   "/v1/workspaces/{ws}/catalog/enable",         WS_ADMIN,
    TAKES(catalog_switch),  GIVES_FLAT(catalog_switch),   h_enable,
    .doc = "Turn the catalog on or off; its files stay" },
  { POST,   "/v1/workspaces/{ws}/catalog/seed",           WS_ADMIN,
    TAKES_NOTHING,          GIVES_FLAT(catalog_seeded),   h_seed,
    .slow = true,
    .doc = "Make a file for each table, document and connection that you can read; "
	   "files that somebody has edited stay as they are" },
  { PUT,    "/v1/workspaces/{ws}/catalog/files",          WS_READ,
    TAKES(catalog_file),    GIVES("entry", catalog_entry), h_file_put,
    .scope = DATA_WRITE, .makes = true,
    .doc = "Create or replace a file. If its front matter is wrong, "
	   "details has line and column" },
  { DELETE, "/v1/workspaces/{ws}/catalog/files",          WS_READ,
    TAKES_NOTHING,          GIVES_NOTHING,                h_file_delete,
    .query = &catalog_path_shape, .scope = DATA_WRITE,
    .doc = "Delete a file" },
};
ROUTES(catalog, "Data catalog",
    "What a workspace's data means: a file for each dataset, source, page, metric or term, "
    "in Markdown with front matter. What an entry is about is joined with what there is: "
    "columns, number of rows, and what fills it. Whoever can't open a table, an artifact or a "
    "connection doesn't see the entries about it.");
