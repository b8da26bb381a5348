/* SPDX-License-Identifier: Apache-2.0
 * The data catalog in the browser: its entries, with a search and filters, and the switch that
 * turns it on and off. */
#include "catalog/catalog_page.h"

#include "base/str.h"
#include "catalog/found.h"
#include "catalog/seed.h"
#include "core/workspace.h"
#include "http/form.h"

enum { ENTRIES_A_PAGE = 50, VALUES_SHOWN = 12, DESCRIPTION_SHOWN = 220 };

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

const char *
catalog_body(struct req *r, const char *path, const char *content, const char *title)
{
	const char *heading = mem_printf(r->c->mem, "# %s\n", title);
	const char *body = catalog_file_text(r->c, path, content);

	if (!body)
		return NULL;
	body += strspn(body, "\n");
	return str_starts(body, heading) ? body + strlen(heading) : body;
}

int64_t
catalog_undescribed(const struct list *columns)
{
	const struct catalog_column *column = columns->v;
	int64_t n = 0;

	for (size_t i = 0; i < columns->n; i++)
		n += !column[i].description;
	return n;
}

/* ---- the list ---- */

#define FACET_VALUE(F, T) \
	F(T, STR,  value) \
	F(T, INT,  count) \
	F(T, BOOL, chosen)
SHAPE(facet_value, FACET_VALUE);

#define CATALOG_FACET(F, T) \
	F(T, STR,  facet,  .doc = "Parameter of the query") \
	F(T, LIST, values, .sub = &facet_value_shape)
SHAPE(catalog_facet, CATALOG_FACET);

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

static struct strs
among(struct ctx *c, const struct strs *asked, const char *words)
{
	struct strs out = { mem_array(c->mem, const char *, asked->n + 1), 0 };

	for (size_t i = 0; i < asked->n; i++)
		if (str_in(asked->v[i], words))
			out.v[out.n++] = asked->v[i];
	return out;
}

static struct catalog_query
catalog_asked(struct req *r)
{
	const struct catalog_page_query *q = r->query;

	return (struct catalog_query){ .q = str_given(q->q),
		.kind = among(r->c, &q->kind, CATALOG_KINDS),
		.domain = q->domain,
		.status = among(r->c, &q->status, CATALOG_STATUSES),
		.tag = q->tag,
		.sort = str_one_of(q->sort, CATALOG_SORTS),
		.cursor = q->cursor,
		.limit = ENTRIES_A_PAGE };
}

/* The most frequent ones, and the chosen ones. */
static struct catalog_facet
facet_of(struct ctx *c, const char *name, const struct list *values, const struct strs *chosen)
{
	struct facet_value *out = mem_array(c->mem, struct facet_value, values->n + chosen->n + 1);
	const struct catalog_value *v = values->v;
	struct strs told = { mem_array(c->mem, const char *, values->n + 1), 0 };
	size_t n = 0;

	for (size_t i = 0; i < values->n; i++) {
		bool is = strs_have(chosen, v[i].value);

		if (n >= VALUES_SHOWN && !is)
			continue;
		told.v[told.n++] = v[i].value;
		out[n++] = (struct facet_value){ .value = v[i].value,
			.count = v[i].count,
			.chosen = is };
	}
	for (size_t i = 0; i < chosen->n; i++)
		if (!strs_have(&told, chosen->v[i]))
			out[n++] = (struct facet_value){ .value = chosen->v[i],
				.chosen = true };
	return (struct catalog_facet){ .facet = name, .values = { out, n } };
}

static struct list
facets_of(struct ctx *c, const struct catalog_facets *f, const struct catalog_query *ask)
{
	struct catalog_facet *out = mem_array(c->mem, struct catalog_facet, 4);
	size_t n = 0;

	out[n++] = facet_of(c, "kind", &f->kind, &ask->kind);
	out[n++] = facet_of(c, "domain", &f->domain, &ask->domain);
	n -= !out[n - 1].values.n;
	out[n++] = facet_of(c, "status", &f->status, &ask->status);
	out[n++] = facet_of(c, "tag", &f->tag, &ask->tag);
	n -= !out[n - 1].values.n;
	return (struct list){ out, n };
}

/* Marks the match in the title or the description, or in the text shown instead: a tag, else the
 * path. */
static void
entry_mark(struct req *r, const char *q, struct catalog_entry *e)
{
	bool title, text = false, tag = false, path;
	const char *marked;

	e->called = catalog_marked(r->c->mem, q, e->title, CATALOG_TITLE, &title);
	if (e->description)
		e->says = catalog_marked(
		    r->c->mem, q, e->description, DESCRIPTION_SHOWN, &text);
	if (!q || title || text)
		return;
	for (size_t i = 0; i < e->tags.n && !tag; i++) {
		marked = catalog_marked(r->c->mem, q, e->tags.v[i], CATALOG_TAG, &tag);
		if (tag)
			e->by_tag = marked;
	}
	marked = catalog_marked(r->c->mem, q, e->path, CATALOG_PATH_BYTES, &path);
	if (!tag && path)
		e->by_path = marked;
}

/* Whether there is any shows in the counts of a facet, which its own choice does not narrow. */
static bool
counted(const struct list *facet)
{
	const struct catalog_value *v = facet->v;

	for (size_t i = 0; i < facet->n; i++)
		if (v[i].count)
			return true;
	return false;
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
	    counted(&((struct catalog_facets *)found->facets)->kind);
	page.facets = facets_of(r->c, found->facets, &ask);
	entry = found->entries.v;
	for (size_t i = 0; i < found->entries.n; i++)
		entry_mark(r, ask.q, &entry[i]);
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
