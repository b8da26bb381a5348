/* SPDX-License-Identifier: Apache-2.0
 * An entry of the data catalog in the browser: what it says, beside what there is, and what it
 * comes from and leads to, as a picture and as a list. */
#include "base/markdown.h"
#include "base/str.h"
#include "catalog/catalog_page.h"
#include "catalog/filled.h"
#include "catalog/lineage_draw.h"
#include "catalog/values.h"
#include "core/member.h"
#include "core/notice.h"
#include "knowledge/note.h"

enum { LISTED = 500 };

#define LINEAGE_ROW(F, T) \
	F(T, STR,  name) \
	F(T, STR,  href) \
	F(T, STR,  node_kind) \
	F(T, STR,  away, .doc = "\"3 steps away\"; NULL: beside it") \
	F(T, STR,  job,  .doc = "Which copies from it, or to it") \
	F(T, STR,  job_href) \
	F(T, BOOL, late, .doc = "That job fails")
SHAPE(lineage_row, LINEAGE_ROW);

#define DEPTH_CHOICE(F, T) \
	F(T, STR,  depth) \
	F(T, STR,  depth_words) \
	F(T, BOOL, chosen)
SHAPE(depth_choice, DEPTH_CHOICE);

#define MENTION_ROW(F, T) \
	F(T, STR,  name) \
	F(T, STR,  href) \
	F(T, STR,  mention_kind) \
	F(T, BOOL, note)
SHAPE(mention_row, MENTION_ROW);

#define CATALOG_ENTRY_PAGE(F, T) \
	F(T, STR,  done) \
	F(T, STR,  at) \
	F(T, STR,  path) \
	CATALOG_LOOK(F, T) \
	CATALOG_TOLD(F, T) \
	F(T, STR,  open_href,  .doc = "What it is about; NULL: nothing that can be opened") \
	F(T, STR,  open_words) \
	F(T, STR,  lives_in) \
	F(T, STR,  lives_href) \
	F(T, STR,  connection_name) \
	F(T, BOOL, gone,       .doc = "What the file names is not there") \
	F(T, STR,  rows) \
	F(T, TIME, changed,    .doc = "When its data did") \
	F(T, STR,  values_of,  .doc = "Which rows the columns' values are of") \
	F(T, LIST, jobs,       .sub = &lineage_row_shape, .doc = "That fill it") \
	F(T, BOOL, seeded) \
	F(T, TIME, updated_at) \
	F(T, OBJ,  updated_by, .sub = &ws_user_shape) \
	F(T, OBJ,  picture,    .sub = &lineage_picture_shape) \
	F(T, BOOL, alone,      .doc = "It comes from nothing and leads to nothing") \
	F(T, BOOL, not_drawn,  .doc = "The list has more") \
	F(T, INT,  not_listed) \
	F(T, LIST, depths,     .sub = &depth_choice_shape) \
	F(T, BOOL, led,        .doc = "It comes from something") \
	F(T, BOOL, leads) \
	F(T, LIST, before,     .sub = &lineage_row_shape) \
	F(T, LIST, after,      .sub = &lineage_row_shape) \
	F(T, BOOL, mentioned) \
	F(T, LIST, mentions,   .sub = &mention_row_shape, \
		.doc = "Notes and entries that link to it")
SHAPE(catalog_entry_page, CATALOG_ENTRY_PAGE);

#define ENTRY_PAGE_QUERY(F, T) \
	F(T, STR, depth, .hi = 5) \
	F(T, STR, done,  .hi = 40)
SHAPE(entry_page_query, ENTRY_PAGE_QUERY);

/* ---- what it is about ---- */

static const char *
table_href(struct ctx *c, const char *artifact_id, const char *table)
{
	return mem_printf(c->mem, "/a/%s/data/tables/%s", artifact_id, table);
}

static const char *
artifact_href(struct ctx *c, const char *artifact_id, const char *part)
{
	return mem_printf(c->mem, "/a/%s%s", artifact_id, part);
}

static bool
names_source(struct ctx *c, const struct catalog_entry *e)
{
	struct frontmatter f;

	if (frontmatter_read(c, e->content, !str_ends(e->path, ".md"), &f) == E_OK)
		return fm_get(f.top, "source") != NULL;
	ctx_forgive(c);
	return false;
}

