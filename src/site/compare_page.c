/* SPDX-License-Identifier: Apache-2.0
 * Shows in the browser what differs between two versions: files, and the lines of 20 texts. */
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/branding.h"
#include "http/quota.h"
#include "http/req.h"
#include "site/compare.h"
#include "site/compare_page.h"

enum { TEXTS = 20, VERSIONS = 100 };

#define COMPARE_PAGE(F, T) \
	F(T, OBJ,  compare,  .sub = &compared_shape) \
	F(T, INT,  differ) \
	F(T, BOOL, to_live) \
	F(T, BOOL, from_live) \
	F(T, INT,  others,   .doc = "How many files are only named") \
	F(T, STR,  more,     .doc = "The address of the next part") \
	F(T, LIST, versions, .sub = &version_shape) \
	F(T, OBJ,  pictures, .sub = &pictured_shape) \
	F(T, BOOL, may_picture, .doc = "They can have pictures made") \
	F(T, OBJ,  brand,    .sub = &branding_shape, .doc = "For people outside of its workspace")
SHAPE(compare_page, COMPARE_PAGE);

#define COMPARE_PAGE_QUERY(F, T) \
	TAB_QUERY(F, T) \
	COMPARE_VERSIONS(F, T)
SHAPE(compare_page_query, COMPARE_PAGE_QUERY);

/* Compares the lines of a file, unless it is called text and isn't. */
static enum err
text_read(struct req *r, struct compared_file *f)
{
	struct compared_text *t;
	enum err e = compare_lines(r->c, f, false, &t);

	if (e)
		return e == E_INVALID ? ctx_forgive(r->c) : e;
	f->text = t->lines.n || t->too_large ? t : NULL;
	return E_OK;
}

/* True if the file's bytes differ and browsers show it as a picture. */
static bool
is_picture(const struct compared_file *f)
{
	const struct compared_side *side = f->to ? f->to : f->from;

	return !f->text && !str_eq(f->status, "renamed") && str_starts(side->mime, "image/");
}

static enum err
texts_read(struct req *r, const struct compared *c, struct compare_page *page)
{
	struct compared_file *f = c->files.v;
	size_t texts = 0;

	for (size_t i = 0; i < c->files.n; i++) {
		f[i].no = (int64_t)i + 1;
		if (f[i].is_text && !str_eq(f[i].status, "renamed") && texts++ < TEXTS)
			TRY(text_read(r, &f[i]));
		f[i].picture = is_picture(&f[i]);
		page->others += !f[i].text && !f[i].picture;
	}
	return E_OK;
}

static enum err
pictures_read(struct req *r, const struct compared *c, struct compare_page *page)
{
	const struct artifact *a = r->art;
	struct pictured *p;

	TRY(pictured_get(r->c, a, c->from, c->to, &p));
	page->pictures = p;
	return role_rank(a->role) >= ROLE_EDITOR || a->can_edit
	    ? pictured_helps(r->c, a, p, &page->may_picture)
	    : E_OK;
}

enum err
pictures_part_find(struct req *r, int64_t no, struct shown *out)
{
	struct pictured *p;
	int64_t from;

	TRY(pictured_of(r->c, r->art, no, &from));
	if (!from)
		return E_OK;
	TRY(pictured_get(r->c, r->art, from, no, &p));
	*out = SHOWN(pictured, p);
	return E_OK;
}

static enum err
compare_reply(struct req *r, struct branding *brand)
{
	const struct compare_page_query *in = r->query;
	const struct compare_query q = {
		.from = in->from, .to = in->to, .cursor = in->cursor, .limit = VERSIONS
	};
	const struct page_query all = { .limit = VERSIONS };
	struct compare_page page = { .brand = brand };
	struct compared *c;
	const char *next;

	TRY(compare_files(r->c, r->art, &q, &c));
	TRY(version_list(r->c, r->art, &all, &page.versions, &next));
	TRY(texts_read(r, c, &page));
	TRY(pictures_read(r, c, &page));
	page.compare = c;
	page.differ = c->added + c->changed + c->removed + c->renamed;
	page.to_live = c->to == r->art->version_no;
	page.from_live = c->from == r->art->version_no;
	page.more = req_next(r, c->next_cursor, NULL);
	return reply_page(r, 0, &page);
}

static enum err
h_compare_page(struct req *r)
{
	return compare_reply(r, NULL);
}

/* Redirects a caller with a role on the artifact to its own page. */
static enum err
h_shared_compare(struct req *r)
{
	const struct artifact *a = r->art;
	const char *query = strchr(r->uri, '?');
	struct branding *brand;

	if (a->role)
		return reply_go(
		    r, "/a/%s/versions/compare%s", a->id, query ? query : "");
	TRY(branding_get(r->c, a->workspace_id, &brand));
	return compare_reply(r, brand);
}

static enum err
h_pictures_form(struct req *r)
{
	const struct compare_versions *in = r->in;
	bool role = r->art->role != NULL;
	struct pictured *p;

	TRY(pictured_ask(r->c, r->art, in->from, in->to, &p));
	return reply_go(r, "/%s/%s%s/compare?from=%lld&to=%lld&done=pictures",
	    role ? "a" : "shared/artifacts", r->art->id, role ? "/versions" : "",
	    (long long)p->from, (long long)p->to);
}

static const struct route compare_page_routes[] = {
  { PAGE_OF("/a/{art}/versions/compare", ART_VIEW, "versions_compare", &compare_page_shape,
      h_compare_page),
    .slow = true, .query = &compare_page_query_shape, .title = "Compare versions",
    .doc = "What differs between two versions" },
  { PAGE_OF("/shared/artifacts/{art}/compare", ART_GIVEN, "shared_compare", &compare_page_shape,
      h_shared_compare),
    .slow = true, .query = &compare_page_query_shape,
    .doc = "What differs between two versions of something that is shared with you" },
  { FORM("/a/{art}/versions/compare/pictures", ART_EDIT, compare_versions, h_pictures_form),
    .limit = LIM_PICTURED, .again = "/a/{art}/versions/compare",
    .doc = "Have pictures made of their pages" },
  { FORM("/shared/artifacts/{art}/compare/pictures", ART_EDIT, compare_versions,
      h_pictures_form),
    .limit = LIM_PICTURED, .again = "/shared/artifacts/{art}/compare",
    .doc = "Have pictures made of the pages of something that is shared with you" },
};
ROUTES(compare_page, "Pages: differences", "What differs between two versions of an artifact.");
