/* SPDX-License-Identifier: Apache-2.0 */
#include "store/object.h"

#include "base/conf.h"
#include "base/str.h"
#include "store/shown.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { PREFIXES = 256, Y2K_S = 946684800, MTIME_MASK = 0x1fffffff };
enum { CHUNK_BYTES = 1 << 16, FLUSH_LEAST = 1 << 20, OPENED_S = 3600 };

/* An object whose bytes are written but which has no name yet. */
struct pending {
	struct temp *temp;
	char path[OBJECT_PATH];
	struct pending *next;
};

struct batch {
	int root;
	bool failed, renew;
	struct pending *pending;
	size_t n;
	bool touched[PREFIXES]; /* directories that must be synced */
	bool elsewhere;
	uint8_t *away; /* digests for batch_elsewhere() */
	size_t away_n;
};

struct object_writer {
	struct batch *batch;
	struct temp *temp;
	struct sha256 *sha256;
	int64_t size;
};

/* ---- names ---- */

static const char *
prefix_path(void *owner, unsigned prefix)
{
	return mem_printf(owner, "objects/%02x", prefix);
}

void
object_path(char out[OBJECT_PATH], const uint8_t sha256[SHA256_BYTES])
{
	memcpy(out, "objects/", 8);
	crypto_hex_into(out + 8, sha256, 1);
	out[10] = '/';
	crypto_hex_into(out + 11, sha256, SHA256_BYTES);
}

struct timespec
object_mtime(const uint8_t h[SHA256_BYTES])
{
	uint32_t first = (uint32_t)h[0] << 24 | (uint32_t)h[1] << 16 | (uint32_t)h[2] << 8 | h[3];

	return (struct timespec){ .tv_sec = Y2K_S + (time_t)(first & MTIME_MASK) };
}

enum err
store_prepare(struct ctx *c)
{
	static const char *const dirs[] = { "objects", "trees", SHOWN_SITES, SHOWN_DELIVERIES,
		"spool", "trash", "tmp", "views" };
	enum { DIRS = sizeof dirs / sizeof *dirs };
	void *mine = mem_zalloc(c->mem, 0);
	bool made, any = false;
	int root, fd;

	TRY(store_root(c, mine, &root));
	for (unsigned i = 0; i < DIRS + PREFIXES + TEMP_DIRS; i++) {
		const char *path = i < DIRS ? shown_name(root, dirs[i])
		    : i < DIRS + PREFIXES   ? prefix_path(mine, i - DIRS)
					    : mem_printf(mine, "tmp/%x", i - DIRS - PREFIXES);

		fd = beneath_mkdirs(root, path, &made);
		if (fd < 0)
			return fail_here(c, "directory %s can't be made", path);
		close(fd);
		any |= made;
	}
	TRY(store_share(c, mine));
	if (any)
		TRY(sync_all(c, root));
	mem_free(mine);
	return E_OK;
}

/* A process holds one lock for all owners. Otherwise a context that builds a thousand trees would
 * need a thousand descriptors. */
static struct {
	int fd;
	unsigned holders;
} share;

static void
share_end(void *unused)
{
	(void)unused;
	if (!--share.holders)
		close(share.fd);
}

enum err
store_share(struct ctx *c, void *owner)
{
	enum err e;
	int root;

	if (!share.holders) {
		TRY(store_root_kept(c, &root));
		share.fd = beneath_open(root, "objects/.lock", O_RDWR | O_CREAT);
		if (share.fd < 0)
			return fail_here(c, "objects/.lock can't be opened");
		e = lock_wait(c, share.fd, LOCK_SH, "objects/.lock");
		if (e)
			close(share.fd);
		TRY(e);
	}
	share.holders++;
	mem_defer(owner, share_end, NULL);
	return E_OK;
}

enum err
store_turn(struct ctx *c, void *owner)
{
	void *mine = mem_zalloc(c->mem, 0);
	int root, fd;

	TRY(store_root(c, mine, &root));
	fd = mem_fd(owner, beneath_open(root, "turn.lock", O_RDWR | O_CREAT));
	if (fd < 0)
		return fail_here(c, "turn.lock can't be opened");
	TRY(lock_wait(c, fd, LOCK_EX, "turn.lock"));
	mem_free(mine);
	return E_OK;
}

/* ---- writing ---- */

static const struct elsewhere *elsewhere;