static void
source_fill(struct req *r, const struct catalog_entry *e, struct catalog_entry_page *page)
{
	const struct catalog_source *s = e->source;

	page->gone = !s && names_source(r->c, e);
	if (!s)
		return;
	if (s->has.row_count == GIVEN)
		page->rows = str_number(r->c->mem, s->row_count);
	page->changed = s->updated_at;
	page->connection_name = s->connection_name;
	if (!s->artifact_id)
		return;
	page->lives_in = s->artifact_name;
	page->lives_href = artifact_href(r->c, s->artifact_id, "");
	page->open_words = mem_printf(r->c->mem, "Open %s", s->kind);
	page->open_href = str_eq(s->kind, "table")
	    ? table_href(r->c, s->artifact_id, s->table)
	    : artifact_href(r->c, s->artifact_id, str_eq(s->kind, "document") ? "/data" : "");
}

/* ---- what its columns hold ---- */

static size_t
whole_digits(const char *number)
{
	return strspn(number + (*number == '-'), "0123456789");
}

/* Digits as people group them. */
static const char *
number_words(void *owner, const char *number, bool grouped)
{
	const char *digits = number + (*number == '-');
	const size_t whole = whole_digits(number);
	struct buf b = BUF(owner);

	if (digits[strspn(digits, ".0123456789")])
		return number;
	buf_str(&b, digits > number ? "−" : "");
	for (size_t i = 0; i < whole; i++) {
		if (grouped && i && (whole - i) % 3 == 0)
			buf_chr(&b, ',');
		buf_chr(&b, digits[i]);
	}
	buf_str(&b, digits + whole);
	return buf_done(&b);
}

/* Numbers of four digits alone may be years. */
static bool
is_grouped(const struct column_values *v)
{
	enum { YEAR = 4 };

	return whole_digits(v->least) > YEAR || whole_digits(v->most) > YEAR;
}

static const char *
value_words(void *owner, const struct column_values *v, const char *text)
{
	enum { DAY = sizeof "2026-01-02" - 1 };

	if (str_in(v->type, "number|integer"))
		return number_words(owner, text, is_grouped(v));
	if (str_eq(v->type, "timestamp"))
		return mem_strndup(owner, text, DAY);
	return *text ? text : "“”";
}

static const char *
share_words(void *owner, size_t n, size_t of)
{
	const size_t percent = (100 * n + of / 2) / of;

	if (n < of && (!percent || percent == 100))
		return percent ? "over 99%" : "under 1%";
	return mem_printf(owner, "%zu%%", percent);
}

static const char *
often_words(void *owner, const struct column_values *v, size_t rows)
{
	struct buf b = BUF(owner);

	for (size_t i = 0; i < v->often_n; i++)
		buf_fmt(&b, "%s%s %s", i ? ", " : "", value_words(owner, v, v->often[i].text),
		    share_words(owner, v->often[i].n, rows));
	return buf_done(&b);
}

static const char *
range_words(void *owner, const struct column_values *v)
{
	const char *least = value_words(owner, v, v->least), *most = value_words(owner, v, v->most);

	return str_eq(least, most) ? least : mem_printf(owner, "%s to %s", least, most);
}

static const char *
holds_words(void *owner, const struct column_values *v, size_t rows)
{
	if (!v->filled)
		return "Always empty";
	if (v->different == 1)
		return v->often_n ? mem_printf(owner, "Always %s",
					value_words(owner, v, v->often[0].text))
				  : "Always the same";
	if (v->least)
		return range_words(owner, v);
	if (str_eq(v->type, "boolean"))
		return often_words(owner, v, rows);
	return v->different == v->filled
	    ? "All different"
	    : mem_printf(owner, "%s different", str_number(owner, (int64_t)v->different));
}

/* Of few values that come again, which these are. */
static bool
often_tells(const struct column_values *v)
{
	if (v->different < 2 || str_in(v->type, "boolean|timestamp"))
		return false;
	return v->often_n && v->often[0].n > 1 &&
	    (str_eq(v->type, "text") || v->different <= VALUES_OFTEN);
}

static void
column_fill(void *owner, const struct column_values *v, const struct table_values *of,
    struct column_row *row)
{
	const size_t empty = of->rows - v->filled;

	row->values = holds_words(owner, v, of->rows);
	row->often = often_tells(v) ? often_words(owner, v, of->rows) : NULL;
	if (!empty || !v->filled)
		return;
	row->empty = of->more ? mem_printf(owner, "%s empty", share_words(owner, empty, of->rows))
			      : mem_printf(owner, "%s empty", str_number(owner, (int64_t)empty));
}

