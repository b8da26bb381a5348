/* SPDX-License-Identifier: Apache-2.0
 * Views of a version: list them, make them anew; and draw one that nobody keeps. */
#include "site/fileview.h"

#include "base/path.h"
#include "base/str.h"
#include "base/viewdraw.h"
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"

static enum err
h_view_list(struct req *r)
{
	return reply_list_of(
	    r, struct list, fileview_list, r->art, req_param_no(r, "no"), r->query);
}

static enum err
p_view_remake(struct req *r)
{
	struct fileviews *made;

	TRY(fileviews_remake(r->c, r->art, req_param_no(r, "no"), &made));
	r->prepared = made;
	return E_OK;
}

static enum err
h_view_remake(struct req *r)
{
	/* A version has fewer. */
	struct page_query all = { .limit = 1000 };

	TRY(fileviews_replace(r->prepared, r->art, req_param_no(r, "no")));
	return reply_list_of(
	    r, struct list, fileview_list, r->art, req_param_no(r, "no"), &all);
}

/* ---- without a version ---- */

#define RENDER_FILE(F, T) \
	F(T, STR, path,    .flags = F_REQ, .lo = 1) \
	F(T, STR, content, .flags = F_REQ)
SHAPE(render_file, RENDER_FILE);

#define RENDER(F, T) \
	F(T, STR,  path,    .flags = F_REQ, .lo = 1, .eg = "\"README.md\"", \
		.doc = "As at a publish; its ending says how the file is shown") \
	F(T, STR,  content, .flags = F_REQ, .eg = "\"# Hello\"", \
		.doc = "The text, at most 1 MB") \
	F(T, LIST, files,   .sub = &render_file_shape, .eg = "[]", \
		.doc = "For an app, the other files of its version. Of pictures and fonts only " \
		       "the path counts")
SHAPE(render, RENDER);

#define RENDERED(F, T) \
	F(T, WORD, kind, .arg = VIEW_KINDS) \
	F(T, STR,  renderer, .doc = "What made it") \
	F(T, STR,  title) \
	F(T, STR,  html, \
		.doc = "The page, as a publish would make it; of a table only the first rows") \
	F(T, STRS, warnings)
SHAPE(rendered, RENDERED);

static enum err
render_add(struct ctx *c, const char *field, const char *path, const char *content,
    struct shown_file *f)
{
	*f = (struct shown_file){
		.path = path, .bytes = content, .size = (int64_t)strlen(content)
	};
	return path_check(c, field, &f->path);
}

enum { CONTENT_BYTES = 1 << 20 };

/* Lists the files of an app by path; *at is the one that is to be drawn. */
static enum err
render_files(struct ctx *c, const struct render *in, struct shown_file **out, size_t *at)
{
	const struct render_file *others = in->files.v;
	size_t n = in->files.n;
	struct shown_file *all = *out = mem_array(c->mem, struct shown_file, n + 1), own, *found;

	TRY(render_add(c, "path", in->path, in->content, &all[n]));
	own = all[n];
	if (own.size > CONTENT_BYTES)
		return fail(c, E_BODY_TOO_LARGE, "content: is %lld bytes; the limit is %d",
		    (long long)own.size, CONTENT_BYTES);
	if (view_kind_of(own.path) == VIEW_NONE)
		return fail(
		    c, E_INVALID, "path: %s is a page itself, so it has no view", own.path);
	for (size_t i = 0; i < n; i++)
		TRY(render_add(c, "files", others[i].path, others[i].content, &all[i]));
	qsort(all, n + 1, sizeof *all, shown_by_path);
	for (size_t i = 0; i < n; i++)
		if (str_eq(all[i].path, all[i + 1].path))
			return fail(c, E_INVALID, "files: %s is there twice", all[i].path);
	found = bsearch(&own, all, n + 1, sizeof own, shown_by_path);
	*at = (size_t)(found - all);
	return E_OK;
}

static enum err
h_render(struct req *r)
{
	const struct render *in = r->in;
	struct rendered out = { 0 };
	struct view_drawn drawn;
	struct file_view v;
	struct shown_file *files;
	const char *why;
	size_t at;

	TRY(render_files(r->c, in, &files, &at));
	TRY(fileview_draw(r->c, files, in->files.n + 1, at, &v, &drawn, &why));
	out.kind = v.kind;
	out.renderer = v.renderer;
	out.title = str_cut(
	    r->c->mem, drawn.title ? drawn.title : str_base(files[at].path), VIEW_TITLE_CHARS);
	out.html = buf_done(&drawn.html);
	if (why)
		strs_add(r->c->mem, &out.warnings, why);
	return reply_flat(r, &out);
}

static LIMIT(LIM_RENDER, "render", OF_USER, ALL, renders_per_minute, "files drawn", 60);
static LIMIT(LIM_VIEWS, "views", OF_ARTIFACT, ALL, views_made_per_hour, "views made anew");

static const struct route fileview_routes[] = {
/*  method path                                         who
    body                 reply                           handler */
  { GET,   "/v1/artifacts/{art}/versions/{no}/views",   ART_READ,
    TAKES_NOTHING,       GIVES_LIST("views", file_view), h_view_list,
    .scope = ARTIFACTS_READ, .query = &page_query_shape,
    .doc = "List the views of a version: pages that show its files" },
  { POST,  "/v1/artifacts/{art}/versions/{no}/views",   ART_EDIT,
    TAKES_NOTHING,       GIVES_LIST("views", file_view), h_view_remake,
    .slow = true, .scope = ARTIFACTS_PUBLISH, .limit = LIM_VIEWS, .prepare = p_view_remake,
    .doc = "Make the views of a version anew, as they would be made today" },
  { POST,  "/v1/render",                                SIGNED_IN,
    TAKES(render),       GIVES_FLAT(rendered),           h_render,
    .slow = true, .no_transaction = true, .scope = ARTIFACTS_PUBLISH, .limit = LIM_RENDER,
    .max_body = BODY_ROWS,
    .doc = "Draw the page that would show a file; nothing is stored" },
};
ROUTES(fileview, "Views of files",
    "Pages that show files which are no pages, such as Markdown, CSV, or source code.");
