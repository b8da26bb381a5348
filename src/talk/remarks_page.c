/* SPDX-License-Identifier: Apache-2.0
 * The review view: a version of an artifact in a frame, with what people say about it. The frame
 * has a host of its own (site/frame.h). Source: talk/README.md. */
#include "base/conf.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/viewer.h"
#include "http/quota.h"
#include "http/req.h"
#include "site/pdfpage.h"
#include "talk/comment_page.h"
#include "talk/remark.h"

#include <math.h>

/* ---- the page ---- */

#define REMARKS_PAGE(F, T) \
	F(T, INT,  version_no) \
	F(T, BOOL, live) \
	F(T, URL,  frame,  .doc = "Its address in the frame; NULL: nobody signed in, PDF, saved") \
	F(T, BOOL, saved,  .doc = "Browsers save it instead of showing it, so there is no frame") \
	F(T, OBJ,  leaf,   .sub = &pdf_page_shape, .doc = "Of a PDF") \
	F(T, INT,  before, .doc = "The page of the PDF before that; 0: none") \
	F(T, INT,  after) \
	F(T, OBJ,  talk,  .sub = &comments_part_shape)
SHAPE(remarks_page, REMARKS_PAGE);

/* A thread that the address names decides about the state and the page. An address in a mail may
 * outlive its comment. */
static enum err
thread_take(struct req *r, struct comments_query *q)
{
	const struct comment_reader reader = comment_reader_of(r->art, r->who, false);
	struct comment *m;
	enum err e;

	if (!q->thread)
		return E_OK;
	e = comment_get(r->c, r->art, q->thread, &reader, &m);
	if (e == E_NOT_FOUND) {
		q->thread = NULL;
		return ctx_forgive(r->c);
	}
	TRY(e);
	q->thread = m->thread_id;
	q->state = m->state;
	q->path = q->path ? q->path : m->path;
	if (anchor_page(r->c, m->anchor))
		q->page = anchor_page(r->c, m->anchor);
	return E_OK;
}

static enum err
frame_begin(struct req *r, struct remarks_page *page, const struct comments_part *part,
    const char **origin)
{
	const char *name;
	struct buf b = BUF(r->c->mem);

	*origin = "'none'";
	if (!r->who || !r->who->session_id || part->pdf || page->saved)
		return E_OK;
	TRY(viewer_frame(r->c, r->art->id, page->version_no, r->who->session_id, &name));
	*origin = conf_site_origin(r->c->mem, r->c->conf, name);
	buf_str(&b, *origin);
	buf_url(&b, part->on_page);
	page->frame = buf_done(&b);
	return E_OK;
}

/* Looks for a page of a PDF, as a picture of ours. */
static enum err
leaf_read(struct req *r, struct remarks_page *page, struct comments_part *part, const char *file,
    int64_t no)
{
	struct buf b = BUF(r->c->mem);
	struct version_file *f;
	struct pdf_page *leaf;

	part->on_page = mem_printf(r->c->mem, "/%s", file);
	part->pdf = no;
	if (!r->who || !r->who->session_id)
		return E_OK;
	TRY(version_file_get(r->c, r->art, part->on_version, file, &f));
	TRY(pdf_page_look(r->c, r->art->id, f, no, &leaf));
	page->leaf = leaf;
	page->after = no < leaf->pages ? no + 1 : 0;
	page->before = no - 1;
	if (str_in(leaf->status, "beyond|late"))
		page->before = leaf->pages && leaf->pages < PDF_PAGES ? leaf->pages : PDF_PAGES;
	if (!str_eq(leaf->status, "made"))
		return E_OK;
	buf_fmt(&b, "/v1/artifacts/%s/pdf-page?version=%lld&page=%lld&path=", r->art->id,
	    (long long)part->on_version, (long long)no);
	buf_form(&b, f->path);
	part->picture = buf_done(&b);
	return E_OK;
}

/* True for types that browsers save. A frame with such a file stays white. */
static bool
is_saved(const char *mime)
{
	static const char *const types[] = { "text/csv", "text/tab-separated-values",
		"text/calendar", "application/octet-stream", "application/zip", "application/gzip",
		"application/msword", "application/vnd." };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_starts(mime, types[i]))
			return !strstr(mime, "+xml");
	return false;
}

