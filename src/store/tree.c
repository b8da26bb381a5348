/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tree.h"

#include "base/str.h"
#include "store/object.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

static const char *const area_name[] = {
	[TREE_PUB] = "pub", [TREE_GATED] = "gated", [TREE_META] = "meta"
};
static const char *const suffix[] = { ".gz", ".br" };

static bool
version_named(const char *artifact, int64_t no)
{
	return segment_plain(artifact) && no > 0;
}

const char *
tree_area_name(enum tree_area area)
{
	return area_name[area];
}

bool
tree_packed_name(const char *path)
{
	return str_ends(path, ".gz") || str_ends(path, ".br");
}

static enum err
version_path(
    struct ctx *c, void *owner, const char *artifact, int64_t no, bool draft, const char **out)
{
	errno = 0;
	if (!version_named(artifact, no))
		return fail_here(c, "there is no place for version %lld of \"%s\"", (long long)no,
		    artifact ? artifact : "");
	*out = mem_printf(
	    owner, "trees/%s/%s%lld", artifact, draft ? TREE_DRAFT : "", (long long)no);
	return E_OK;
}

static bool
folder_exists(void *mine, int root, const char *path)
{
	return mem_fd(mine, beneath_open(root, path, O_PATH | O_DIRECTORY)) >= 0;
}

/* Returns the path of the version: its own if it exists there, else that of a draft. */
static enum err
version_find(struct ctx *c, void *mine, const char *artifact, int64_t no, const char **out)
{
	int root;

	TRY(version_path(c, mine, artifact, no, false, out));
	TRY(store_root(c, mine, &root));
	return folder_exists(mine, root, *out) ? E_OK
					    : version_path(c, mine, artifact, no, true, out);
}

/* ---- a whole tree ---- */

struct build {
	struct ctx *c;
	void *mine;
	int root, top;
	int dir;                     /* where files are put at present */
	const char *path;            /* its path below top */
	const char *made[SYNC_EACH]; /* the first directories that were made */
	size_t n;                    /* how many directories were made */
};

static int
by_path(const void *a, const void *b)
{
	const struct tree_file *const *x = a, *const *y = b;

	return (*x)->area != (*y)->area ? ((*x)->area > (*y)->area) - ((*x)->area < (*y)->area)
					: strcmp((*x)->path, (*y)->path);
}

/* Files come sorted, so the directories that path doesn't share with the previous one are new. path
 * ends with a slash. */
static enum err
dir_enter(struct build *b, const char *path)
{
	size_t at = 0;

	for (size_t i = 0; b->path[i] && b->path[i] == path[i]; i++)
		if (path[i] == '/')
			at = i + 1;
	for (; path[at]; b->n++) {
		const char *dir;

		at += strcspn(path + at, "/");
		dir = mem_strndup(b->mine, path, at++);
		if (mkdirat(b->top, dir, 0750))
			return fail_here(b->c, "directory %s can't be made", dir);
		if (b->n < SYNC_EACH)
			b->made[b->n] = dir;
	}
	if (b->dir >= 0)
		close(b->dir);
	b->path = path;
	b->dir = beneath_open(b->top, path, O_RDONLY | O_DIRECTORY);
	return b->dir < 0 ? fail_here(b->c, "directory %s can't be opened", path) : E_OK;
}

static enum err
build_file(struct build *b, const struct tree_file *f)
{
	const char *slash = strrchr(f->path, '/'), *area = area_name[f->area];
	int n = slash ? (int)(slash + 1 - f->path) : 0;
	size_t top = strlen(area) + 1;

	errno = 0;
	if (!path_plain(f->path))
		return fail_here(b->c, "\"%s\" is not a plain path", f->path);
	/* Files are put into the directory b->path at present. */
	if (strlen(b->path) != top + (size_t)n || strncmp(b->path, area, top - 1) != 0 ||
	    memcmp(b->path + top, f->path, (size_t)n) != 0)
		TRY(dir_enter(b, mem_printf(b->mine, "%s/%.*s", area, n, f->path)));
	return object_link(b->c, b->root, f->sha256, f->size, b->dir, f->path + n);
}

static enum err
files_add(struct build *b, const struct tree_file *files, size_t n)
{
	const struct tree_file **sorted = mem_array(b->mine, const struct tree_file *, n);
	enum err e = E_OK;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &files[i];
	qsort(sorted, n, sizeof *sorted, by_path);
	for (size_t i = 0; i < n && !e; i++)
		e = build_file(b, sorted[i]);
	if (b->dir >= 0)
		close(b->dir);
	return e;
}