void
object_elsewhere(const struct elsewhere *e)
{
	elsewhere = e;
}

static bool
has_elsewhere(const struct ctx *c)
{
	return elsewhere && conf_has(c->conf->store_url);
}

/* Notes that rows will name the object. */
static void
batch_note(struct batch *b, const uint8_t sha256[SHA256_BYTES])
{
	b->touched[sha256[0]] = true;
	if (!b->elsewhere)
		return;
	b->away = mem_grow(b, b->away, (b->away_n + 1) * SHA256_BYTES);
	memcpy(b->away + SHA256_BYTES * b->away_n++, sha256, SHA256_BYTES);
}

enum err
batch_elsewhere(struct ctx *c, struct batch *b)
{
	size_t n = b->away_n;

	b->away_n = 0;
	return n ? elsewhere->put(c, b->away, n) : E_OK;
}

enum err
batch_begin(struct ctx *c, struct batch **out)
{
	struct batch *b = mem_new(c->mem, struct batch);

	TRY(store_share(c, b));
	TRY(store_root(c, b, &b->root));
	b->elsewhere = has_elsewhere(c) && elsewhere->put;
	*out = b;
	return E_OK;
}

static bool
present(int root, const uint8_t sha256[SHA256_BYTES], int64_t size)
{
	char path[OBJECT_PATH];
	struct stat st;

	object_path(path, sha256);
	return fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size == size;
}

static enum err
pending_add(struct ctx *c, struct batch *b, struct temp *t, const struct object *o)
{
	struct pending *p = mem_new(b, struct pending);

	TRY(temp_stamp(c, t, object_mtime(o->sha256)));
	/* The first few keep their descriptor for fsync. For more we use syncfs, and descriptors
	 * are limited. */
	if (b->n >= SYNC_EACH)
		temp_close(t);
	p->temp = t;
	object_path(p->path, o->sha256);
	p->next = b->pending;
	b->pending = p;
	b->n++;
	return E_OK;
}

void
batch_renew(struct batch *b)
{
	b->renew = true;
}

enum err
batch_put_known(struct ctx *c, struct batch *b, const void *bytes, const struct object *o)
{
	struct temp *t;

	batch_note(b, o->sha256);
	if (!b->renew && present(b->root, o->sha256, o->size))
		return E_OK;
	TRY(temp_new(c, b, b->root, &t));
	TRY(temp_write(c, t, bytes, (size_t)o->size));
	return pending_add(c, b, t, o);
}

enum err
batch_put(struct ctx *c, struct batch *b, const void *bytes, size_t n, struct object *out)
{
	crypto_sha256(bytes, n, out->sha256);
	out->size = (int64_t)n;
	return batch_put_known(c, b, bytes, out);
}

/* Computes which object the bytes are; the batch will sync its directory. */
static enum err
span_object(struct ctx *c, struct batch *b, const struct span *s, struct object *out)
{
	struct sha256 *h = crypto_sha256_begin(c->mem);

	TRY(span_digest(c, s, h));
	crypto_sha256_end(h, out->sha256);
	out->size = s->n;
	batch_note(b, out->sha256);
	return E_OK;
}

/* Starts writing the bytes to disk while their digest is computed. */
static void
span_flush(const struct span *s)
{
	if (s->n >= FLUSH_LEAST)
		sync_file_range(s->fd, s->at, s->n, SYNC_FILE_RANGE_WRITE);
}

enum err
batch_put_span(struct ctx *c, struct batch *b, const struct span *s, const char *whole,
    struct object *out)
{
	struct temp *t = NULL;
	const char *from;

	if (whole)
		span_flush(s);
	TRY(span_object(c, b, s, out));
	if (!b->renew && present(b->root, out->sha256, out->size))
		return E_OK;
	from = whole ? spool_below(c, whole) : NULL;
	if (from)
		TRY(temp_link(c, b, b->root, from, &t));
	if (!t) {
		TRY(temp_new(c, b, b->root, &t));
		TRY(span_append(c, s, t));
	}
	return pending_add(c, b, t, out);
}

enum err
batch_put_temp(
    struct ctx *c, struct batch *b, struct temp *t, int64_t size, struct object *out)
{
	const struct span all = { .fd = t->fd, .n = size };

	span_flush(&all);
	TRY(span_object(c, b, &all, out));
	return present(b->root, out->sha256, size) ? E_OK : pending_add(c, b, t, out);
}

