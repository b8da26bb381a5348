/* SPDX-License-Identifier: Apache-2.0 */
#include "site/fileview.h"

#include "base/charset.h"
#include "base/clock.h"
#include "base/mime.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/viewtable.h"
#include "ext/apart.h"
#include "site/app.h"
#include "site/tablepage.h"

SHAPE_DEFINE(file_view, FILE_VIEW);
SHAPE_DEFINE(former_view, FORMER_VIEW);

enum {
	VIEWS_MOST = 500,
	FOLDER_ROWS = 1000,         /* a page */
	SOURCES_BYTES = 32 << 20,   /* of a version, as read */
	VIEWS_BYTES = 64 << 20,
	VIEWS_MS = 10000,
	VIEW_BYTES_MORE = 256 << 10, /* and so many times its source: */
	VIEW_TIMES = 8,
	PATH_BYTES = 1024,
	NAME_BYTES = 255,
	WARNED = 10                  /* warnings about views of one version */
};

/* ---- which there are ---- */

int
shown_by_path(const void *a, const void *b)
{
	return strcmp(((const struct shown_file *)a)->path, ((const struct shown_file *)b)->path);
}

/* Paths in lower case, which no view may have, or have as its folder. */
struct used_paths {
	const char **v;
	size_t n;
};

/* '/' sorts before all other bytes, so a folder's files directly follow its name. */
static int
by_fold(const void *a, const void *b)
{
	const unsigned char *x = *(const unsigned char *const *)a,
			    *y = *(const unsigned char *const *)b;

	for (; *x && *x == *y; x++, y++)
		;
	return (*x == '/' ? 1 : *x) - (*y == '/' ? 1 : *y);
}

static struct used_paths
used_paths_make(void *owner, const struct shown_file *files, size_t n)
{
	struct used_paths t = { mem_array(owner, const char *, n + 1), n };

	for (size_t i = 0; i < n; i++)
		t.v[i] = unicode_casefold_nfkc(t.v, files[i].path);
	qsort(t.v, n, sizeof *t.v, by_fold);
	return t;
}

static bool
is_used(const struct used_paths *t, const char *path)
{
	const char *fold = unicode_casefold_nfkc(t->v, path);
	size_t from = 0, to = t->n, len = strlen(fold);

	while (from < to) {
		size_t at = (from + to) / 2;

		if (by_fold(&t->v[at], &fold) < 0)
			from = at + 1;
		else
			to = at;
	}
	return from < t->n && str_starts(t->v[from], fold) &&
	    (!t->v[from][len] || t->v[from][len] == '/');
}

/* Returns the new view, or NULL if there are enough, or its path is too long or taken. */
static struct file_view *
plan_add(struct fileviews *p, const struct used_paths *t, const char *path, const char *source,
    enum view_kind kind)
{
	struct file_view *v;

	if (p->n == VIEWS_MOST || strlen(path) > PATH_BYTES ||
	    strlen(str_base(path)) > NAME_BYTES || is_used(t, path))
		return NULL;
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 8;
		p->v = mem_grow(p->c->mem, p->v, p->room * sizeof *p->v);
	}
	v = &p->v[p->n++];
	*v = (struct file_view){ .path = path,
		.source = source,
		.kind = view_kind_word(kind),
		.renderer = view_renderer(kind),
		.made_at = p->made_at ? p->made_at : p->c->now };
	return v;
}

/* Returns the files of a folder, which begin with its name, from the first of them. */
static size_t
folder_files(const struct fileviews *p, const char *folder, size_t *first)
{
	size_t n = 0, from = 0, to = p->files_n;

	while (from < to) {
		size_t at = (from + to) / 2;

		if (strcmp(p->files[at].path, folder) < 0)
			from = at + 1;
		else
			to = at;
	}
	*first = from;
	while (from + n < p->files_n && str_starts(p->files[from + n].path, folder))
		n++;
	return n;
}

