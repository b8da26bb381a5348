/* SPDX-License-Identifier: Apache-2.0 */
#include "site/compare.h"

#include "base/crypto.h"
#include "base/mime.h"
#include "base/str.h"
#include "base/textmerge.h"
#include "base/unicode.h"
#include "core/artifact.h"
#include "core/declare.h"
#include "db/db.h"
#include "store/object.h"

SHAPE_DEFINE(compared_side, COMPARED_SIDE);
SHAPE_DEFINE(compared_file, COMPARED_FILE);
SHAPE_DEFINE(compared, COMPARED);
SHAPE_DEFINE(compared_text, COMPARED_TEXT);
SHAPE_DEFINE(compare_versions, COMPARE_VERSIONS);
SHAPE_DEFINE(compare_query, COMPARE_QUERY);
SHAPE_DEFINE(compare_text_query, COMPARE_TEXT_QUERY);

/* ---- which two ---- */

#define PICKED(F, T) F(T, INT, no)
SHAPE(picked, PICKED);

/* The greatest number of a version below `below` that the caller sees; 0: none. */
static enum err
newest_below(struct ctx *c, const struct artifact *a, int64_t below, int64_t *no)
{
	struct picked *p;

	TRY(db_one(c,
	    ROWS(picked,
		"SELECT COALESCE(MAX(version_no), 0) AS no FROM version"
		" WHERE artifact_id = ? AND version_no < ? AND (? OR version_no <=> ?)"),
	    ARGS(a->id, below, a->role != NULL, a->version_no), &p));
	*no = p->no;
	return E_OK;
}

enum err
versions_pick(struct ctx *c, const struct artifact *a, int64_t from_no, int64_t to_no,
    struct version **from, struct version **to)
{
	if (!to_no)
		TRY(newest_below(c, a, INT32_MAX, &to_no));
	TRY(version_get(c, a, to_no, to));
	if (!from_no && a->version_no < to_no)
		from_no = a->version_no;
	if (!from_no)
		TRY(newest_below(c, a, to_no, &from_no));
	return version_get(c, a, from_no ? from_no : to_no, from);
}

/* ---- files ---- */

static bool
is_text(const struct compared_file *f)
{
	const struct compared_side *from = f->from, *to = f->to;

	return (!from || mime_is_text(from->mime)) && (!to || mime_is_text(to->mime));
}

static int
by_bytes(const void *a, const void *b)
{
	const struct compared_file *x = *(struct compared_file *const *)a;
	const struct compared_file *y = *(struct compared_file *const *)b;
	int d = strcmp(((struct compared_side *)x->from)->sha256,
	    ((struct compared_side *)y->from)->sha256);

	return d ? d : strcmp(x->path, y->path);
}

static int
bytes_of(const void *sha256, const void *f)
{
	const struct compared_file *x = *(struct compared_file *const *)f;

	return strcmp(sha256, ((struct compared_side *)x->from)->sha256);
}

/* Makes a removed and an added file with the same bytes one renamed file. */
static void
renames_find(struct ctx *c, struct compared_file_list *files)
{
	struct compared_file **gone = mem_array(c->mem, struct compared_file *, files->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++)
		if (!files->v[i].to)
			gone[n++] = &files->v[i];
	if (!n)
		return;
	qsort(gone, n, sizeof *gone, by_bytes);
	for (size_t i = 0; i < files->n; i++) {
		struct compared_file *f = &files->v[i], **found;

		if (f->from)
			continue;
		found = bsearch(((struct compared_side *)f->to)->sha256, gone, n, sizeof *gone,
		    bytes_of);
		if (!found)
			continue;
		f->was = (*found)->path;
		f->from = (*found)->from;
		f->status = "renamed";
		(*found)->status = NULL;
		n--;
		memmove(found, found + 1, (size_t)(gone + n - found) * sizeof *found);
		if (!n)
			return;
	}
}

/* Sets each file's status. A renamed file stays once: its entry as a removed file is dropped. */
static void
statuses_set(struct ctx *c, struct compared_file_list *files, struct compared *out)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		struct compared_file *f = &files->v[i];

		f->status = !f->from ? "added" : !f->to ? "removed" : "changed";
	}
	renames_find(c, files);
	for (size_t i = 0; i < files->n; i++) {
		struct compared_file *f = &files->v[i];

		if (!f->status)
			continue;
		f->is_text = is_text(f);
		out->added += str_eq(f->status, "added");
		out->changed += str_eq(f->status, "changed");
		out->removed += str_eq(f->status, "removed");
		out->renamed += str_eq(f->status, "renamed");
		files->v[n++] = *f;
	}
	files->n = n;
}

#define OF_SIDE(column) "MAX(IF(version_no = ?, " column ", NULL))"
#define SIDES(name) \
	OF_SIDE("size_bytes") " AS `" name ".size_bytes`, " OF_SIDE("mime") " AS `" name ".mime`," \
	" LOWER(HEX(" OF_SIDE("sha256") ")) AS `" name ".sha256`"

