/* SPDX-License-Identifier: Apache-2.0
 * The pages of delivery links: a new link for chosen files, a person's links, and one link, to
 * change and revoke. */
#include "assets/link.h"

#include "assets/asset_api.h"
#include "assets/library_page.h"
#include "base/email.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "http/form.h"

enum { DAY_S = 86400, TYPED_BYTES = 16000 };

/* ---- fields of a form ---- */

#define LINK_TYPED(F, T) \
	F(T, WORD, gate,     .flags = F_REQ, .arg = "keep|" LINK_GATES) \
	F(T, STR,  password, .flags = F_SECRET, .hi = 1024) \
	F(T, STR,  domains,  .flags = F_LONG, .hi = TYPED_BYTES) \
	F(T, STR,  expires,  .flags = F_REQ, .hi = 10, \
		.doc = "In so many days, or on a date, never, or as it is (keep)") \
	F(T, STR,  until,    .hi = 10) \
	/* of a new one */ \
	F(T, STRS, file,     .item = K_ID, .arg = "dlv_", .hi = CHOSEN_MOST) \
	F(T, STR,  from,     .hi = FOLDER_ID_CHARS) \
	F(T, STR,  name,     .hi = FILENAME_BYTES) \
	F(T, STR,  to,       .flags = F_LONG, .hi = TYPED_BYTES) \
	F(T, STR,  message,  .flags = F_LONG, .hi = 2000)
SHAPE(link_typed, LINK_TYPED);

/* The fields of the API's request, which its shape reads, so its rules apply here, too. */
struct wish_pairs {
	struct pair v[8];
	size_t n;
};

static void
pair_add(struct wish_pairs *p, const char *name, const char *value)
{
	p->v[p->n++] = (struct pair){ name, value };
}

/* A day ends at midnight, UTC. */
static enum err
expiry_read(struct req *r, const struct link_typed *in, struct wish_pairs *out)
{
	int64_t days;

	if (str_eq(in->expires, "never"))
		pair_add(out, "expiresAt", NULL);
	else if (str_int(in->expires, &days) && days > 0)
		pair_add(out, "expiresAt", str_rfc3339(r->c->mem, r->c->now + days * DAY_S));
	else if (str_eq(in->expires, "date") && (!in->until || !*in->until))
		return fail(r->c, E_INVALID, "until: choose a day");
	else if (str_eq(in->expires, "date"))
		pair_add(out, "expiresAt", mem_printf(r->c->mem, "%sT23:59:59Z", in->until));
	return E_OK;
}

static enum err
typed_read(struct req *r, const struct link_typed *in, struct wish_pairs *out)
{
	const char *domains = in->domains ? items_typed(r->c->mem, in->domains) : NULL;

	if (!str_eq(in->gate, "keep"))
		pair_add(out, "gate", in->gate);
	if (str_eq(in->gate, "password") && in->password && *in->password)
		pair_add(out, "password", in->password);
	if (str_eq(in->gate, "domain") && domains)
		pair_add(out, "domains", domains);
	return expiry_read(r, in, out);
}

/* Reads the form: a struct link_send if it has addresses, else a struct link_wish. */
static enum err
share_read(struct req *r, const char **to, void **wish)
{
	const struct link_typed *in = r->in;
	struct wish_pairs p = { 0 };

	*to = in->to ? emails_typed(r->c->mem, in->to) : NULL;
	if (!in->file.n)
		return fail(r->c, E_INVALID, "file: is required");
	TRY(typed_read(r, in, &p));
	if (in->message && *in->message)
		pair_add(&p, "message", str_lines(r->c->mem, in->message));
	if (!*to)
		return shape_read_pairs(r->c, &link_wish_shape, p.v, p.n, wish);
	pair_add(&p, "to", *to);
	return shape_read_pairs(r->c, &link_send_shape, p.v, p.n, wish);
}

/* ---- a new link ---- */

#define LINK_PAGE(F, T) \
	F(T, LIST, files,    .sub = &deliverable_shape) \
	/* of a new one */ \
	F(T, STR,  back) \
	F(T, STR,  from) \
	F(T, STR,  name) \
	/* of one that is there */ \
	F(T, OBJ,  link,     .sub = &delivery_link_shape) \
	F(T, BOOL, changing, .doc = "Its maker may change it")
SHAPE(library_link_page, LINK_PAGE);

/* deliverables_named(), for the page. */
static enum err
files_told(struct req *r, const struct strs *ids, bool all, struct list *out)
{
	struct library l = asset_library(r);
	struct deliverable_list seen;

	TRY(deliverables_named(r->c, &l, r->who, ids, all, &seen));
	for (size_t i = 0; i < seen.n; i++)
		seen.v[i].kind = file_kind(seen.v[i].mime_type);
	*out = (struct list){ seen.v, seen.n };
	return E_OK;
}

static enum err
h_share_ask(struct req *r)
{
	const struct chosen_query *q = r->query;
	const char *from = library_from(r, q->from);
	struct library_link_page page = { .from = from,
		.back = library_place(r, from) };
	const struct deliverable *first;

	if (!q->file.n)
		return library_back(r, from, "no_files_chosen");
	TRY(files_told(r, &q->file, true, &page.files));
	first = page.files.v;
	page.name = page.files.n == 1
	    ? first->name
	    : str_count(r->c->mem, (int64_t)page.files.n, "file");
	return reply_page(r, 0, &page);
}