/* Returns what the folder holds itself, first its folders. */
static struct view_entry *
folder_entries(void *owner, const struct fileviews *p, const char *folder, size_t *n)
{
	size_t len = strlen(folder), first, all = folder_files(p, folder, &first), files = 0;
	struct view_entry *out = mem_array(owner, struct view_entry, all + 1),
			  *of_files = mem_array(owner, struct view_entry, all + 1);

	*n = 0;
	for (size_t i = first; i < first + all; i++) {
		const struct shown_file *f = &p->files[i];
		const char *name = f->path + len, *slash = strchr(name, '/');

		if (slash && *n &&
		    strncmp(out[*n - 1].name, name, (size_t)(slash - name) + 1) == 0 &&
		    !out[*n - 1].name[slash - name + 1]) {
			out[*n - 1].size++;
		} else if (slash) {
			name = mem_strndup(owner, name, (size_t)(slash - name) + 1);
			out[(*n)++] = (struct view_entry){ name, name, 1 };
		} else {
			of_files[files++] = (struct view_entry){ name,
				f->view ? str_base(p->v[f->view - 1].path) : name, f->size };
		}
	}
	memcpy(out + *n, of_files, files * sizeof *out);
	*n += files;
	return out;
}

static const char *
folder_page(void *owner, size_t no)
{
	return no ? mem_printf(owner, "index.%zu.html", no + 1) : "index.html";
}

static void
folder_plan(struct fileviews *p, const struct used_paths *t, const char *folder)
{
	void *mine = mem_zalloc(p->c->mem, 0);
	size_t n, pages;

	folder_entries(mine, p, folder, &n);
	mem_free(mine);
	pages = n ? (n + FOLDER_ROWS - 1) / FOLDER_ROWS : 1;
	for (size_t i = 0; i < pages; i++)
		if (!plan_add(p, t,
			mem_printf(p->c->mem, "%s%s", folder, folder_page(p->c->mem, i)), folder,
			VIEW_FOLDER))
			return;
}

/* Plans the pages of folders, in the order in which they are entered. */
static void
folders_plan(struct fileviews *p, const struct used_paths *t)
{
	const char *last = "";

	folder_plan(p, t, "");
	for (size_t i = 0; i < p->files_n && p->n < VIEWS_MOST; i++) {
		const char *path = p->files[i].path;

		for (const char *at = path; (at = strchr(at, '/')); at++)
			if (strncmp(last, path, (size_t)(at - path) + 1) != 0)
				folder_plan(p, t,
				    mem_strndup(p->c->mem, path, (size_t)(at - path) + 1));
		last = path;
	}
}

/* Returns true for a name that a folder's page may have: index.html, index.2.html. */
static bool
is_folder_page_name(const char *path)
{
	const char *name = str_base(path);

	if (strncasecmp(name, "index", 5) != 0)
		return false;
	return !name[5] || (name[5] == '.' && !name[6 + strspn(name + 6, "0123456789")]);
}

static bool
file_plan(struct fileviews *p, const struct used_paths *t, struct shown_file *f, const char *path,
    enum view_kind kind)
{
	if (!plan_add(p, t, path, f->path, kind))
		return false;
	f->view = p->n;
	return true;
}

static const char *
view_path(const struct fileviews *p, const struct shown_file *f)
{
	return mem_printf(p->c->mem, "%s.html", f->path);
}

/* An app in a folder is the top's page, so that / need not lead elsewhere. */
static void
app_plan(struct fileviews *p, const struct used_paths *t, bool pages)
{
	size_t at = app_find(p->c->mem, p->files, p->files_n);
	struct shown_file *f = &p->files[at];

	if (at < p->files_n &&
	    (pages || !strchr(f->path, '/') || !file_plan(p, t, f, "index.html", VIEW_APP)))
		file_plan(p, t, f, view_path(p, f), VIEW_APP);
}

static void
files_plan(struct fileviews *p, const struct used_paths *t, bool lone)
{
	for (size_t i = 0; i < p->files_n; i++) {
		struct shown_file *f = &p->files[i];
		enum view_kind kind = view_kind_of(f->path);

		if (kind != VIEW_NONE && !f->view && (lone || !is_folder_page_name(f->path)))
			file_plan(p, t, f, view_path(p, f), kind);
	}
}

