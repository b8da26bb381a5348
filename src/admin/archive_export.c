/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/archive.h"

#include "archive/objects.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/rowcsv.h"
#include "data/table.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS_A_PART = 500 };

#define FOUND(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, STR, slug) \
	F(T, INT, version_no)
SHAPE(found_artifact, FOUND);
#define FILE_OUT(F, T) \
	F(T, STR, path) \
	F(T, STR, sha256)
SHAPE(file_out, FILE_OUT);
#define DOCUMENT_OUT(F, T) F(T, STR, body)
SHAPE(document_out, DOCUMENT_OUT);

struct exporting {
	struct ctx *c;
	const struct archive *archive;
	int root; /* of DIR/export */
	int64_t files;
};

/* Makes a new file below the folder, with its folders. *fd is closed with the context. */
static enum err
file_make(struct exporting *x, struct ctx *c, const char *path, int *fd)
{
	const char *last = strrchr(path, '/');
	bool made;
	int dir = mem_fd(c->mem,
	    beneath_mkdirs(x->root, mem_strndup(c->mem, path, (size_t)(last - path)), &made));

	*fd = dir < 0 ? -1 : mem_fd(c->mem,
				 openat(dir, last + 1, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				     0600));
	x->files++;
	return *fd < 0 ? fail_here(c, "%s can't be made", path) : E_OK;
}

static enum err
text_out(struct exporting *x, int fd, const char *text, size_t n)
{
	return write(fd, text, n) == (ssize_t)n ? E_OK : fail_here(x->c, "writing");
}

static enum err
objects_out(struct exporting *x, const struct file_out_list *rows, const char *folder)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct ctx *one = ctx_begin(x->c->conf, NULL);
		int fd;
		enum err e = file_make(x, one,
		    mem_printf(one->mem, "%s/%s", folder, rows->v[i].path), &fd);

		e = e ? e : object_prove(one, x->archive, rows->v[i].sha256, fd);
		if (e)
			fail(x->c, e, "%s: %s", rows->v[i].path, cmd_why(one));
		ctx_end(one);
		TRY(e);
	}
	return E_OK;
}

static enum err
table_out(struct exporting *x, const char *id, const struct data_table *t)
{
	struct artifact a = { .id = id };
	struct table_for tf = { .a = &a, .t = t, .read = { .verdict = VERDICT_YES } };
	struct row_find what = { .limit = ROWS_A_PART };
	struct buf head = BUF(x->c->mem);
	const char *next = NULL;
	int fd;

	table_columns(t, &tf.columns);
	TRY(file_make(x, x->c, mem_printf(x->c->mem, "tables/%s.csv", t->name), &fd));
	rowcsv_head(&head, t);
	TRY(text_out(x, fd, head.s, head.n));
	do {
		struct ctx *one = ctx_begin(x->c->conf, x->c->db);
		struct buf b = BUF(one->mem);
		struct data_row_list rows = { 0 };
		enum err e;

		what.cursor = next;
		e = rows_find(one, &tf, &what, &rows, &next);
		for (size_t i = 0; !e && i < rows.n; i++)
			rowcsv_row(one, &b, t, &rows.v[i]);
		next = e ? NULL : mem_strdup(x->c->mem, next);
		if (e)
			fail(x->c, e, "table %s: %s", t->name, cmd_why(one));
		else if (b.n)
			e = text_out(x, fd, b.s, b.n);
		ctx_end(one);
		TRY(e);
	} while (next);
	return E_OK;
}

static enum err
data_out(struct exporting *x, const char *id)
{
	struct data_table_list tables;
	struct document_out *doc;
	struct file_out_list blobs;
	int fd;

	TRY(db_find(x->c,
	    ROWS(document_out, "SELECT body FROM document WHERE artifact_id = ?"), ARGS(id),
	    &doc));
	if (doc) {
		TRY(file_make(x, x->c, "data/document.json", &fd));
		TRY(text_out(x, fd, doc->body, strlen(doc->body)));
	}
	TRY(table_all(x->c, id, &tables));
	for (size_t i = 0; i < tables.n; i++)
		TRY(table_out(x, id, &tables.v[i]));
	TRY(db_all(x->c,
	    ROWS(file_out,
		"SELECT id AS path, sha256 FROM artifact_blob WHERE artifact_id = ? ORDER BY id"),
	    ARGS(id), &blobs));
	return objects_out(x, &blobs, "blobs");
}

enum err
artifact_export(struct ctx *c, const struct archive *archive, const struct scratch *s,
    const char *id)
{
	const char *dir = mem_printf(c->mem, "%s/export", s->dir);
	struct exporting x = { .c = c, .archive = archive };
	struct found_artifact *a;
	struct file_out_list files;

	TRY(db_find(c,
	    ROWS(found_artifact,
		"SELECT id, slug, COALESCE(live_no, last_no) AS version_no FROM artifact"
		" WHERE (id = ? OR slug = ?) AND owner_id IS NOT NULL"),
	    ARGS(id, id), &a));
	if (!a)
		return fail(c, E_NOT_FOUND, "there was no artifact %s at that time", id);
	if (mkdir(dir, 0700))
		return fail_here(c, "%s must be a new folder", dir);
	x.root = mem_fd(c->mem, open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (x.root < 0)
		return fail_here(c, "%s", dir);
	TRY(db_all(c,
	    ROWS(file_out,
		"SELECT path, sha256 FROM version_file WHERE artifact_id = ? AND version_no = ?"
		" ORDER BY path"),
	    ARGS(a->id, a->version_no), &files));
	TRY(objects_out(&x, &files, "files"));
	TRY(data_out(&x, a->id));
	printf("%s of %s were written to %s\n", str_count(c->mem, x.files, "file"), a->slug, dir);
	return E_OK;
}
