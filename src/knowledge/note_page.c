/* SPDX-License-Identifier: Apache-2.0
 * The pages of notes: the tree, a note with what links to it, its editor with a preview, and what
 * it said before. */
#include "base/str.h"
#include "core/clash.h"
#include "knowledge/knowledge_api.h"
#include "knowledge/notenav.h"
#include "knowledge/notetext.h"
#include "knowledge/past.h"
#include "team/textfile.h"
#include "team/workspace_page.h"

#define NOTE_CRUMB(F, T) \
	F(T, STR, crumb_name) \
	F(T, STR, crumb_url)
SHAPE_DECLARE(note_crumb, NOTE_CRUMB);
SHAPE_DEFINE(note_crumb, NOTE_CRUMB);

#define NOTE_SHELL(F, T) \
	WS_PAGE(F, T) \
	F(T, BOOL, asks, .doc = "It has a main button of its own") \
	F(T, STR,  path) \
	F(T, LIST, crumbs, .sub = &note_crumb_shape, .doc = "The folders that it is in") \
	F(T, LIST, nav,    .sub = &note_nav_shape)

static struct list
crumbs_of(struct ctx *c, const struct workspace *w, const char *path)
{
	struct note_crumb *v = mem_array(c->mem, struct note_crumb, strlen(path) + 1);
	size_t n = 0;

	for (const char *from = path, *at; (at = strchr(from, '/')); from = at + 1) {
		const char *folder = mem_strndup(c->mem, path, (size_t)(at - path));

		v[n++] = (struct note_crumb){ str_base(folder),
			note_folder_url(c, w, folder), { 0 } };
	}
	return (struct list){ v, n };
}

/* The navigation beside a note, or beside a folder. */
static enum err
nav_of(struct req *r, const char *path, bool folder, struct list *out)
{
	struct note_entry_list tree;

	TRY(note_tree(r->c, r->ws, r->who, &tree));
	note_nav_of(r->c, r->ws, &tree, folder ? path : note_folder_path(r->c, path), path, out);
	return E_OK;
}

static const char *
text_of(struct ctx *c, const char *content)
{
	struct bytes text = note_text((struct bytes){ content, strlen(content) });

	return mem_strndup(c->mem, text.p, text.n);
}

/* ---- a folder, or all ---- */

enum { FOLDER_ROWS = 100 };

#define ENTRY_ROW(F, T) \
	F(T, STR,  row_name) \
	F(T, STR,  row_url) \
	F(T, STR,  row_path) \
	F(T, BOOL, row_folder) \
	F(T, INT,  row_count) \
	F(T, WORD, row_origin, .arg = NOTE_ORIGINS) \
	F(T, TIME, row_changed)
SHAPE_DECLARE(note_entry_row, ENTRY_ROW);
SHAPE_DEFINE(note_entry_row, ENTRY_ROW);

