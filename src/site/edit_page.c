/* SPDX-License-Identifier: Apache-2.0
 * Changes of one file in the browser: edit, rename, add, delete. Each is a publish in mode patch
 * with the version that the page showed as its base, so it is merged with what others have
 * published since. If both changed the same lines, the page shows both texts. */
#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/artifact_top_page.h"
#include "core/clash.h"
#include "http/quota.h"
#include "site/files_page.h"
#include "site/publish.h"

static const char clash_why[] =
    "Others have changed this file since you began. Nothing was published, and your text is below";

#define FILE_EDIT_FORM(F, T) \
	F(T, STR,  path,    .flags = F_REQ, .hi = 1024) \
	F(T, STR,  content, .doc = "Absent if the file isn't text: it is only renamed") \
	F(T, INT,  base,    .lo = 1, .hi = 2147483647, .doc = "The version that was shown") \
	F(T, STR,  message, .hi = 1000) \
	F(T, WORD, becomes, .flags = F_REQ, .arg = "draft|live")
SHAPE(file_edit_form, FILE_EDIT_FORM);

#define FILE_DELETE_FORM(F, T) F(T, INT, base, .flags = F_REQ, .lo = 1, .hi = 2147483647)
SHAPE(file_delete_form, FILE_DELETE_FORM);

/* ---- the publish ---- */

static enum err
patch_prepare(struct req *r, const struct publish_file *file, const char *gone, int64_t base,
    const char *message, bool draft)
{
	struct publish_new *in = mem_new(r->c->mem, struct publish_new);
	struct publishing *prepared;
	struct upload none = { 0 };

	*in = (struct publish_new){ .artifact_id = r->art->id,
		.mode = "patch",
		.base_version = base,
		.message = str_given(message),
		.draft = draft,
		.has = { .artifact_id = GIVEN, .mode = GIVEN, .base_version = GIVEN } };
	if (file)
		in->files = (struct list){ mem_dup(r->c->mem, file, sizeof *file), 1 };
	in->has.files = in->has.delete = GIVEN;
	if (gone)
		strs_add(r->c->mem, &in->delete, gone);
	TRY(publish_prepare(r->c, r->who, in, &none, NULL, &prepared));
	r->prepared = prepared;
	return publish_store(prepared);
}

/* Browsers send lines that end with CR LF. The text gets the line ends of the one before, as the
 * first of its lines has them. */
static const char *
lines_as(void *owner, const char *typed, const char *was)
{
	const char *text = str_lines(owner, typed), *end = was ? strchr(was, '\n') : NULL;
	struct buf b = BUF(owner);

	if (!end || end == was || end[-1] != '\r')
		return text;
	for (; *text; text++) {
		if (*text == '\n')
			buf_chr(&b, '\r');
		buf_chr(&b, *text);
	}
	return buf_done(&b);
}

static enum err
p_file_edit(struct req *r)
{
	const struct file_edit_form *in = r->in;
	const char *path = in->path, *from = file_page_path(r), *was = NULL;
	struct publish_file file = { .has = { .path = GIVEN } };
	struct version_file *f;
	struct look_at at;

	TRY(path_check(r->c, "path", &path));
	TRY(file_page_version(r, in->base, &at));
	TRY(file_page_text(r, &at, from, &f, &was));
	file.path = path;
	if (in->content) {
		file.content = lines_as(r->c->mem, in->content, was);
		file.has.content = GIVEN;
	} else {
		file.sha256 = f->sha256;
		file.has.sha256 = GIVEN;
	}
	if (str_eq(path, from) && (!in->content || str_eq(file.content, was)))
		return fail(r->c, E_INVALID, "%s: nothing was changed",
		    in->content ? "content" : "path");
	return patch_prepare(r, &file, str_eq(path, from) ? NULL : from, in->base, in->message,
	    str_eq(in->becomes, "draft"));
}

static enum err
p_file_new(struct req *r)
{
	const struct file_edit_form *in = r->in;
	const char *path = in->path;
	struct publish_file file = { .has = { .path = GIVEN, .content = GIVEN } };
	struct version_file *f;
	struct look_at at;
	enum err e;

	TRY(path_check(r->c, "path", &path));
	TRY(file_page_version(r, in->base, &at));
	e = version_file_of(r->c, r->art, at.v, path, &f);
	if (!e)
		return fail(r->c, E_CONFLICT,
		    "path: there is such a file already; open it to change it");
	if (e != E_NOT_FOUND)
		return e;
	TRY(ctx_forgive(r->c));
	file.path = path;
	file.content = str_lines(r->c->mem, in->content ? in->content : "");
	return patch_prepare(
	    r, &file, NULL, in->base, in->message, str_eq(in->becomes, "draft"));
}