static const char *
values_of_words(void *owner, const struct table_values *v)
{
	const char *seen = v->whole ? "" : " that you can see";

	if (!v->more)
		return v->whole ? NULL : "Values are of the rows that you can see.";
	return mem_printf(owner, "Values are of the newest %s rows%s.",
	    str_number(owner, (int64_t)v->rows), seen);
}

/* Of a table's column; the file's own words stay as they are. */
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

static enum err
values_fill(struct req *r, const struct catalog_source *s, struct catalog_entry_page *page)
{
	struct column_row *row = page->columns.v;
	struct table_values v;

	if (!s || !s->table)
		return E_OK;
	for (size_t i = 0; i < page->columns.n; i++)
		if (!row[i].missing)
			row[i].type = type_words(row[i].type);
	TRY(table_values(r->c, s->artifact_id, s->table, r->who, &v));
	if (!v.rows)
		return E_OK;
	page->valued = true;
	page->values_of = values_of_words(r->c->mem, &v);
	for (size_t i = 0; i < page->columns.n; i++)
		for (size_t j = 0; j < v.n; j++)
			if (str_eq(row[i].name, v.v[j].name))
				column_fill(r->c->mem, &v.v[j], &v, &row[i]);
	return E_OK;
}

/* ---- where it comes from, what depends on it ---- */

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
	return n->table
	    ? table_href(r->c, n->artifact_id, n->table)
	    : artifact_href(r->c, n->artifact_id, str_eq(n->kind, "document") ? "/data" : "");
}

static const char *
node_word(const struct lineage_node *n)
{
	return catalog_word(n->entry_kind ? n->entry_kind : n->kind);
}

static void
job_tell(struct req *r, const struct filling_job *job, struct lineage_row *row)
{
	row->job = job->job_name;
	row->job_href = mem_printf(r->c->mem, "/a/%s/jobs/%s", job->artifact_id, job->job_id);
	row->late = job->failures > 0;
}

static struct lineage_row
node_row(struct req *r, const struct filling_list *fillings, const struct lineage_node *n)
{
	struct lineage_row row = {
		.name = n->name, .href = node_href(r, n), .node_kind = node_word(n)
	};
	int64_t steps = n->step < 0 ? -n->step : n->step;

	if (steps > 1)
		row.away = mem_printf(r->c->mem, "%lld steps away", (long long)steps);
	for (size_t i = 0; i < fillings->n && !row.job; i++) {
		const struct filling *f = &fillings->v[i];

		if (str_eq(n->step < 0 ? f->from : f->to, n->id))
			job_tell(r, f->job, &row);
	}
	return row;
}

static void
lineage_list(struct req *r, const struct lineage *l, const struct filling_list *fillings,
    struct catalog_entry_page *page)
{
	size_t most = l->nodes.n < LISTED ? l->nodes.n : LISTED;
	struct lineage_row *before = mem_array(r->c->mem, struct lineage_row, most + 1);
	struct lineage_row *after = mem_array(r->c->mem, struct lineage_row, most + 1);
	const struct lineage_node *n = l->nodes.v;

	for (size_t i = 0; i < most; i++)
		if (n[i].step < 0)
			before[page->before.n++] = node_row(r, fillings, &n[i]);
		else if (n[i].step > 0)
			after[page->after.n++] = node_row(r, fillings, &n[i]);
	page->before.v = before;
	page->after.v = after;
	page->led = page->before.n > 0;
	page->leads = page->after.n > 0;
	page->alone = l->nodes.n < 2;
	page->not_drawn = most > LINEAGE_DRAWN;
	page->not_listed = (int64_t)(l->nodes.n - most);
}

/* The jobs that fill the node that the page is about, which is the nearest. */
static void
jobs_list(struct req *r, const struct lineage *l, const struct filling_list *fillings,
    struct catalog_entry_page *page)
{
	struct lineage_row *row = mem_array(r->c->mem, struct lineage_row, fillings->n + 1);
	const struct lineage_node *here = l->nodes.v;

	for (size_t i = 0; i < fillings->n; i++)
		if (str_eq(fillings->v[i].to, here->id))
			job_tell(r, fillings->v[i].job, &row[page->jobs.n++]);
	page->jobs.v = row;
}

