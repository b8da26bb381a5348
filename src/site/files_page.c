/* SPDX-License-Identifier: Apache-2.0
 * The Files tab of an artifact: the folders and files of a version, one file, which versions
 * changed it, and which version each of its lines comes from. */
#include "base/str.h"
#include "base/textmerge.h"
#include "base/unicode.h"
#include "core/artifact_top_page.h"
#include "site/filehistory.h"
#include "site/filelook.h"
#include "site/files_page.h"
#include "store/object.h"

SHAPE_DEFINE(file_step, FILE_STEP);
SHAPE_DEFINE(file_query, FILE_QUERY);

enum { VERSIONS = 100, CHANGES = 50 };

/* ---- which version, which path ---- */

const char *
file_page_path(const struct req *r)
{
	return unicode_composed(r->c->mem, req_param(r, "+"));
}

enum err
file_page_version(struct req *r, int64_t no, struct look_at *at)
{
	const struct page_query newest = { .limit = 1 };
	struct list rows;
	const char *next;
	struct version *v = NULL;

	*at = (struct look_at){ .a = r->art, .query = "" };
	if (no || r->art->version_no) {
		TRY(version_pick(r->c, r->art, no, &v));
	} else {
		TRY(version_list(r->c, r->art, &newest, &rows, &next));
		v = rows.n ? rows.v : NULL;
	}
	at->v = v;
	if (v && !v->is_live)
		at->query = mem_printf(r->c->mem, "?version=%lld", (long long)v->version_no);
	return E_OK;
}

struct list
file_page_way(struct req *r, const char *path)
{
	struct file_step_list out = { mem_array(r->c->mem, struct file_step, strlen(path) / 2 + 2),
		0 };

	for (const char *at = path; *at; at++) {
		size_t n = strcspn(at, "/");

		if (!at[n])
			break;
		out.v[out.n++] = (struct file_step){ mem_strndup(r->c->mem, at, n),
			mem_strndup(r->c->mem, path, (size_t)(at - path) + n), { 0 } };
		at += n;
	}
	return (struct list){ out.v, out.n };
}

/* ---- the tab ---- */

/* All pages of files share this shape; each shows what its template names. */
#define FILES_PAGE(F, T) \
	F(T, OBJ,  version,  .sub = &version_shape, .doc = "NULL: there is none") \
	F(T, STR,  which,    .doc = "What addresses of this version end with") \
	F(T, STR,  and_which, .doc = "The same behind another parameter") \
	F(T, LIST, versions, .sub = &version_shape) \
	F(T, LIST, way,      .sub = &file_step_shape, .doc = "Folders above") \
	F(T, STR,  path,     .doc = "Of the folder or file; empty: the top") \
	F(T, LIST, tree,     .sub = &file_entry_shape) \
	F(T, BOOL, searched) \
	F(T, LIST, entries,  .sub = &file_entry_shape, .doc = "Of the folder, or what was found") \
	F(T, STR,  more,     .doc = "The address of the next part") \
	F(T, OBJ,  readme,   .sub = &file_look_shape) \
	F(T, OBJ,  file,     .sub = &file_look_shape, .doc = "NULL: it is a folder") \
	F(T, LIST, changes,  .sub = &file_change_shape) \
	F(T, OBJ,  blame,    .sub = &blame_shape) \
	F(T, STR,  none,     .doc = "Why there is no blame")
SHAPE(files_page, FILES_PAGE);

#define FILES_TAB_QUERY(F, T) \
	LIST_QUERY(F, T) \
	FILE_QUERY_FIELDS(F, T) \
	F(T, BOOL, plain, .doc = "Show the text itself")
SHAPE(files_tab_query, FILES_TAB_QUERY);

static enum err
readme_read(struct req *r, const struct look_at *at, const char *folder, struct files_page *page)
{
	struct version_file *f;
	struct file_look *look;

	TRY(file_readme(r->c, r->art, at->v, folder, &f));
	if (!f)
		return E_OK;
	TRY(file_look_read(r->c, at, f, false, &look));
	page->readme = str_eq(look->look, "markdown") ? look : NULL;
	return E_OK;
}

static enum err
folder_read(struct req *r, const struct look_at *at, const struct files_tab_query *q,
    struct files_page *page)
{
	const char *folder = *page->path ? mem_printf(r->c->mem, "%s/", page->path) : "", *next;

	page->searched = str_given(q->q) != NULL;
	if (page->searched)
		TRY(file_entries_found(r->c, r->art, at->v->version_no, q->q, q->cursor,
		    &page->entries, &next));
	else
		TRY(file_entries(
		    r->c, r->art, at->v->version_no, folder, q->cursor, &page->entries, &next));
	TRY(file_entries_changed(r->c, r->art, at->v->version_no, &page->entries));
	page->more = req_next(r, next, NEXT_WITHOUT);
	if (!page->entries.n && *page->path && !page->searched)
		return fail(r->c, E_NOT_FOUND, "There is no file or folder %s in version %lld",
		    page->path, (long long)at->v->version_no);
	return page->searched || q->cursor ? E_OK : readme_read(r, at, folder, page);
}

