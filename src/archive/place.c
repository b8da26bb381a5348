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

enum { TEMP_OLD_S = 86400, CHUNK = 1 << 16 };
static const int64_t put_most = 5LL << 30; /* of S3, for one PUT */

const char *
archive_path(struct ctx *c, const char *name)
{
	return mem_printf(c->mem, "%s/archive/%s", c->conf->data_dir, name);
}

static const char *
other_than_none(const char *value, const char *other)
{
	return conf_has(value) ? value : other;
}

enum err
place_open(struct ctx *c, void *owner, struct place *out)
{
	const struct conf *conf = c->conf;
	bool folder = str_starts(conf->backup_url, "file://");
	const char *dir = folder ? conf->backup_url + strlen("file://") : archive_path(c, "");

	*out = (struct place){ .name = folder ? dir : conf->backup_url,
		.root = mem_fd(owner, open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
		.stored = !folder,
		.at = { conf->backup_url,
		    other_than_none(conf->backup_store_region, conf->store_region),
		    other_than_none(conf->backup_store_key_file, conf->store_key_file) } };
	return out->root < 0 ? fail_here(c, "backup_url: %s can't be opened", dir) : E_OK;
}

/* ---- in a store ---- */

/* Returns a file without a name, which goes when it is closed. */
static int
temp_open(void *owner, const struct place *place)
{
	return mem_fd(owner, openat(place->root, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

static enum err
store_failed(struct ctx *c, const struct place *place, const char *name, const char *why)
{
	errno = 0;
	return fail_here(c, "%s/%s: %s", place->name, name, why);
}

static int
put_open(struct s3_call *call)
{
	const struct put *p = call->arg;

	return lseek(p->fd, 0, SEEK_SET) < 0 ? -1 : dup(p->fd);
}

/* Sets size and digest of what is written. */
static enum err
put_measure(struct ctx *c, struct put *p, int64_t *size)
{
	struct sha256 *hash = crypto_sha256_begin(p);
	uint8_t *chunk = mem_array(p, uint8_t, CHUNK);
	ssize_t got;

	for (*size = 0; (got = pread(p->fd, chunk, CHUNK, *size)) > 0; *size += got)
		crypto_sha256_add(hash, chunk, (size_t)got);
	crypto_sha256_end(hash, p->sha256);
	if (got < 0)
		return fail_here(c, "%s can't be read", p->name);
	return *size > put_most
	    ? store_failed(c, p->place, p->name, "is too large for a store; use a folder")
	    : E_OK;
}

static enum err
store_puts(struct ctx *c, struct put *const *puts, size_t n)
{
	struct s3_call *calls = mem_array(c->mem, struct s3_call, n);

	for (size_t i = 0; i < n; i++) {
		calls[i] = (struct s3_call){ .method = S3_PUT, .key = puts[i]->name,
			.open = put_open, .sha256 = puts[i]->sha256, .arg = puts[i] };
		TRY(put_measure(c, puts[i], &calls[i].size));
	}
	TRY(s3_calls(c, puts[0]->place->at, calls, n));
	for (size_t i = 0; i < n; i++)
		if (calls[i].why)
			return store_failed(c, puts[i]->place, puts[i]->name, calls[i].why);
	return E_OK;
}

struct getting {
	int fd, failed; /* errno */
};

static bool
get_receive(struct s3_call *call, const char *bytes, size_t n)
{
	struct getting *g = call->arg;

	if (write(g->fd, bytes, n) == (ssize_t)n)
		return true;
	g->failed = errno ? errno : ENOSPC;
	return false;
}

/* Fetches a piece into a temporary. */
static enum err
store_find(struct ctx *c, void *owner, const struct place *place, const char *name, int *fd)
{
	struct getting g = { .fd = temp_open(owner, place) };
	struct s3_call call = { .method = S3_GET, .key = name, .take = get_receive, .arg = &g };

	if (g.fd < 0)
		return fail_here(c, "%s", archive_path(c, ""));
	TRY(s3_calls(c, place->at, &call, 1));
	*fd = call.absent ? -1 : g.fd;
	errno = g.failed;
	if (g.failed)
		return fail_here(c, "%s can't be fetched into %s", name, archive_path(c, ""));
	if (call.why && !call.absent)
		return store_failed(c, place, name, call.why);
	return lseek(g.fd, 0, SEEK_SET) ? fail_here(c, "%s", name) : E_OK;
}

static enum err
store_list(struct ctx *c, void *owner, const struct place *place, const char *folder,
    struct names *out)
{
	const char *prefix = mem_printf(c->mem, "%s/", folder), *after = NULL;
	size_t skip = strlen(prefix);
	struct strs keys;
	bool more = true;

	*out = (struct names){ 0 };
	while (more) {
		TRY(s3_list(c, place->at, prefix, after, &keys, &more));
		if (!keys.n)
			return E_OK;
		after = keys.v[keys.n - 1];
		out->v = mem_grow(owner, out->v, (out->n + keys.n) * sizeof *out->v);
		for (size_t i = 0; i < keys.n; i++)
			if (!strchr(keys.v[i] + skip, '/'))
				out->v[out->n++] = mem_strdup(owner, keys.v[i] + skip);
	}
	return E_OK;
}

/* ---- both ---- */

static void
put_drop(void *arg)
{
	struct put *p = arg;

	if (p->temp)
		unlinkat(p->root, p->temp, 0);
}

enum err
place_put(struct ctx *c, void *owner, const struct place *place, const char *name,
    struct put **out)
{
	struct put *p = *out = mem_new(owner, struct put);
	char random[RANDOM_NAME];

	*p = (struct put){ .place = place, .root = place->root, .name = name };
	if (place->stored) {
		p->fd = temp_open(p, place);
		return p->fd < 0 ? fail_here(c, "%s", archive_path(c, "")) : E_OK;
	}
	random_name(random);
	if (mkdirat(place->root, "tmp", 0700) && errno != EEXIST)
		return fail_here(c, "%s/tmp can't be made", place->name);
	p->temp = mem_printf(p, "tmp/%s", random);
	p->fd = mem_fd(p,
	    openat(place->root, p->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	if (p->fd < 0)
		return fail_here(c, "%s/%s", place->name, p->temp);
	mem_defer(p, put_drop, p);
	return E_OK;
}

static enum err
folder_put(struct ctx *c, struct put *p)
{
	int root = p->place->root;
	const char *last = strrchr(p->name, '/');
	char *folder = mem_strdup(p, p->name);
	bool made;
	int dir;

	folder[last ? last - p->name : 0] = '\0';
	dir = mem_fd(p, last ? beneath_mkdirs(root, folder, &made) : dup(root));
	if (dir < 0 || fsync(p->fd) || renameat(root, p->temp, root, p->name) || fsync(dir))
		return fail_here(c, "%s/%s can't be written", p->place->name, p->name);
	p->temp = NULL;
	return E_OK;
}

enum err
place_puts_end(struct ctx *c, struct put *const *puts, size_t n)
{
	if (n && puts[0]->place->stored)
		return store_puts(c, puts, n);
	for (size_t i = 0; i < n; i++)
		TRY(folder_put(c, puts[i]));
	return E_OK;
}

enum err
place_put_end(struct ctx *c, struct put *p)
{
	return place_puts_end(c, &p, 1);
}

enum err
place_find(struct ctx *c, void *owner, const struct place *place, const char *name, int *fd)
{
	if (place->stored)
		return store_find(c, owner, place, name, fd);
	*fd = mem_fd(owner, beneath_open(place->root, name, O_RDONLY));
	return *fd < 0 && errno != ENOENT ? fail_here(c, "%s/%s", place->name, name) : E_OK;
}

enum err
place_get(struct ctx *c, void *owner, const struct place *place, const char *name, int *fd)
{
	TRY(place_find(c, owner, place, name, fd));
	return *fd < 0 ? fail(c, E_NOT_FOUND, "%s/%s is missing", place->name, name) : E_OK;
}

enum err
place_list(struct ctx *c, void *owner, const struct place *place, const char *folder,
    struct names *out)
{
	TRY(place->stored ? store_list(c, owner, place, folder, out)
			  : dir_list(c, owner, place->root, folder, out));
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, str_order);
	return E_OK;
}

enum err
place_delete(struct ctx *c, const struct place *place, const char *name)
{
	if (place->stored) {
		struct s3_call call = { .method = S3_DELETE, .key = name };

		TRY(s3_calls(c, place->at, &call, 1));
		return call.why && !call.absent ? store_failed(c, place, name, call.why) : E_OK;
	}
	if (unlinkat(place->root, name, 0) && errno != ENOENT)
		return fail_here(c, "%s/%s can't be deleted", place->name, name);
	return E_OK;
}

enum err
place_tidy(struct ctx *c, const struct place *place)
{
	struct names temps;
	struct stat st;

	if (place->stored)
		return E_OK;
	TRY(dir_list(c, c->mem, place->root, "tmp", &temps));
	for (size_t i = 0; i < temps.n; i++) {
		const char *path = mem_printf(c->mem, "tmp/%s", temps.v[i]);

		if (fstatat(place->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtim.tv_sec + TEMP_OLD_S < c->now)
			TRY(place_delete(c, place, path));
	}
	return E_OK;
}
