/* SPDX-License-Identifier: Apache-2.0
 * An entry of the data catalog in the browser: its text, the data that it describes, and its
 * lineage as a picture and as a list. */
#include "base/str.h"
#include "catalog/catalog_page.h"
#include "catalog/lineage_look.h"
#include "core/find.h"
#include "knowledge/note.h"

#define CATALOG_ENTRY_PAGE(F, T) \
	F(T, OBJ,  entry,       .sub = &catalog_entry_shape) \
	F(T, STR,  body,        .doc = "Markdown") \
	F(T, BOOL, gone,        .doc = "What the file names is not there") \
	F(T, INT,  undescribed, .doc = "Columns without a description") \
	F(T, BOOL, valued,      .doc = "The page shows values of columns") \
	F(T, STR,  values_of,   .doc = "Which rows the columns' values are of") \
	F(T, OBJ,  lineage,     .sub = &lineage_said_shape) \
	F(T, LIST, notes,       .sub = &note_head_shape, .doc = "That link to it") \
	F(T, LIST, links,       .sub = &catalog_link_shape, .doc = "Entries that link to it")
SHAPE(catalog_entry_page, CATALOG_ENTRY_PAGE);

#define ENTRY_PAGE_QUERY(F, T) \
	F(T, STR, depth, .hi = 5) \
	F(T, STR, done,  .hi = 40)
SHAPE(entry_page_query, ENTRY_PAGE_QUERY);

static enum err
values_fill(struct req *r, const struct catalog_entry *e, struct catalog_entry_page *page)
{
	const struct catalog_source *s = e->source;
	struct table_values v;

	if (!s || !s->table)
		return E_OK;
	TRY(table_values(r->c, s->artifact_id, s->table, r->who, &v));
	if (!v.rows)
		return E_OK;
	page->valued = true;
	page->values_of = catalog_values_of(r->c->mem, &v);
	values_say(r->c->mem, &v, &e->columns);
	return E_OK;
}

static enum err
lineage_fill(struct req *r, const char *id, struct lineage_said *out)
{
	const struct entry_page_query *q = r->query;
	struct lineage_query ask = { .entry = id, .direction = "both", .depth = 2 };
	struct lineage *l;
	int64_t steps;

	if (q->depth && str_int(q->depth, &steps) && (steps == 1 || steps == LINEAGE_DEPTH))
		ask.depth = steps;
	*out = (struct lineage_said){ .steps = ask.depth };
	TRY(catalog_lineage(r->c, r->ws, r->who, &ask, &l));
	return lineage_say(r->c, r->ws, l, out);
}

static enum err
mentions_fill(struct req *r, const struct catalog_entry *e, struct catalog_entry_page *page)
{
	struct catalog_link_list entries;
	struct note_head_list notes;

	TRY(notes_mentioning(r->c, r->ws, r->who, e->id, &notes));
	TRY(catalog_mentioning(r->c, r->ws, r->who, e, &entries));
	page->notes = (struct list){ notes.v, notes.n };
	page->links = (struct list){ entries.v, entries.n };
	return E_OK;
}

static enum err
h_catalog_entry(struct req *r)
{
	struct catalog_entry_page page;
	struct lineage_said lineage;
	struct catalog_entry *e;

	TRY(catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &e));
	if (!e)
		return reply_redirect(r, catalog_at(r));
	page = (struct catalog_entry_page){ .entry = e,
		.undescribed = catalog_undescribed(&e->columns),
		.gone = !e->source && catalog_names_source(r->c, e),
		.lineage = &lineage };
	catalog_types_say(e);
	TRY(values_fill(r, e, &page));
	TRY(catalog_body_led(r->c, r->ws, r->who, e, &page.body));
	TRY(mentions_fill(r, e, &page));
	TRY(lineage_fill(r, e->id, &lineage));
	return reply_page(r, 0, &page);
}

#define ENTRY CATALOG_AT "/{cat}"
static const struct route entry_page_routes[] = {
  { PAGE(ENTRY, WS_MEMBER, catalog_entry, h_catalog_entry), .query = &entry_page_query_shape,
    .opened = FIND_ENTRY, .doc = "An entry of the catalog" },
};
ROUTES(entry_page, "Pages: an entry of the catalog",
    "What people see in the browser of an entry of the data catalog.");