void
fileviews_plan(struct fileviews *p, const char *mode, bool names_entry,
    const struct shown_file *files, size_t n)
{
	struct used_paths t;
	bool pages = false, lone;

	for (size_t i = 0; i < n; i++)
		pages |= mime_is_page(mime_of(files[i].path));
	if (str_eq(mode, "off") || ((pages || names_entry) && !str_eq(mode, "all")))
		return;
	p->files = mem_array(p->c->mem, struct shown_file, n + 1);
	for (size_t i = 0; i < n; i++)
		if (!file_is_settled(files[i].path))
			p->files[p->files_n++] = files[i];
	if (p->files_n)
		qsort(p->files, p->files_n, sizeof *p->files, shown_by_path);
	t = used_paths_make(p->c->mem, files, n);
	lone = p->files_n == 1 && !pages;
	app_plan(p, &t, pages);
	/* The files of an app are its parts, which nobody looks for by their folders. */
	if (!lone && (pages || !p->n))
		folders_plan(p, &t);
	if (!lone && !pages && p->n && str_eq(p->v[0].path, "index.html"))
		p->entry = p->v[0].path;
	files_plan(p, &t, lone);
	if (p->n && (lone || (!pages && str_eq(p->v[0].kind, "app"))))
		p->entry = p->v[0].path;
}

/* ---- their bytes ---- */

/* Remaining bounds of one version's views. */
struct left {
	int64_t sources, views, until;
	size_t warned;
	bool mends; /* an app that can't be built any more is shown as its source */
};

/* Returns n without the bytes of a character of UTF-8 that may be cut. */
static size_t
whole_characters(const char *bytes, size_t n)
{
	for (int i = 0; i < 3 && n && ((unsigned char)bytes[n - 1] & 0xc0) == 0x80; i++)
		n--;
	return n - (n && (unsigned char)bytes[n - 1] >= 0xc0);
}

enum err
fileview_source(struct ctx *c, const struct shown_file *f, struct view_source *s)
{
	uint8_t sha256[SHA256_BYTES];
	const char *bytes = f->bytes;
	size_t n = view_wants(s->kind, f->size);

	if (!n && f->size)
		return E_OK;
	if (!bytes) {
		if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
			return fail_here(c, "%s is not a digest", f->sha256);
		TRY(object_head(c, c->mem, sha256, n ? n : 1, &bytes, &n));
	}
	s->cut = (int64_t)n < f->size;
	s->n = s->cut ? whole_characters(bytes, n) : n;
	s->text = charset_text(c->mem, bytes, &s->n, &s->charset);
	if (s->text && s->charset && s->kind == VIEW_FILE)
		s->text = NULL; /* more likely no text at all */
	if (s->text)
		s->text = mem_strndup(c->mem, s->text, s->n);
	return E_OK;
}

static enum err
work_apart(struct ctx *c, const struct view_source *s, bool within, struct view_drawn *out)
{
	struct buf order = BUF(c->mem);
	const char *answer;
	size_t n;

	view_order(&order, s, within);
	TRY(apart_run(c, view_work, order.s, order.n, VIEWS_BYTES, &answer, &n));
	return view_answer(c->mem, answer, n, out) ? E_OK : fail(c, E_INVALID, "it can't be read");
}

enum err
fileview_within(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	return work_apart(c, s, true, out);
}

/* A table may be longer than what was read of it. Without an object it has its first rows alone. */
static enum err
parsed_draw(struct ctx *c, const struct shown_file *f, const struct view_source *s,
    struct view_drawn *out)
{
	if (s->kind != VIEW_TABLE || f->size > TABLE_BYTES || !f->sha256)
		return work_apart(c, s, false, out);
	*out = (struct view_drawn){ .html = BUF(c->mem), .title = str_base(f->path) };
	return tablepage_first(c, f->sha256, f->size, f->path, &out->html);
}