enum err
tree_build(struct ctx *c, struct batch *batch, const struct tree_file *files, size_t n,
    bool later, const char **building)
{
	struct build b = { .c = c, .mine = mem_zalloc(c->mem, 0), .dir = -1, .path = "" };
	char path[TEMP_PATH];
	size_t dirs;

	TRY(store_share(c, c->mem));
	TRY(store_root(c, b.mine, &b.root));
	temp_path(path);
	if (mkdirat(b.root, path, 0750))
		return fail_here(c, "%s can't be made", path);
	b.top = mem_fd(b.mine, beneath_open(b.root, path, O_RDONLY | O_DIRECTORY));
	if (b.top < 0)
		return fail_here(c, "%s can't be opened", path);
	TRY(files_add(&b, files, n));
	/* The objects' bytes are durable already; only names are new. A copy, made if an object has
	 * too many links, was synced when it was made. */
	dirs = later ? 0 : b.n;
	if (batch_dirs(batch) + dirs > SYNC_EACH) {
		TRY(sync_all(c, b.root));
	} else {
		TRY(batch_sync_dirs(c, batch));
		for (size_t i = 0; i < dirs; i++)
			TRY(sync_dir(c, b.top, b.made[i]));
		if (!later)
			TRY(sync_fd(c, b.top));
	}
	mem_free(b.mine);
	*building = mem_strdup(c->mem, path);
	return E_OK;
}

enum err
tree_sync(struct ctx *c)
{
	void *mine = mem_zalloc(c->mem, 0);
	int root;

	TRY(store_root(c, mine, &root));
	TRY(sync_all(c, root));
	mem_free(mine);
	return E_OK;
}

enum err
tree_place(struct ctx *c, const char *building, const char *artifact, int64_t no, bool draft)
{
	void *mine = mem_zalloc(c->mem, 0);
	const char *path, *name;
	int root, dir;

	TRY(version_path(c, mine, artifact, no, draft, &path));
	if (!str_starts(building, "tmp/"))
		return fail_here(c, "\"%s\" is not a tree that was built", building);
	TRY(store_root_kept(c, &root));
	dir = mem_fd(mine, beneath_mkdirs(root, mem_printf(mine, "trees/%s", artifact), NULL));
	if (dir < 0)
		return fail_here(c, "trees/%s can't be made", artifact);
	name = strrchr(path, '/') + 1;
	/* Exchanges a present tree or link, so that its address always works: another process made
	 * the tree from the rows first, or somebody planted the link. The sweeper removes it with
	 * the other temporaries. */
	if (renameat(root, building, dir, name) &&
	    ((errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) ||
		renameat2(root, building, dir, name, RENAME_EXCHANGE)))
		return fail_here(c, "%s can't be renamed to %s", building, path);
	mem_free(mine);
	return E_OK;
}

/* at_once: remove it now; otherwise the sweeper does. */
static enum err
path_drop(struct ctx *c, const char *path, bool at_once)
{
	void *mine = mem_zalloc(c->mem, 0);
	const char *moved, *name;
	int root, dir;

	TRY(store_root(c, mine, &root));
	dir = mem_fd(mine, beneath_parent(root, path, &name));
	if (dir < 0)
		return errno == ENOENT ? E_OK
				       : fail_here(c, "the directory of %s can't be opened", path);
	TRY(trash_move(c, root, path, &moved));
	TRY(sync_fd(c, dir));
	if (moved && at_once)
		TRY(trash_remove(c, root, moved));
	mem_free(mine);
	return E_OK;
}

enum err
tree_settle(struct ctx *c, const char *artifact, int64_t no, bool draft)
{
	void *mine = mem_zalloc(c->mem, 0);
	const char *path, *other;
	int root;

	TRY(version_path(c, mine, artifact, no, draft, &path));
	TRY(version_path(c, mine, artifact, no, !draft, &other));
	TRY(store_root(c, mine, &root));
	if (folder_exists(mine, root, other)) {
		if (folder_exists(mine, root, path))
			TRY(path_drop(c, other, true));
		else if (renameat(root, other, root, path))
			return fail_here(c, "%s can't be renamed to %s", other, path);
	}
	mem_free(mine);
	return E_OK;
}

/* ---- a file of a placed tree ---- */

/* The place of a file in a tree. */
struct place {
	int root, dir;    /* dir is -1 if there is no such directory */
	const char *name; /* in dir */
	bool made;        /* dir was made */
	struct stat old;
	bool there;       /* old describes the file that is there now */
};

