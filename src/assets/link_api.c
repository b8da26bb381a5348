/* SPDX-License-Identifier: Apache-2.0
 * Collections and delivery links of a workspace's asset library, and of a person's own. Source:
 * interface, "Asset library". */
#include "assets/asset_api.h"
#include "assets/link.h"
#include "base/passhash.h"
#include "base/str.h"
#include "core/workspace.h"
#include "http/quota.h"

static const char *
path_param(const struct req *r, const char *in_workspace, const char *own)
{
	return req_param(r, r->ws ? in_workspace : own);
}

bool
links_seen_all(const struct req *r)
{
	return r->ws && member_rank(r->ws->role) >= MEMBER_ADMIN;
}

const char *
asset_link(const struct req *r)
{
	return path_param(r, "lnk", "own_lnk");
}

/* ---- collections ---- */

static enum err
h_collections(struct req *r)
{
	struct library l = asset_library(r);

	return reply_list_of(r, struct collection_list, collection_list, &l, r->who, r->query);
}

static enum err
h_collection_add(struct req *r)
{
	struct library l = asset_library(r);
	struct collection *k;
	const char *id;

	TRY(collection_add(r->c, &l, r->who, r->in, &id));
	TRY(collection_get(r->c, &l, r->who, id, false, &k));
	return reply_noun(r, k);
}

static enum err
h_collection_delete(struct req *r)
{
	struct library l = asset_library(r);

	TRY(collection_delete(r->c, &l, r->who, path_param(r, "col", "own_col")));
	return reply_none(r);
}

/* ---- links ---- */

static enum err
h_links(struct req *r)
{
	struct library l = asset_library(r);

	return reply_list_of(
	    r, struct delivery_link_list, link_list, &l, r->who, links_seen_all(r), r->query);
}

static enum err
hash_make(struct req *r)
{
	r->prepared = (void *)(uintptr_t)passhash_new(r->c->mem, r->prepared);
	return E_OK;
}

enum err
link_hash(struct req *r, const char *password)
{
	if (!password)
		return E_OK;
	if (strlen(password) > PASSHASH_MAX)
		return fail(r->c, E_INVALID, "password: is %zu bytes; the maximum is %d",
		    strlen(password), PASSHASH_MAX);
	r->prepared = (void *)(uintptr_t)password;
	return quota_cpu(r, true, hash_make);
}

static enum err
p_wish(struct req *r)
{
	return link_hash(r, ((const struct link_wish *)r->in)->password);
}

static enum err
p_send(struct req *r)
{
	return link_hash(r, ((const struct link_send *)r->in)->password);
}

static enum err
h_share(struct req *r)
{
	struct library l = asset_library(r);
	struct delivery_link *link;

	TRY(link_make(
	    r->c, &l, r->who, path_param(r, "col", "own_col"), r->in, r->prepared, &link));
	return reply_flat(r, &(struct link_made){ .url = link->url, .link = link });
}

static enum err
h_send(struct req *r)
{
	struct library l = asset_library(r);
	struct delivery_link_list links;

	TRY(links_send(
	    r->c, &l, r->who, path_param(r, "col", "own_col"), r->in, r->prepared, &links));
	return reply_flat(r,
	    &(struct links_sent){ .url = links.v->url, .links = { links.v, links.n } });
}

static enum err
link_reply(struct req *r, const struct library *l)
{
	struct delivery_link *link;

	TRY(link_get(
	    r->c, l, r->who, links_seen_all(r), asset_link(r), false, &link));
	return reply_noun(r, link);
}

static enum err
h_link_change(struct req *r)
{
	struct library l = asset_library(r);

	TRY(link_change(r->c, &l, r->who, asset_link(r), r->in, r->prepared));
	return link_reply(r, &l);
}

static enum err
h_link_revoke(struct req *r)
{
	struct library l = asset_library(r);

	TRY(link_revoke(r->c, &l, r->who, links_seen_all(r), asset_link(r)));
	return link_reply(r, &l);
}

#define LINKS(at, who, col, lnk, whole_) \
  { GET,    at "/collections", who, \
    TAKES_NOTHING,         GIVES_LIST("collections", collection), h_collections, \
    .scope = DATA_READ, .whole = whole_, .query = &page_query_shape, \
    .doc = "List your collections, newest first" }, \
  { POST,   at "/collections", who, \
    TAKES(collection_new), GIVES("collection", collection),       h_collection_add, \
    .scope = DATA_WRITE, .whole = whole_, .success = 201, \
    .doc = "Bundle files in a collection, to share or send it" }, \
  { DELETE, at "/collections/" col, who, \
    TAKES_NOTHING,         GIVES_NOTHING,                         h_collection_delete, \
    .scope = DATA_WRITE, .whole = whole_, \
    .doc = "Delete a collection of yours; its links are revoked, its files stay" }, \
  { POST,   at "/collections/" col "/share", who, \
    TAKES(link_wish),      GIVES_FLAT(link_made),                 h_share, \
    .scope = DATA_WRITE, .whole = whole_, .success = 201, .slow = true, \
    .opens = "unlisted", .prepare = p_wish, \
    .doc = "Create a link to a collection, which anyone who passes its gate can open" }, \
  { POST,   at "/collections/" col "/send", who, \
    TAKES(link_send),      GIVES_FLAT(links_sent),                h_send, \
    .scope = DATA_WRITE, .whole = whole_, .success = 201, .slow = true, \
    .opens = "unlisted", .prepare = p_send, \
    .doc = "E-mail a collection: a link for each address" }, \
  { GET,    at "/links", who, \
    TAKES_NOTHING,         GIVES_LIST("links", delivery_link),    h_links, \
    .scope = DATA_READ, .whole = whole_, .query = &page_query_shape, \
    .doc = "List your links, newest first; admins of a workspace see those of everyone" }, \
  { PATCH,  at "/links/" lnk, who, \
    TAKES(link_wish),      GIVES("link", delivery_link),          h_link_change, \
    .scope = DATA_WRITE, .whole = whole_, .slow = true, .opens = "unlisted", .prepare = p_wish, \
    .doc = "Change a link's gate or expiry" }, \
  { POST,   at "/links/" lnk "/revoke", who, \
    TAKES_NOTHING,         GIVES("link", delivery_link),          h_link_revoke, \
    .scope = DATA_WRITE, .whole = whole_, .doc = "Revoke a link: it no longer opens" }

static const struct route link_routes[] = {
  LINKS("/v1/workspaces/{ws}/assets", WS_READ, "{col}", "{lnk}", false),
};
ROUTES(link, "Collections and delivery links",
    "Files of an asset library, bundled, behind links that let others in.");

static const struct route own_link_routes[] = {
  LINKS("/v1/assets", SIGNED_IN, "{own_col}", "{own_lnk}", true),
};
ROUTES(own_link, "Your own collections and delivery links", "The same, of your own library.");
