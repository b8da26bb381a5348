/* SPDX-License-Identifier: Apache-2.0 */
#include "site/filelook.h"

#include "base/frontmatter.h"
#include "base/markdown.h"
#include "base/mime.h"
#include "base/path.h"
#include "base/str.h"
#include "base/textmerge.h"
#include "core/declare.h"
#include "db/db.h"
#include "site/fileview.h"

SHAPE_DEFINE(file_entry, FILE_ENTRY);
SHAPE_DEFINE(look_cell, LOOK_CELL);
SHAPE_DEFINE(look_row, LOOK_ROW);
SHAPE_DEFINE(file_look, FILE_LOOK);

enum { ENTRIES = 200, TREE_LEVELS = 6, TREE_EACH = 100 };

/* ---- folders and files ---- */

/* The entry after which a page of the list begins. A cursor is `d` or `f`, and its name. */
struct after {
	bool any, is_folder;
	const char *name;
};

/* Groups the files below a folder by the name of what it holds. */
static enum err
entries_read(struct ctx *c, const struct artifact *a, int64_t no, const char *folder, int only,
    const struct after *after, int64_t limit, struct file_entry_list *out, const char **next)
{
	int64_t at = (int64_t)strlen(folder) + 1;
	char *end = mem_strdup(c->mem, *folder ? folder : "\xff");
	struct buf b = BUF(c->mem);

	/* Paths of files in the folder are above its path and below `end`. */
	if (*folder)
		end[strlen(end) - 1] = '/' + 1;
	TRY(db_part(c,
	    ROWS(file_entry,
		"SELECT SUBSTRING_INDEX(SUBSTRING(path, ?), '/', 1) AS name,"
		" LOCATE('/', path, ?) > 0 AS is_folder, COUNT(*) AS files,"
		" CAST(SUM(size_bytes) AS SIGNED) AS size_bytes FROM version_file"
		" WHERE artifact_id = ? AND version_no = ? AND path > ? AND path < ?" FILE_SHOWN
		" AND (? < 0 OR (LOCATE('/', path, ?) > 0) = ?) GROUP BY is_folder, name"
		" HAVING ? OR is_folder < ? OR (is_folder = ? AND name > ?)"
		" ORDER BY is_folder DESC, name LIMIT ?"),
	    ARGS(at, at, a->id, no, folder, arg_bytes((struct bytes){ end, strlen(end) }),
		version_sees_declared(a), only, at, only, after->any, after->is_folder,
		after->is_folder, after->name),
	    limit, out, next,
	    (buf_chr(&b, last->is_folder ? 'd' : 'f'), buf_url(&b, last->name), buf_done(&b))));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].path = mem_printf(c->mem, "%s%s", folder, out->v[i].name);
	return E_OK;
}

enum err
file_entries(struct ctx *c, const struct artifact *a, int64_t no, const char *folder,
    const char *cursor, struct list *out, const char **next)
{
	char *given = mem_strdup(c->mem, cursor ? cursor : "");
	struct after after = { .any = !cursor, .name = "" };
	struct file_entry_list rows;

	if (cursor && (!str_unescape(given, false) || (*given != 'd' && *given != 'f')))
		return fail_cursor(c);
	if (cursor)
		after = (struct after){ .is_folder = *given == 'd', .name = given + 1 };
	TRY(entries_read(c, a, no, folder, -1, &after, ENTRIES, &rows, next));
	*out = (struct list){ rows.v, rows.n };
	return E_OK;
}

enum err
file_entries_found(struct ctx *c, const struct artifact *a, int64_t no, const char *q,
    const char *cursor, struct list *out, const char **next)
{
	char *after = mem_strdup(c->mem, cursor ? cursor : "");
	struct file_entry_list rows;
	struct buf b = BUF(c->mem);

	if (!str_unescape(after, false))
		return fail_cursor(c);
	TRY(db_part(c,
	    ROWS(file_entry,
		"SELECT path, size_bytes FROM version_file WHERE artifact_id = ?"
		" AND version_no = ? AND path > ?" FILE_SHOWN
		" AND LOCATE(LOWER(?), LOWER(CONVERT(path USING utf8mb4))) ORDER BY path LIMIT ?"),
	    ARGS(a->id, no, after, version_sees_declared(a), q), ENTRIES, &rows, next,
	    (buf_url(&b, last->path), buf_done(&b))));
	for (size_t i = 0; i < rows.n; i++)
		rows.v[i].name = rows.v[i].path;
	*out = (struct list){ rows.v, rows.n };
	return E_OK;
}

#define ENTRY_CHANGED(F, T) \
	F(T, INT,  place, .doc = "In the list, from 1") \
	F(T, INT,  version_no) \
	F(T, TIME, at)
SHAPE(entry_changed, ENTRY_CHANGED);