#define NOTES_PAGE(F, T) \
	NOTE_SHELL(F, T) \
	F(T, BOOL, some,  .doc = "There is a note at all") \
	F(T, INT,  total) \
	F(T, LIST, rows,  .sub = &note_entry_row_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(notes_page, NOTES_PAGE);
SHAPE_DEFINE(notes_page, NOTES_PAGE);

#define NOTES_QUERY(F, T) \
	F(T, STR, done, .hi = 40) \
	F(T, STR, folder, .hi = NOTE_PATH_BYTES) \
	F(T, INT, from, .lo = 0, .hi = NOTES)
SHAPE_DECLARE(notes_query, NOTES_QUERY);
SHAPE_DEFINE(notes_query, NOTES_QUERY);

static void
rows_of(struct req *r, const struct note_folder *in, size_t from, struct notes_page *page)
{
	size_t n = in->n > from ? in->n - from : 0;
	struct note_entry_row *v = mem_array(r->c->mem, struct note_entry_row, FOLDER_ROWS);

	n = n < FOLDER_ROWS ? n : FOLDER_ROWS;
	for (size_t i = 0; i < n; i++) {
		const struct note_entry *e = in->v[from + i];

		v[i] = (struct note_entry_row){ .row_name = note_entry_name(e),
			.row_url = note_entry_url(r->c, r->ws, e),
			.row_path = e->path,
			.row_folder = str_eq(e->type, "folder"),
			.row_count = in->notes[from + i],
			.row_origin = e->origin,
			.row_changed = e->updated_at };
	}
	page->rows = (struct list){ v, n };
	if (from + n < in->n)
		page->next = req_with(r, "from",
		    mem_printf(r->c->mem, "%zu", from + n), "from|done");
}

static enum err
h_notes(struct req *r)
{
	const struct notes_query *q = r->query;
	const char *folder = q->folder ? q->folder : "";
	struct notes_page page = { WS_PAGE_OF(r, *folder ? str_base(folder) : "Notes"),
		.path = folder, .crumbs = crumbs_of(r->c, r->ws, folder) };
	struct note_entry_list tree;
	struct note_folder in;

	TRY(note_tree(r->c, r->ws, r->who, &tree));
	note_folder_of(r->c, &tree, folder, &in);
	if (*folder && !in.n)
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	note_nav_of(r->c, r->ws, &tree, folder, folder, &page.nav);
	page.some = tree.n > 0;
	page.asks = !page.some;
	for (size_t i = 0; i < tree.n; i++)
		page.total += str_eq(tree.v[i].type, "file");
	rows_of(r, &in, (size_t)q->from, &page);
	return reply_page(r, 0, &page);
}

/* ---- a note ---- */

#define LINK_ROW(F, T) \
	F(T, STR,  link_name) \
	F(T, STR,  link_url) \
	F(T, STR,  write_url, .doc = "Where it can be written; NULL: there is one") \
	F(T, BOOL, link_learned)
SHAPE_DECLARE(note_link_row, LINK_ROW);
SHAPE_DEFINE(note_link_row, LINK_ROW);

#define BACK_ROW(F, T) \
	F(T, STR, back_name) \
	F(T, STR, back_url) \
	F(T, STR, before) \
	F(T, STR, said) \
	F(T, STR, after)
SHAPE_DECLARE(back_row, BACK_ROW);
SHAPE_DEFINE(back_row, BACK_ROW);

#define NOTE_PAGE(F, T) \
	NOTE_SHELL(F, T) \
	F(T, STR,  text) \
	F(T, STR,  edit_url) \
	F(T, STR,  history_url) \
	F(T, STR,  delete_url) \
	F(T, STR,  forget_url) \
	F(T, STR,  compare_url) \
	F(T, INT,  newer_no) \
	F(T, BOOL, learned,  .doc = "It was, and nobody has changed it") \
	F(T, BOOL, edited) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, INT,  version_no) \
	F(T, TIME, changed) \
	F(T, OBJ,  updated_by, .sub = &ws_user_shape) \
	F(T, INT,  link_count) \
	F(T, LIST, links,    .sub = &note_link_row_shape) \
	F(T, INT,  back_count) \
	F(T, LIST, backs,    .sub = &back_row_shape)
SHAPE_DECLARE(note_page, NOTE_PAGE);
SHAPE_DEFINE(note_page, NOTE_PAGE);

static const char *
write_url(struct ctx *c, const struct workspace *w, const char *path)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "/w/%s/notes/new?path=", w->id);
	buf_form(&b, path);
	return buf_done(&b);
}

/* Where the links of a note lead, for who reads it: what is hidden looks as what is beneath
 * NOTE_PAGES and isn't there, as text. */
struct leading {
	struct req *r;
	const struct note_link_list links;
	struct markdown_to to;
};

static const struct markdown_to *
lead_to(void *arg, const char *said)
{
	struct leading *l = arg;
	struct ctx *c = l->r->c;
	const char *path = note_link_path(c, said);
	struct note_ref ref;

	if (!path)
		return NULL;
	ref = note_ref_of(c, path);
	for (size_t i = 0; i < l->links.n; i++) {
		const struct note_link *link = &l->links.v[i];

		if (memcmp(note_ref_of(c, link->said_path).key, ref.key, sizeof ref.key) != 0)
			continue;
		l->to = link->title
		    ? (struct markdown_to){ note_page_path(c, l->r->ws->id, "read", link->path),
			    NULL }
		    : (struct markdown_to){ write_url(c, l->r->ws, link->path),
			    "No note has this name yet" };
		return &l->to;
	}
	return NULL;
}