/* Among those that are drawn; behind them when it is not. */
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
		.kind = n->step ? node_word(n) : mem_printf(r->c->mem, "%s, this", node_word(n)),
		.whole = n->name,
		.href = node_href(r, n),
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
	static const struct {
		int64_t depth;
		const char *words;
	} choices[] = { { 1, "1 step" }, { 2, "2 steps each way" }, { LINEAGE_DEPTH, "All" } };
	enum { CHOICES = sizeof choices / sizeof *choices };
	const struct entry_page_query *q = r->query;
	struct lineage_query ask = { .entry = id, .direction = "both", .depth = 2 };
	struct depth_choice *depth = mem_array(r->c->mem, struct depth_choice, CHOICES);
	struct filling_list fillings;
	struct lineage *l;

	for (size_t i = 0; i < CHOICES; i++) {
		depth[i].depth = mem_printf(r->c->mem, "%lld", (long long)choices[i].depth);
		depth[i].depth_words = choices[i].words;
		if (str_eq(depth[i].depth, q->depth))
			ask.depth = choices[i].depth;
	}
	for (size_t i = 0; i < CHOICES; i++)
		depth[i].chosen = choices[i].depth == ask.depth;
	TRY(catalog_lineage(r->c, r->ws, r->who, &ask, &l));
	TRY(catalog_fillings(r->c, l, &fillings));
	page->depths = (struct list){ depth, CHOICES };
	lineage_list(r, l, &fillings, page);
	jobs_list(r, l, &fillings, page);
	if (!page->alone)
		page->picture = lineage_show(r, l);
	return E_OK;
}

/* ---- what it links to, and what links to it ---- */

struct leading {
	struct req *r;
	const char *path;
	struct catalog_link_list links;
};

/* A file's link leads to its entry's page. Where the reader sees no such entry it is text, whether
 * there is one or not. */
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
	struct mention_row *row;
	size_t n = 0;

	TRY(notes_mentioning(r->c, r->ws, r->who, e->id, &notes));
	TRY(catalog_mentioning(r->c, r->ws, r->who, e, &entries));
	row = mem_array(r->c->mem, struct mention_row, notes.n + entries.n + 1);
	for (size_t i = 0; i < notes.n; i++)
		row[n++] = (struct mention_row){ .name = notes.v[i].title,
			.href = note_page_path(r->c, r->ws->id, "read", notes.v[i].path),
			.mention_kind = str_eq(notes.v[i].origin, "learned")
			    ? "Learned from the page"
			    : "Note",
			.note = true };
	for (size_t i = 0; i < entries.n; i++)
		row[n++] = (struct mention_row){ .name = entries.v[i].title,
			.href = mem_printf(r->c->mem, "%s/%s", catalog_at(r), entries.v[i].id),
			.mention_kind = catalog_word(entries.v[i].kind) };
	page->mentions = (struct list){ row, n };
	page->mentioned = n > 0;
	return E_OK;
}

/* ---- the page ---- */

static enum err
h_catalog_entry(struct req *r)
{
	const struct entry_page_query *q = r->query;
	struct catalog_entry_page page;
	struct catalog_entry *e;

	TRY(catalog_entry_get(r->c, r->ws, r->who, req_param(r, "cat"), &e));
	if (!e)
		return reply_redirect(r, catalog_at(r));
	page = (struct catalog_entry_page){ CATALOG_LOOK_OF(r, e),
		CATALOG_TOLD_OF(r, e, e->path, e->content), .done = notice_text(r->c, q->done),
		.at = catalog_at(r), .path = e->path, .seeded = e->seeded,
		.updated_at = e->updated_at, .updated_by = e->updated_by };
	source_fill(r, e, &page);
	TRY(values_fill(r, e->source, &page));
	TRY(body_link(r, e, &page));
	TRY(mentions_fill(r, e, &page));
	TRY(lineage_fill(r, e->id, &page));
	return reply_page(r, 0, &page);
}

#define ENTRY CATALOG_AT "/{cat}"
static const struct route entry_page_routes[] = {
/*  method path                who
    body                   reply                      handler */
  { GET,  ENTRY,               WS_MEMBER,
    TAKES_NOTHING,         GIVES_PAGE(catalog_entry), h_catalog_entry,
    .query = &entry_page_query_shape, .opened = true, .doc = "An entry of the catalog" },
};
ROUTES(entry_page, "Pages: an entry of the catalog",
    "What people see in the browser of an entry of the data catalog.");
