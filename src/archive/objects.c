/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/objects.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "store/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FOLDERS = 256, CHUNK = FRAME_BYTES, SETTLED_S = 2 };

/* data_dir/archive/looked: when each folder had last changed as it was read. Its own time is when
 * that reading began. */
struct looked {
	struct timespec changed[FOLDERS];
};

static void
looked_read(struct ctx *c, struct looked *l)
{
	int fd = open(archive_path(c, "looked"), O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, l, sizeof *l) != sizeof *l)
		memset(l, 0, sizeof *l);
	if (fd >= 0)
		close(fd);
}

static enum err
looked_write(struct ctx *c, const struct looked *l, struct timespec begun)
{
	const char *path = archive_path(c, "looked"), *temp = mem_printf(c->mem, "%s.new", path);
	int fd = mem_fd(c->mem, open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));

	if (fd < 0 || write(fd, l, sizeof *l) != sizeof *l ||
	    futimens(fd, (struct timespec[]){ begun, begun }) || fsync(fd) || rename(temp, path))
		return fail_here(c, "%s", path);
	return E_OK;
}

static bool
name_listed(const struct names *all, const char *name)
{
	return all->n && bsearch(&name, all->v, all->n, sizeof *all->v, str_order);
}

/* ---- into the backup ---- */

/* Copies one object. *good is false if its bytes don't have its digest. */
static enum err
object_put(struct ctx *c, const struct place *place, const struct frame_key *key, const char *hex,
    bool *good)
{
	struct sha256 *hash = crypto_sha256_begin(c->mem);
	uint8_t sha256[SHA256_BYTES], got[SHA256_BYTES], *chunk = mem_array(c->mem, uint8_t, CHUNK);
	struct frames *f;
	struct put *p;
	int64_t size;
	ssize_t n;
	int in;

	*good = crypto_unhex(hex, sha256, sizeof sha256);
	if (!*good)
		return E_OK;
	TRY(object_open(c, sha256, &in, &size));
	TRY(place_put(c, c->mem, place, mem_printf(c->mem, "objects/%.2s/%s", hex, hex), &p));
	TRY(frames_begin(c, p, key, p->name, p->fd, &f));
	while ((n = read(in, chunk, CHUNK)) > 0) {
		crypto_sha256_add(hash, chunk, (size_t)n);
		TRY(frames_add(c, f, chunk, (size_t)n));
	}
	if (n < 0)
		return fail_here(c, "object %s can't be read", hex);
	crypto_sha256_end(hash, got);
	*good = memcmp(got, sha256, sizeof got) == 0;
	if (!*good)
		return E_OK;
	TRY(frames_end(c, f));
	return place_put_end(c, p);
}

static enum err
folder_copy(struct ctx *c, const struct place *place, const struct frame_key *key,
    const char *folder, int64_t *copied)
{
	struct names ours, theirs;
	int root;

	TRY(store_root_kept(c, &root));
	TRY(dir_list(c, c->mem, root, folder, &ours));
	TRY(place_list(c, c->mem, place, folder, &theirs));
	for (size_t i = 0; i < ours.n; i++) {
		struct ctx *one;
		enum err e;
		bool good;

		if (name_listed(&theirs, ours.v[i]))
			continue;
		one = ctx_begin(c->conf, NULL);
		e = object_put(one, place, key, ours.v[i], &good);
		if (!e && !good)
			log_line(LOG_LEVEL_ERROR, "not backed up: damaged", "object", ours.v[i],
			    NULL);
		*copied += !e && good;
		errno = 0;
		if (e == E_DISK_FULL)
			fail(c, e, "the backup is full: %s", ctx_why(one));
		else if (e)
			fail_here(c, "%s", ctx_why(one));
		ctx_end(one);
		TRY(e);
	}
	return E_OK;
}

enum err
objects_copy(struct ctx *c, const struct place *place, const struct frame_key *key,
    int64_t *copied)
{
	struct looked l;
	struct timespec begun;
	struct stat st;
	int root;

	*copied = 0;
	clock_gettime(CLOCK_REALTIME, &begun);
	TRY(store_root_kept(c, &root));
	looked_read(c, &l);
	for (unsigned i = 0; i < FOLDERS; i++) {
		struct ctx *one;
		const char *folder = mem_printf(c->mem, "objects/%02x", i);
		enum err e;

		if (fstatat(root, folder, &st, AT_SYMLINK_NOFOLLOW) ||
		    memcmp(&st.st_mtim, &l.changed[i], sizeof st.st_mtim) == 0)
			continue;
		one = ctx_begin(c->conf, NULL);
		e = folder_copy(one, place, key, folder, copied);
		if (e)
			fail(c, e, "%s", ctx_why(one));
		ctx_end(one);
		TRY(e);
		/* A folder that changes twice within a tick of the clock has one time for both. */
		if (st.st_mtim.tv_sec + SETTLED_S < begun.tv_sec)
			l.changed[i] = st.st_mtim;
		else
			memset(&l.changed[i], 0, sizeof l.changed[i]);
	}
	return looked_write(c, &l, begun);
}

/* ---- out of the backup ---- */

struct taker {
	struct ctx *c;
	struct object_writer *to;
	int fd;
	struct sha256 *hash;
};

