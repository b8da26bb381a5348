/* SPDX-License-Identifier: Apache-2.0
 * The rows of views. */
#include "base/str.h"
#include "base/viewdraw.h"
#include "core/artifact.h"
#include "core/declare.h"
#include "site/fileview.h"
#include "site/treeplan.h"
#include "site/version.h"

enum err
fileviews_former(struct fileviews *p, const char *artifact_id, int64_t no)
{
	if (!p->n || !artifact_id || !no)
		return E_OK;
	p->former_no = no;
	return db_all(p->c,
	    ROWS(former_view,
		"SELECT w.path, w.source, w.renderer, w.sha256, w.size_bytes, w.title, w.made_at,"
		" f.sha256 AS file_sha256 FROM view w LEFT JOIN version_file f"
		" ON f.artifact_id = w.artifact_id AND f.version_no = w.version_no"
		" AND f.path = w.source AND w.problem IS NULL"
		" WHERE w.artifact_id = ? AND w.version_no = ? ORDER BY w.path"),
	    ARGS(artifact_id, no), &p->former);
}

#define VIEWED(F, T) F(T, BOOL, is_all)
SHAPE(viewed, VIEWED);

enum err
fileviews_mode(struct ctx *c, const char *artifact_id, int64_t no, const char **mode)
{
	struct viewed *row;

	TRY(db_one(c,
	    ROWS(viewed,
		"SELECT EXISTS (SELECT 1 FROM version v JOIN view w"
		" ON w.artifact_id = v.artifact_id AND w.version_no = v.version_no"
		" WHERE v.artifact_id = ? AND v.version_no = ? AND NOT EXISTS (SELECT 1"
		" FROM view e WHERE e.artifact_id = v.artifact_id"
		" AND e.version_no = v.version_no AND e.path = v.entrypoint)) AS is_all"),
	    ARGS(artifact_id, no), &row));
	*mode = row->is_all ? "all" : NULL;
	return E_OK;
}

/* True if the former version has the view's row. */
static bool
is_kept(const struct fileviews *p, size_t i)
{
	const struct former_view *was = p->taken ? p->taken[i] : NULL;

	return was && str_eq(was->path, p->v[i].path) && str_eq(was->source, p->v[i].source);
}