bool
batch_has(const struct batch *b, const uint8_t sha256[SHA256_BYTES], int64_t size)
{
	return present(b->root, sha256, size);
}

void
batch_found(struct batch *b, const uint8_t sha256[SHA256_BYTES])
{
	batch_note(b, sha256);
}

enum err
object_writer_new(struct ctx *c, struct batch *b, struct object_writer **out)
{
	struct object_writer *w = mem_new(b, struct object_writer);

	w->batch = b;
	w->sha256 = crypto_sha256_begin(w);
	TRY(temp_new(c, b, b->root, &w->temp));
	*out = w;
	return E_OK;
}

enum err
object_writer_add(struct ctx *c, struct object_writer *w, const void *bytes, size_t n)
{
	crypto_sha256_add(w->sha256, bytes, n);
	w->size += (int64_t)n;
	return temp_write(c, w->temp, bytes, n);
}

enum err
object_writer_end(struct ctx *c, struct object_writer *w, struct object *out)
{
	struct batch *b = w->batch;
	struct temp *t = w->temp;

	crypto_sha256_end(w->sha256, out->sha256);
	out->size = w->size;
	mem_free(w);
	batch_note(b, out->sha256);
	if (!present(b->root, out->sha256, out->size))
		return pending_add(c, b, t, out);
	mem_free(t);
	return E_OK;
}

size_t
batch_dirs(const struct batch *b)
{
	size_t n = 0;

	for (unsigned i = 0; b && i < PREFIXES; i++)
		n += b->touched[i];
	return n;
}

enum err
batch_sync_dirs(struct ctx *c, struct batch *b)
{
	for (unsigned i = 0; b && i < PREFIXES; i++)
		if (b->touched[i])
			TRY(sync_dir(c, b->root, prefix_path(c->mem, i)));
	return E_OK;
}

enum err
batch_name(struct ctx *c, struct batch *b)
{
	errno = 0;
	if (b->failed)
		return fail_here(c, "a batch that failed can't be synced again");
	b->failed = true;
	if (b->n > SYNC_EACH) {
		TRY(sync_all(c, b->root));
	} else {
		for (struct pending *p = b->pending; p; p = p->next)
			TRY(sync_fd(c, p->temp->fd));
	}
	for (struct pending *p = b->pending; p; p = p->next) {
		TRY(temp_move(c, p->temp, b->root, p->path));
		temp_close(p->temp);
	}
	b->pending = NULL;
	b->n = 0;
	b->failed = false;
	return E_OK;
}

enum err
batch_sync(struct ctx *c, struct batch *b)
{
	TRY(batch_name(c, b));
	b->failed = true;
	TRY(batch_dirs(b) > SYNC_EACH ? sync_all(c, b->root) : batch_sync_dirs(c, b));
	memset(b->touched, 0, sizeof b->touched);
	TRY(batch_elsewhere(c, b));
	b->failed = false;
	return E_OK;
}

/* ---- a second name ---- */

