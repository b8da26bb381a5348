/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/notenav.h"

#include "base/buf.h"
#include "base/str.h"

#include <stdlib.h>

SHAPE_DEFINE(note_nav, NOTE_NAV);

static bool
is_folder(const struct note_entry *e)
{
	return str_eq(e->type, "folder");
}

static bool
lies_in(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !n || (str_starts(path, folder) && path[n] == '/');
}

const char *
note_folder_path(struct ctx *c, const char *path)
{
	const char *base = str_base(path);

	return base == path ? "" : mem_strndup(c->mem, path, (size_t)(base - path) - 1);
}

struct part {
	const char *path;
	size_t n;
};

static int
by_part(const void *key, const void *entry)
{
	const struct part *p = key;
	const char *folder = ((const struct note_entry *)entry)->path;
	int order = strncmp(p->path, folder, p->n);

	return order ? order : -(folder[p->n] != '\0');
}

void
note_folder_of(struct ctx *c, const struct note_entry_list *tree, const char *folder,
    struct note_entry_list *out)
{
	size_t skip = strlen(folder) + (*folder != '\0'), folders = 0;

	*out = (struct note_entry_list){ mem_array(c->mem, struct note_entry, tree->n + 1), 0 };
	for (int files = 0; files <= 1; files++)
		for (size_t i = 0; i < tree->n; i++) {
			const struct note_entry *e = &tree->v[i];

			if (is_folder(e) == !files && lies_in(e->path, folder) &&
			    !strchr(e->path + skip, '/')) {
				out->v[out->n++] = *e;
				folders += !files;
			}
		}
	/* Counts the notes below each folder. The folders come first in `out`, sorted by path. */
	for (size_t i = 0; i < tree->n; i++) {
		const char *path = tree->v[i].path;
		const char *slash = strlen(path) > skip ? strchr(path + skip, '/') : NULL;
		const struct part part = { path, slash ? (size_t)(slash - path) : 0 };
		struct note_entry *at;

		if (!slash || is_folder(&tree->v[i]))
			continue;
		at = bsearch(&part, out->v, folders, sizeof *out->v, by_part);
		if (at)
			at->notes++;
	}
}

void
note_nav_of(struct ctx *c, const struct note_entry_list *tree, const char *folder,
    struct list *out)
{
	struct note_entry_list top, in;
	struct note_nav *v;

	note_folder_of(c, tree, "", &top);
	note_folder_of(c, tree, folder, &in);
	v = mem_array(c->mem, struct note_nav, top.n + 1);
	for (size_t i = 0; i < top.n; i++) {
		const char *path = top.v[i].path;

		v[i] = (struct note_nav){ .entry = &top.v[i] };
		if (!is_folder(&top.v[i]) || (!str_eq(folder, path) && !lies_in(folder, path)))
			continue;
		v[i].subs = (struct list){ in.v, in.n < NAV_SHOWN ? in.n : NAV_SHOWN };
		v[i].more = (int64_t)(in.n - v[i].subs.n);
	}
	*out = (struct list){ v, top.n };
}

struct strs
note_crumbs(struct ctx *c, const char *path)
{
	struct strs out = { 0 };

	for (const char *at = path; (at = strchr(at, '/')); at++)
		strs_add(c->mem, &out, mem_strndup(c->mem, path, (size_t)(at - path)));
	return out;
}

enum err
note_nav_read(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *path, struct list *out)
{
	struct note_entry_list tree;

	TRY(note_tree(c, w, who, &tree));
	note_nav_of(c, &tree, note_folder_path(c, path), out);
	return E_OK;
}