static enum err
path_read(struct req *r, const struct look_at *at, const struct files_tab_query *q,
    struct files_page *page)
{
	struct version_file *f = NULL;
	struct file_look *look;
	enum err e = *page->path ? version_file_of(r->c, r->art, at->v, page->path, &f)
				 : E_NOT_FOUND;

	if (e == E_NOT_FOUND) {
		TRY(*page->path ? ctx_forgive(r->c) : E_OK);
		return folder_read(r, at, q, page);
	}
	TRY(e);
	TRY(file_look_read(r->c, at, f, q->plain, &look));
	page->file = look;
	return E_OK;
}

static enum err
h_files_page(struct req *r)
{
	const struct files_tab_query *q = r->query;
	const struct page_query all = { .limit = VERSIONS };
	struct files_page page = { .path = route_has_param(r->route, "+") ? file_page_path(r)
									  : "" };
	struct look_at at;
	const char *next;

	TRY(file_page_version(r, q->version, &at));
	page.which = at.query;
	page.way = file_page_way(r, page.path);
	if (!at.v)
		return reply_page(r, 0, &page);
	page.version = at.v;
	page.and_which = *at.query ? mem_printf(r->c->mem, "&%s", at.query + 1) : "";
	TRY(version_list(r->c, r->art, &all, &page.versions, &next));
	TRY(path_read(r, &at, q, &page));
	TRY(file_tree(
	    r->c, r->art, at.v->version_no, page.path, page.file != NULL, &page.tree));
	return reply_page(r, 0, &page);
}

/* ---- what changed a file ---- */

static enum err
h_file_history_page(struct req *r)
{
	const struct tab_query *q = r->query;
	struct files_page page = { .path = file_page_path(r) };
	const struct file_history_query asked = {
		.path = page.path, .limit = CHANGES, .cursor = q->cursor
	};
	const char *next;

	TRY(file_history(r->c, r->art, &asked, &page.changes, &next));
	page.way = file_page_way(r, page.path);
	page.more = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- who wrote which line ---- */

enum err
file_page_text(
    struct req *r, const struct look_at *at, const char *path, struct version_file **file,
    const char **text)
{
	struct version_file *f;
	uint8_t sha256[SHA256_BYTES];

	TRY(version_file_of(r->c, r->art, at->v, path, &f));
	if (file)
		*file = f;
	if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
		return fail_here(r->c, "%s is not a digest", f->sha256);
	return object_text(r->c, sha256, f->size_bytes, MERGE_TEXT_BYTES, text);
}

/* Returns the next n lines of a text, and moves *at behind them. */
static const char *
lines_take(void *owner, const char **at, int64_t n)
{
	const char *from = *at;

	while (n-- && **at) {
		*at += strcspn(*at, "\n");
		*at += **at == '\n';
	}
	return mem_strndup(owner, from, (size_t)(*at - from));
}

static enum err
blame_read(struct req *r, const struct look_at *at, struct files_page *page)
{
	const struct blame_query q = { .path = page->path, .version = at->v->version_no };
	struct blame_lines *line;
	struct blame *b;
	const char *text;
	enum err e = file_blame(r->c, r->art, &q, &b);

	if (e == E_FILE_TOO_LARGE) {
		page->none = "Only texts in UTF-8 of up to 1 MiB and 20,000 lines have this.";
		return ctx_forgive(r->c);
	}
	TRY(e);
	TRY(file_page_text(r, at, page->path, NULL, &text));
	line = b->lines.v;
	for (size_t i = 0; text && i < b->lines.n; i++)
		line[i].text =
		    lines_take(r->c->mem, &text, line[i].to - line[i].from + 1);
	if (!text)
		b->lines.n = 0;
	page->blame = b;
	return E_OK;
}

static enum err
h_file_blame_page(struct req *r)
{
	const struct file_query *q = r->query;
	struct files_page page = { .path = file_page_path(r) };
	struct look_at at;

	TRY(file_page_version(r, q->version, &at));
	if (!at.v)
		return fail(r->c, E_NOT_FOUND, "There is no version");
	page.which = at.query;
	page.version = at.v;
	page.way = file_page_way(r, page.path);
	TRY(blame_read(r, &at, &page));
	return reply_page(r, 0, &page);
}

static const struct route files_page_routes[] = {
  { PAGE_OF("/a/{art}/files", ART_VIEW, "files", &files_page_shape, h_files_page), .slow = true,
    .query = &files_tab_query_shape, .title = "Files",
    .doc = "The folders and files of a version" },
  { PAGE_OF("/a/{art}/files/{+}", ART_VIEW, "files", &files_page_shape, h_files_page),
    .slow = true, .query = &files_tab_query_shape, .title = "{+}",
    .doc = "One of its folders or files" },
  { PAGE_OF("/a/{art}/history/{+}", ART_VIEW, "file_history", &files_page_shape,
      h_file_history_page),
    .query = &tab_query_shape, .title = "History of {+}", .doc = "Which versions changed a file" },
  { PAGE_OF("/a/{art}/blame/{+}", ART_VIEW, "file_blame", &files_page_shape, h_file_blame_page),
    .slow = true, .query = &file_query_shape,
    .title = "Blame of {+}", .doc = "Which version each line of a file comes from" },
};
ROUTES(files_page, "Pages: files", "The files of an artifact's versions in the browser.");
