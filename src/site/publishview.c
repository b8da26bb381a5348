/* SPDX-License-Identifier: Apache-2.0
 * The views of a publish, and its tree, which has them. */
#include "base/mime.h"
#include "base/str.h"
#include "site/merge.h"
#include "site/project.h"
#include "site/publishrow.h"

static bool
has_page(const struct manifest *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (mime_is_page(mime_of(m->items[i].path)))
			return true;
	return false;
}

enum err
publish_views_plan(struct publishing *w)
{
	struct manifest *m = &w->m;
	const char *mode = w->in->views, *kept; /* mode: NULL for auto */
	struct shown_file *files;
	bool named;

	if (w->merging)
		TRY(merge_facts(m, w->merging, w->merged, w->made->version, &mode));
	/* The version that the files come from may have named one of them. */
	kept = w->made->version->entrypoint;
	named = w->in->entrypoint || (kept && manifest_item(m, kept));
	w->views = (struct fileviews){ .c = w->c };
	if (!str_eq(mode, "all") && (str_eq(mode, "off") || named || has_page(m)))
		return E_OK;
	files = mem_array(w->c->mem, struct shown_file, m->n + 1);
	for (size_t i = 0; i < m->n; i++) {
		const struct item *it = &m->items[i];

		files[i] = (struct shown_file){ .path = it->path,
			.sha256 = crypto_hex(w->c->mem, it->sha256, SHA256_BYTES),
			.size = it->size,
			.bytes = it->bytes };
	}
	m->shows = true;
	fileviews_plan(&w->views, mode, named, files, m->n);
	return E_OK;
}

/* Adds rows of views after those of the files, whose bytes are in the batch. */
static enum err
views_add(struct publishing *w)
{
	const struct list files = { w->made->files.v, w->m.n };

	TRY(batch_name(w->c, w->m.batch));
	TRY(batch_elsewhere(w->c, w->m.batch));
	w->made->files = fileviews_rows(&w->views, &files);
	return E_OK;
}

enum err
publish_views_make(struct publishing *w)
{
	struct fileviews *p = &w->views;

	if (!p->n)
		return E_OK;
	p->warnings = &w->warnings;
	if (w->art)
		TRY(fileviews_former(p, w->art->id, w->art->version_no));
	TRY(fileviews_make(p, w->m.batch));
	return views_add(w);
}

/* ---- the tree ---- */

const char *
publishing_name(const struct publishing *w)
{
	return w->in->name ? w->in->name : w->art->name;
}

static enum err
tree_prepare(struct publishing *w)
{
	const struct artifact *a = w->art;
	struct project_made *made = w->made;

	made->facts = (struct page_facts){ .name = publishing_name(w),
		.slug = a ? a->slug : w->in->slug ? w->in->slug : "",
		.social_title = a ? a->social_title : NULL,
		.social_description = a ? a->social_description : NULL,
		.social_image_url = a ? a->social_image_url : NULL };
	return project_build(w->c, w->m.batch, made->version, &made->facts, &made->files,
	    &made->building);
}

enum err
publish_tree(struct publishing *w)
{
	enum err e = tree_prepare(w);
	bool lost;

	if (e != E_INTERNAL || !w->views.n)
		return e;
	TRY(fileviews_lost(&w->views, w->m.batch, &lost));
	if (!lost)
		return e;
	ctx_forgive(w->c);
	TRY(views_add(w));
	return tree_prepare(w);
}