/* Finds for each file the first version that was live after the last one without these bytes. */
static enum err
changes_find(struct ctx *c, const struct artifact *a, int64_t no, const char *paths,
    struct entry_changed_list *out)
{
	int64_t from = no > CHANGED_VERSIONS ? no - CHANGED_VERSIONS : 0;

	return db_all(c,
	    ROWS(entry_changed,
		"SELECT s.place, n.version_no, n.created_at AS at FROM (SELECT j.place,"
		" COALESCE((SELECT v.version_no FROM version v LEFT JOIN version_file o"
		" ON o.artifact_id = v.artifact_id AND o.version_no = v.version_no"
		" AND o.path = f.path AND o.sha256 = f.sha256 WHERE v.artifact_id = f.artifact_id"
		" AND v.version_no >= ? AND v.version_no < f.version_no"
		" AND v.first_live_at IS NOT NULL AND o.path IS NULL"
		" ORDER BY v.version_no DESC LIMIT 1), ?) AS other"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY,"
		" path VARCHAR(1024) CHARACTER SET utf8mb4 PATH '$')) j"
		" STRAIGHT_JOIN version_file f"
		" ON f.artifact_id = ? AND f.version_no = ? AND f.path = j.path) s"
		" JOIN version n ON n.artifact_id = ? AND n.version_no ="
		" (SELECT MIN(m.version_no)"
		" FROM version m WHERE m.artifact_id = ? AND m.version_no > s.other"
		" AND (m.first_live_at IS NOT NULL OR m.version_no = ?))"
		" WHERE s.other IS NOT NULL"),
	    ARGS(from, from ? arg_null() : arg_int(0), paths, a->id, no, a->id, a->id, no), out);
}

enum err
file_entries_changed(struct ctx *c, const struct artifact *a, int64_t no, struct list *entries)
{
	struct file_entry *v = entries->v;
	const char **each = mem_array(c->mem, const char *, entries->n + 1);
	struct buf paths = BUF(c->mem);
	struct entry_changed_list found;

	for (size_t i = 0; i < entries->n; i++)
		each[i] = v[i].path;
	buf_jsons(&paths, each, entries->n);
	TRY(changes_find(c, a, no, buf_done(&paths), &found));
	for (size_t i = 0; i < found.n; i++) {
		v[found.v[i].place - 1].changed_in = found.v[i].version_no;
		v[found.v[i].place - 1].changed_at = found.v[i].at;
	}
	return E_OK;
}

/* ---- the tree ---- */

struct tree {
	struct ctx *c;
	const struct artifact *a;
	int64_t no;
	const char *path; /* of the page */
	bool is_file;
	struct file_entry *v;
	size_t n;
};

/* Returns the part of the path that is `depth` folders deep, with its slash; NULL if there is none.
 */
static const char *
folder_at(const struct tree *t, int depth)
{
	const char *whole = t->is_file ? t->path : mem_printf(t->c->mem, "%s/", t->path),
		   *at = whole;

	if (!*t->path)
		return depth ? NULL : "";
	for (int i = 0; i < depth; i++, at++)
		if (!(at = strchr(at, '/')))
			return NULL;
	return mem_strndup(t->c->mem, whole, (size_t)(at - whole));
}

static enum err tree_level(struct tree *t, const char *folder, int depth);

static enum err
tree_add(struct tree *t, const struct file_entry_list *rows, int depth, const char *below)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct file_entry *e = &t->v[t->n++];
		const char *own = mem_printf(t->c->mem, "%s/", rows->v[i].path);

		*e = rows->v[i];
		e->depth = depth + 1;
		e->here = str_eq(e->path, t->path);
		e->open = e->is_folder && below && str_eq(own, below);
		if (e->open)
			TRY(tree_level(t, below, depth + 1));
	}
	return E_OK;
}

static enum err
tree_level(struct tree *t, const char *folder, int depth)
{
	const struct after all = { .any = true, .name = "" };
	const char *below = depth + 1 < TREE_LEVELS ? folder_at(t, depth + 1) : NULL, *next;
	struct file_entry_list rows;

	TRY(entries_read(t->c, t->a, t->no, folder, 1, &all, TREE_EACH, &rows, &next));
	TRY(tree_add(t, &rows, depth, below));
	if (!t->is_file || below)
		return E_OK;
	TRY(entries_read(t->c, t->a, t->no, folder, 0, &all, TREE_EACH, &rows, &next));
	return tree_add(t, &rows, depth, NULL);
}

enum err
file_tree(struct ctx *c, const struct artifact *a, int64_t no, const char *path, bool is_file,
    struct list *out)
{
	struct tree t = { c, a, no, path, is_file,
		mem_array(c->mem, struct file_entry, (TREE_LEVELS + 1) * TREE_EACH), 0 };