/* Draws the file as text or as a download. */
static void
plain_draw(struct ctx *c, struct view_source *s, struct view_drawn *out)
{
	s->kind = VIEW_FILE;
	if (s->n > VIEW_TEXT_BYTES) {
		s->n = whole_characters(s->text, VIEW_TEXT_BYTES);
		s->cut = true;
	}
	view_draw(c, s, out);
}

static bool
is_large(const struct view_source *s, const struct view_drawn *d)
{
	return (int64_t)d->html.n > VIEW_TIMES * s->size + VIEW_BYTES_MORE;
}

/* c is for this view alone. *why: the problem, or NULL. */
static enum err
file_draw(struct ctx *c, const struct shown_file *f, struct left *left, struct view_drawn *out,
    const char **why)
{
	struct view_source s = { .kind = view_kind_of(f->path),
		.name = str_base(f->path),
		.size = f->size };
	bool sheets = view_kind_is_book(f->path);
	bool book = sheets && f->size <= TABLE_BYTES && f->sha256;

	*why = NULL;
	if (left->sources < (int64_t)view_wants(s.kind, f->size) || left->views <= 0 ||
	    clock_ms() > left->until)
		*why = "the version's views take too much time or space, so it is only a download";
	else if (!sheets)
		TRY(fileview_source(c, f, &s));
	left->sources -= (int64_t)s.n;
	if (!*why && (s.text ? view_parses(s.kind) : book) && parsed_draw(c, f, &s, out)) {
		*why = mem_printf(c->mem, "it is %s: %s",
		    book ? "only a download" : "shown as plain text",
		    c->message ? c->message : "it failed");
		ctx_forgive(c);
	} else if (!(s.text ? view_parses(s.kind) : book)) {
		view_draw(c, &s, out);
	}
	if (!*why && is_large(&s, out))
		*why = "its page would be too large, so it is shown as plain text";
	if (*why)
		plain_draw(c, &s, out);
	if (is_large(&s, out)) {
		s.text = NULL;
		plain_draw(c, &s, out);
	}
	if (!*why)
		*why = out->warning;
	return E_OK;
}

/* Draws the app that is one of the files, or (*why) its source. */
static enum err
app_or_code(struct ctx *c, const struct shown_file *files, size_t n, const struct shown_file *f,
    struct left *left, struct file_view *v, struct view_drawn *out, const char **why)
{
	const char *not_built, *wrong;
	int64_t began = clock_ms();
	enum err e = app_draw(c, files, n, (size_t)(f - files), out, &v->renderer, &not_built);

	/* BUILD_S bounds this, and its source shall have time, too. */
	left->until += clock_ms() - began;
	if (e == E_INVALID && left->mends) {
		not_built = c->message;
		ctx_forgive(c);
	} else {
		TRY(e);
	}
	if (!not_built && (int64_t)out->html.n > left->views)
		not_built = "the version's views take too much space";
	if (!not_built)
		return E_OK;
	TRY(file_draw(c, f, left, out, &wrong));
	v->kind = view_kind_word(VIEW_CODE);
	v->renderer = view_renderer(VIEW_CODE);
	*why = wrong ? wrong : mem_printf(c->mem, "it is shown as its source: %s", not_built);
	return E_OK;
}

/* Draws the README of the folder at a path, if it has one that can be shown. */
static void
readme_draw(struct ctx *c, const struct fileviews *p, const char *path, struct view_folder *folder,
    struct view_drawn *out)
{
	size_t len = strlen(path), at, end = folder_files(p, path, &at);
	struct view_source s = { .kind = VIEW_MARKDOWN };
	const struct shown_file *f;

	for (end += at; at < end; at++)
		if (strcasecmp(p->files[at].path + len, "readme.md") == 0)
			break;
	if (at == end)
		return;
	f = &p->files[at];
	s.name = str_base(f->path);
	s.size = f->size;
	if (fileview_source(c, f, &s) || !s.text || fileview_within(c, &s, out)) {
		ctx_forgive(c);
		*out = (struct view_drawn){ 0 };
		return;
	}
	folder->readme = buf_done(&out->html);
	folder->has_h1 = out->title != NULL;
}