static const char *
text_linked(struct req *r, const struct note *n, const char *text)
{
	return markdown_linked(r->c->mem, text, strlen(text), lead_to,
	    &(struct leading){ r, { n->links.v, n->links.n }, { 0 } });
}

static const char *
name_of(struct ctx *c, const char *path)
{
	return mem_strndup(c->mem, path, strlen(path) - strlen(".md"));
}

static void
links_fill(struct req *r, const struct note *n, struct note_page *page)
{
	const struct note_link_list links = { n->links.v, n->links.n };
	const struct note_backlink_list backs = { n->backlinks.v, n->backlinks.n };
	struct ctx *c = r->c;

	page->links = list_made(c->mem, &links, l,
	    (struct note_link_row){ .link_name = l->title ? l->title : name_of(c, l->path),
		.link_url = note_page_path(c, r->ws->id, "read", l->path),
		.write_url = l->title ? NULL : write_url(c, r->ws, l->path),
		.link_learned = str_eq(l->origin, "learned") });
	page->backs = list_made(c->mem, &backs, b,
	    (struct back_row){ .back_name = b->title,
		.back_url = note_page_path(c, r->ws->id, "read", b->path),
		.before = b->before,
		.said = b->said,
		.after = b->after });
	page->link_count = (int64_t)links.n;
	page->back_count = (int64_t)backs.n;
}

static enum err
h_note(struct req *r)
{
	const struct note_source *source;
	struct note_page page;
	struct note *n;

	TRY(note_here(r, &n));
	source = n->source;
	page = (struct note_page){ WS_PAGE_OF(r, n->title),
		.path = n->path,
		.crumbs = crumbs_of(r->c, r->ws, n->path),
		.text = text_linked(r, n, text_of(r->c, n->content)),
		.edit_url = note_page_path(r->c, r->ws->id, "edit", n->path),
		.history_url = note_page_path(r->c, r->ws->id, "history", n->path),
		.delete_url = note_page_path(r->c, r->ws->id, "delete", n->path),
		.forget_url = source ? note_page_path(r->c, r->ws->id, "forget", n->path) : NULL,
		.compare_url = note_page_path(r->c, r->ws->id, "compare", n->path),
		.newer_no = n->newer_no,
		.learned = source && !n->edited,
		.edited = n->edited,
		.artifact_id = source ? source->artifact_id : NULL,
		.version_no = source ? source->version_no : 0,
		.changed = n->updated_at,
		.updated_by = n->updated_by };
	links_fill(r, n, &page);
	TRY(nav_of(r, n->path, false, &page.nav));
	return reply_page(r, 0, &page);
}

/* ---- written and changed ---- */

enum { LINES_LEAST = 16, LINES_MOST = 36 };

#define NOTE_EDIT_PAGE(F, T) \
	NOTE_SHELL(F, T) \
	TEXT_EDITED(F, T) \
	F(T, BOOL, fresh,   .doc = "It is a new one") \
	F(T, STR,  action) \
	F(T, STR,  back) \
	F(T, STR,  content) \
	F(T, INT,  rows) \
	F(T, BOOL, learned, .doc = "Nobody has changed it yet") \
	F(T, STR,  preview)
SHAPE_DECLARE(note_edit_page, NOTE_EDIT_PAGE);
SHAPE_DEFINE(note_edit_page, NOTE_EDIT_PAGE);

static enum err
editor(struct req *r, const struct note *n, const char *content, struct note_edit_page *out)
{
	*out = (struct note_edit_page){ WS_PAGE_OF(r, n->title),
		.what = "note",
		.asks = true,
		.path = n->path,
		.crumbs = crumbs_of(r->c, r->ws, n->path),
		.action = note_page_path(r->c, r->ws->id, "edit", n->path),
		.back = note_page_path(r->c, r->ws->id, "read", n->path),
		.content = content,
		.seen = n->sha256,
		.rows = text_file_lines(content, LINES_LEAST, LINES_MOST),
		.learned = n->source && !n->edited };
	return nav_of(r, n->path, false, &out->nav);
}

static enum err
h_edit(struct req *r)
{
	struct note_edit_page page;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(editor(r, n, n->content, &page));
	return reply_page(r, 0, &page);
}

