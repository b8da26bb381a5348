/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/notenav.h"

#include "base/buf.h"
#include "base/str.h"

#include <stdlib.h>

SHAPE_DEFINE(note_nav_sub, NOTE_NAV_SUB);
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

const char *
note_folder_url(struct ctx *c, const struct workspace *w, const char *folder)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "/w/%s/notes?folder=", w->id);
	buf_form(&b, folder);
	return buf_done(&b);
}

const char *
note_entry_url(struct ctx *c, const struct workspace *w, const struct note_entry *e)
{
	return is_folder(e) ? note_folder_url(c, w, e->path)
			    : note_page_path(c, w->id, "read", e->path);
}

const char *
note_entry_name(const struct note_entry *e)
{
	return e->title ? e->title : str_base(e->path);
}

struct part {
	const char *path;
	size_t n;
};

static int
by_part(const void *key, const void *entry)
{
	const struct part *p = key;
	const char *folder = (*(const struct note_entry *const *)entry)->path;
	int order = strncmp(p->path, folder, p->n);

	return order ? order : -(folder[p->n] != '\0');
}

/* Counts notes below each folder. The first `folders` entries of f are folders, sorted by path. */
static void
count_below(const struct note_entry_list *tree, struct note_folder *f, size_t folders, size_t skip)
{
	for (size_t i = 0; i < tree->n; i++) {
		const char *path = tree->v[i].path;
		const char *slash = strlen(path) > skip ? strchr(path + skip, '/') : NULL;
		const struct part part = { path, slash ? (size_t)(slash - path) : 0 };
		const struct note_entry **at;

		if (!slash || is_folder(&tree->v[i]))
			continue;
		at = bsearch(&part, f->v, folders, sizeof *f->v, by_part);
		if (at)
			f->notes[at - f->v]++;
	}
}

void
note_folder_of(
    struct ctx *c, const struct note_entry_list *tree, const char *folder, struct note_folder *out)
{
	size_t skip = strlen(folder) + (*folder != '\0'), n = 0, folders = 0;

	*out = (struct note_folder){ mem_array(c->mem, const struct note_entry *, tree->n + 1),
		mem_array(c->mem, int64_t, tree->n + 1), 0 };
	/* Folders come first. */
	for (int files = 0; files <= 1; files++)
		for (size_t i = 0; i < tree->n; i++) {
			const struct note_entry *e = &tree->v[i];

			if (is_folder(e) == !files && lies_in(e->path, folder) &&
			    !strchr(e->path + skip, '/')) {
				out->v[n++] = e;
				folders += !files;
			}
		}
	out->n = n;
	count_below(tree, out, folders, skip);
}

static struct list
subs_of(struct ctx *c, const struct workspace *w, const struct note_folder *in, const char *here)
{
	size_t n = in->n < NAV_SHOWN ? in->n : NAV_SHOWN;
	struct note_nav_sub *v = mem_array(c->mem, struct note_nav_sub, n + 1);

	for (size_t i = 0; i < n; i++)
		v[i] = (struct note_nav_sub){ .sub_name = note_entry_name(in->v[i]),
			.sub_url = note_entry_url(c, w, in->v[i]),
			.sub_count = in->notes[i],
			.sub_folder = is_folder(in->v[i]),
			.sub_here = str_eq(in->v[i]->path, here) };
	return (struct list){ v, n };
}

void
note_nav_of(struct ctx *c, const struct workspace *w, const struct note_entry_list *tree,
    const char *folder, const char *here, struct list *out)
{
	struct note_folder top, in;
	struct note_nav *v;

	note_folder_of(c, tree, "", &top);
	note_folder_of(c, tree, folder, &in);
	v = mem_array(c->mem, struct note_nav, top.n + 1);
	for (size_t i = 0; i < top.n; i++) {
		const char *path = top.v[i]->path;

		v[i] = (struct note_nav){ .nav_name = note_entry_name(top.v[i]),
			.nav_url = note_entry_url(c, w, top.v[i]),
			.nav_count = top.notes[i],
			.nav_folder = is_folder(top.v[i]),
			.nav_here = str_eq(path, here) };
		if (!v[i].nav_folder || (!str_eq(folder, path) && !lies_in(folder, path)))
			continue;
		v[i].nav_subs = subs_of(c, w, &in, here);
		v[i].nav_more = (int64_t)(in.n - v[i].nav_subs.n);
	}
	*out = (struct list){ v, top.n };
}
