/* SPDX-License-Identifier: Apache-2.0
 * An entry of the data catalog in the browser: its text, the data that it describes, and its
 * lineage as a picture and as a list. */
#include "base/markdown.h"
#include "base/str.h"
#include "catalog/catalog_page.h"
#include "catalog/filled.h"
#include "catalog/lineage_draw.h"
#include "catalog/values.h"
#include "core/find.h"
#include "core/member.h"
#include "knowledge/note.h"

enum { LISTED = 500 };

#define CATALOG_ENTRY_PAGE(F, T) \
	F(T, OBJ,  entry,       .sub = &catalog_entry_shape) \
	F(T, STR,  body,        .doc = "Markdown") \
	F(T, BOOL, gone,        .doc = "What the file names is not there") \
	F(T, INT,  undescribed, .doc = "Columns without a description") \
	F(T, BOOL, valued,      .doc = "The page shows values of columns") \
	F(T, STR,  values_of,   .doc = "Which rows the columns' values are of") \
	F(T, LIST, jobs,        .sub = &filling_job_shape, .doc = "That fill it") \
	F(T, INT,  steps,       .doc = "Each way, as chosen") \
	F(T, OBJ,  picture,     .sub = &lineage_picture_shape) \
	F(T, BOOL, alone,       .doc = "It comes from nothing and leads to nothing") \
	F(T, BOOL, not_drawn,   .doc = "The list has more") \
	F(T, INT,  not_listed) \
	F(T, LIST, before,      .sub = &lineage_node_shape) \
	F(T, LIST, after,       .sub = &lineage_node_shape) \
	F(T, LIST, notes,       .sub = &note_head_shape, .doc = "That link to it") \
	F(T, LIST, links,       .sub = &catalog_link_shape, .doc = "Entries that link to it")
SHAPE(catalog_entry_page, CATALOG_ENTRY_PAGE);

#define ENTRY_PAGE_QUERY(F, T) \
	F(T, STR, depth, .hi = 5) \
	F(T, STR, done,  .hi = 40)
SHAPE(entry_page_query, ENTRY_PAGE_QUERY);

/* ---- the described data ---- */

static bool
names_source(struct ctx *c, const struct catalog_entry *e)
{
	struct frontmatter f;

	if (frontmatter_read(c, e->content, !str_ends(e->path, ".md"), &f) == E_OK)
		return fm_get(f.top, "source") != NULL;
	ctx_forgive(c);
	return false;
}

/* ---- contents of columns ---- */

static const char *
values_of_words(void *owner, const struct table_values *v)
{
	const char *seen = v->whole ? "" : " that you can see";

	if (!v->more)
		return v->whole ? NULL : "Values are of the rows that you can see.";
	return mem_printf(owner, "Values are of the newest %s rows%s.",
	    str_number(owner, (int64_t)v->rows), seen);
}

/* The description of a table's column; the file's own words stay unchanged. */
static const char *
type_words(const char *type)
{
	static const char *const words[][2] = { { "text", "Text" }, { "number", "Number" },
		{ "integer", "Whole number" }, { "boolean", "True or false" },
		{ "timestamp", "Date and time" }, { "json", "JSON" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq(words[i][0], type))
			return words[i][1];
	return type;
}

static void
types_say(const struct catalog_entry *e)
{
	const struct catalog_source *source = e->source;
	struct catalog_column *column = e->columns.v;

	for (size_t i = 0; source && source->table && i < e->columns.n; i++)
		if (!column[i].missing)
			column[i].type = type_words(column[i].type);
}

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
	page->values_of = values_of_words(r->c->mem, &v);
	values_say(r->c->mem, &v, &e->columns);
	return E_OK;
}

/* ---- lineage ---- */

static const char *
node_href(struct req *r, const struct lineage_node *n)
{
	if (n->entry_id)
		return mem_printf(r->c->mem, "%s/%s", catalog_at(r), n->entry_id);
	if (str_eq(n->kind, "connection"))
		return member_rank(r->ws->role) >= MEMBER_ADMIN
		    ? mem_printf(r->c->mem, "/w/%s/connections/%s", r->ws->id, n->id)
		    : NULL;
	if (!n->artifact_id)
		return NULL;
	if (n->table)
		return mem_printf(r->c->mem, "/a/%s/data/tables/%s", n->artifact_id, n->table);
	return mem_printf(r->c->mem, "/a/%s%s", n->artifact_id,
	    str_eq(n->kind, "document") ? "/data" : "");
}

static void
node_say(struct req *r, const struct filling_list *fillings, struct lineage_node *n)
{
	int64_t steps = n->step < 0 ? -n->step : n->step;

	n->href = node_href(r, n);
	n->away = steps > 1 ? steps : 0;
	for (size_t i = 0; i < fillings->n && !n->job; i++) {
		const struct filling *f = &fillings->v[i];

		if (str_eq(n->step < 0 ? f->from : f->to, n->id))
			n->job = (void *)f->job;
	}
}

static void
lineage_list(struct req *r, const struct lineage *l, const struct filling_list *fillings,
    struct catalog_entry_page *page)
{
	size_t most = l->nodes.n < LISTED ? l->nodes.n : LISTED;
	struct lineage_node *before = mem_array(r->c->mem, struct lineage_node, most + 1);
	struct lineage_node *after = mem_array(r->c->mem, struct lineage_node, most + 1);
	struct lineage_node *n = l->nodes.v;

