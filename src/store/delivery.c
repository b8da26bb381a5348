/* SPDX-License-Identifier: Apache-2.0 */
#include "store/delivery.h"

#include "base/str.h"
#include "store/object.h"
#include "store/shown.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum err
delivery_lock(struct ctx *c, int *lock_fd)
{
	void *mine = mem_zalloc(c->mem, 0);
	int root;

	errno = 0;
	TRY(store_root(c, mine, &root));
	*lock_fd = beneath_open(root, shown_name(root, SHOWN_DELIVERIES), O_RDONLY | O_DIRECTORY);
	mem_free(mine);
	if (*lock_fd < 0)
		return fail_here(c, SHOWN_DELIVERIES " can't be opened");
	mem_fd(c->mem, *lock_fd);
	return lock_wait(c, *lock_fd, LOCK_EX, SHOWN_DELIVERIES);
}

void
delivery_unlock(int lock_fd)
{
	flock(lock_fd, LOCK_UN); /* c->mem owns the descriptor */
}

static enum err
file_link(struct ctx *c, int root, const char *dir, const struct delivery_file *f)
{
	char object[OBJECT_PATH];
	int at;
	bool linked;

	if (!segment_plain(f->blob_id) || !segment_plain(f->name))
		return fail_here(c, "\"%s\" can't be a name on disk", f->name);
	at = beneath_mkdirs(root, mem_printf(c->mem, "%s/%s", dir, f->blob_id), NULL);
	if (at < 0)
		return fail_here(c, "%s/%s can't be made", dir, f->blob_id);
	object_path(object, f->sha256);
	linked = linkat(root, object, at, f->name, 0) == 0 || errno == EMLINK || errno == ENOENT;
	close(at);
	return linked ? E_OK : fail_here(c, "%s can't be linked as %s", object, f->name);
}

/* Replaces the tree at place by the one at temp. Unless that is whole, removes both. */
static enum err
place_replace(struct ctx *c, int root, const char *temp, const char *place, bool whole)
{
	const char *former, *rest = NULL;

	TRY(trash_move(c, root, place, &former));
	if (whole && renameat(root, temp, root, place))
		return fail_here(c, "%s can't be put in its place", place);
	if (!whole)
		TRY(trash_move(c, root, temp, &rest));
	if (rest)
		TRY(trash_remove(c, root, rest));
	return former ? trash_remove(c, root, former) : E_OK;
}

static const char *
secret_place(void *owner, int root, const char *secret)
{
	return mem_printf(owner, "%s/%s", shown_name(root, SHOWN_DELIVERIES), secret);
}

enum err
delivery_show(struct ctx *c, const char *secret, const struct delivery_file *files, size_t n)
{
	const char *place;
	void *mine = mem_zalloc(c->mem, 0);
	char temp[TEMP_PATH];
	enum err made = E_OK, placed;
	int root;

	errno = 0;
	if (!segment_plain(secret))
		return fail_here(c, "a delivery's secret is no name");
	TRY(store_root(c, mine, &root));
	TRY(store_share(c, mine));
	place = secret_place(c->mem, root, secret);
	temp_path(temp);
	for (size_t i = 0; i < n && !made; i++)
		made = file_link(c, root, temp, &files[i]);
	placed = place_replace(c, root, temp, place, n > 0 && !made);
	mem_free(mine);
	return made ? made : placed;
}

enum err
delivery_sync(struct ctx *c)
{
	void *mine = mem_zalloc(c->mem, 0);
	enum err e;
	int root;

	TRY(store_root(c, mine, &root));
	e = sync_dir(c, root, shown_name(root, SHOWN_DELIVERIES));
	mem_free(mine);
	return e;
}

/* ---- checks ---- */

static const struct delivery_file *
file_of(const struct delivery_file *files, size_t n, const char *blob_id)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(files[i].blob_id, blob_id))
			return &files[i];
	return NULL;
}

/* False for a symbolic link: nginx would follow it. */
static bool
is_folder(int root, const char *path)
{
	struct stat st;

	return fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* The folder must have only this file, which must be a hard link of its object. */
static enum err
file_check(struct ctx *c, void *mine, int root, const char *dir, const struct delivery_file *f,
    bool *sound)
{
	struct stat shown, kept;
	char object[OBJECT_PATH];
	struct names in;

	TRY(dir_list(c, mine, root, dir, &in));
	object_path(object, f->sha256);
	*sound = is_folder(root, dir) &&
	    (in.n == 0 ||
		(in.n == 1 && str_eq(*in.v, f->name) &&
		    fstatat(root, mem_printf(mine, "%s/%s", dir, f->name), &shown,
			AT_SYMLINK_NOFOLLOW) == 0 &&
		    fstatat(root, object, &kept, AT_SYMLINK_NOFOLLOW) == 0 &&
		    same_file(&shown, &kept) && S_ISREG(shown.st_mode)));
	return E_OK;
}

enum err
delivery_check(struct ctx *c, const char *secret, const struct delivery_file *files, size_t n,
    bool *sound)
{
	void *mine = mem_zalloc(c->mem, 0);
	const char *place;
	struct names blobs;
	int root;

	TRY(store_root(c, mine, &root));
	place = secret_place(mine, root, secret);
	*sound = is_folder(root, place);
	TRY(dir_list(c, mine, root, place, &blobs));
	for (size_t i = 0; i < blobs.n && *sound; i++) {
		const struct delivery_file *f = file_of(files, n, blobs.v[i]);

		*sound = f != NULL;
		if (f)
			TRY(file_check(c, mine, root, mem_printf(mine, "%s/%s", place, f->blob_id),
			    f, sound));
	}
	mem_free(mine);
	return E_OK;
}

enum err
delivery_list(struct ctx *c, void *owner, struct names *out)
{
	void *mine = mem_zalloc(c->mem, 0);
	enum err e;
	int root;

	TRY(store_root(c, mine, &root));
	e = dir_list(c, owner, root, shown_name(root, SHOWN_DELIVERIES), out);
	mem_free(mine);
	return e;
}
