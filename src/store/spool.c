/* SPDX-License-Identifier: Apache-2.0 */
#include "store/spool.h"

#include "base/conf.h"
#include "base/str.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 16 };

struct map {
	void *bytes;
	size_t n;
};

/* Returns path without data_dir/spool/, or NULL. */
static const char *
below_spool(const struct conf *conf, const char *path)
{
	size_t n = strlen(conf->data_dir);

	while (n > 1 && conf->data_dir[n - 1] == '/')
		n--;
	if (strncmp(path, conf->data_dir, n) != 0 || !str_starts(path + n, "/spool/"))
		return NULL;
	path += n + strlen("/spool/");
	return path_plain(path) ? path : NULL;
}

const char *
spool_below(struct ctx *c, const char *path)
{
	const char *name = below_spool(c->conf, path);

	return name ? mem_printf(c->mem, "spool/%s", name) : NULL;
}

static enum err
file_open(struct ctx *c, void *owner, const char *path, int *fd, int64_t *size)
{
	const char *name = below_spool(c->conf, path);
	void *mine = mem_zalloc(c->mem, 0);
	struct stat st;
	int root, dir;

	errno = 0;
	if (!name)
		return fail_here(c, "%s is not in the spool", path);
	TRY(store_root(c, mine, &root));
	dir = mem_fd(mine, beneath_open(root, "spool", O_PATH | O_DIRECTORY));
	if (dir < 0)
		return fail_here(c, "the spool can't be opened");
	*fd = mem_fd(owner, beneath_open_file(dir, name, &st));
	if (*fd < 0 && errno == ENOENT) {
		fail_here(c,
		    "%s is gone: the client disconnected, "
		    "or nginx spools somewhere other than data_dir",
		    path);
		return c->err = E_UNAVAILABLE;
	}
	if (*fd < 0)
		return fail_here(c, "%s can't be opened", path);
	mem_free(mine);
	*size = st.st_size;
	return E_OK;
}

enum err
spool_open(struct ctx *c, const char *path, int *fd, int64_t *size)
{
	return file_open(c, c->mem, path, fd, size);
}

static void
map_drop(void *arg)
{
	struct map *m = arg;

	munmap(m->bytes, m->n);
}

enum err
spool_map(struct ctx *c, const char *path, const char **bytes, size_t *n)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct map *m = mem_new(c->mem, struct map);
	int64_t size;
	int fd;

	TRY(file_open(c, mine, path, &fd, &size));
	*bytes = "";
	*n = m->n = (size_t)size;
	if (size) {
		m->bytes = mmap(NULL, m->n, PROT_READ, MAP_PRIVATE, fd, 0);
		if (m->bytes == MAP_FAILED)
			return fail_here(c, "%s can't be mapped", path);
		mem_defer(m, map_drop, m);
		*bytes = m->bytes;
	}
	mem_free(mine);
	return E_OK;
}

enum err
span_read(struct ctx *c, const struct span *s, void *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(s->fd, (char *)to + done, n - done, s->at + (int64_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		errno = got ? errno : 0;
		if (got <= 0)
			return fail_here(c, "read %zu of %zu bytes of a body", done, n);
		done += (size_t)got;
	}
	return E_OK;
}

struct span
span_after(struct span s, int64_t n)
{
	return (struct span){ s.fd, s.at + n, s.n - n };
}

enum err
span_digest(struct ctx *c, const struct span *s, struct sha256 *into)
{
	char *piece = mem_array(c->mem, char, PIECE_BYTES);

	for (struct span rest = *s; rest.n;) {
		int64_t n = rest.n < PIECE_BYTES ? rest.n : PIECE_BYTES;

		TRY(span_read(c, &rest, piece, (size_t)n));
		crypto_sha256_add(into, piece, (size_t)n);
		rest = span_after(rest, n);
	}
	mem_free(piece);
	return E_OK;
}