	TRY(tree_level(&t, "", 0));
	*out = (struct list){ t.v, t.n };
	return E_OK;
}

enum err
file_readme(struct ctx *c, const struct artifact *a, const struct version *v, const char *folder,
    struct version_file **out)
{
	TRY(db_find(c,
	    ROWS(version_file,
		"SELECT path, size_bytes, sha256, mime FROM version_file WHERE artifact_id = ?"
		" AND version_no = ? AND path IN (CONCAT(?, 'README.md'), CONCAT(?, 'readme.md'),"
		" CONCAT(?, 'Readme.md'), CONCAT(?, 'README.markdown')) ORDER BY path LIMIT 1"),
	    ARGS(a->id, v->version_no, folder, folder, folder, folder), out));
	if (*out)
		(*out)->url = version_file_url(c, a, v, (*out)->path);
	return E_OK;
}

/* ---- Markdown ---- */

struct leading {
	struct ctx *c;
	const struct look_at *at;
	const char *path;
};

/* Returns the path that an address in a text leads to; NULL if it isn't one of the version. */
static const char *
path_of_address(const struct leading *l, const char *address)
{
	return *address == '/' && address[1] != '/'
	    ? path_beside(l->c->mem, "", address + 1)
	    : path_beside(l->c->mem, l->path, address);
}

/* Headings have ids that begin with MARKDOWN_AT, lines of text #L8. */
static const char *
link_address(void *arg, const char *address)
{
	const struct leading *l = arg;
	const char *path = path_of_address(l, address), *hash = strchr(address, '#');
	struct buf b = BUF(l->c->mem);

	if (!path)
		return NULL;
	buf_fmt(&b, "/a/%s/files%s", l->at->a->id, *path ? "/" : "");
	buf_url(&b, path);
	buf_str(&b, l->at->query);
	if (hash && hash[1])
		buf_fmt(&b, "#%s%s",
		    view_kind_of(path) == VIEW_MARKDOWN && hash[1] != 'L' ? MARKDOWN_AT : "",
		    hash + 1);
	return buf_done(&b);
}

/* Returns "" for a picture of others: our pages load none, and show its text instead. */
static const char *
picture_address(void *arg, const char *address)
{
	const struct leading *l = arg;
	const char *path = path_of_address(l, address);
	struct buf b = BUF(l->c->mem);

	if (!path || !*path)
		return "";
	buf_fmt(&b, "/v1/artifacts/%s/files/", l->at->a->id);
	buf_url(&b, path);
	buf_fmt(&b, "?version=%lld", (long long)l->at->v->version_no);
	return buf_done(&b);
}

/* Leaves the front matter out, unless it can't be read. */
static const char *
markdown_read(struct ctx *c, const struct look_at *at, const char *path, const char *text)
{
	struct leading l = { c, at, path };
	struct frontmatter f = { 0 };
	const char *led;

	if (frontmatter_read(c, text, false, &f))
		ctx_forgive(c);
	else if (f.top)
		text = f.body;
	led = markdown_led_all(c->mem, text, strlen(text), link_address, picture_address, &l);
	return led ? led : text;
}

/* ---- a table ---- */

enum { LOOK_COLUMNS = 100, LOOK_CHARS = 1000 };

static struct list
cells_of(struct ctx *c, const struct view_rows *r, const struct view_row *row)
{
	size_t n = row->n < LOOK_COLUMNS ? row->n : LOOK_COLUMNS;
	struct look_cell *v = mem_array(c->mem, struct look_cell, n + 1);

	for (size_t i = 0; i < n; i++)
		v[i] = (struct look_cell){ .cell = str_cut(c->mem, row->v[i], LOOK_CHARS),
			.number = r->numbers[i] };
	return (struct list){ v, n };
}

static bool
table_read(struct ctx *c, const struct view_source *s, struct file_look *f)
{
	struct look_row *rows = mem_array(c->mem, struct look_row, VIEW_ROWS);
	struct view_rows r;

	if (!view_rows_read(c->mem, s, &r))
		return false;
	f->columns = cells_of(c, &r, &r.head);
	for (size_t i = 0; i < r.n; i++)
		rows[i] = (struct look_row){ .row_no = (int64_t)i + 1,
			.cells = cells_of(c, &r, &r.v[i]) };
	f->rows = (struct list){ rows, r.n };
	f->rows_all = r.whole ? (int64_t)r.all : 0;
	f->more_rows = r.n < r.all;
	f->wide = r.wide || r.head.n > LOOK_COLUMNS;
	f->ragged = r.ragged;
	return true;
}

/* ---- a notebook ---- */

static struct shown_file
shown_file_of(const struct version_file *f)
{
	return (struct shown_file){ .path = f->path, .sha256 = f->sha256, .size = f->size_bytes };
}

enum { LOOK_NOTEBOOK_BYTES = 8 << 20 };