#define NOTE_NEW_QUERY(F, T) \
	F(T, STR, path, .hi = NOTE_PATH_BYTES)
SHAPE_DECLARE(note_new_query, NOTE_NEW_QUERY);
SHAPE_DEFINE(note_new_query, NOTE_NEW_QUERY);

static enum err
new_editor(struct req *r, const char *path, const char *content, struct note_edit_page *out)
{
	*out = (struct note_edit_page){ WS_PAGE_OF(r, "New note"),
		.what = "note",
		.asks = true,
		.path = path,
		.fresh = true,
		.action = mem_printf(r->c->mem, "/w/%s/notes/new", r->ws->id),
		.back = mem_printf(r->c->mem, "/w/%s/notes", r->ws->id),
		.content = content,
		.rows = text_file_lines(content, LINES_LEAST, LINES_MOST) };
	return nav_of(r, path, false, &out->nav);
}

static enum err
h_new(struct req *r)
{
	const struct note_new_query *q = r->query;
	struct note_edit_page page;

	TRY(new_editor(r, q->path ? q->path : "", "", &page));
	return reply_page(r, 0, &page);
}

/* Links lead to where a note would be: what there is, is looked up when the text is saved. */
static const struct markdown_to *
lead_anywhere(void *arg, const char *said)
{
	struct leading *l = arg;
	const char *path = note_link_path(l->r->c, said);

	if (!path)
		return NULL;
	l->to.url = note_page_path(l->r->c, l->r->ws->id, "read", path);
	return &l->to;
}

static const char *
preview_of(struct req *r, const char *typed)
{
	struct bytes text = note_text((struct bytes){ typed, strlen(typed) });

	return markdown_linked(r->c->mem, text.p, text.n, lead_anywhere,
	    &(struct leading){ r, { NULL, 0 }, { 0 } });
}

static enum err
saved(struct req *r, const char *path)
{
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s?done=saved", note_page_path(r->c, r->ws->id, "read", path)));
}

static const char *
typed_text(struct req *r, const char *typed)
{
	const char *text = ws_page_text(r, typed);

	return text ? text : "";
}

#define NOTE_NEW_FORM(F, T) \
	F(T, STR,  path,    .flags = F_REQ, .lo = 1, .hi = NOTE_PATH_BYTES) \
	F(T, STR,  content, .flags = F_REQ) \
	F(T, BOOL, preview)
SHAPE_DECLARE(note_new_form, NOTE_NEW_FORM);
SHAPE_DEFINE(note_new_form, NOTE_NEW_FORM);

/* People needn't know how a note's file is called. */
static const char *
path_typed(struct ctx *c, const char *path)
{
	return str_ends(path, ".md") ? path : mem_printf(c->mem, "%s.md", path);
}

static enum err
h_new_save(struct req *r)
{
	const struct note_new_form *in = r->in;
	const char *path = path_typed(r->c, in->path), *text = typed_text(r, in->content);
	struct note_edit_page page;
	struct note *old;

	if (in->preview) {
		TRY(new_editor(r, in->path, text, &page));
		page.preview = preview_of(r, text);
		return reply_page(r, 0, &page);
	}
	TRY(note_path_check(r->c, "path", &path));
	TRY(note_find(r->c, r->ws, r->who, path, &old));
	if (old)
		return fail(r->c, E_CONFLICT,
		    "path: there is a note with this name already; open it to change it");
	TRY(note_write(
	    r->c, r->ws, r->who, NULL, path, (struct bytes){ text, strlen(text) }));
	return saved(r, path);
}

#define NOTE_EDIT_FORM(F, T) \
	F(T, STR,  content, .flags = F_REQ) \
	F(T, STR,  seen,    .hi = 100) \
	F(T, BOOL, preview)
SHAPE_DECLARE(note_edit_form, NOTE_EDIT_FORM);
SHAPE_DEFINE(note_edit_form, NOTE_EDIT_FORM);

static enum err
clash_show(struct req *r, const struct note *n, const char *text)
{
	struct note_edit_page page;

	TRY(editor(r, n, text, &page));
	page.clash = clash_of(
	    r->c, page.back, n->content, text, n->updated_at, n->updated_by);
	return reply_page(r, 409, &page);
}