static void
folder_draw(struct ctx *c, const struct fileviews *p, const struct file_view *v,
    struct view_drawn *out)
{
	size_t len = strlen(v->source), all, no = 0, from, pages;
	struct view_entry *entries = folder_entries(c->mem, p, v->source, &all);
	struct view_folder f = { .below = len > 0, .all = all };

	while (!str_eq(folder_page(c->mem, no), v->path + len))
		no++;
	from = no * FOLDER_ROWS;
	pages = (all + FOLDER_ROWS - 1) / FOLDER_ROWS;
	f.v = entries + from;
	f.n = all - from < FOLDER_ROWS ? all - from : FOLDER_ROWS;
	f.before = no ? folder_page(c->mem, no - 1) : NULL;
	f.after = no + 1 < pages ? folder_page(c->mem, no + 1) : NULL;
	if (len)
		f.name = str_base(mem_strndup(c->mem, v->source, len - 1));
	*out = (struct view_drawn){ 0 };
	if (!no)
		readme_draw(c, p, v->source, &f, out);
	view_draw_folder(c->mem, &f, out);
}

static const struct shown_file *
file_of(const struct fileviews *p, const char *path)
{
	struct shown_file key = { .path = path };

	return p->files_n ? bsearch(&key, p->files, p->files_n, sizeof key, shown_by_path) : NULL;
}

static int
former_by_path(const void *a, const void *b)
{
	return strcmp(
	    ((const struct former_view *)a)->path, ((const struct former_view *)b)->path);
}

/* A table's links have its path. */
static bool
former_fits(const struct former_view *was, const struct file_view *v, const struct shown_file *f)
{
	return str_eq(was->file_sha256, f->sha256) && str_eq(was->renderer, v->renderer) &&
	    (str_eq(v->kind, "table") ? str_eq(was->source, f->path)
				      : str_eq(str_base(was->source), str_base(f->path)));
}

/* Returns the former view at the same path if that fits, else any that does, or NULL. */
static const struct former_view *
former_find(const struct fileviews *p, const struct file_view *v, const struct shown_file *f)
{
	const struct former_view key = { .path = v->path }, *was;

	was = p->former.n
	    ? bsearch(&key, p->former.v, p->former.n, sizeof key, former_by_path)
	    : NULL;
	if (was && former_fits(was, v, f))
		return was;
	for (size_t i = 0; i < p->former.n; i++)
		if (former_fits(&p->former.v[i], v, f))
			return &p->former.v[i];
	return NULL;
}

static enum err
view_draw_in(struct ctx *c, struct fileviews *p, struct left *left, struct file_view *v,
    struct view_drawn *drawn)
{
	const struct shown_file *f;
	const char *why = NULL;

	if (str_eq(v->kind, "folder")) {
		folder_draw(c, p, v, drawn);
		return E_OK;
	}
	f = file_of(p, v->source);
	if (!f)
		return fail_here(p->c, "%s is not among the files", v->source);
	if (str_eq(v->kind, "app"))
		TRY(app_or_code(c, p->files, p->files_n, f, left, v, drawn, &why));
	else
		TRY(file_draw(c, f, left, drawn, &why));
	v->renderer = mem_strdup(p->c->mem, v->renderer);
	if (!why)
		return E_OK;
	v->problem = str_cut(p->c->mem, mem_strdup(p->c->mem, why), VIEW_TITLE_CHARS);
	if (p->warnings && left->warned++ < WARNED)
		strs_add(p->c->mem, p->warnings,
		    mem_printf(p->c->mem, "%s: %s%s", *v->source ? v->source : "/", why,
			left->warned == WARNED ? " (and others)" : ""));
	return E_OK;
}

