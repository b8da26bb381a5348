/* SPDX-License-Identifier: Apache-2.0 */
#include "store/spool.h"

#include "base/conf.h"
#include "base/str.h"
#include "store/temp.h"

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

enum err
spool_open(struct ctx *c, const char *path, struct span *out)
{
	const char *name = below_spool(c->conf, path);
	void *mine = mem_zalloc(c->mem, 0);
	struct stat st;
	int root, dir, fd;

	errno = 0;
	if (!name)
		return fail_here(c, "%s is not in the spool", path);
	TRY(store_root_kept(c, &root));
	dir = mem_fd(mine, beneath_open(root, "spool", O_PATH | O_DIRECTORY));
	if (dir < 0)
		return fail_here(c, "the spool can't be opened");
	fd = mem_fd(c->mem, beneath_open_file(dir, name, &st));
	if (fd < 0 && errno == ENOENT) {
		fail_here(c,
		    "%s is gone: the client disconnected, "
		    "or nginx spools somewhere other than data_dir",
		    path);
		return c->err = E_UNAVAILABLE;
	}
	if (fd < 0)
		return fail_here(c, "%s can't be opened", path);
	mem_free(mine);
	*out = (struct span){ .fd = fd, .n = st.st_size };
	return E_OK;
}

static void
map_drop(void *arg)
{
	struct map *m = arg;

	munmap(m->bytes, m->n);
}

enum err
span_map(struct ctx *c, const struct span *s, const char **bytes)
{
	struct map *m;

	*bytes = s->bytes ? s->bytes + s->at : "";
	if (s->bytes || !s->n)
		return E_OK;
	m = mem_new(c->mem, struct map);
	m->n = (size_t)s->n;
	m->bytes = mmap(NULL, m->n, PROT_READ, MAP_PRIVATE, s->fd, s->at);
	if (m->bytes == MAP_FAILED)
		return fail_here(c, "a body can't be mapped");
	mem_defer(m, map_drop, m);
	*bytes = m->bytes;
	return E_OK;
}

enum err
span_read(struct ctx *c, const struct span *s, void *to, size_t n)
{
	if (s->bytes && n) {
		if ((int64_t)n > s->n)
			return fail_here(c, "a body has %lld bytes", (long long)s->n);
		memcpy(to, s->bytes + s->at, n);
		return E_OK;
	}
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
	return (struct span){ s.fd, s.at + n, s.n - n, s.bytes };
}

enum err
span_digest(struct ctx *c, const struct span *s, struct sha256 *into)
{
	char *piece;

	if (s->bytes) {
		crypto_sha256_add(into, s->bytes + s->at, (size_t)s->n);
		return E_OK;
	}
	piece = mem_array(c->mem, char, PIECE_BYTES);
	for (struct span rest = *s; rest.n;) {
		int64_t n = rest.n < PIECE_BYTES ? rest.n : PIECE_BYTES;

		TRY(span_read(c, &rest, piece, (size_t)n));
		crypto_sha256_add(into, piece, (size_t)n);
		rest = span_after(rest, n);
	}
	mem_free(piece);
	return E_OK;
}

enum err
span_append(struct ctx *c, const struct span *s, struct temp *to)
{
	return s->bytes ? temp_write(c, to, s->bytes + s->at, (size_t)s->n)
			: temp_copy(c, to, s->fd, s->at, s->n);
}
