/* SPDX-License-Identifier: Apache-2.0 */
#include "site/front_page.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/slug.h"

SHAPE_DEFINE(front_page, FRONT_PAGE);

/* With `missing`, says that there is no such page: the front page has already revealed that the
 * workspace exists. */
static enum err
front_show(struct req *r, const char *workspace_id, const char *label, const char *query,
    bool missing)
{
	const char *before = str_starts(query, "before=") ? query + strlen("before=") : "", *next;
	struct front_page page = { .missing = missing };
	struct front_art_list pages;
	struct branding *b;

	TRY(branding_get(r->c, workspace_id, &b));
	page.brand = b;
	if (!missing) {
		TRY(subdomain_pages(r->c, workspace_id, label,
		    id_valid(before, "art_") ? mem_strdup(r->c->mem, before) : "", &pages,
		    &next));
		page.pages = (struct list){ pages.v, pages.n };
		page.older = next ? mem_printf(r->c->mem, "/?before=%s", next) : NULL;
	}
	reply_site_page(r, missing ? 404 : 200, "front", &front_page_shape, &page);
	return E_OK;
}

/* Redirects to the host of the slug, which says whether there is such a page. Returns false if
 * the path names no slug. */
static bool
front_lead_on(struct req *r, const char *label)
{
	size_t n = strcspn(r->uri + 1, "/?");
	const char *slug = mem_strndup(r->c->mem, r->uri + 1, n), *rest = r->uri + 1 + n;

	if (!slug_valid(slug))
		return false;
	r->status = 302;
	r->out = BUF(r->c->mem);
	reply_header(r, "Location", "%s%s%s",
	    conf_site_origin(r->c->mem, r->c->conf, slug_host(r->c->mem, slug, label)),
	    *rest == '/' ? "" : "/", rest);
	reply_header(r, "Cache-Control", "no-cache");
	return true;
}

enum err
front_page_visit(
    struct req *r, const char *label, const char *path, const char *query, bool *here)
{
	const char *id;

	TRY(subdomain_of(r->c, label, &id));
	*here = id != NULL;
	if (!id)
		return E_OK;
	if (!*path)
		return front_show(r, id, label, query, false);
	return front_lead_on(r, label) ? E_OK : front_show(r, id, label, query, true);
}