/* Shows the typed text as that of a new note. Where only learning writes, it needs another path. */
static enum err
lost_show(struct req *r, const char *path, const char *text)
{
	struct note_edit_page page;

	TRY(new_editor(r, str_starts(path, NOTE_PAGES) ? "" : path, text, &page));
	page.lost = true;
	return reply_page(r, 404, &page);
}

static enum err
h_edit_save(struct req *r)
{
	const struct note_edit_form *in = r->in;
	const char *text = typed_text(r, in->content), *path;
	struct note_edit_page page;
	struct note *n;

	TRY(note_asked(r, &path));
	TRY(note_find(r->c, r->ws, r->who, path, &n));
	if (!n)
		return lost_show(r, path, text);
	if (in->preview) {
		TRY(editor(r, n, text, &page));
		page.seen = in->seen ? in->seen : page.seen;
		page.preview = preview_of(r, text);
		return reply_page(r, 0, &page);
	}
	if (text_clashes(in->seen, n->sha256, text, n->content))
		return clash_show(r, n, text);
	TRY(note_write(
	    r->c, r->ws, r->who, n, n->path, (struct bytes){ text, strlen(text) }));
	return saved(r, n->path);
}

/* ---- what it said before ---- */

#define PAST_ROW(F, T) \
	F(T, INT,  past_no) \
	F(T, TIME, past_at) \
	F(T, OBJ,  by, .sub = &ws_user_shape) \
	F(T, BOOL, past_learned) \
	F(T, BOOL, past_current) \
	F(T, STR,  past_url) \
	F(T, BOOL, past_here)
SHAPE_DECLARE(past_row, PAST_ROW);
SHAPE_DEFINE(past_row, PAST_ROW);

#define NOTE_HISTORY_PAGE(F, T) \
	NOTE_SHELL(F, T) \
	F(T, STR,  back) \
	F(T, LIST, pasts,  .sub = &past_row_shape) \
	F(T, OBJ,  chosen, .sub = &past_row_shape) \
	F(T, BOOL, first,  .doc = "Nothing is kept of what was before it") \
	F(T, BOOL, changes, .doc = "It differs from that") \
	F(T, LIST, lines,  .sub = &diff_line_shape)
SHAPE_DECLARE(note_history_page, NOTE_HISTORY_PAGE);
SHAPE_DEFINE(note_history_page, NOTE_HISTORY_PAGE);

#define NOTE_HISTORY_QUERY(F, T) \
	F(T, INT, no, .lo = 1)
SHAPE_DECLARE(note_history_query, NOTE_HISTORY_QUERY);
SHAPE_DEFINE(note_history_query, NOTE_HISTORY_QUERY);

static enum err
lines_fill(struct req *r, const struct note *n, int64_t no, struct note_history_page *page)
{
	struct diff_line_list all, lines;
	struct note_past *now, *before;
	enum err e;

	TRY(note_past_get(r->c, n, no, &now));
	e = note_past_get(r->c, n, no - 1, &before);
	if (e && e != E_NOT_FOUND)
		return e;
	page->first = e == E_NOT_FOUND;
	if (page->first)
		ctx_forgive(r->c);
	text_diff(r->c->mem, page->first ? "" : before->content, now->content, &all);
	text_diff_fold(r->c->mem, &all, &lines);
	page->lines = (struct list){ lines.v, lines.n };
	page->changes = lines.n > 0;
	return E_OK;
}

static enum err
h_history(struct req *r)
{
	const struct note_history_query *q = r->query;
	struct note_history_page page;
	struct note_past_list all;
	struct past_row *rows;
	struct note *n;
	int64_t no;

	TRY(note_here(r, &n));
	TRY(note_past_list(r->c, n, &all));
	no = q->no ? q->no : all.v[0].no;
	page = (struct note_history_page){ WS_PAGE_OF(r, n->title),
		.path = n->path,
		.crumbs = crumbs_of(r->c, r->ws, n->path),
		.back = note_page_path(r->c, r->ws->id, "read", n->path),
		.pasts = list_made(r->c->mem, &all, p,
		    (struct past_row){ .past_no = p->no,
			.past_at = p->at,
			.by = p->by,
			.past_learned = p->learned,
			.past_current = p->current,
			.past_url = mem_printf(r->c->mem, "%s?no=%lld",
			    note_page_path(r->c, r->ws->id, "history", n->path),
			    (long long)p->no),
			.past_here = p->no == no }) };
	rows = page.pasts.v;
	for (size_t i = 0; i < all.n; i++)
		if (rows[i].past_here)
			page.chosen = &rows[i];
	TRY(lines_fill(r, n, no, &page));
	TRY(nav_of(r, n->path, false, &page.nav));
	return reply_page(r, 0, &page);
}

