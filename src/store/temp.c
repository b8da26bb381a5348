/* SPDX-License-Identifier: Apache-2.0 */
#include "store/temp.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void
temp_path(char out[TEMP_PATH])
{
	random_name(out + 6);
	memcpy(out, "tmp/", 4);
	out[4] = out[6];
	out[5] = '/';
}

static void
temp_drop(void *arg)
{
	struct temp *t = arg;

	temp_close(t);
	if (*t->path)
		unlinkat(t->root, t->path, 0); /* the sweeper removes what stays */
}

enum err
temp_new(struct ctx *c, void *owner, int root, struct temp **out)
{
	struct temp *t = mem_new(owner, struct temp);

	t->root = root;
	temp_path(t->path);
	t->fd = beneath_open(root, t->path, O_RDWR | O_CREAT | O_EXCL);
	if (t->fd < 0)
		return fail_here(c, "temporary %s can't be made", t->path);
	mem_defer(t, temp_drop, t);
	*out = t;
	return E_OK;
}

enum err
temp_nameless(struct ctx *c, void *owner, int *fd)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct temp *t;
	int root;

	TRY(store_root(c, mine, &root));
	TRY(temp_new(c, mine, root, &t));
	*fd = mem_fd(owner, fcntl(t->fd, F_DUPFD_CLOEXEC, 0));
	mem_free(mine);
	return *fd < 0 ? fail_here(c, "a temporary can't be kept") : E_OK;
}

enum err
temp_write(struct ctx *c, struct temp *t, const void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = write(t->fd, (const char *)bytes + done, n - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return fail_here(c, "wrote %zu of %zu bytes", done, n);
		done += (size_t)put;
	}
	return E_OK;
}

/* Copies through memory if the file system can't copy by itself. */
static ssize_t
piece_copy(int from, off_t *at, int to, size_t n)
{
	char piece[1 << 16];
	ssize_t done = copy_file_range(from, at, to, NULL, n, 0);

	if (done >= 0 || (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP))
		return done;
	done = pread(from, piece, n < sizeof piece ? n : sizeof piece, *at);
	if (done > 0)
		done = write(to, piece, (size_t)done);
	*at += done > 0 ? done : 0;
	return done;
}

enum err
temp_copy(struct ctx *c, struct temp *t, int fd, int64_t at, int64_t n)
{
	for (off_t place = at; n > 0;) {
		ssize_t done = piece_copy(fd, &place, t->fd, (size_t)n);

		if (done < 0 && errno == EINTR)
			continue;
		errno = done ? errno : 0;
		if (done <= 0)
			return fail_here(c, "%lld bytes are left to copy", (long long)n);
		n -= done;
	}
	return E_OK;
}

static void
kept_drop(void *arg)
{
	struct temp *t = arg;

	if (*t->path)
		temp_drop(t);
	else
		temp_close(t);
}

enum err
temp_keep(struct ctx *c, void *owner, int root, const char *name, struct temp **out, int64_t *size)
{
	struct temp *t = mem_new(owner, struct temp);
	struct stat st;

	*t = (struct temp){ .root = root, .name = mem_printf(t, "spool/%s", name) };
	t->fd = beneath_open(root, t->name, O_RDWR | O_CREAT);
	mem_defer(t, kept_drop, t);
	if (t->fd < 0 || fstat(t->fd, &st))
		return fail_here(c, "%s can't be opened", t->name);
	if (flock(t->fd, LOCK_EX | LOCK_NB))
		return fail(c, E_CONFLICT, "Another request is at it; wait until that ends");
	*size = st.st_size;
	*out = t;
	return E_OK;
}

enum err
temp_claim(struct ctx *c, struct temp *t)
{
	char path[TEMP_PATH];

	temp_path(path);
	if (renameat(t->root, t->name, t->root, path))
		return fail_here(c, "%s can't be renamed", t->name);
	memcpy(t->path, path, sizeof path);
	return E_OK;
}

enum err
temp_link(struct ctx *c, void *owner, int root, const char *from, struct temp **out)
{
	struct temp *t = mem_new(owner, struct temp);

	*out = NULL;
	t->root = root;
	temp_path(t->path);
	if (linkat(root, from, root, t->path, 0))
		return errno == EXDEV || errno == EMLINK || errno == EPERM
		    ? E_OK
		    : fail_here(c, "%s can't be linked as a temporary", from);
	t->fd = beneath_open(root, t->path, O_RDONLY);
	mem_defer(t, temp_drop, t);
	if (t->fd < 0)
		return fail_here(c, "temporary %s can't be opened", t->path);
	*out = t;
	return E_OK;
}

