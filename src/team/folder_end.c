/* SPDX-License-Identifier: Apache-2.0 */
#include "team/folder_end.h"

#include "base/str.h"
#include "core/shown.h"

/* Returns "2 folders, 12 artifacts and 1 file"; NULL if the caller may know of none. */
static const char *
content_text(struct ctx *c, const struct folder *f, int64_t files)
{
	const char *parts[3];
	size_t n = 0;

	if (f->folder_count)
		parts[n++] = str_count(c->mem, f->folder_count, "folder");
	if (f->artifact_count)
		parts[n++] = str_count(c->mem, f->artifact_count, "artifact");
	if (files)
		parts[n++] = str_count(c->mem, files, "file");
	return n ? str_some(c->mem, parts, n) : NULL;
}

static const char *
consequence_text(struct ctx *c, const struct workspace *w, const struct folder *f, int64_t files)
{
	size_t up_n = (size_t)(strrchr(f->path, '/') - f->path);
	const char *content = content_text(c, f, files),
		   *way = mem_strndup(c->mem, f->path, up_n),
		   *up = up_n ? strrchr(way, '/') + 1
			      : mem_printf(c->mem, "the top level of %s", w->name);
	bool all = workspace_shows_all(w);

	if (!content)
		return all ? "It is empty."
			   : mem_printf(c->mem,
				 "You can’t see anything in it. If others have artifacts there, "
				 "those move up to %s. No artifact is deleted.",
				 up);
	return mem_printf(c->mem,
	    "It holds %s. %s%s move up to %s. No artifact is deleted.%s", content,
	    f->folder_count ? "Folders in it are deleted too; all artifacts in them and in it"
			    : "Artifacts in it",
	    all ? "" : " (including those you can’t see)", up,
	    files ? " Files of the library move up, too." : "");
}

enum err
folder_end_words(struct ctx *c, const struct workspace *w, const struct folder *f,
    const char **words, bool *moves)
{
	const char *both[] = { f->id, f->parent_id }, *shared_ends = "";
	struct shared_with_list all;
	struct list now, then;
	int64_t files;

	TRY(folder_files(c, f, &files));
	TRY(shown_by(c, both, 2, &all));
	now = shown_of(c, &all, f->id);
	then = shown_of(c, &all, f->parent_id);
	/* Grants on folders above stay valid. */
	if (shown_more(&then, &now))
		shared_ends = mem_printf(c->mem,
		    " It is shared with %s outside the workspace; that ends, too.",
		    shown_names(c, &now));
	*words = mem_printf(c->mem, "%s%s", consequence_text(c, w, f, files), shared_ends);
	*moves = f->folder_count || f->artifact_count || files || !workspace_shows_all(w);
	return E_OK;
}