static enum err
object_take(struct ctx *c, const struct place *place, const struct frame_key *key, const char *hex,
    const struct taker *t)
{
	const char *name = mem_printf(c->mem, "objects/%.2s/%s", hex, hex);
	const uint8_t *bytes;
	struct frames *f;
	size_t n;
	int fd;

	TRY(place_get(c, c->mem, place, name, &fd));
	TRY(frames_open(c, c->mem, key, name, fd, &f));
	for (;;) {
		TRY(frames_next(c, f, &bytes, &n));
		if (!n)
			return E_OK;
		crypto_sha256_add(t->hash, bytes, n);
		if (t->to)
			TRY(object_writer_add(c, t->to, bytes, n));
		if (t->fd >= 0 && write(t->fd, bytes, n) != (ssize_t)n)
			return fail_here(c, "writing");
	}
}

static enum err
digest_check(struct ctx *c, const struct taker *t, const char *hex)
{
	uint8_t got[SHA256_BYTES];

	crypto_sha256_end(t->hash, got);
	return str_eq(crypto_hex(c->mem, got, sizeof got), hex)
	    ? E_OK
	    : fail(c, E_CONFLICT, "object %s has other bytes in the backup", hex);
}

enum err
object_prove(struct ctx *c, const struct place *place, const struct frame_key *key,
    const char *hex, int to)
{
	struct ctx *one = ctx_begin(c->conf, NULL);
	struct taker t = { .fd = to, .hash = crypto_sha256_begin(one->mem) };
	enum err e = object_take(one, place, key, hex, &t);

	e = e ? e : digest_check(one, &t, hex);
	if (e)
		fail(c, e, "%s", ctx_why(one));
	ctx_end(one);
	return e;
}

static enum err
object_fetch_one(struct ctx *c, const struct place *place, const struct frame_key *key,
    const char *hex)
{
	struct taker t = { .fd = -1, .hash = crypto_sha256_begin(c->mem) };
	struct object o;
	struct batch *b;

	TRY(batch_begin(c, &b));
	TRY(object_writer_new(c, b, &t.to));
	TRY(object_take(c, place, key, hex, &t));
	TRY(digest_check(c, &t, hex));
	TRY(object_writer_end(c, t.to, &o));
	return batch_sync(c, b);
}

enum err
object_fetch(struct ctx *c, const struct place *place, const struct frame_key *key,
    const char *hex)
{
	struct ctx *one = ctx_begin(c->conf, NULL);
	enum err e = object_fetch_one(one, place, key, hex);

	if (e)
		fail(c, e, "%s", ctx_why(one));
	ctx_end(one);
	return e;
}

/* ---- retention ---- */

#define GONE "gone"
enum { GONE_LINE = SHA256_HEX + 1 + 11 };

/* Reads lines "<digest> <second>", in order; none if there is no list yet. */
static enum err
gone_read(struct ctx *c, const struct place *place, struct names *out)
{
	struct buf b = BUF(c->mem);
	char *text, chunk[4096];
	ssize_t n;
	int fd;

	*out = (struct names){ 0 };
	if (!place_has(place, GONE))
		return E_OK;
	TRY(place_get(c, c->mem, place, GONE, &fd));
	while ((n = read(fd, chunk, sizeof chunk)) > 0)
		buf_add(&b, chunk, (size_t)n);
	text = mem_strdup(c->mem, buf_done(&b));
	out->v = mem_array(c->mem, const char *, b.n / GONE_LINE + 1);
	for (char *line; (line = text ? str_split(&text, '\n') : NULL);)
		if (strlen(line) == GONE_LINE - 1 && out->n < b.n / GONE_LINE)
			out->v[out->n++] = line;
	return E_OK;
}

static int
digest_order(const void *a, const void *b)
{
	return strncmp(*(const char *const *)a, *(const char *const *)b, SHA256_HEX);
}

static enum err
folder_expire(struct ctx *c, const struct place *place, const char *folder,
    const struct names *gone, int64_t second, struct buf *still, int64_t *deleted)
{
	struct names ours, theirs;
	int root;

	TRY(store_root_kept(c, &root));
	TRY(place_list(c, c->mem, place, folder, &theirs));
	TRY(dir_list(c, c->mem, root, folder, &ours));
	if (ours.n)
		qsort(ours.v, ours.n, sizeof *ours.v, str_order);
	for (size_t i = 0; i < theirs.n; i++) {
		const char *hex = theirs.v[i], **line;
		int64_t since = c->now;

		if (strlen(hex) != SHA256_HEX || name_listed(&ours, hex))
			continue;
		line = gone->n
		    ? bsearch(&hex, gone->v, gone->n, sizeof *gone->v, digest_order)
		    : NULL;
		if (line)
			since = strtoll(*line + SHA256_HEX + 1, NULL, 10);
		if (since < second) {
			TRY(place_delete(c, place, mem_printf(c->mem, "%s/%s", folder, hex)));
			++*deleted;
		} else {
			buf_fmt(still, "%s %010lld\n", hex, (long long)since);
		}
	}
	return E_OK;
}

enum err
objects_expire(struct ctx *c, const struct place *place, int64_t second, int64_t *deleted)
{
	struct buf still = BUF(c->mem);
	struct names gone;
	struct put *p;

	*deleted = 0;
	TRY(gone_read(c, place, &gone));
	for (unsigned i = 0; i < FOLDERS; i++)
		TRY(folder_expire(c, place, mem_printf(c->mem, "objects/%02x", i), &gone, second,
		    &still, deleted));
	TRY(place_put(c, c->mem, place, GONE, &p));
	if (still.n && write(p->fd, still.s, still.n) != (ssize_t)still.n)
		return fail_here(c, "%s/" GONE " can't be written", place->dir);
	return place_put_end(c, p);
}