enum err
temp_stamp(struct ctx *c, const struct temp *t, struct timespec mtime)
{
	struct timespec both[2] = { mtime, mtime };

	return futimens(t->fd, both) ? fail_here(c, "the time of a file can't be set") : E_OK;
}

void
temp_close(struct temp *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

enum err
temp_move(struct ctx *c, struct temp *t, int at, const char *path)
{
	if (renameat(t->root, t->path, at, path))
		return fail_here(c, "a temporary can't be renamed to %s", path);
	*t->path = '\0';
	return E_OK;
}

/* ---- trash ---- */

/* Moves an entry of a directory to trash/. */
static enum err
entry_move(struct ctx *c, int root, int dir, const char *name, const char **moved)
{
	char random[RANDOM_NAME];
	const char *to;

	random_name(random);
	to = mem_printf(c->mem, "trash/%s", random);
	*moved = NULL;
	if (renameat(dir, name, root, to))
		return errno == ENOENT ? E_OK
				       : fail_here(c, "%s can't be moved to the trash", name);
	*moved = to;
	return E_OK;
}

enum err
trash_move(struct ctx *c, int root, const char *path, const char **moved)
{
	const char *name;
	int dir = beneath_parent(root, path, &name);
	enum err e;

	*moved = NULL;
	if (dir < 0)
		return errno == ENOENT ? E_OK
				       : fail_here(c, "the directory of %s can't be opened", path);
	e = entry_move(c, root, dir, name, moved);
	close(dir);
	return e;
}

struct doomed {
	const char *path;
	struct doomed *next;
};

/* Returns false, with errno, for a directory that isn't empty. */
static bool
entry_remove(int at, const char *name)
{
	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return true;
	return (errno == EISDIR || errno == EPERM) &&
	    (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT);
}

/* Empties a directory. Moves its subdirectories into trash/ for later, so depth needs neither stack
 * nor descriptors. */
static enum err
dir_flatten(struct ctx *c, void *mine, int root, const char *path, struct doomed **todo)
{
	int dir = mem_fd(mine, beneath_open(root, path, O_RDONLY | O_DIRECTORY));
	struct names in;

	if (dir < 0)
		return errno == ENOENT ? E_OK : fail_here(c, "%s can't be removed", path);
	TRY(dir_list(c, mine, root, path, &in));
	for (size_t i = 0; i < in.n; i++) {
		struct doomed *d;

		if (entry_remove(dir, in.v[i]))
			continue;
		if (errno != ENOTEMPTY && errno != EEXIST)
			return fail_here(c, "%s/%s can't be removed", path, in.v[i]);
		d = mem_new(c->mem, struct doomed);
		TRY(entry_move(c, root, dir, in.v[i], &d->path));
		d->next = *todo;
		*todo = d;
	}
	return E_OK;
}

/* Entries left at the end of the time are still in trash/. */
static enum err
trash_remove_until(struct ctx *c, int root, const char *moved, int64_t until)
{
	struct doomed first = { .path = moved }, *todo = &first;

	while (todo && clock_ms() < until) {
		const char *path = todo->path;
		void *mine;

		todo = todo->next;
		if (!path || entry_remove(root, path))
			continue;
		mine = mem_zalloc(c->mem, 0);
		TRY(dir_flatten(c, mine, root, path, &todo));
		mem_free(mine);
		if (!entry_remove(root, path))
			return fail_here(c, "%s can't be removed", path);
	}
	return E_OK;
}

enum err
trash_remove(struct ctx *c, int root, const char *moved)
{
	return trash_remove_until(c, root, moved, INT64_MAX);
}

enum err
trash_empty(struct ctx *c, int root, int64_t budget_ms, int64_t *removed, bool *finished)
{
	int64_t until = clock_ms() + budget_ms, position;
	void *mine = mem_zalloc(c->mem, 0);
	enum err failed = E_OK;
	struct walk *in;
	const char *name;

	*removed = 0;
	*finished = true;
	TRY(walk_begin(c, mine, root, "trash", 0, &in));
	while (in) {
		enum err e;

		TRY(walk_next(c, in, &name, &position));
		if (!name)
			break;
		e = trash_remove_until(c, root, mem_printf(mine, "trash/%s", name), until);
		if (clock_ms() >= until) {
			*finished = false;
			break;
		}
		failed = failed ? failed : e;
		*removed += !e;
	}
	mem_free(mine);
	return failed;
}
