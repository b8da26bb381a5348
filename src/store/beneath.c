/* SPDX-License-Identifier: Apache-2.0 */
#include "store/beneath.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

enum err
store_root(struct ctx *c, void *owner, int *root)
{
	*root = mem_fd(owner, open(c->conf->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return *root < 0 ? fail_here(c, "data_dir %s can't be opened", c->conf->data_dir) : E_OK;
}

enum err
store_root_kept(struct ctx *c, int *root)
{
	static int kept = -1;
	static char of[PATH_MAX];
	const char *dir = c->conf->data_dir;

	if (kept < 0 || !str_eq(of, dir)) {
		if (kept >= 0)
			close(kept);
		snprintf(of, sizeof of, "%s", dir);
		kept = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	*root = kept;
	return kept < 0 ? fail_here(c, "data_dir %s can't be opened", dir) : E_OK;
}

static int
resolve_open(int at, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? 0640 : 0,
		.resolve = RESOLVE_BENEATH | resolve,
	};
	long fd;

	/* EAGAIN: a rename happened while ".." was resolved. */
	for (int tries = 0; tries < 100; tries++) {
		fd = syscall(SYS_openat2, at, path, &how, sizeof how);
		if (fd >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
	}
	return (int)fd;
}

int
beneath_open(int at, const char *path, int flags)
{
	return resolve_open(at, path, flags, RESOLVE_NO_SYMLINKS);
}

int
beneath_follow(int at, const char *path)
{
	return resolve_open(at, path, O_PATH, RESOLVE_NO_MAGICLINKS);
}

int
beneath_open_file(int at, const char *path, struct stat *st)
{
	/* Without O_NONBLOCK a planted FIFO would block us for ever. */
	int fd = beneath_open(at, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

static int
step_into(int at, const char *segment, size_t n)
{
	char name[NAME_MAX + 1];

	if (n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, segment, n);
	name[n] = '\0';
	if (mkdirat(at, name, 0750) && errno != EEXIST)
		return -1;
	return beneath_open(at, name, O_RDONLY | O_DIRECTORY);
}

enum err
lock_wait(struct ctx *c, int fd, int how, const char *path)
{
	while (flock(fd, how))
		if (errno != EINTR)
			return fail_here(c, "%s can't be locked", path);
	return E_OK;
}

int
beneath_mkdirs(int at, const char *path, bool *made)
{
	int dir = beneath_open(at, path, O_RDONLY | O_DIRECTORY);
	bool missing = dir < 0 && errno == ENOENT;

	if (made)
		*made = missing;
	if (!missing)
		return dir;
	for (dir = at; *path && (dir >= 0 || dir == at);) {
		size_t n = strcspn(path, "/");
		int next = step_into(dir, path, n);

		if (dir != at)
			close(dir);
		if (next < 0)
			return -1;
		dir = next;
		path += n + (path[n] == '/');
	}
	return dir;
}

int
beneath_parent(int at, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	size_t n = slash ? (size_t)(slash - path) : 1;

	*name = slash ? slash + 1 : path;
	if (n >= sizeof dir) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(dir, slash ? path : ".", n);
	dir[n] = '\0';
	return beneath_open(at, dir, O_RDONLY | O_DIRECTORY);
}

bool
beneath_absent(int err)
{
	return err == ENOENT || err == ENOTDIR || err == ELOOP || err == EXDEV ||
	    err == ENAMETOOLONG || err == ENXIO;
}

bool
path_plain(const char *path)
{
	for (;;) {
		size_t n = strcspn(path, "/");

		if (!n || n > NAME_MAX || (n == 1 && *path == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[n])
			return true;
		path += n + 1;
	}
}

bool
segment_plain(const char *name)
{
	return name && !strchr(name, '/') && path_plain(name);
}

bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

void
random_name(char out[RANDOM_NAME])
{
	uint8_t random[RANDOM_NAME / 2];

	crypto_random(random, sizeof random);
	crypto_hex_into(out, random, sizeof random);
}

enum err
read_exactly(struct ctx *c, void *owner, int fd, size_t n, const char **bytes)
{
	char *b = mem_grow(owner, NULL, n + 1);

	for (size_t done = 0; done < n;) {
		ssize_t got = read(fd, b + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		errno = got ? errno : 0;
		if (got <= 0)
			return fail_here(c, "read %zu of %zu bytes", done, n);
		done += (size_t)got;
	}
	b[n] = '\0';
	*bytes = b;
	return E_OK;
}

/* Sets *d to NULL if there is no such directory. */
static enum err
dir_open(struct ctx *c, int at, const char *path, DIR **d)
{
	int fd = beneath_open(at, path, O_RDONLY | O_DIRECTORY);

	*d = NULL;
	if (fd < 0)
		return beneath_absent(errno) ? E_OK
					     : fail_here(c, "directory %s can't be opened", path);
	*d = fdopendir(fd);
	if (*d)
		return E_OK;
	close(fd);
	return fail_here(c, "directory %s can't be listed", path);
}

enum err
dir_list(struct ctx *c, void *owner, int at, const char *path, struct names *out)
{
	size_t room = 0;
	struct dirent *entry;
	enum err e;
	DIR *d;

	*out = (struct names){ 0 };
	TRY(dir_open(c, at, path, &d));
	if (!d)
		return E_OK;
	while (errno = 0, (entry = readdir(d))) {
		if (str_eq(entry->d_name, ".") || str_eq(entry->d_name, ".."))
			continue;
		if (out->n == room) {
			room = room ? 2 * room : 32;
			out->v = mem_grow(owner, out->v, room * sizeof *out->v);
		}
		out->v[out->n++] = mem_strdup(owner, entry->d_name);
	}
	e = errno ? fail_here(c, "a directory can't be read") : E_OK;
	closedir(d);
	return e;
}

struct walk {
	DIR *d;
};

static void
walk_end(void *arg)
{
	closedir(((struct walk *)arg)->d);
}

enum err
walk_begin(struct ctx *c, void *owner, int at, const char *path, int64_t from, struct walk **out)
{
	DIR *d;

	*out = NULL;
	TRY(dir_open(c, at, path, &d));
	if (!d)
		return E_OK;
	if (from)
		seekdir(d, (long)from);
	*out = mem_new(owner, struct walk);
	(*out)->d = d;
	mem_defer(*out, walk_end, *out);
	return E_OK;
}

enum err
walk_next(struct ctx *c, struct walk *w, const char **name, int64_t *position)
{
	struct dirent *e;

	do {
		errno = 0;
		e = readdir(w->d);
	} while (e && (str_eq(e->d_name, ".") || str_eq(e->d_name, "..")));
	*name = e ? e->d_name : NULL;
	if (e)
		*position = telldir(w->d);
	return errno ? fail_here(c, "a directory can't be read") : E_OK;
}

enum err
sync_fd(struct ctx *c, int fd)
{
	return fsync(fd) ? fail_here(c, "fsync") : E_OK;
}

enum err
sync_dir(struct ctx *c, int at, const char *path)
{
	int dir = beneath_open(at, path, O_RDONLY | O_DIRECTORY);
	enum err e;

	if (dir < 0)
		return fail_here(c, "directory %s can't be opened", path);
	e = sync_fd(c, dir);
	close(dir);
	return e;
}

enum err
sync_all(struct ctx *c, int root)
{
	return syncfs(root) ? fail_here(c, "syncfs") : E_OK;
}
