/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/entry_look.h"

#include "base/markdown.h"
#include "base/str.h"
#include "catalog/found.h"
#include "data/cell.h"

SHAPE_DEFINE(facet_value, FACET_VALUE);
SHAPE_DEFINE(catalog_facet, CATALOG_FACET);

enum { FACET_VALUES = 12, DESCRIPTION_SHOWN = 220 };

const char *
catalog_body(struct ctx *c, const char *path, const char *content, const char *title)
{
	const char *heading = mem_printf(c->mem, "# %s\n", title);
	const char *body = catalog_file_text(c, path, content);

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

/* ---- what a search shows ---- */

/* Lists the most frequent values, and all chosen ones. */
static struct catalog_facet
facet_of(struct ctx *c, const char *name, const struct list *values, const struct strs *chosen)
{
	struct facet_value *out = mem_array(c->mem, struct facet_value, values->n + chosen->n + 1);
	const struct catalog_value *v = values->v;
	struct strs listed = { mem_array(c->mem, const char *, values->n + 1), 0 };
	size_t n = 0;

	for (size_t i = 0; i < values->n; i++) {
		bool picked = strs_have(chosen, v[i].value);

		if (n >= FACET_VALUES && !picked)
			continue;
		listed.v[listed.n++] = v[i].value;
		out[n++] = (struct facet_value){ .value = v[i].value,
			.count = v[i].count,
			.chosen = picked };
	}
	for (size_t i = 0; i < chosen->n; i++)
		if (!strs_have(&listed, chosen->v[i]))
			out[n++] = (struct facet_value){ .value = chosen->v[i],
				.chosen = true };
	return (struct catalog_facet){ .facet = name, .values = { out, n } };
}

struct list
catalog_facets_said(struct ctx *c, const struct catalog_facets *f, const struct catalog_query *ask)
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

void
catalog_entry_mark(void *mem, const char *q, struct catalog_entry *e)
{
	bool title, text = false, tag = false, path;
	const char *marked;

	e->called = catalog_marked(mem, q, e->title, CATALOG_TITLE, &title);
	if (e->description)
		e->says = catalog_marked(
		    mem, q, e->description, DESCRIPTION_SHOWN, &text);
	if (!q || title || text)
		return;
	for (size_t i = 0; i < e->tags.n && !tag; i++) {
		marked = catalog_marked(mem, q, e->tags.v[i], CATALOG_TAG, &tag);
		if (tag)
			e->by_tag = marked;
	}
	marked = catalog_marked(mem, q, e->path, CATALOG_PATH_BYTES, &path);
	if (!tag && path)
		e->by_path = marked;
}

bool
catalog_counted(const struct list *facet)
{
	const struct catalog_value *v = facet->v;

	for (size_t i = 0; i < facet->n; i++)
		if (v[i].count)
			return true;
	return false;
}

/* ---- what it is about ---- */

void
catalog_types_say(const struct catalog_entry *e)
{
	const struct catalog_source *source = e->source;
	struct catalog_column *column = e->columns.v;

	for (size_t i = 0; source && source->table && i < e->columns.n; i++)
		if (!column[i].missing)
			column[i].type = cell_type_title(column[i].type);
}

bool
catalog_names_source(struct ctx *c, const struct catalog_entry *e)
{
	struct frontmatter f;

	if (frontmatter_read(c, e->content, !str_ends(e->path, ".md"), &f) == E_OK)
		return fm_get(f.top, "source") != NULL;
	ctx_forgive(c);
	return false;
}

const char *
catalog_values_of(void *owner, const struct table_values *v)
{
	const char *seen = v->whole ? "" : " that you can see";

	if (!v->more)
		return v->whole ? NULL : "Values are of the rows that you can see.";
	return mem_printf(owner, "Values are of the newest %s rows%s.",
	    str_number(owner, (int64_t)v->rows), seen);
}

/* ---- links in its text ---- */

struct leading {
	struct ctx *c;
	const struct workspace *w;
	const char *path;
	struct catalog_link_list links;
};

/* A link to a file leads to its entry's page. It is plain text if the reader can't see such an
 * entry, whether it exists or not. */
static const char *
link_target(void *arg, const char *address)
{
	struct leading *l = arg;
	struct ctx *c = l->c;
	const char *to = catalog_beside(c, l->path, address);
	uint8_t key[SHA256_BYTES], other[SHA256_BYTES];

	if (!to)
		return NULL;
	catalog_path_key(c, to, key);
	for (size_t i = 0; i < l->links.n; i++) {
		catalog_path_key(c, l->links.v[i].path, other);
		if (memcmp(key, other, sizeof key) == 0)
			return mem_printf(
			    c->mem, "/w/%s/catalog/%s", l->w->id, l->links.v[i].id);
	}
	return "";
}

enum err
catalog_body_led(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_entry *e, const char **body)
{
	struct leading l = { .c = c, .w = w, .path = e->path };
	const char *led;

	*body = catalog_body(c, e->path, e->content, e->title);
	if (!*body)
		return E_OK;
	TRY(catalog_linked(c, w, who, e->id, &l.links));
	led = markdown_led(c->mem, *body, strlen(*body), link_target, &l);
	*body = led ? led : *body;
	return E_OK;
}
