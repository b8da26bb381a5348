/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/place.h"

#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMP_OLD_S = 86400 };

const char *
archive_path(struct ctx *c, const char *name)
{
	return mem_printf(c->mem, "%s/archive/%s", c->conf->data_dir, name);
}

enum err
place_open(struct ctx *c, void *owner, struct place *out)
{
	out->dir = c->conf->backup_url + strlen("file://");
	out->root = mem_fd(owner, open(out->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (out->root < 0)
		return fail_here(c, "backup_url: %s can't be opened", out->dir);
	return E_OK;
}

static void
put_drop(void *arg)
{
	struct put *p = arg;

	if (*p->temp)
		unlinkat(p->place->root, p->temp, 0);
}

enum err
place_put(struct ctx *c, void *owner, const struct place *place, const char *name,
    struct put **out)
{
	struct put *p = *out = mem_new(owner, struct put);
	char random[RANDOM_NAME];

	random_name(random);
	*p = (struct put){ place, name, mem_printf(p, "tmp/%s", random), -1 };
	if (mkdirat(place->root, "tmp", 0700) && errno != EEXIST)
		return fail_here(c, "%s/tmp can't be made", place->dir);
	p->fd = mem_fd(p,
	    openat(place->root, p->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	if (p->fd < 0)
		return fail_here(c, "%s/%s", place->dir, p->temp);
	mem_defer(p, put_drop, p);
	return E_OK;
}

enum err
place_put_end(struct ctx *c, struct put *p)
{
	int root = p->place->root;
	const char *last;
	bool made;
	char *folder = mem_strdup(p, p->name);
	int dir;

	last = strrchr(p->name, '/');
	folder[last ? last - p->name : 0] = '\0';
	dir = mem_fd(p, last ? beneath_mkdirs(root, folder, &made) : dup(root));
	if (dir < 0 || fsync(p->fd) || renameat(root, p->temp, root, p->name) || fsync(dir))
		return fail_here(c, "%s/%s can't be written", p->place->dir, p->name);
	p->temp = "";
	return E_OK;
}

enum err
place_get(struct ctx *c, void *owner, const struct place *place, const char *name, int *fd)
{
	*fd = mem_fd(owner, beneath_open(place->root, name, O_RDONLY));
	if (*fd < 0 && errno == ENOENT)
		return fail(c, E_NOT_FOUND, "%s/%s is missing", place->dir, name);
	return *fd < 0 ? fail_here(c, "%s/%s", place->dir, name) : E_OK;
}

enum err
place_list(struct ctx *c, void *owner, const struct place *place, const char *folder,
    struct names *out)
{
	TRY(dir_list(c, owner, place->root, folder, out));
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, str_order);
	return E_OK;
}

bool
place_has(const struct place *place, const char *name)
{
	return faccessat(place->root, name, F_OK, 0) == 0;
}

enum err
place_delete(struct ctx *c, const struct place *place, const char *name)
{
	if (unlinkat(place->root, name, 0) && errno != ENOENT)
		return fail_here(c, "%s/%s can't be deleted", place->dir, name);
	return E_OK;
}

enum err
place_tidy(struct ctx *c, const struct place *place)
{
	struct names temps;
	struct stat st;

	TRY(dir_list(c, c->mem, place->root, "tmp", &temps));
	for (size_t i = 0; i < temps.n; i++) {
		const char *path = mem_printf(c->mem, "tmp/%s", temps.v[i]);

		if (fstatat(place->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtim.tv_sec + TEMP_OLD_S < c->now)
			TRY(place_delete(c, place, path));
	}
	return E_OK;
}