enum err
compare_files(struct ctx *c, const struct artifact *a, const struct compare_query *q,
    struct compared **out)
{
	char *after = mem_strdup(c->mem, q->cursor ? q->cursor : "");
	struct compared *diff = *out = mem_new(c->mem, struct compared);
	struct compared_file_list files;
	struct version *from, *to;
	size_t first = 0, n;
	int64_t was, is;

	if (!str_unescape(after, false))
		return fail_cursor(c);
	TRY(versions_pick(c, a, q->from, q->to, &from, &to));
	was = from->version_no;
	is = to->version_no;
	TRY(db_all(c,
	    ROWS(compared_file,
		"SELECT path, " SIDES("from") ", " SIDES("to") " FROM version_file"
		" WHERE artifact_id = ? AND version_no IN (?, ?)" FILE_SHOWN " GROUP BY path"
		" HAVING NOT (`from.sha256` <=> `to.sha256` AND `from.mime` <=> `to.mime`)"
		" ORDER BY path"),
	    ARGS(was, was, was, is, is, is, a->id, was, is, version_sees_declared(a)), &files));
	*diff = (struct compared){ .from = was, .to = is, .message = to->message };
	statuses_set(c, &files, diff);
	diff->same = to->file_count - diff->added - diff->changed - diff->renamed;
	while (first < files.n && strcmp(files.v[first].path, after) <= 0)
		first++;
	n = files.n - first;
	if (n > (size_t)q->limit) {
		struct buf b = BUF(c->mem);

		n = (size_t)q->limit;
		buf_url(&b, files.v[first + n - 1].path);
		diff->next_cursor = buf_done(&b);
	}
	diff->files = (struct list){ files.v + first, n };
	return E_OK;
}

/* ---- the lines of a text ---- */

/* *out is NULL if the version has no such file. */
static enum err
side_find(struct ctx *c, const struct artifact *a, int64_t no, const char *path,
    struct compared_side **out)
{
	return db_find(c,
	    ROWS(compared_side,
		"SELECT size_bytes, mime, sha256 FROM version_file"
		" WHERE artifact_id = ? AND version_no = ? AND path = ?" FILE_SHOWN),
	    ARGS(a->id, no, unicode_composed(c->mem, path), version_sees_declared(a)), out);
}

/* *text is "" for a file that isn't there, and NULL for one that is too large. */
static enum err
side_text(struct ctx *c, const struct compared_side *s, const char *path, const char **text)
{
	uint8_t sha256[SHA256_BYTES];
	size_t lines = 0;

	*text = s ? NULL : "";
	if (!s || s->size_bytes > MERGE_TEXT_BYTES)
		return E_OK;
	if (!crypto_unhex(s->sha256, sha256, sizeof sha256))
		return fail_here(c, "digest of %s", path);
	TRY(object_text(c, sha256, s->size_bytes, MERGE_TEXT_BYTES, text));
	if (!*text)
		return fail(c, E_INVALID,
		    "path: %s isn't text, so it has no lines to compare",
		    str_cut(c->mem, path, 200));
	for (const char *p = *text; (p = strchr(p, '\n')); p++)
		lines++;
	if (lines > MERGE_TEXT_LINES)
		*text = NULL;
	return E_OK;
}

enum err
compare_lines(struct ctx *c, const struct compared_file *f, bool whole, struct compared_text **out)
{
	struct compared_text *diff = *out = mem_new(c->mem, struct compared_text);
	struct diff_line_list all, lines;
	const char *before, *after;

	*diff = (struct compared_text){ .path = f->path, .was = f->was };
	TRY(side_text(c, f->from, f->was ? f->was : f->path, &before));
	TRY(side_text(c, f->to, f->path, &after));
	diff->too_large = !before || !after;
	if (diff->too_large)
		return E_OK;
	text_diff(c->mem, before, after, &all);
	for (size_t i = 0; i < all.n; i++) {
		diff->insertions += str_eq(all.v[i].sign, "new");
		diff->deletions += str_eq(all.v[i].sign, "gone");
	}
	text_diff_fold(c->mem, &all, &lines);
	if (whole && lines.n)
		lines = all;
	diff->lines = (struct list){ lines.v, lines.n };
	return E_OK;
}

enum err
compare_text(struct ctx *c, const struct artifact *a, const struct compare_text_query *q,
    struct compared_text **out)
{
	struct compared_file f = { .path = q->path, .was = q->was };
	struct compared_side *one, *two;
	struct version *from, *to;

	TRY(versions_pick(c, a, q->from, q->to, &from, &to));
	TRY(side_find(c, a, from->version_no, q->was ? q->was : q->path, &one));
	TRY(side_find(c, a, to->version_no, q->path, &two));
	if (!one && !two)
		return fail(c, E_NOT_FOUND, "path: neither version %lld nor %lld has this file",
		    (long long)from->version_no, (long long)to->version_no);
	f.from = one;
	f.to = two;
	return compare_lines(c, &f, q->whole, out);
}