/* Strangers' HTML is filtered, and our template has it in a frame without scripts. */
static bool
notebook_read(struct ctx *c, const struct version_file *file, struct file_look *f)
{
	const struct shown_file from = shown_file_of(file);
	struct view_source s = { .kind = VIEW_NOTEBOOK, .name = f->name, .size = from.size };
	struct view_drawn drawn;

	if (fileview_source(c, &from, &s) || !s.text || fileview_within(c, &s, &drawn) ||
	    drawn.html.n > LOOK_NOTEBOOK_BYTES) {
		ctx_forgive(c);
		return false;
	}
	f->text = buf_done(&drawn.html);
	f->shown = 0;
	return true;
}

/* ---- one file ---- */

#define FILE_SHOWS(F, T) F(T, STR, path)
SHAPE(file_shows, FILE_SHOWS);

static enum err
view_find(struct ctx *c, const struct look_at *at, struct file_look *f)
{
	struct file_shows *row;

	TRY(db_find(c,
	    ROWS(file_shows,
		"SELECT path FROM view WHERE artifact_id = ? AND version_no = ? AND path = ?"
		" AND source = ?"),
	    ARGS(at->a->id, at->v->version_no, mem_printf(c->mem, "%s.html", f->path), f->path),
	    &row));
	if (row)
		f->view_url = version_file_url(c, at->a, at->v, row->path);
	return E_OK;
}

static const char *
look_of(enum view_kind kind, const char *mime)
{
	if (kind == VIEW_MARKDOWN)
		return "markdown";
	if (kind == VIEW_TABLE)
		return "table";
	if (kind == VIEW_NOTEBOOK)
		return "notebook";
	if (kind != VIEW_MEDIA)
		return "text";
	return str_starts(mime, "image/")   ? "picture"
	    : str_starts(mime, "audio/") ? "sound"
	    : str_starts(mime, "video/") ? "film"
					 : "none";
}

static enum err
text_read(
    struct ctx *c, const struct version_file *file, struct file_look *f, struct view_source *s)
{
	const struct shown_file from = shown_file_of(file);

	TRY(fileview_source(c, &from, s));
	if (!s->text)
		return E_OK;
	if (s->cut) {
		const char *last = memrchr(s->text, '\n', s->n);

		if (last) /* it ends with a line */
			s->n = (size_t)(last - s->text) + 1;
		f->shown = (int64_t)s->n;
	}
	f->charset = s->charset;
	f->is_text = !s->cut && !s->charset && f->size_bytes <= MERGE_TEXT_BYTES;
	return E_OK;
}

static void
text_set(struct ctx *c, struct view_source *s, struct file_look *f)
{
	f->look = "text";
	f->text = mem_strndup(c->mem, s->text, s->n);
	for (const char *p = f->text; *p; p++)
		f->lines += *p == '\n' || !p[1];
}

enum err
file_look_read(struct ctx *c, const struct look_at *at, const struct version_file *file, bool plain,
    struct file_look **out)
{
	enum view_kind kind = view_kind_of(file->path);
	struct view_source s = { .kind = VIEW_CODE,
		.name = str_base(file->path),
		.size = file->size_bytes };
	struct file_look *f = *out = mem_new(c->mem, struct file_look);

	*f = (struct file_look){ .path = file->path,
		.name = s.name,
		.words = view_kind_said(c->mem, file->path),
		.size_bytes = file->size_bytes,
		.url = file_is_settled(file->path) ? NULL : file->url,
		.is_page = mime_is_page(mime_of(file->path)),
		.look = look_of(kind, mime_of(file->path)),
		.reviewed = mime_ends(file->path, ".pdf") ||
		    str_starts(mime_of(file->path), "image/"),
		.imports = mime_ends(file->path, ".csv") || mime_ends(file->path, ".tsv") ||
		    mime_ends(file->path, ".xlsx") };
	TRY(view_find(c, at, f));
	if (kind == VIEW_FILE || (kind == VIEW_MEDIA && !mime_ends(file->path, ".svg")))
		s.kind = kind;
	TRY(text_read(c, file, f, &s));
	if (!s.text) {
		if (str_in(f->look, "text|markdown|table|notebook"))
			f->look = "none";
		return E_OK;
	}
	f->has_plain = !str_eq(f->look, "text");
	f->plain = f->has_plain && plain;
	if (f->plain || str_eq(f->look, "text"))
		text_set(c, &s, f);
	else if (str_eq(f->look, "markdown"))
		f->text = markdown_read(c, at, f->path, mem_strndup(c->mem, s.text, s.n));
	else if ((str_eq(f->look, "table") && !table_read(c, &s, f)) ||
	    (str_eq(f->look, "notebook") && !notebook_read(c, file, f)))
		text_set(c, &s, f);
	return E_OK;
}
