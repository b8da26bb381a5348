/* SPDX-License-Identifier: Apache-2.0
 * The data catalog in the browser: its entries, with a search and filters, and the switch that
 * turns it on and off. */
#include "catalog/catalog_page.h"

#include "base/str.h"
#include "catalog/seed.h"
#include "core/workspace.h"
#include "http/form.h"

enum { ENTRIES_A_PAGE = 50 };

/* ---- fields of all pages ---- */

const char *
catalog_at(const struct req *r)
{
	return mem_printf(r->c->mem, "/w/%s/catalog", r->ws->id);
}

enum err
catalog_back(struct req *r, const char *entry_id, const char *done)
{
	return reply_go(r, "%s%s%s?done=%s", catalog_at(r), entry_id ? "/" : "",
	    entry_id ? entry_id : "", done);
}

/* ---- the list ---- */

#define CATALOG_PAGE(F, T) \
	F(T, OBJ,  catalog,  .sub = &catalog_shape) \
	F(T, BOOL, any,      .doc = "There is an entry, whether or not it is shown") \
	F(T, INT,  chosen_n, .doc = "Values that are") \
	F(T, LIST, facets,   .sub = &catalog_facet_shape) \
	F(T, STR,  next)
SHAPE(catalog_page, CATALOG_PAGE);

/* Unknown choices are ignored. */
#define CATALOG_PAGE_QUERY(F, T) \
	F(T, STR,  q,      .hi = 200) \
	F(T, STRS, kind,   .item_hi = 40, .hi = 20) \
	F(T, STRS, domain, .item_hi = CATALOG_DOMAIN, .hi = 50) \
	F(T, STRS, status, .item_hi = 40, .hi = 20) \
	F(T, STRS, tag,    .item_hi = CATALOG_TAG, .hi = 50) \
	F(T, STR,  sort,   .hi = 20) \
	F(T, STR,  cursor, .hi = 40) \
	F(T, STR,  done,   .hi = 40)
SHAPE(catalog_page_query, CATALOG_PAGE_QUERY);

static struct catalog_query
catalog_asked(struct req *r)
{
	const struct catalog_page_query *q = r->query;

	return (struct catalog_query){ .q = str_given(q->q),
		.kind = strs_among(r->c->mem, &q->kind, CATALOG_KINDS),
		.domain = q->domain,
		.status = strs_among(r->c->mem, &q->status, CATALOG_STATUSES),
		.tag = q->tag,
		.sort = str_one_of(q->sort, CATALOG_SORTS),
		.cursor = q->cursor,
		.limit = ENTRIES_A_PAGE };
}

static enum err
h_catalog(struct req *r)
{
	struct catalog_query ask = catalog_asked(r);
	struct catalog_page page = { 0 };
	struct catalog_entry *entry;
	struct catalog *found;

	TRY(catalog_list(r->c, r->ws, r->who, &ask, &found));
	page.catalog = found;
	if (!found->enabled)
		return reply_page(r, 0, &page);
	page.chosen_n = (int64_t)(ask.kind.n + ask.domain.n + ask.status.n + ask.tag.n);
	page.any = ask.q || page.chosen_n ||
	    catalog_counted(&((struct catalog_facets *)found->facets)->kind);
	page.facets = catalog_facets_said(r->c, found->facets, &ask);
	entry = found->entries.v;
	for (size_t i = 0; i < found->entries.n; i++)
		catalog_entry_mark(r->c->mem, ask.q, &entry[i]);
	page.next = req_next(r, found->next_cursor, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- on and off ---- */

#define CATALOG_BEGIN(F, T) F(T, BOOL, seed, .doc = "Describe what is there, too")
SHAPE(catalog_begin, CATALOG_BEGIN);

static enum err
h_catalog_on(struct req *r)
{
	const struct catalog_begin *in = r->in;
	struct catalog_seeded *made;

	TRY(catalog_enable(r->c, r->ws, r->who, true));
	if (in->seed)
		TRY(catalog_seed(r->c, r->ws, r->who, &made));
	return form_done(r, NULL);
}

static const struct route catalog_page_routes[] = {
  { PAGE(CATALOG_AT, WS_MEMBER, catalog, h_catalog), .query = &catalog_page_query_shape,
    .doc = "Which data there is, found and narrowed" },
  { FORM(CATALOG_AT, WS_ADMIN, catalog_begin, h_catalog_on), .then = CATALOG_AT "?done=catalog_on",
    .again = CATALOG_AT, .slow = true, .doc = "Turn the catalog on" },
  { POST, CATALOG_AT "/seed", DOES("POST /v1/workspaces/{ws}/catalog/seed"),
    .then = CATALOG_AT "?done=catalog_seeded", .again = CATALOG_AT,
    .doc = "Describe what is there" },
  { POST, CATALOG_AT "/off", DOES("POST /v1/workspaces/{ws}/catalog/enable"),
    .with = "enabled=false", .then = CATALOG_AT "?done=catalog_off",
    .ask = ASK("Turn off the catalog?",
	"Nobody sees its entries until it is turned on again. They are kept.",
	"Turn off catalog", CATALOG_AT, .gentle = true),
    .doc = "Turn the catalog off" },
};
ROUTES(catalog_page, "Pages: catalog", "A workspace's data catalog in the browser.");
