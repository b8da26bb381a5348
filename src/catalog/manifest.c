/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/manifest.h"

#include "base/str.h"
#include "catalog/entry_show.h"
#include "catalog/view.h"

SHAPE_DEFINE(catalog_manifest, CATALOG_MANIFEST);

static int
by_earlier(const void *a, const void *b)
{
	const struct view_link *x = a, *y = b;
	int order = strcmp(x->earlier->id, y->earlier->id);

	return order ? order : strcmp(x->later->id, y->later->id);
}

static int
by_later(const void *a, const void *b)
{
	const struct view_link *x = a, *y = b;
	int order = strcmp(x->later->id, y->later->id);

	return order ? order : strcmp(x->earlier->id, y->earlier->id);
}

/* Returns a map such as {"cat_1":["cat_2"]} with all entries. up: from each entry to its
 * upstream entries. */
static const char *
map_of(struct ctx *c, const struct view *view, struct view_link *links, size_t n, bool up)
{
	struct buf b = BUF(c->mem);
	size_t at = 0;

	if (n)
		qsort(links, n, sizeof *links, up ? by_later : by_earlier);
	buf_chr(&b, '{');
	for (size_t i = 0; i < view->entries.n; i++) {
		const struct view_entry *e = &view->entries.v[i];
		bool first = true;

		buf_fmt(&b, "%s\"%s\":[", i ? "," : "", e->id);
		for (; at < n && (up ? links[at].later : links[at].earlier) == e; at++) {
			buf_fmt(&b, "%s\"%s\"", first ? "" : ",",
			    (up ? links[at].earlier : links[at].later)->id);
			first = false;
		}
		buf_chr(&b, ']');
	}
	buf_chr(&b, '}');
	return buf_done(&b);
}

static enum err
entries_map(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct view *view, const char **out)
{
	const char **ids = mem_array(c->mem, const char *, view->entries.n + 1);
	struct catalog_entry_list entries;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < view->entries.n; i++)
		ids[i] = view->entries.v[i].id;
	TRY(entries_of(c, w, who, &view->access, ids_json(c, ids, view->entries.n), &entries));
	buf_chr(&b, '{');
	for (size_t i = 0; i < entries.n; i++) {
		entries.v[i].used_by = view_entry(view, entries.v[i].id)->used_by;
		buf_fmt(&b, "%s\"%s\":", i ? "," : "", entries.v[i].id);
		shape_write(&b, &catalog_entry_shape, &entries.v[i]);
	}
	buf_chr(&b, '}');
	*out = buf_done(&b);
	return E_OK;
}

enum err
catalog_manifest(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct catalog_manifest **out)
{
	struct catalog_manifest *m = *out = mem_new(c->mem, struct catalog_manifest);
	struct view_link *links;
	struct view view;
	size_t n;

	*m = (struct catalog_manifest){ .version = MANIFEST_VERSION,
		.generated_at = c->now,
		.entries = "{}",
		.parent_map = "{}",
		.child_map = "{}" };
	TRY(catalog_is_on(c, w, &m->enabled));
	if (!m->enabled)
		return E_OK;
	TRY(view_read(c, w, who, false, NULL, 0, &view));
	TRY(view_links(c, w, &view, NULL, &links, &n));
	for (size_t i = 0; i < n; i++)
		links[i].earlier->used_by++;
	m->parent_map = map_of(c, &view, links, n, true);
	m->child_map = map_of(c, &view, links, n, false);
	return entries_map(c, w, who, &view, &m->entries);
}
