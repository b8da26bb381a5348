/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/piece.h"

#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool
archive_on(const struct conf *conf)
{
	return conf_has(conf->backup_url);
}

enum err
archive_open(struct ctx *c, void *owner, struct archive *out)
{
	const char *dir = mem_printf(c->mem, "%s/archive", c->conf->data_dir);

	if (!archive_on(c->conf))
		return fail(c, E_INVALID, "backup_url isn't set");
	TRY(frame_key_read(c, &out->key));
	if (mkdir(dir, 0700) && errno != EEXIST)
		return fail_here(c, "%s can't be made", dir);
	return place_open(c, owner, &out->place);
}

static enum err
lock_open(struct ctx *c, void *owner, const char *path, int *fd)
{
	*fd = mem_fd(owner, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640));
	return *fd < 0 ? fail_here(c, "%s", path) : E_OK;
}

enum err
archive_lock(struct ctx *c, void *owner)
{
	const char *path = archive_path(c, "lock");
	int fd;

	TRY(lock_open(c, owner, path, &fd));
	return lock_wait(c, fd, LOCK_EX, path);
}

enum err
archive_alone(struct ctx *c, void *owner, const char *what)
{
	int fd;

	TRY(lock_open(c, owner, archive_path(c, mem_printf(c->mem, "%s.lock", what)), &fd));
	return flock(fd, LOCK_EX | LOCK_NB) ? fail(c, E_CONFLICT, "another %s is under way", what)
					    : E_OK;
}

enum err
piece_begin(struct ctx *c, void *owner, const struct archive *archive, const char *name,
    struct put **put, struct frames **f)
{
	TRY(place_put(c, owner, &archive->place, name, put));
	return frames_begin(c, *put, &archive->key, name, (*put)->fd, f);
}

enum err
piece_end(struct ctx *c, struct put *put, struct frames *f)
{
	TRY(frames_end(c, f));
	TRY(place_put_end(c, put));
	mem_free(put);
	return E_OK;
}

enum err
piece_open(struct ctx *c, const struct archive *archive, const char *name, struct frames **f)
{
	int fd;

	TRY(place_get(c, c->mem, &archive->place, name, &fd));
	return frames_open(c, c->mem, &archive->key, name, fd, f);
}

enum err
state_write(struct ctx *c, const char *path, const void *bytes, size_t n,
    const struct timespec *at)
{
	const char *temp = mem_printf(c->mem, "%s.new", path);
	const struct timespec times[] = { at ? *at : (struct timespec){ 0 },
		at ? *at : (struct timespec){ 0 } };
	int fd = mem_fd(c->mem, open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || (at && futimens(fd, times)) ||
	    fsync(fd) || rename(temp, path))
		return fail_here(c, "%s", path);
	return E_OK;
}