/* Copies an object that has as many links as the file system allows. */
static enum err
object_copy(struct ctx *c, int root, const char *from, int at, const char *name)
{
	void *mine = mem_zalloc(c->mem, 0);
	char *chunk = mem_array(mine, char, CHUNK_BYTES);
	struct stat st;
	struct temp *t;
	ssize_t got;
	int fd = mem_fd(mine, beneath_open_file(root, from, &st));

	if (fd < 0)
		return fail_here(c, "%s can't be opened", from);
	TRY(temp_new(c, mine, root, &t));
	while ((got = read(fd, chunk, CHUNK_BYTES)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_here(c, "%s can't be read", from);
		TRY(temp_write(c, t, chunk, (size_t)got));
	}
	TRY(temp_stamp(c, t, st.st_mtim));
	TRY(sync_fd(c, t->fd));
	TRY(temp_move(c, t, at, name));
	mem_free(mine);
	return E_OK;
}

enum err
object_link(struct ctx *c, int root, const uint8_t sha256[SHA256_BYTES], int64_t size, int at,
    const char *name)
{
	char from[OBJECT_PATH];
	struct stat st;

	object_path(from, sha256);
	TRY(object_bring(c, sha256));
	if (linkat(root, from, at, name, 0)) {
		if (errno != EMLINK)
			return fail_here(c, "%s can't be linked as %s", from, name);
		TRY(object_copy(c, root, from, at, name));
	}
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
		return fail_here(c, "the link %s of %s is gone", name, from);
	errno = 0;
	if (!S_ISREG(st.st_mode) || st.st_size != size)
		return fail_here(c, "%s is not a file of %lld bytes", from, (long long)size);
	return E_OK;
}

/* ---- reading ---- */

bool
object_exists(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size)
{
	int root;

	return store_root_kept(c, &root) == E_OK && present(root, sha256, size);
}

enum err
object_kept(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size, bool *yes)
{
	char path[OBJECT_PATH];
	bool all = str_eq(c->conf->objects_keep, "all") && !conf_has(c->conf->cluster_node);
	int root;

	*yes = object_exists(c, sha256, size);
	if (*yes || !has_elsewhere(c) || all)
		return E_OK;
	TRY(store_root_kept(c, &root));
	object_path(path, sha256);
	return faccessat(root, path, F_OK, AT_SYMLINK_NOFOLLOW) ? elsewhere->has(c, sha256, yes)
							       : E_OK;
}

enum err
object_bring(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	const struct timespec now[] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
	char path[OBJECT_PATH];
	struct stat st;
	int root;

	if (!has_elsewhere(c))
		return E_OK;
	TRY(store_root_kept(c, &root));
	object_path(path, sha256);
	/* Notes that the object is opened, hourly at most, since many file systems don't. Holds the
	 * share, so that it isn't removed between this and the opening (bucket/keep.c). */
	if (!str_eq(c->conf->objects_keep, "all")) {
		TRY(store_share(c, c->mem));
		if (!fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_atim.tv_sec + OPENED_S < c->now)
			utimensat(root, path, now, AT_SYMLINK_NOFOLLOW);
	}
	return !faccessat(root, path, F_OK, AT_SYMLINK_NOFOLLOW) ? E_OK
							     : elsewhere->fetch(c, sha256);
}

/* *fd is -1, with errno, if the object can't be opened. */
static enum err
object_fd(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int *fd, struct stat *st)
{
	char path[OBJECT_PATH];
	int root;

	TRY(store_root_kept(c, &root));
	object_path(path, sha256);
	*fd = beneath_open_file(root, path, st);
	return E_OK;
}

enum err
object_open(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int *fd, int64_t *size)
{
	struct stat st;

	TRY(object_bring(c, sha256));
	TRY(object_fd(c, sha256, fd, &st));
	if (*fd < 0)
		return fail_here(
		    c, "object %s can't be opened", crypto_hex(c->mem, sha256, SHA256_BYTES));
	mem_fd(c->mem, *fd);
	*size = st.st_size;
	return E_OK;
}

static enum err
object_part(struct ctx *c, void *owner, const uint8_t sha256[SHA256_BYTES], size_t max, bool all,
    const char **bytes, size_t *n)
{
	struct stat st;
	enum err e;
	int fd;

	TRY(object_bring(c, sha256));
	TRY(object_fd(c, sha256, &fd, &st));
	if (fd < 0)
		return fail_here(
		    c, "object %s can't be opened", crypto_hex(c->mem, sha256, SHA256_BYTES));
	*n = (size_t)st.st_size;
	if (*n > max && !all)
		*n = max;
	e = *n > max ? fail(c, E_FILE_TOO_LARGE,
			   "the file is %zu bytes; the maximum is %zu", *n, max)
		     : read_exactly(c, owner, fd, *n, bytes);
	close(fd);
	return e;
}

enum err
object_head(struct ctx *c, void *owner, const uint8_t sha256[SHA256_BYTES], size_t max,
    const char **bytes, size_t *n)
{
	return object_part(c, owner, sha256, max, false, bytes, n);
}

enum err
object_read(
    struct ctx *c, const uint8_t sha256[SHA256_BYTES], size_t max, const char **bytes, size_t *n)
{
	return object_part(c, c->mem, sha256, max, true, bytes, n);
}

enum err
object_text(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size, size_t max,
    const char **text)
{
	const char *bytes;
	size_t n;

	*text = NULL;
	if (size > (int64_t)max)
		return E_OK;
	TRY(object_read(c, sha256, max, &bytes, &n));
	if (str_is_text(bytes, n))
		*text = bytes;
	return E_OK;
}

static const char *
bytes_problem(void *mine, int fd, const uint8_t sha256[SHA256_BYTES])
{
	struct sha256 *h = crypto_sha256_begin(mine);
	char *chunk = mem_array(mine, char, CHUNK_BYTES);
	uint8_t found[SHA256_BYTES];
	ssize_t got;

	while ((got = read(fd, chunk, CHUNK_BYTES)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return "its bytes can't be read";
		crypto_sha256_add(h, chunk, (size_t)got);
	}
	crypto_sha256_end(h, found);
	return memcmp(found, sha256, SHA256_BYTES) == 0 ? NULL
	    : "its bytes have a different digest";
}

enum err
object_verify(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size, int64_t *found,
    const char **problem)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct stat st;
	int fd;

	TRY(object_fd(c, sha256, &fd, &st));
	mem_fd(mine, fd);
	if (found)
		*found = fd < 0 ? 0 : st.st_size;
	if (fd < 0)
		*problem = errno == ENOENT
		    ? "is missing"
		    : mem_printf(c->mem, "can't be opened: %s", strerror(errno));
	else if (size >= 0 && st.st_size != size)
		*problem = mem_printf(c->mem, "has %lld bytes instead of %lld",
		    (long long)st.st_size, (long long)size);
	else if (st.st_mtim.tv_sec != object_mtime(sha256).tv_sec)
		*problem = "has an mtime that doesn't match its digest";
	else
		*problem = bytes_problem(mine, fd, sha256);
	mem_free(mine);
	return E_OK;
}

enum err
object_give_back(struct ctx *c, int at, const char *from, const struct object *o)
{
	void *mine = mem_zalloc(c->mem, 0);
	char path[OBJECT_PATH];
	struct stat st;
	int root, fd = mem_fd(mine, beneath_open_file(at, from, &st));

	if (fd >= 0 && st.st_size == o->size &&
	    st.st_mtim.tv_sec == object_mtime(o->sha256).tv_sec &&
	    !bytes_problem(mine, fd, o->sha256)) {
		TRY(store_root(c, mine, &root));
		object_path(path, o->sha256);
		if (linkat(at, from, root, path, 0) && errno != EEXIST)
			return fail_here(c, "%s can't be linked as %s", from, path);
		TRY(sync_all(c, root));
	}
	mem_free(mine);
	return E_OK;
}

/* Locks the directory, so that one process at a time fetches an object. */
enum err
object_restore(struct ctx *c, const uint8_t sha256[SHA256_BYTES],
    enum err (*write)(struct ctx *c, struct object_writer *w, void *arg), void *arg, bool *sound)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct batch *b = mem_new(mine, struct batch);
	struct object_writer *w;
	struct object got;
	struct stat st;
	int lock, fd;

	*sound = true;
	TRY(store_share(c, mine));
	TRY(store_root(c, mine, &b->root));
	lock = mem_fd(mine, beneath_open(b->root, prefix_path(mine, sha256[0]), O_RDONLY));
	TRY(lock_wait(c, lock, LOCK_EX, prefix_path(mine, sha256[0])));
	TRY(object_fd(c, sha256, &fd, &st));
	/* Another process was quicker. */
	if (mem_fd(mine, fd) < 0) {
		TRY(object_writer_new(c, b, &w));
		TRY(write(c, w, arg));
		TRY(object_writer_end(c, w, &got));
		*sound = memcmp(got.sha256, sha256, SHA256_BYTES) == 0;
		if (*sound)
			TRY(batch_sync(c, b));
	}
	mem_free(mine);
	return E_OK;
}

enum err
object_each(struct ctx *c,
    enum err (*visit)(struct ctx *c, void *arg, const uint8_t sha256[SHA256_BYTES]), void *arg)
{
	int root;

	TRY(store_share(c, c->mem));
	TRY(store_root(c, c->mem, &root));
	for (unsigned prefix = 0; prefix < PREFIXES; prefix++) {
		void *mine = mem_zalloc(c->mem, 0);
		uint8_t sha256[SHA256_BYTES];
		struct names in;

		TRY(dir_list(c, mine, root, prefix_path(mine, prefix), &in));
		for (size_t i = 0; i < in.n; i++)
			if (crypto_unhex(in.v[i], sha256, sizeof sha256))
				TRY(visit(c, arg, sha256));
		mem_free(mine);
	}
	return E_OK;
}