static enum err
place_open(struct ctx *c, void *mine, const char *artifact, int64_t no, const struct tree_file *f,
    bool make, struct place *p)
{
	const char *version, *path;
	int top;

	*p = (struct place){ .dir = -1 };
	TRY(version_find(c, mine, artifact, no, &version));
	if (!path_plain(f->path))
		return fail_here(c, "\"%s\" is not a plain path", f->path);
	path = mem_printf(mine, "%s/%s", area_name[f->area], f->path);
	TRY(store_root(c, mine, &p->root));
	top = mem_fd(mine, beneath_open(p->root, version, O_RDONLY | O_DIRECTORY));
	if (top < 0)
		return errno == ENOENT && !make ? E_OK
						: fail_here(c, "%s can't be opened", version);
	p->name = strrchr(path, '/') + 1;
	if (make)
		p->dir = beneath_mkdirs(
		    top, mem_strndup(mine, path, (size_t)(p->name - path) - 1), &p->made);
	else
		p->dir = beneath_parent(top, path, &p->name);
	mem_fd(mine, p->dir);
	if (p->dir < 0)
		return beneath_absent(errno) && !make
		    ? E_OK
		    : fail_here(c, "no place for %s/%s", version, path);
	p->there = fstatat(p->dir, p->name, &p->old, AT_SYMLINK_NOFOLLOW) == 0;
	return E_OK;
}

/* In pub/ a name such as P.gz is made by tree_pack() from P; elsewhere it was published. stale:
 * remove only those made from other bytes than the file has now. */
static enum err
siblings_drop(
    struct ctx *c, void *mine, const struct place *p, enum tree_area area, bool stale)
{
	if (!p->there || area != TREE_PUB)
		return E_OK;
	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		const char *name = mem_printf(mine, "%s%s", p->name, suffix[i]);
		struct stat st;

		if (strlen(name) > NAME_MAX || fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!S_ISREG(st.st_mode) ||
		    (stale && st.st_mtim.tv_sec == p->old.st_mtim.tv_sec))
			continue;
		if (unlinkat(p->dir, name, 0) && errno != ENOENT)
			return fail_here(c, "%s can't be removed", name);
	}
	return E_OK;
}

static enum err
file_replace(struct ctx *c, void *mine, const struct tree_file *f, const struct place *p)
{
	char temp[TEMP_PATH];
	int failed, err;

	temp_path(temp);
	TRY(object_link(c, p->root, f->sha256, f->size, p->root, temp));
	TRY(siblings_drop(c, mine, p, f->area, false));
	failed = renameat(p->root, temp, p->dir, p->name);
	err = errno;
	/* temp remains after a failure, and if both names were the same file. */
	unlinkat(p->root, temp, 0);
	errno = err;
	if (failed)
		return fail_here(c, "%s can't be replaced", f->path);
	/* Again, because one may have been made from the old bytes meanwhile. tree_pack() notices
	 * later ones. */
	return siblings_drop(c, mine, p, f->area, false);
}

enum err
tree_put(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *f)
{
	void *mine = mem_zalloc(c->mem, 0);
	char object[OBJECT_PATH];
	struct place p;
	struct stat st;

	TRY(store_share(c, mine));
	TRY(place_open(c, mine, artifact, no, f, true, &p));
	object_path(object, f->sha256);
	if (!p.there || fstatat(p.root, object, &st, AT_SYMLINK_NOFOLLOW) ||
	    !same_file(&st, &p.old))
		TRY(file_replace(c, mine, f, &p));
	else
		TRY(siblings_drop(c, mine, &p, f->area, true));
	/* Also if it existed, because the process that made it may have failed before its sync. */
	TRY(p.made ? sync_all(c, p.root) : sync_fd(c, p.dir));
	mem_free(mine);
	return E_OK;
}

enum err
tree_remove_file(
    struct ctx *c, const char *artifact, int64_t no, enum tree_area area, const char *path)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct place p;

	TRY(place_open(
	    c, mine, artifact, no, &(struct tree_file){ .path = path, .area = area }, false, &p));
	if (p.dir >= 0) {
		TRY(siblings_drop(c, mine, &p, area, false));
		if (unlinkat(p.dir, p.name, 0) && errno != ENOENT)
			return fail_here(c, "%s can't be removed", path);
		TRY(sync_fd(c, p.dir));
	}
	mem_free(mine);
	return E_OK;
}

enum err
tree_version_open(
    struct ctx *c, const char *artifact, int64_t no, int *version, const char **place)
{
	const char *path;
	int root;

	if (!version_named(artifact, no))
		return fail(c, E_NOT_FOUND, "there is no such version");
	TRY(store_root_kept(c, &root));
	TRY(version_path(c, c->mem, artifact, no, false, &path));
	*version = mem_fd(c->mem, beneath_open(root, path, O_PATH | O_DIRECTORY));
	if (*version < 0 && beneath_absent(errno)) {
		TRY(version_path(c, c->mem, artifact, no, true, &path));
		*version = mem_fd(c->mem, beneath_open(root, path, O_PATH | O_DIRECTORY));
	}
	if (*version < 0)
		return beneath_absent(errno) ? fail(c, E_NOT_FOUND, "there is no such version")
					     : fail_here(c, "%s can't be opened", path);
	*place = path + strlen("trees/");
	return E_OK;
}