/* Inserts the rows of views. copied: the rows that the former version has are there already. */
static enum err
views_write(struct fileviews *p, const char *artifact_id, int64_t no, bool copied)
{
	enum { EACH = 11 };
	struct arg *all = mem_array(p->c->mem, struct arg, p->n * EACH + 1), *a = all;

	for (size_t i = 0; i < p->n; i++) {
		const struct file_view *v = &p->v[i];

		if (copied && is_kept(p, i))
			continue;
		*a++ = arg_str(artifact_id);
		*a++ = arg_int(no);
		*a++ = arg_str(v->path);
		*a++ = arg_str(v->source);
		*a++ = arg_str(v->kind);
		*a++ = arg_str(v->renderer);
		*a++ = arg_hex_sha256(p->c, v->sha256);
		*a++ = arg_int(v->size_bytes);
		*a++ = arg_str(v->title);
		*a++ = arg_str(v->problem);
		*a++ = arg_int(v->made_at);
	}
	return a == all ? E_OK : db_exec_many(p->c,
	    EXEC("INSERT INTO view (artifact_id, version_no, path, source, kind, renderer, sha256,"
		 " size_bytes, title, problem, made_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    all, EACH, (size_t)(a - all) / EACH);
}

/* A run of former rows that are all kept. */
struct run {
	size_t from, to;
	int64_t made_at; /* the latest */
};

/* Returns how many runs there are; more than `most` aren't listed. */
static size_t
runs_find(const struct fileviews *p, struct run *runs, size_t most)
{
	bool *kept = mem_array(p->c->mem, bool, p->former.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (is_kept(p, i))
			kept[p->taken[i] - p->former.v] = true;
	for (size_t i = 0; i < p->former.n; i++) {
		int64_t at = p->former.v[i].made_at;

		if (!kept[i])
			continue;
		if ((!i || !kept[i - 1]) && ++n <= most)
			runs[n - 1] = (struct run){ .from = i };
		if (n > most)
			return n;
		runs[n - 1].to = i;
		if (runs[n - 1].made_at < at)
			runs[n - 1].made_at = at;
	}
	return n;
}

/* Few runs of rows that the former version has, too, are copied inside the database, unless its
 * views have been made anew since they were read. */
enum err
fileviews_insert(struct fileviews *p, const char *artifact_id, int64_t no)
{
	enum { RUNS = 20 };
	struct run runs[RUNS];
	size_t n = runs_find(p, runs, RUNS);
	int64_t copied, missing = 0;

	for (size_t i = 0; n <= RUNS && i < n; i++) {
		const char *first = p->former.v[runs[i].from].path,
			   *last = p->former.v[runs[i].to].path;

		TRY(db_exec(p->c,
		    EXEC("INSERT INTO view (artifact_id, version_no, path, source, kind, renderer,"
			 " sha256, size_bytes, title, problem, made_at) SELECT artifact_id, ?,"
			 " path, source, kind, renderer, sha256, size_bytes, title, problem, ?"
			 " FROM view WHERE artifact_id = ? AND version_no = ?"
			 " AND path BETWEEN ? AND ? AND made_at <= ?"),
		    ARGS(no, p->c->now, artifact_id, p->former_no, first, last, runs[i].made_at),
		    &copied));
		missing += (int64_t)(runs[i].to - runs[i].from + 1) - copied;
	}
	if (missing)
		TRY(db_exec(p->c,
		    EXEC("DELETE FROM view WHERE artifact_id = ? AND version_no = ?"),
		    ARGS(artifact_id, no), NULL));
	return views_write(p, artifact_id, no, !missing && n <= RUNS);
}

enum err
fileview_list(struct ctx *c, const struct artifact *a, int64_t no, const struct page_query *q,
    struct list *out, const char **next)
{
	char *after = mem_strdup(c->mem, q->cursor ? q->cursor : "");
	struct file_view *rows;
	struct buf b = BUF(c->mem);
	struct version *v;

	if (!str_unescape(after, false))
		return fail_cursor(c);
	TRY(version_pick(c, a, no, &v));
	TRY(db_part(c,
	    ROWS(file_view,
		"SELECT " FILE_VIEW_COLUMNS " FROM view w WHERE w.artifact_id = ?"
		" AND w.version_no = ? AND w.path > ? ORDER BY w.path LIMIT ?"),
	    ARGS(a->id, v->version_no, after), q->limit, out, next,
	    (buf_url(&b, last->path), buf_done(&b))));
	rows = out->v;
	for (size_t i = 0; i < out->n; i++)
		rows[i].url = version_file_url(c, a, v, rows[i].path);
	return E_OK;
}

#define SHOWS(F, T) F(T, STR, path)
SHAPE(shows, SHOWS);

enum err
fileview_shows(
    struct ctx *c, const char *artifact_id, int64_t no, const char *path, const char **file)
{
	struct shows *row;

	TRY(db_one(c,
	    ROWS(shows,
		"SELECT f.path FROM view w JOIN version_file f ON f.artifact_id = w.artifact_id"
		" AND f.version_no = w.version_no AND (f.path = w.source OR (w.kind = 'folder'"
		" AND LEFT(f.path, LENGTH(w.source)) = w.source"
		" AND f.path NOT IN ('_redirects', '_headers', '" DECLARE_FILE "')))"
		" WHERE w.artifact_id = ? AND w.version_no = ? AND w.path = ?"
		" ORDER BY LOWER(CONVERT(f.path USING utf8mb4))"
		" = LOWER(CONVERT(CONCAT(w.source, 'readme.md') USING utf8mb4)) DESC, f.path"
		" LIMIT 1"),
	    ARGS(artifact_id, no, path), &row));
	*file = row->path;
	return E_OK;
}

/* ---- made again ---- */

#define FILE_FOR_VIEW(F, T) \
	F(T, STR, path) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE(file_for_view, FILE_FOR_VIEW);

/* Plans the views of a version as they would be made now. */
static enum err
plan_again(struct fileviews *p, const char *artifact_id, int64_t no, const char *mode)
{
	struct file_for_view_list rows;
	struct shown_file *files;

	TRY(db_all(p->c,
	    ROWS(file_for_view,
		"SELECT path, sha256, size_bytes FROM version_file WHERE artifact_id = ?"
		" AND version_no = ?"),
	    ARGS(artifact_id, no), &rows));
	files = mem_array(p->c->mem, struct shown_file, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		files[i] = (struct shown_file){ .path = rows.v[i].path,
			.sha256 = rows.v[i].sha256,
			.size = rows.v[i].size_bytes };
	fileviews_plan(p, mode, false, files, rows.n);
	return E_OK;
}

static enum err
views_of(struct ctx *c, const char *artifact_id, int64_t no, struct file_view_list *out)
{
	return db_all(c,
	    ROWS(file_view,
		"SELECT " FILE_VIEW_COLUMNS " FROM view w WHERE w.artifact_id = ?"
		" AND w.version_no = ? ORDER BY w.path"),
	    ARGS(artifact_id, no), out);
}

enum err
fileviews_remake(struct ctx *c, const struct artifact *a, int64_t no, struct fileviews **out)
{
	struct fileviews *p = *out = mem_new(c->mem, struct fileviews);
	struct file_view_list had;
	struct batch *batch;
	struct version *v;

	TRY(version_get(c, a, no, &v));
	TRY(views_of(c, a->id, no, &had));
	p->c = c;
	/* Other views than those that the version was published with; site/project.c asks. */
	p->made_at = c->now > v->created_at ? c->now : v->created_at + 1;
	TRY(plan_again(p, a->id, no, had.n ? "all" : "auto"));
	TRY(batch_begin(c, &batch));
	TRY(fileviews_make(p, batch));
	return batch_sync(c, batch);
}

enum err
fileviews_replace(struct fileviews *p, const struct artifact *a, int64_t no)
{
	struct version *v;

	/* The version may have been removed meanwhile. */
	TRY(version_get(p->c, a, no, &v));
	TRY(db_exec(p->c, EXEC("DELETE FROM view WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(a->id, no), NULL));
	TRY(fileviews_insert(p, a->id, no));
	return artifact_touch_rebuilt(p->c, a->id, no);
}

static enum err
view_mend(struct fileviews *p, struct batch *batch, const struct version_row *v,
    struct file_view *view, struct file_row *row)
{
	TRY(fileviews_again(p, batch, view));
	if (str_eq(view->sha256, row->sha256))
		return E_OK;
	row->sha256 = view->sha256;
	row->size_bytes = view->size_bytes;
	return db_exec(p->c,
	    EXEC("UPDATE view SET sha256 = ?, size_bytes = ?, renderer = ?, title = ?,"
		 " problem = ?, made_at = ? WHERE artifact_id = ? AND version_no = ? AND path = ?"),
	    ARGS(arg_hex_sha256(p->c, view->sha256), view->size_bytes, view->renderer, view->title,
		view->problem, p->c->now, v->artifact_id, v->version_no, view->path),
	    NULL);
}

static struct file_view *
view_named(const struct file_view_list *all, const char *path)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].path, path))
			return &all->v[i];
	return NULL;
}

enum err
fileviews_mend(struct ctx *c, const struct version_row *v, struct list *files)
{
	struct file_row *f = files->v;
	struct fileviews p = { 0 };
	struct file_view_list had;
	struct batch *batch = NULL;

	for (size_t i = 0; i < files->n; i++) {
		uint8_t sha256[SHA256_BYTES];
		struct file_view *view;
		bool kept;

		if (!f[i].view)
			continue;
		TRY(treeplan_digest(c, f[i].sha256, sha256));
		TRY(object_kept(c, sha256, f[i].size_bytes, &kept));
		if (kept)
			continue;
		if (!batch) {
			p.c = c;
			TRY(views_of(c, v->artifact_id, v->version_no, &had));
			TRY(plan_again(&p, v->artifact_id, v->version_no, "all"));
			TRY(batch_begin(c, &batch));
			batch_renew(batch);
		}
		view = view_named(&had, f[i].path);
		if (view)
			TRY(view_mend(&p, batch, v, view, &f[i]));
	}
	return batch ? batch_sync(c, batch) : E_OK;
}