static enum err
p_share(struct req *r)
{
	const struct link_typed *in = r->in;
	const char *to;
	void *wish;

	TRY(share_read(r, &to, &wish));
	return str_eq(in->gate, "password") && in->password && *in->password
	    ? link_hash(r, in->password)
	    : E_OK;
}

static enum err
h_share(struct req *r)
{
	const struct link_typed *in = r->in;
	struct library l = asset_library(r);
	struct delivery_link_list sent;
	struct delivery_link *link;
	const char *to, *collection;
	void *wish;

	TRY(share_read(r, &to, &wish));
	TRY(collection_add(r->c, &l, r->who,
	    &(struct collection_new){ .name = str_given(in->name),
		.deliverable_ids = in->file },
	    &collection));
	if (!to) {
		TRY(link_make(r->c, &l, r->who, collection, wish, r->prepared, &link));
		return reply_go(r, "%s/links/%s?done=link_made", library_path(r), link->id);
	}
	TRY(links_send(r->c, &l, r->who, collection, wish, r->prepared, &sent));
	return reply_go(r, "%s/links%s%s?done=link_sent", library_path(r), sent.n == 1 ? "/" : "",
	    sent.n == 1 ? sent.v->id : "");
}

static bool
is_mine(const struct req *r, const struct delivery_link *l)
{
	const struct asset_person *maker = l->created_by;

	return maker && str_eq(maker->id, r->who->user_id);
}

/* ---- one link ---- */

static enum err
link_here(struct req *r, struct delivery_link **out)
{
	struct library l = asset_library(r);

	return link_get(r->c, &l, r->who, links_seen_all(r), asset_link(r), false, out);
}

/* Other people's collections are not visible to the caller. */
static enum err
link_files(struct req *r, const struct delivery_link *link, struct list *out)
{
	struct library l = asset_library(r);
	struct collection *k;

	if (!link->collection_id || !is_mine(r, link))
		return E_OK;
	TRY(collection_get(r->c, &l, r->who, link->collection_id, false, &k));
	return files_told(r, &k->deliverable_ids, false, out);
}

static enum err
h_link(struct req *r)
{
	struct library_link_page page = { 0 };
	struct delivery_link *link;

	TRY(link_here(r, &link));
	page.link = link;
	page.changing = is_mine(r, link) && !link->revoked;
	TRY(link_files(r, link, &page.files));
	return reply_page(r, 0, &page);
}

static enum err
change_read(struct req *r, void **wish)
{
	struct wish_pairs p = { 0 };

	TRY(typed_read(r, r->in, &p));
	return shape_read_pairs(r->c, &link_wish_shape, p.v, p.n, wish);
}

static enum err
p_link_change(struct req *r)
{
	void *wish;

	TRY(change_read(r, &wish));
	return link_hash(r, ((const struct link_wish *)wish)->password);
}

static enum err
h_link_change(struct req *r)
{
	struct library l = asset_library(r);
	void *wish;

	TRY(change_read(r, &wish));
	TRY(link_change(r->c, &l, r->who, asset_link(r), wish, r->prepared));
	return form_done(r, NULL);
}

static enum err
link_find(struct req *r, struct shown *out)
{
	struct delivery_link *link;

	TRY(link_here(r, &link));
	*out = SHOWN(delivery_link, link);
	return E_OK;
}

/* asks: as in library_page.c. */
#define LINK_PAGES(at, api, who_, asks, lnk) \
  { PAGE_OF(at "/share", who_, "library_share", &library_link_page_shape, h_share_ask), \
    .query = &chosen_query_shape, \
    .doc = "Asks who may open a link to files, and until when" }, \
  { FORM(at "/share", who_, link_typed, h_share), .again = at "/share", \
    .called = "expiresAt=until", .slow = true, \
    .prepare = p_share, .doc = "Create or send the link" }, \
  { SHOWN_PAGE(at "/links", who_, "library_links"), \
    .shows = SHOWS({ "links", "GET " api "/links?limit=50" }), .query = &tab_query_shape, \
    .doc = "The delivery links" }, \
  { PAGE(at "/links/" lnk, who_, library_link, h_link), .query = &tab_query_shape, \
    .doc = "A delivery link" }, \
  { FORM(at "/links/" lnk, who_, link_typed, h_link_change), .again = at "/links/" lnk, \
    .called = "expiresAt=until", .then = at "/links/" lnk "?done=saved", \
    .slow = true, .prepare = p_link_change, .doc = "Change who may open it, and until when" }, \
  { POST, at "/links/" lnk "/revoke", asks, DOES("POST " api "/links/" lnk "/revoke"), \
    .ask = ASK("Revoke the link to {name}?", \
	"The link stops working for everyone. The files stay in the library. " \
	"This can’t be undone; you can share them by a new link.", \
	"Revoke link", at "/links/" lnk, .find = link_find, .url = "{url}", .who = who_), \
    .then = at "/links/" lnk "?done=link_revoked", \
    .doc = "Revoke it" }

static const struct route link_page_routes[] = {
  LINK_PAGES("/library", "/v1/assets", SESSION, SESSION, "{own_lnk}"),
  LINK_PAGES("/w/{ws}/library", "/v1/workspaces/{ws}/assets", WS_MEMBER, PUBLIC, "{lnk}"),
};
ROUTES(link_page, "Pages: delivery links",
    "How people make delivery links, and end them, in the browser.");