bool
tree_has_area(int version, enum tree_area area)
{
	struct stat st;

	return fstatat(version, area_name[area], &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno != ENOENT;
}

enum err
tree_open_in(struct ctx *c, int version, enum tree_area area, const char *path, int *fd,
    struct stat *st)
{
	const char *below;

	/* A path with ".." could lead into another area. */
	if (!path_plain(path))
		return fail(c, E_NOT_FOUND, "there is no such file");
	below = mem_printf(c->mem, "%s/%s", area_name[area], path);
	*fd = mem_fd(c->mem, beneath_open_file(version, below, st));
	if (*fd >= 0)
		return E_OK;
	return beneath_absent(errno) ? fail(c, E_NOT_FOUND, "there is no such file")
				     : fail_here(c, "%s can't be opened", path);
}

enum err
tree_open(struct ctx *c, const char *artifact, int64_t no, enum tree_area area, const char *path,
    int *fd, struct stat *st)
{
	const char *place;
	int version;

	TRY(tree_version_open(c, artifact, no, &version, &place));
	return tree_open_in(c, version, area, path, fd, st);
}

enum err
tree_nearest(struct ctx *c, int version, enum tree_area area, const char *path, const char *name,
    const char **found)
{
	void *mine = mem_zalloc(c->mem, 0);
	int dir = beneath_open(version, area_name[area], O_PATH | O_DIRECTORY);
	const char *at = path, *below = NULL;

	*found = NULL;
	if (dir < 0)
		return beneath_absent(errno) ? E_OK : fail_here(c, "%s", area_name[area]);
	for (;;) {
		size_t n = strcspn(at, "/");
		struct stat st;
		int next;

		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			below = at;
		if (!at[n] || n > NAME_MAX)
			break;
		next = beneath_open(dir, mem_strndup(mine, at, n), O_PATH | O_DIRECTORY);
		if (next < 0)
			break;
		close(dir);
		dir = next;
		at += n + 1;
	}
	close(dir);
	mem_free(mine);
	if (below)
		*found = mem_printf(c->mem, "%.*s%s", (int)(below - path), path, name);
	return E_OK;
}

enum err
tree_give_back(struct ctx *c, const char *artifact, int64_t no, const char *path,
    const struct object *o)
{
	void *mine = mem_zalloc(c->mem, 0);
	const char *top;
	int root, version;

	TRY(store_share(c, mine));
	TRY(version_find(c, mine, artifact, no, &top));
	TRY(store_root(c, mine, &root));
	version = mem_fd(mine, beneath_open(root, top, O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; version >= 0 && i < sizeof area_name / sizeof *area_name; i++)
		TRY(object_give_back(
		    c, version, mem_printf(mine, "%s/%s", area_name[i], path), o));
	mem_free(mine);
	return E_OK;
}

bool
tree_exists(struct ctx *c, const char *artifact, int64_t no, bool draft)
{
	void *mine = mem_zalloc(c->mem, 0);
	const char *path;
	int root;
	bool there = version_named(artifact, no) &&
	    !version_path(c, mine, artifact, no, draft, &path) && !store_root(c, mine, &root) &&
	    folder_exists(mine, root, path);

	mem_free(mine);
	return there;
}

/* ---- removal ---- */

enum err
tree_drop(struct ctx *c, const char *artifact, int64_t no)
{
	const char *path;

	TRY(version_find(c, c->mem, artifact, no, &path));
	return path_drop(c, path, true);
}

enum err
tree_numbers(struct ctx *c, const char *artifact, struct tree_numbers *out)
{
	struct names all;
	int root;

	*out = (struct tree_numbers){ 0 };
	errno = 0;
	if (!segment_plain(artifact))
		return fail_here(c, "\"%s\" is not an artifact", artifact);
	TRY(store_root(c, c->mem, &root));
	TRY(dir_list(c, c->mem, root, mem_printf(c->mem, "trees/%s", artifact), &all));
	out->v = mem_array(c->mem, int64_t, all.n + 1);
	for (size_t i = 0; i < all.n; i++) {
		const char *name = all.v[i];

		name += str_starts(name, TREE_DRAFT) ? strlen(TREE_DRAFT) : 0;
		if (str_int(name, &out->v[out->n]))
			out->n++;
	}
	return E_OK;
}

enum err
tree_drop_all(struct ctx *c, const char *artifact)
{
	errno = 0;
	if (!segment_plain(artifact))
		return fail_here(c, "\"%s\" is not an artifact", artifact);
	return path_drop(c, mem_printf(c->mem, "trees/%s", artifact), false);
}