static enum err
p_file_delete(struct req *r)
{
	const struct file_delete_form *in = r->in;
	const char *path = file_page_path(r);

	return patch_prepare(
	    r, NULL, path, in->base, mem_printf(r->c->mem, "Delete %s", path), false);
}

/* Returns the notice of a publish. */
static const char *
done_word(const struct published *out)
{
	if (str_eq(out->held_for, "approval"))
		return "drafted";
	if (str_eq(out->held_for, "pin"))
		return "held_pin";
	if (str_eq(out->held_for, "checks"))
		return "held_checks";
	if (((const struct published_version *)out->version)->is_draft)
		return "file_drafted";
	return out->merged ? "file_merged" : "published";
}

/* Redirects to the file in the version that was made; path NULL: to the tab. */
static enum err
published_show(struct req *r, const char *path)
{
	const struct published_version *v;
	struct buf b = BUF(r->c->mem);
	struct published *out;

	TRY(publish_record(r->prepared, &out));
	v = out->version;
	buf_fmt(&b, "/a/%s/files%s", r->art->id, path ? "/" : "");
	if (path)
		buf_url(&b, path);
	buf_fmt(&b, "?done=%s", done_word(out));
	if (v->is_draft)
		buf_fmt(&b, "&version=%lld", (long long)v->version_no);
	return reply_redirect(r, buf_done(&b));
}

static enum err
h_file_edit(struct req *r)
{
	const struct file_edit_form *in = r->in;

	return published_show(r, unicode_composed(r->c->mem, in->path));
}

static enum err
h_file_delete(struct req *r)
{
	return published_show(r, NULL);
}

/* ---- the pages ---- */

#define FILE_EDIT_PAGE(F, T) \
	TEXT_EDITED(F, T) \
	F(T, BOOL, is_new) \
	F(T, STR,  path,    .doc = "Of the file; of a new one the folder, with a slash, or empty") \
	F(T, STR,  which) \
	F(T, LIST, way,     .sub = &file_step_shape) \
	F(T, INT,  base_no, .doc = "The version that is changed") \
	F(T, BOOL, is_text) \
	F(T, BOOL, mixed,   .doc = "Its lines have several kinds of ends") \
	F(T, STR,  content)
SHAPE(file_edit_page, FILE_EDIT_PAGE);

/* Returns what was typed into the form that is shown again. */
static struct file_edit_form
typed_read(struct req *r)
{
	struct pair typed[PAIRS];
	size_t n = r->refused.row ? req_form_pairs(r, typed) : 0;
	struct file_edit_form out = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (str_eq(typed[i].name, "content"))
			out.content = str_lines(r->c->mem, typed[i].value);
		else if (str_eq(typed[i].name, "base"))
			(void)str_int(typed[i].value, &out.base);
	}
	return out;
}

static bool
ends_mixed(const char *text)
{
	size_t lf = 0, crlf = 0, cr = 0;

	for (const char *p = text; *p; p++) {
		crlf += *p == '\n' && p > text && p[-1] == '\r';
		lf += *p == '\n';
		cr += *p == '\r';
	}
	return cr != crlf || (crlf && crlf != lf);
}

/* Shows the file as it is live now beside what was typed, and makes that version the base. */
static enum err
clash_show(struct req *r, const char *typed, struct file_edit_page *page)
{
	const struct ws_user *by;
	const char *theirs = NULL;
	struct look_at live;
	enum err e;

	TRY(file_page_version(r, 0, &live));
	e = file_page_text(r, &live, page->path, NULL, &theirs);
	if (e && e != E_NOT_FOUND)
		return e;
	TRY(e ? ctx_forgive(r->c) : E_OK);
	page->base_no = live.v->version_no;
	page->lost = e == E_NOT_FOUND;
	/* The part about the clash says it. */
	r->refused.why = "";
	by = mem_dup(r->c->mem,
	    &(struct ws_user){ .user_id = live.v->created_by, .name = live.v->author },
	    sizeof *by);
	if (theirs && typed)
		page->clash = clash_of(r->c,
		    mem_printf(r->c->mem, "/a/%s/files/%s", r->art->id, page->path), theirs,
		    typed, live.v->created_at, live.v->author ? (void *)(uintptr_t)by : NULL);
	return E_OK;
}