/* Draws in memory of its own, because there may be hundreds. */
static enum err
view_make(struct fileviews *p, struct batch *batch, struct left *left, struct file_view *v)
{
	struct ctx one = *p->c;
	struct view_drawn drawn;
	struct object o;
	enum err e;

	one.mem = mem_zalloc(p->c->mem, 0);
	e = view_draw_in(&one, p, left, v, &drawn);
	if (!e)
		e = batch_put(p->c, batch, buf_done(&drawn.html), drawn.html.n, &o);
	if (e) {
		p->c->internal = one.internal;
		p->c->message = one.message;
		p->c->details = one.details;
		return e;
	}
	left->views -= o.size;
	v->sha256 = crypto_hex(p->c->mem, o.sha256, SHA256_BYTES);
	v->size_bytes = o.size;
	v->title = str_cut(
	    p->c->mem, drawn.title ? drawn.title : str_base(v->path), VIEW_TITLE_CHARS);
	mem_free(one.mem);
	return E_OK;
}

static struct left
left_all(void)
{
	return (struct left){ .sources = SOURCES_BYTES,
		.views = VIEWS_BYTES,
		.until = clock_ms() + VIEWS_MS };
}

enum err
fileview_draw(struct ctx *c, const struct shown_file *files, size_t n, size_t at,
    struct file_view *v, struct view_drawn *out, const char **why)
{
	const struct shown_file *f = &files[at];
	struct left left = left_all();
	enum view_kind kind = app_find(c->mem, files, n) == at ? VIEW_APP : view_kind_of(f->path);

	*why = NULL;
	v->kind = view_kind_word(kind);
	v->renderer = view_renderer(kind);
	return kind == VIEW_APP ? app_or_code(c, files, n, f, &left, v, out, why)
				: file_draw(c, f, &left, out, why);
}

enum err
fileviews_make(struct fileviews *p, struct batch *batch)
{
	struct left left = left_all();

	p->taken = mem_array(p->c->mem, const struct former_view *, p->n + 1);
	for (size_t i = 0; i < p->n; i++) {
		struct file_view *v = &p->v[i];
		const struct shown_file *f = file_of(p, v->source);
		const struct former_view *was = p->taken[i] = f ? former_find(p, v, f) : NULL;

		if (!was) {
			TRY(view_make(p, batch, &left, v));
			continue;
		}
		/* Committed rows name the object, so it needn't be found or synced:
		 * fileviews_lost(). */
		v->sha256 = was->sha256;
		v->size_bytes = was->size_bytes;
		v->title = was->title;
	}
	if (p->n == VIEWS_MOST && p->warnings)
		strs_add(p->c->mem, p->warnings,
		    mem_printf(p->c->mem,
			"views: a version has at most %d; other files are shown as they are",
			VIEWS_MOST));
	return E_OK;
}

enum err
fileviews_lost(struct fileviews *p, struct batch *batch, bool *any)
{
	struct left left = left_all();
	uint8_t sha256[SHA256_BYTES];

	*any = false;
	for (size_t i = 0; i < p->n; i++) {
		if (!p->taken[i] ||
		    (crypto_unhex(p->v[i].sha256, sha256, sizeof sha256) &&
			batch_has(batch, sha256, p->v[i].size_bytes)))
			continue;
		*any = true;
		p->taken[i] = NULL;
		TRY(view_make(p, batch, &left, &p->v[i]));
	}
	return E_OK;
}

enum err
fileviews_again(struct fileviews *p, struct batch *batch, struct file_view *v)
{
	struct left left = left_all();

	left.mends = true;
	v->problem = NULL;
	return view_make(p, batch, &left, v);
}

struct list
fileviews_rows(struct fileviews *p, const struct list *files)
{
	struct file_row *all = mem_array(p->c->mem, struct file_row, files->n + p->n + 1);

	memcpy(all, files->v, files->n * sizeof *all);
	for (size_t i = 0; i < p->n; i++)
		all[files->n + i] = (struct file_row){ .path = p->v[i].path,
			.sha256 = p->v[i].sha256,
			.size_bytes = p->v[i].size_bytes,
			.mime = mime_of(".html"),
			.view = true };
	return (struct list){ all, files->n + p->n };
}