#define NOTE_BACK_FORM(F, T) \
	F(T, INT, no, .flags = F_REQ, .lo = 1)
SHAPE_DECLARE(note_back_form, NOTE_BACK_FORM);
SHAPE_DEFINE(note_back_form, NOTE_BACK_FORM);

static enum err
h_bring_back(struct req *r)
{
	const struct note_back_form *in = r->in;
	struct note_past *past;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(note_past_get(r->c, n, in->no, &past));
	TRY(note_write(r->c, r->ws, r->who, n, n->path,
	    (struct bytes){ past->content, strlen(past->content) }));
	return saved(r, n->path);
}

/* ---- beside what its page says now ---- */

#define NOTE_COMPARE_PAGE(F, T) \
	NOTE_SHELL(F, T) \
	F(T, STR,  back) \
	F(T, STR,  edit_url) \
	F(T, STR,  seen,    .doc = "The note as it is shown") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, INT,  version_no) \
	F(T, TIME, learned_at) \
	F(T, OBJ,  updated_by, .sub = &ws_user_shape) \
	F(T, TIME, changed) \
	F(T, BOOL, differs) \
	F(T, LIST, pairs,   .sub = &diff_pair_shape)
SHAPE_DECLARE(note_compare_page, NOTE_COMPARE_PAGE);
SHAPE_DEFINE(note_compare_page, NOTE_COMPARE_PAGE);

static enum err
compare_fill(struct req *r, const struct note *n, const struct note_newer *newer,
    struct note_compare_page *page)
{
	const struct note_source *source = n->source;
	struct diff_line_list all, lines;
	struct diff_pair_list pairs;

	text_diff(r->c->mem, text_of(r->c, n->content), text_of(r->c, newer->content), &all);
	text_diff_fold(r->c->mem, &all, &lines);
	text_diff_pairs(r->c->mem, &lines, &pairs);
	*page = (struct note_compare_page){ WS_PAGE_OF(r, n->title),
		.asks = true,
		.path = n->path,
		.crumbs = crumbs_of(r->c, r->ws, n->path),
		.back = note_page_path(r->c, r->ws->id, "read", n->path),
		.edit_url = note_page_path(r->c, r->ws->id, "edit", n->path),
		.seen = n->sha256,
		.artifact_id = source ? source->artifact_id : NULL,
		.version_no = newer->version_no,
		.learned_at = newer->learned_at,
		.updated_by = n->updated_by,
		.changed = n->updated_at,
		.differs = pairs.n > 0,
		.pairs = { pairs.v, pairs.n } };
	return nav_of(r, n->path, false, &page->nav);
}

/* Where there is nothing newer, what people changed is what can be compared. */
static enum err
h_compare(struct req *r)
{
	struct note_compare_page page;
	struct note_newer *newer;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(note_newer_get(r->c, n, &newer));
	if (!newer)
		return reply_redirect(
		    r, note_page_path(r->c, r->ws->id, "history", n->path));
	TRY(compare_fill(r, n, newer, &page));
	return reply_page(r, 0, &page);
}

#define NOTE_TAKE_FORM(F, T) \
	F(T, INT, version_no, .flags = F_REQ, .lo = 1) \
	F(T, STR, seen,       .flags = F_REQ, .hi = 100)
SHAPE_DECLARE(note_take_form, NOTE_TAKE_FORM);
SHAPE_DEFINE(note_take_form, NOTE_TAKE_FORM);