/* Reads the text of the file in the version that is edited. */
static enum err
text_show(struct req *r, int64_t no, struct file_edit_page *page)
{
	struct look_at at;

	TRY(file_page_version(r, no, &at));
	if (!at.v)
		return fail(r->c, E_NOT_FOUND, "There is no version");
	TRY(file_page_text(r, &at, page->path, NULL, &page->content));
	page->base_no = at.v->version_no;
	page->which = at.query;
	page->is_text = page->content != NULL;
	page->mixed = page->content && ends_mixed(page->content);
	return E_OK;
}

static enum err
h_file_edit_page(struct req *r)
{
	const struct file_query *q = r->query;
	const struct file_edit_form typed = typed_read(r);
	struct file_edit_page page = { .what = "file", .path = file_page_path(r) };
	enum err e = text_show(r, typed.base ? typed.base : q->version, &page);

	if (e && !typed.content)
		return e;
	TRY(e ? ctx_forgive(r->c) : E_OK);
	page.way = file_page_way(r, page.path);
	page.is_text = page.is_text || typed.content;
	if (typed.base && str_eq(r->refused.why, clash_why))
		TRY(clash_show(r, typed.content, &page));
	return reply_page(r, 0, &page);
}

#define FILE_NEW_QUERY(F, T) \
	FILE_QUERY_FIELDS(F, T) \
	F(T, STR, folder, .hi = 1024)
SHAPE(file_new_query, FILE_NEW_QUERY);

static enum err
h_file_new_page(struct req *r)
{
	const struct file_new_query *q = r->query;
	struct file_edit_page page = { .what = "file", .is_new = true, .is_text = true };
	struct look_at at;

	TRY(file_page_version(r, q->version, &at));
	if (!at.v)
		return fail(r->c, E_NOT_FOUND, "There is no version");
	page.base_no = at.v->version_no;
	page.which = at.query;
	page.path = str_given(q->folder) ? mem_printf(r->c->mem, "%s/", q->folder) : "";
	return reply_page(r, 0, &page);
}

static enum err
delete_find(struct req *r, struct shown *out)
{
	struct asked_words *w = mem_new(r->c->mem, struct asked_words);
	struct version_file *f;
	struct look_at at;

	TRY(file_page_version(r, 0, &at));
	if (!at.v)
		return fail(r->c, E_NOT_FOUND, "There is no version");
	w->name = file_page_path(r);
	TRY(version_file_of(r->c, r->art, at.v, w->name, &f));
	w->words = mem_printf(r->c->mem,
	    "A new version without it goes live. Version %lld keeps it.",
	    (long long)at.v->version_no);
	w->field = "base";
	w->value = mem_printf(r->c->mem, "%lld", (long long)at.v->version_no);
	*out = SHOWN(asked_words, w);
	return E_OK;
}

#define PUBLISHES \
	.slow = true, .limit = LIM_PUBLISH, .failures = LIM_PUBLISH_FAILED

static const struct route edit_page_routes[] = {
  { PAGE_OF("/a/{art}/edit/{+}", ART_EDIT, "file_edit", &file_edit_page_shape, h_file_edit_page),
    .slow = true, .query = &file_query_shape, .title = "Edit {+}", .doc = "Edit a file" },
  { FORM("/a/{art}/edit/{+}", ART_EDIT, file_edit_form, h_file_edit), PUBLISHES,
    .max_body = BODY_ROWS, .prepare = p_file_edit, .again = "/a/{art}/edit/{+}",
    .instead = INSTEAD(E_VERSION_CONFLICT, clash_why),
    .doc = "Publish the changed file, or save it as a draft" },
  { PAGE_OF("/a/{art}/new-file", ART_EDIT, "file_edit", &file_edit_page_shape, h_file_new_page),
    .query = &file_new_query_shape, .title = "New file", .doc = "Write a new file" },
  { FORM("/a/{art}/new-file", ART_EDIT, file_edit_form, h_file_edit), PUBLISHES,
    .max_body = BODY_ROWS, .prepare = p_file_new, .again = "/a/{art}/new-file",
    .instead = INSTEAD(E_VERSION_CONFLICT,
	"Others have added such a file since you began. Nothing was published"),
    .doc = "Publish the new file, or save it as a draft" },
  { FORM("/a/{art}/delete-file/{+}", ART_EDIT, file_delete_form, h_file_delete), PUBLISHES,
    .prepare = p_file_delete,
    .ask = ASK("Delete {name}?", "{words}", "Delete file", "/a/{art}/files/{+}",
	.find = delete_find),
    .instead = INSTEAD(E_VERSION_CONFLICT,
	"Others have changed this file since you opened this page. Nothing was deleted"),
    .doc = "Publish a version without the file" },
};
ROUTES(edit_page, "Pages: editing", "Changes of single files in the browser.");
