/* SPDX-License-Identifier: Apache-2.0 */
#include "site/starter.h"

#include "base/conf.h"
#include "base/log.h"
#include "base/mime.h"
#include "base/str.h"
#include "store/archive.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

SHAPE_DEFINE(starter, STARTER);

enum { STARTERS = 200, FILES = 200, DEPTH = 6, README_BYTES = 16384, ABOUT_CHARS = 300 };

struct starter_files {
	int root; /* the template's folder */
	struct strs paths;
};

/* ---- a template's files ---- */

bool
starter_name_fits(const char *name)
{
	return *name && strlen(name) <= 40 &&
	    !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static enum err
files_find(struct ctx *c, struct starter_files *t, const char *dir, int depth)
{
	struct names names;

	TRY(dir_list(c, c->mem, t->root, dir, &names));
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, str_order);
	for (size_t i = 0; i < names.n; i++) {
		const char *path = str_eq(dir, ".")
		    ? names.v[i]
		    : mem_printf(c->mem, "%s/%s", dir, names.v[i]);
		struct stat st;

		if (fstatat(t->root, path, &st, AT_SYMLINK_NOFOLLOW))
			return fail_here(c, "%s", path);
		if (S_ISDIR(st.st_mode) && depth < DEPTH)
			TRY(files_find(c, t, path, depth + 1));
		else if (S_ISREG(st.st_mode) && t->paths.n < FILES)
			strs_add(c->mem, &t->paths, path);
	}
	return E_OK;
}

/* Opens the template in the folder. *out is NULL if it isn't there. */
static enum err
files_open(struct ctx *c, const char *folder, const char *name, struct starter_files **out)
{
	struct starter_files *t = mem_new(c->mem, struct starter_files);
	const char *path = mem_printf(c->mem, "%s/%s", folder, name);

	*out = NULL;
	t->root = mem_fd(c->mem, open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (t->root < 0)
		return beneath_absent(errno) ? E_OK : fail_here(c, "%s", path);
	TRY(files_find(c, t, ".", 0));
	*out = t;
	return E_OK;
}

/* Returns the folders that have templates, the one that wins first. */
static struct strs
folders(struct ctx *c)
{
	struct strs all = { 0 };

	if (conf_has(c->conf->templates_dir))
		strs_add(c->mem, &all, c->conf->templates_dir);
	strs_add(c->mem, &all, conf_templates(c->mem));
	return all;
}

enum err
starter_find(struct ctx *c, const char *name, struct starter_files **out)
{
	struct strs all = folders(c);

	*out = NULL;
	for (size_t i = 0; !*out && i < all.n; i++)
		TRY(files_open(c, all.v[i], name, out));
	return *out
	    ? E_OK
	    : fail(c, E_NOT_FOUND, "There is no template %s; vitrine new lists them", name);
}

enum err
starter_zip(struct ctx *c, const struct starter_files *t,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg)
{
	struct archive_out *zip;

	TRY(archive_zip_begin(c, write, arg, &zip));
	for (size_t i = 0; i < t->paths.n; i++) {
		struct stat st;
		int fd = mem_fd(c->mem, beneath_open_file(t->root, t->paths.v[i], &st));

		if (fd < 0)
			return fail_here(c, "%s", t->paths.v[i]);
		archive_pack(zip, mime_compressible(t->paths.v[i]));
		TRY(archive_add_fd(zip, t->paths.v[i], fd, st.st_size));
	}
	return archive_end(zip);
}

/* ---- the list ---- */

/* Reads title and description from README.md: its first heading, and the paragraph below. */
static enum err
readme_read(struct ctx *c, const struct starter_files *t, struct starter *s)
{
	struct stat st;
	int fd = mem_fd(c->mem, beneath_open_file(t->root, "README.md", &st));
	struct buf about = BUF(c->mem);
	const char *text;
	char *rest, *line;

	if (fd < 0)
		return E_OK;
	TRY(read_exactly(c, c->mem, fd,
	    st.st_size < README_BYTES ? (size_t)st.st_size : README_BYTES, &text));
	rest = mem_strdup(c->mem, text);
	while ((line = str_split(&rest, '\n'))) {
		if (!s->title && str_starts(line, "# "))
			s->title = str_one_line(c->mem, line + 2);
		else if (s->title && *line)
			buf_fmt(&about, "%s ", line);
		else if (about.n)
			break;
	}
	s->description = str_cut(c->mem, str_one_line(c->mem, buf_done(&about)), ABOUT_CHARS);
	return E_OK;
}

static bool
has_name(const struct starter_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].name, name))
			return true;
	return false;
}

static enum err
folder_read(struct ctx *c, const char *folder, struct starter_list *all)
{
	int fd = mem_fd(c->mem, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct names names;

	if (fd < 0)
		return fail_here(c, "%s", folder);
	TRY(dir_list(c, c->mem, fd, ".", &names));
	for (size_t i = 0; i < names.n && all->n < STARTERS; i++) {
		struct starter *s = &all->v[all->n];
		struct starter_files *t;

		if (!starter_name_fits(names.v[i]) || has_name(all, names.v[i]))
			continue;
		TRY(files_open(c, folder, names.v[i], &t));
		*s = (struct starter){ .name = names.v[i] };
		if (t)
			TRY(readme_read(c, t, s));
		if (!s->title) {
			log_line(LOG_LEVEL_WARN, "template_untitled", "folder", folder, "name",
			    names.v[i], NULL);
			continue;
		}
		s->file_count = (int64_t)t->paths.n;
		all->n++;
	}
	return E_OK;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct starter *)a)->name, ((const struct starter *)b)->name);
}

enum err
starters(struct ctx *c, struct list *out)
{
	struct starter_list all = { mem_array(c->mem, struct starter, STARTERS), 0 };
	struct strs from = folders(c);

	for (size_t i = 0; i < from.n; i++)
		TRY(folder_read(c, from.v[i], &all));
	qsort(all.v, all.n, sizeof *all.v, by_name);
	*out = (struct list){ all.v, all.n };
	return E_OK;
}