	for (size_t i = 0; i < most; i++) {
		node_say(r, fillings, &n[i]);
		if (n[i].step < 0)
			before[page->before.n++] = n[i];
		else if (n[i].step > 0)
			after[page->after.n++] = n[i];
	}
	page->before.v = before;
	page->after.v = after;
	page->alone = l->nodes.n < 2;
	page->not_drawn = most > LINEAGE_DRAWN;
	page->not_listed = (int64_t)(l->nodes.n - most);
}

/* The jobs that fill the node that the page is about, which is the nearest. */
static void
jobs_list(struct req *r, const struct lineage *l, const struct filling_list *fillings,
    struct catalog_entry_page *page)
{
	struct filling_job *job = mem_array(r->c->mem, struct filling_job, fillings->n + 1);
	const struct lineage_node *here = l->nodes.v;

	for (size_t i = 0; i < fillings->n; i++)
		if (str_eq(fillings->v[i].to, here->id))
			job[page->jobs.n++] = *fillings->v[i].job;
	page->jobs.v = job;
}

/* Among the drawn ones, or after them if it isn't drawn. */
static size_t
drawn_at(const struct lineage *l, const char *id)
{
	const struct lineage_node *n = l->nodes.v;
	size_t i = 0;

	while (i < l->nodes.n && i < LINEAGE_DRAWN && !str_eq(n[i].id, id))
		i++;
	return i;
}

static struct lineage_picture *
lineage_show(struct req *r, const struct lineage *l)
{
	struct lineage_node_list nodes = { l->nodes.v,
		l->nodes.n < LINEAGE_DRAWN ? l->nodes.n : LINEAGE_DRAWN };
	struct lineage_arrow *arrow = mem_array(r->c->mem, struct lineage_arrow, l->edges.n + 1);
	const struct lineage_edge *edge = l->edges.v;
	struct list boxes = list_made(r->c->mem, &nodes, n,
	    (struct lineage_box){
		.kind = n->entry_kind ? n->entry_kind : n->kind,
		.whole = n->name,
		.href = n->href,
		.here = !n->step });

	for (size_t i = 0; i < l->edges.n; i++)
		arrow[i] = (struct lineage_arrow){ drawn_at(l, edge[i].from),
			drawn_at(l, edge[i].to) };
	return lineage_draw(
	    r->c->mem, &(struct lineage_box_list){ boxes.v, boxes.n }, arrow, l->edges.n);
}

static enum err
lineage_fill(struct req *r, const char *id, struct catalog_entry_page *page)
{
	const struct entry_page_query *q = r->query;
	struct lineage_query ask = { .entry = id, .direction = "both", .depth = 2 };
	struct filling_list fillings;
	struct lineage *l;
	int64_t steps;

	if (q->depth && str_int(q->depth, &steps) && (steps == 1 || steps == LINEAGE_DEPTH))
		ask.depth = steps;
	page->steps = ask.depth;
	TRY(catalog_lineage(r->c, r->ws, r->who, &ask, &l));
	TRY(catalog_fillings(r->c, l, &fillings));
	lineage_list(r, l, &fillings, page);
	jobs_list(r, l, &fillings, page);
	if (!page->alone)
		page->picture = lineage_show(r, l);
	return E_OK;
}

/* ---- links to and from it ---- */

struct leading {
	struct req *r;
	const char *path;
	struct catalog_link_list links;
};

/* A link to a file leads to its entry's page. It is plain text if the reader can't see such an
 * entry, whether it exists or not. */
static const char *
lead_to(void *arg, const char *address)
{
	struct leading *l = arg;
	struct ctx *c = l->r->c;
	const char *to = catalog_beside(c, l->path, address);
	uint8_t key[SHA256_BYTES], other[SHA256_BYTES];

	if (!to)
		return NULL;
	catalog_path_key(c, to, key);
	for (size_t i = 0; i < l->links.n; i++) {
		catalog_path_key(c, l->links.v[i].path, other);
		if (memcmp(key, other, sizeof key) == 0)
			return mem_printf(
			    c->mem, "%s/%s", catalog_at(l->r), l->links.v[i].id);
	}
	return "";
}

static enum err
body_link(struct req *r, const struct catalog_entry *e, struct catalog_entry_page *page)
{
	struct leading l = { .r = r, .path = e->path };
	const char *led;

	if (!page->body)
		return E_OK;
	TRY(catalog_linked(r->c, r->ws, r->who, e->id, &l.links));
	led = markdown_led(r->c->mem, page->body, strlen(page->body), lead_to, &l);
	page->body = led ? led : page->body;
	return E_OK;
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

/* ---- the page ---- */

static enum err
h_catalog_entry(struct req *r)
{
	struct catalog_entry_page page;
	struct catalog_entry *e;

	TRY(catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &e));
	if (!e)
		return reply_redirect(r, catalog_at(r));
	page = (struct catalog_entry_page){ .entry = e,
		.body = catalog_body(r, e->path, e->content, e->title),
		.undescribed = catalog_undescribed(&e->columns),
		.gone = !e->source && names_source(r->c, e) };
	types_say(e);
	TRY(values_fill(r, e, &page));
	TRY(body_link(r, e, &page));
	TRY(mentions_fill(r, e, &page));
	TRY(lineage_fill(r, e->id, &page));
	return reply_page(r, 0, &page);
}

#define ENTRY CATALOG_AT "/{cat}"
static const struct route entry_page_routes[] = {
  { PAGE(ENTRY, WS_MEMBER, catalog_entry, h_catalog_entry), .query = &entry_page_query_shape,
    .opened = FIND_ENTRY, .doc = "An entry of the catalog" },
};
ROUTES(entry_page, "Pages: an entry of the catalog",
    "What people see in the browser of an entry of the data catalog.");
