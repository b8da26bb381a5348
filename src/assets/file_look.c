/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/file_look.h"

#include "assets/link.h"
#include "base/sniff.h"
#include "team/folder.h"

void
file_dress(struct ctx *c, const struct workspace *w, struct deliverable *d)
{
	d->kind = file_kind(d->mime_type);
	if (file_is_thumbnail(d->mime_type, d->size))
		d->picture = mem_printf(c->mem, "/v1/files/%s/content", d->id);
	else if (d->previewed)
		d->picture = mem_printf(c->mem, "/v1/%s%s%sassets/deliverables/%s/preview",
		    w ? "workspaces/" : "", w ? w->id : "", w ? "/" : "", d->id);
}

enum err
files_dress(
    struct ctx *c, const struct workspace *w, const struct list *files, bool placed)
{
	const char **ids = mem_array(c->mem, const char *, files->n + 1),
		   **folders = mem_array(c->mem, const char *, files->n + 1),
		   **paths = mem_array(c->mem, const char *, files->n + 1);
	int64_t *links = mem_array(c->mem, int64_t, files->n + 1);
	struct deliverable *d = files->v;

	for (size_t i = 0; i < files->n; i++) {
		ids[i] = d[i].id;
		folders[i] = d[i].folder_id;
	}
	TRY(links_of_files(c, ids, files->n, links));
	if (placed)
		TRY(folder_paths(c, folders, files->n, paths));
	for (size_t i = 0; i < files->n; i++) {
		file_dress(c, w, &d[i]);
		d[i].links = links[i];
		d[i].lies_in = paths[i];
	}
	return E_OK;
}
