/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/tree.h"

#include "base/etag.h"
#include "base/str.h"

#include <stdlib.h>

SHAPE_DEFINE(note_entry, NOTE_ENTRY);

static int
by_path(const void *a, const void *b)
{
	const struct note_entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* Paths are sorted, so a folder begins where the path before has another one. */
static void
folders_add(struct ctx *c, const struct note_entry_list *files, struct note_entry_list *out)
{
	const char *before = "";

	for (size_t i = 0; i < files->n; i++) {
		const char *path = files->v[i].path, *at = path;

		for (size_t k = 0; path[k] && path[k] == before[k]; k++)
			if (path[k] == '/')
				at = path + k + 1;
		for (; (at = strchr(at, '/')); at++) {
			struct note_entry *folder = &out->v[out->n++];

			folder->path = mem_strndup(c->mem, path, (size_t)(at - path));
			folder->type = "folder";
			folder->has.size = folder->has.edited = folder->has.updated_at = NULLED;
		}
		out->v[out->n++] = files->v[i];
		before = path;
	}
}

enum err
note_tree(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct note_entry_list *out)
{
	struct note_entry_list files;
	size_t folders = 0;

	TRY(db_all(c,
	    ROWS(note_entry,
		"SELECT " NOTE_PATH " AS path, 'file' AS type, n.title, n.size_bytes AS size,"
		" n.origin, n.edited, n.updated_at, n.sha256 AS etag FROM " SUBJECT_TABLE
		" JOIN note n ON n.workspace_id = ?" NOTE_TABLES " WHERE " NOTE_SEEN
		" ORDER BY path"),
	    ARGS(SUBJECT(who), w->id), &files));
	for (size_t i = 0; i < files.n; i++) {
		files.v[i].etag = etag_of_sha256(c->mem, files.v[i].etag);
		for (const char *at = files.v[i].path; (at = strchr(at, '/')); at++)
			folders++;
	}
	*out = (struct note_entry_list){
		mem_array(c->mem, struct note_entry, files.n + folders + 1), 0
	};
	folders_add(c, &files, out);
	qsort(out->v, out->n, sizeof *out->v, by_path);
	return E_OK;
}