/* The kind of page decides how it is shown, and how a place on it is chosen without a script. */
static enum err
form_fit(struct req *r, struct remarks_page *page, struct comments_part *part, int64_t no)
{
	struct buf b = BUF(r->c->mem);
	const char *mime, *pdf;

	TRY(spot_mime(r->c, r->art, r->who, part->on_version, part->on_page, &mime, &pdf));
	if (pdf)
		return leaf_read(r, page, part, pdf, no);
	page->saved = mime && is_saved(mime);
	if (!mime || !str_starts(mime, "image/"))
		return E_OK;
	buf_fmt(&b, "/v1/artifacts/%s/files", r->art->id);
	buf_url(&b, part->on_page);
	buf_fmt(&b, "?version=%lld", (long long)part->on_version);
	part->picture = buf_done(&b);
	return E_OK;
}

static enum err
h_remarks(struct req *r)
{
	struct comments_query *q = mem_dup(r->c->mem, r->query, sizeof *q);
	struct remarks_page page = { .version_no = req_param_no(r, "no") };
	struct comments_part *part;
	const char *origin;

	page.live = page.version_no == r->art->version_no;
	TRY(thread_take(r, q));
	r->query = q;
	TRY(comments_part_read(r, page.version_no, &page.talk));
	part = page.talk;
	part->on_page = q->path && *q->path == '/' ? q->path : "/";
	TRY(form_fit(r, &page, part, q->page));
	TRY(frame_begin(r, &page, part, &origin));
	TRY(reply_page(r, 0, &page));
	reply_header(
	    r, "Content-Security-Policy", "%s; frame-src %s", page_csp(r->c->conf), origin);
	return E_OK;
}

#define REMARKS_QUERY(F, T) \
	F(T, INT, version, .lo = 1, .hi = 2147483647) \
	F(T, STR, path,    .hi = 1024) \
	F(T, INT, page,    .lo = 1, .hi = 10000) \
	F(T, ID,  thread,  .arg = "cmt_")
SHAPE(remarks_query, REMARKS_QUERY);

/* Without a version in the address, we show the live one, else the newest that the caller sees. */
static enum err
h_remarks_any(struct req *r)
{
	const struct remarks_query *q = r->query;
	const struct artifact *a = r->art;
	int64_t no = q->version ? q->version : a->version_no ? a->version_no : a->last_no;
	struct buf b = BUF(r->c->mem);

	buf_fmt(&b, "/a/%s/review/%lld", a->id, (long long)no);
	if (q->thread)
		buf_fmt(&b, "?thread=%s", q->thread);
	if (q->path) {
		buf_str(&b, q->thread ? "&path=" : "?path=");
		buf_form(&b, q->path);
		if (q->page)
			buf_fmt(&b, "&page=%lld", (long long)q->page);
	}
	return reply_redirect(r, buf_done(&b));
}

/* ---- forms ---- */

#define REMARK_FORM(F, T) \
	F(T, STR,  text,     .flags = F_REQ | F_LONG, .lo = 1, .hi = COMMENT_CHARS) \
	F(T, ID,   reply_to, .arg = "cmt_") \
	F(T, WORD, audience, .arg = AUDIENCES) \
	F(T, STR,  path,     .hi = 1024, .doc = "The page that it is about") \
	F(T, WORD, kind,     .arg = "text|element|point|page", \
		.doc = "The anchor's kind. Default: page if `page` is given, point if `side` is, " \
		       "text if `exact` is, else no anchor") \
	F(T, STR,  selector, .hi = 1000) \
	F(T, STR,  exact,    .flags = F_LONG, .hi = 1000, .doc = "What the page says there") \
	F(T, STR,  prefix,   .flags = F_LONG, .hi = 64) \
	F(T, STR,  suffix,   .flags = F_LONG, .hi = 64) \
	F(T, NUM,  x,        .lo = 0, .hi = 100000) \
	F(T, NUM,  y,        .lo = 0, .hi = 100000) \
	F(T, INT,  side,     .lo = 1, .hi = 100000, \
		.doc = "Pixels of the square picture in which x and y were clicked; else both " \
		       "are from 0 to 1") \
	F(T, INT,  page,     .lo = 1, .hi = 10000) \
	F(T, INT,  width,    .lo = 1, .hi = 100000)