/* Of both what was shown. */
static enum err
h_compare_take(struct req *r)
{
	const struct note_take_form *in = r->in;
	struct note_compare_page page;
	struct note_newer *newer;
	struct note *n;

	TRY(note_here(r, &n));
	TRY(note_newer_get(r->c, n, &newer));
	if (!newer)
		return reply_redirect(
		    r, note_page_path(r->c, r->ws->id, "history", n->path));
	if (newer->version_no != in->version_no || !str_eq(in->seen, n->sha256)) {
		TRY(compare_fill(r, n, newer, &page));
		return reply_refused(r, 409,
		    "Nothing was changed: the note or its page says something else by now. "
		    "Compare them again",
		    &page);
	}
	TRY(note_newer_take(r->c, r->ws, n, newer));
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s?done=note_taken",
		note_page_path(r->c, r->ws->id, "read", n->path)));
}

/* ---- deleted, and forgotten ---- */

static enum err
note_to_delete(struct req *r, struct shown *out)
{
	struct note *n;

	TRY(note_here(r, &n));
	return ASKED(r, out, .name = n->title,
	    .words = n->source ? "The note comes back when the page is published again."
			       : "Links to it stay, and lead nowhere.");
}

static enum err
note_to_forget(struct req *r, struct shown *out)
{
	struct note *n;

	TRY(note_here(r, &n));
	if (!n->source)
		return fail(r->c, E_INVALID, "Only a note that was learned can be forgotten");
	return ASKED(r, out, .name = n->title);
}

#define AT "/w/{ws}/notes"
#define API "/v1/workspaces/{ws}/knowledge"
static const struct route note_page_routes[] = {
/*  method path                who
    body                       reply                     handler */
  { GET,  AT,                  WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(notes),        h_notes,
    .query = &notes_query_shape, .doc = "A workspace's notes, or those in a folder" },
  { GET,  AT "/read/{+note}",      WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(note),         h_note,
    .query = &tab_query_shape, .doc = "A note" },
  { GET,  AT "/new",           WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(note_edit),    h_new,
    .query = &note_new_query_shape, .doc = "To write a new note" },
  { POST, AT "/new",           WS_MEMBER,
    TAKES_FORM(note_new_form), GIVES_PAGE(note_edit),    h_new_save,
    .again = AT "/new", .doc = "Save it, or see how it would look" },
  { GET,  AT "/edit/{+note}",      WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(note_edit),    h_edit,
    .doc = "A note, to be changed" },
  { POST, AT "/edit/{+note}",      WS_MEMBER,
    TAKES_FORM(note_edit_form), GIVES_PAGE(note_edit),   h_edit_save,
    .again = AT "/edit/{+note}", .doc = "Change it, or see how it would look" },
  { GET,  AT "/history/{+note}",   WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(note_history), h_history,
    .query = &note_history_query_shape, .doc = "What a note said before, and what changed" },
  { POST, AT "/history/{+note}",   WS_MEMBER,
    TAKES_FORM(note_back_form), GIVES_REDIRECT,          h_bring_back,
    .again = AT "/history/{+note}", .doc = "Bring a former text back" },
  { GET,  AT "/compare/{+note}",   WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(note_compare), h_compare,
    .doc = "A changed note beside what its page says now" },
  { POST, AT "/compare/{+note}",   WS_MEMBER,
    TAKES_FORM(note_take_form), GIVES_PAGE(note_compare), h_compare_take,
    .again = AT "/compare/{+note}", .doc = "Put what the page says in the note's place" },
  { POST, AT "/delete/{+note}",    DOES("DELETE " API "/files/{+note}"),
    .ask = ASK("Delete “{name}”?",
	"Its text and history are deleted; this can’t be undone. {words}",
	"Delete note", AT "/read/{+note}", .find = note_to_delete),
    .then = AT "?done=gone", .doc = "Delete it" },
  { POST, AT "/forget/{+note}",    DOES("DELETE " API "/files/{+note}"), .with = "forget=true",
    .ask = ASK("Forget “{name}”?",
	"The note is deleted with its history; this can’t be undone. Its page isn’t learned "
	"again, whatever is published there. The page itself stays as it is.",
	"Forget note", AT "/read/{+note}", .find = note_to_forget),
    .then = AT "?done=note_forgotten", .doc = "Forget it" },
};
ROUTES(note_page, "Pages: notes",
    "What people see in the browser of a workspace's notes.");
