/* SPDX-License-Identifier: Apache-2.0 */
#include "http/frontpage.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "domain/slug.h"

SHAPE_DEFINE(front_page, FRONT_PAGE);

#define FRONT_NAME(F, T) F(T, STR, name)
SHAPE_DECLARE(front_name, FRONT_NAME);
SHAPE_DEFINE(front_name, FRONT_NAME);

static const char *
front_before(struct req *r, const char *query)
{
	const char *id = str_starts(query, "before=") ? query + strlen("before=") : "";

	return id_valid(id, "art_") ? mem_strdup(r->c->mem, id) : "";
}

static enum err
front_title(struct req *r, const char *workspace_id, const struct branding *b, const char **out)
{
	struct front_name *row;

	*out = b->display_name;
	if (*out)
		return E_OK;
	TRY(db_one(r->c, ROWS(front_name, "SELECT name FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), &row));
	*out = row->name;
	return E_OK;
}

static enum err
front_show(struct req *r, const char *workspace_id, const char *label, const char *query)
{
	const char *terms = r->c->conf->terms_url, *next;
	struct front_art_list pages;
	struct front_page page;
	struct branding *b;

	TRY(branding_get(r->c, workspace_id, &b));
	TRY(subdomain_pages(
	    r->c, workspace_id, label, front_before(r, query), &pages, &next));
	page = (struct front_page){ .color = b->color,
		.logo_url = b->logo_url,
		.support_email = b->support_email,
		.footer = b->footer,
		.hide_vitrine = b->hide_vitrine,
		.pages = { pages.v, pages.n },
		.empty = !pages.n,
		.older = next ? mem_printf(r->c->mem, "/?before=%s", next) : NULL,
		.report = str_eq(terms, "-") ? NULL : terms };
	TRY(front_title(r, workspace_id, b, &page.title));
	reply_site_page(r, 200, "front", &front_page_shape, &page);
	return E_OK;
}

/* Whether there is such a page or not: its host says that. */
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
frontpage_visit(
    struct req *r, const char *label, const char *path, const char *query, bool *here)
{
	const char *id;

	TRY(subdomain_of(r->c, label, &id));
	*here = id && (!*path || front_lead_on(r, label));
	return *here && !*path ? front_show(r, id, label, query) : E_OK;
}