SHAPE(remark_form, REMARK_FORM);

static const char *
given(const char *text)
{
	return text && *text ? text : NULL;
}

/* Returns NULL if the form has no place. A form without a script doesn't send a kind. */
static const char *
kind_of(const struct remark_form *in)
{
	return in->kind                                        ? in->kind
	    : in->has.page == GIVEN && in->page                ? "page"
	    : in->has.side == GIVEN && in->has.x == GIVEN      ? "point"
	    : given(in->exact)                                 ? "text"
							       : NULL;
}

static struct anchor *
anchor_of(struct req *r, const struct remark_form *in)
{
	double side = in->has.side == GIVEN ? (double)in->side : 1;

	struct anchor *n = mem_new(r->c->mem, struct anchor);
	struct anchor_quote *quote = mem_new(r->c->mem, struct anchor_quote);

	*quote = (struct anchor_quote){ .exact = in->exact,
		.prefix = given(in->prefix),
		.suffix = given(in->suffix),
		.has = { GIVEN, given(in->prefix) ? GIVEN : ABSENT,
		    given(in->suffix) ? GIVEN : ABSENT } };
	*n = (struct anchor){ .kind = kind_of(in),
		.selector = given(in->selector),
		.quote = given(in->exact) ? quote : NULL,
		.x = fmin(in->x / side, 1),
		.y = fmin(in->y / side, 1),
		.page = in->page,
		.width = in->width };
	n->has.kind = GIVEN;
	n->has.selector = n->selector ? GIVEN : ABSENT;
	n->has.quote = n->quote ? GIVEN : ABSENT;
	n->has.x = in->has.x;
	n->has.y = in->has.y;
	n->has.page = in->has.page;
	n->has.width = in->has.width;
	return n;
}

static enum err
h_remark_add(struct req *r)
{
	const struct remark_form *in = r->in;
	int64_t no = req_param_no(r, "no");
	struct comment_new added = { .text = in->text, .reply_to = in->reply_to, .version_no = no };
	const char *id;

	added.has.version_no = GIVEN;
	if (!in->reply_to) {
		added.path = given(in->path);
		added.audience = in->audience;
		added.anchor = kind_of(in) ? anchor_of(r, in) : NULL;
	}
	TRY(comment_add(r->c, r->art, r->who, false, &added, &id));
	return reply_go(r, "/a/%s/review/%lld?thread=%s#%s", r->art->id, (long long)no, id, id);
}

static enum err
h_remark_change(struct req *r)
{
	const char *id = req_param(r, "cmt");

	TRY(comment_change(r->c, r->art, r->who, id, r->in));
	return reply_go(r, "/a/%s/review/%lld?thread=%s#%s", r->art->id,
	    (long long)req_param_no(r, "no"), id, id);
}

#define VIEW "/a/{art}/review/{no}"
static const struct route remarks_page_routes[] = {
  { GET, "/a/{art}/review", ART_DISCUSS, TAKES_NOTHING, GIVES_REDIRECT, h_remarks_any,
    .query = &remarks_query_shape, .doc = "Leads to the review view of a version" },
  { PAGE(VIEW, ART_DISCUSS, remarks, h_remarks), .query = &comments_query_shape,
    .doc = "A version in a frame, with what people say about it" },
  { FORM(VIEW, ART_DISCUSS, remark_form, h_remark_add), .limit = LIM_COMMENT, .again = VIEW,
    .doc = "Add a comment, perhaps about a place in a page, or a reply" },
  /* The API's row would take the path's {no} for the version that resolves the thread. */
  { FORM(VIEW "/{cmt}", ART_DISCUSS, comment_edit, h_remark_change), .again = VIEW,
    .doc = "Change a comment of yours, or the state or audience of its thread" },
  { POST, VIEW "/{cmt}/delete", DOES("DELETE /v1/artifacts/{art}/comments/{cmt}"),
    .ask = ASK(COMMENT_DELETE, VIEW, .find = comment_find, .url = "{url}", .who = ART_DISCUSS),
    .then = VIEW "?done=comment_deleted", .doc = "Delete a comment" },
};
ROUTES(remarks_page, "Pages: the review view",
    "A version of an artifact beside what people say about it.");
