/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/objects.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "bucket/bucket.h"
#include "store/object.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FOLDERS = 256, SETTLED_S = 2, COPY_BYTES = 16 << 20 };

/* data_dir/archive/looked: when each folder had last changed as it was read. Its own time is when
 * the last reading of all of them began. */
struct looked {
	struct timespec changed[FOLDERS];
	/* The reading under way: when it began, and its next folder; 0 if none is. */
	struct timespec began;
	unsigned next;
};

enum err
objects_anew(struct ctx *c)
{
	const char *path = archive_path(c, "looked");

	return unlink(path) && errno != ENOENT ? fail_here(c, "%s", path) : E_OK;
}

static bool
name_listed(const struct names *all, const char *name)
{
	return all->n && bsearch(&name, all->v, all->n, sizeof *all->v, str_order);
}

static const char *
object_name(struct ctx *c, const char *hex)
{
	return mem_printf(c->mem, "objects/%.2s/%s", hex, hex);
}

/* ---- into the backup ---- */

/* Names of objects to copy. */
struct ours {
	struct names names;
	bool away; /* some are only in store_url, not in data_dir */
	bool down; /* which couldn't be read */
};

/* Fetches an object from store_url into a file without a name, since data_dir may have no room for
 * all of them. *fd is -1 if the store has lost it. */
static enum err
stored_open(struct ctx *c, struct ours *ours, const uint8_t sha256[SHA256_BYTES], int *fd,
    int64_t *size)
{
	struct stat st;
	enum err e;

	TRY(temp_nameless(c, c->mem, fd));
	e = bucket_read(c, sha256, *fd);
	if (e == E_NOT_FOUND) {
		*fd = -1;
		return ctx_forgive(c);
	}
	ours->down = e != E_OK;
	TRY(e);
	if (lseek(*fd, 0, SEEK_SET) || fstat(*fd, &st))
		return fail_here(c, "a fetched object can't be read");
	*size = st.st_size;
	return E_OK;
}

/* Writes one object into a piece. *p is NULL if it is lost, or its bytes don't have its digest. */
static enum err
object_write(struct ctx *c, const struct archive *archive, struct ours *ours, const char *hex,
    struct put **p, int64_t *size)
{
	struct sha256 *hash = crypto_sha256_begin(c->mem);
	uint8_t sha256[SHA256_BYTES], got[SHA256_BYTES];
	struct frames *f;
	int in;

	*p = NULL;
	if (!crypto_unhex(hex, sha256, sizeof sha256))
		return E_OK;
	TRY(ours->away ? stored_open(c, ours, sha256, &in, size)
		       : object_open(c, sha256, &in, size));
	if (in < 0) {
		log_line(LOG_LEVEL_ERROR, "not backed up: lost", "object", hex, NULL);
		return E_OK;
	}
	TRY(piece_begin(c, c->mem, archive, object_name(c, hex), p, &f));
	TRY(frames_fill(c, f, in, -1, hash));
	crypto_sha256_end(hash, got);
	if (memcmp(got, sha256, sizeof got) != 0) {
		log_line(LOG_LEVEL_ERROR, "not backed up: damaged", "object", hex, NULL);
		*p = NULL;
		return E_OK;
	}
	return frames_end(c, f);
}

/* Copies the next objects of a folder that the backup lacks, as many as are stored at once. */
static enum err
some_copy(struct ctx *c, const struct archive *archive, struct ours *ours,
    const struct names *theirs, size_t *next, int64_t *copied)
{
	struct put *puts[PLACE_PUTS];
	int64_t size, bytes = 0;
	size_t n = 0;

	for (; *next < ours->names.n && n < PLACE_PUTS && bytes < COPY_BYTES; ++*next) {
		const char *hex = ours->names.v[*next];

		if (name_listed(theirs, hex))
			continue;
		TRY(object_write(c, archive, ours, hex, &puts[n], &size));
		if (puts[n])
			n++, bytes += size;
	}
	TRY(place_puts_end(c, puts, n));
	*copied += (int64_t)n;
	return E_OK;
}

static enum err
all_copy(struct ctx *c, const struct archive *archive, struct ours *ours,
    const struct names *theirs, int64_t *copied)
{
	for (size_t next = 0; next < ours->names.n;) {
		struct ctx *one = ctx_begin(c->conf, NULL);

		TRY(ctx_join(c, one, some_copy(one, archive, ours, theirs, &next, copied)));
	}
	return E_OK;
}

/* Copies what a folder of objects/ has, and, unless down is NULL, what else of it store_url has.
 * *down: that couldn't be read. */
static enum err
folder_copy(struct ctx *c, const struct archive *archive, unsigned i, bool *down, int64_t *copied)
{
	const char *folder = mem_printf(c->mem, "objects/%02x", i);
	struct ours here = { .away = false }, there = { .away = true };
	struct names theirs, stored;
	enum err e;
	int root;

	TRY(store_root_kept(c, &root));
	TRY(dir_list(c, c->mem, root, folder, &here.names));
	TRY(place_list(c, c->mem, &archive->place, folder, &theirs));
	TRY(all_copy(c, archive, &here, &theirs, copied));
	if (!down)
		return E_OK;
	if (here.names.n)
		qsort(here.names.v, here.names.n, sizeof *here.names.v, str_order);
	TRY(bucket_names(c, i, &stored));
	there.names = (struct names){ stored.v, 0 };
	for (size_t k = 0; k < stored.n; k++)
		if (!name_listed(&here.names, stored.v[k]))
			there.names.v[there.names.n++] = stored.v[k];
	e = all_copy(c, archive, &there, &theirs, copied);
	*down = there.down;
	if (!e || !there.down)
		return e;
	/* The log must go on without the store. The next round tries again. */
	log_line(LOG_LEVEL_WARN, "not backed up: what only the store has", "why", ctx_why(c), NULL);
	return ctx_forgive(c);
}

/* Copies what folder i has, if it has changed. Returns true in *any if it had. */
static enum err
folder_scan(struct ctx *c, const struct archive *archive, unsigned i, struct looked *l, bool *down,
    int64_t *copied, bool *any)
{
	const struct conf *conf = c->conf;
	/* By objects_keep, or on a machine of a cluster, objects can be in store_url only. */
	bool stored_only = conf_has(conf->store_url) &&
	    (!str_eq(conf->objects_keep, "all") || conf_has(conf->cluster_node));
	bool first = stored_only && !l->changed[i].tv_sec;
	struct ctx *one;
	struct stat st;
	int root;

	*any = false;
	TRY(store_root_kept(c, &root));
	if (fstatat(root, mem_printf(c->mem, "objects/%02x", i), &st, AT_SYMLINK_NOFOLLOW) ||
	    memcmp(&st.st_mtim, &l->changed[i], sizeof st.st_mtim) == 0)
		return E_OK;
	*any = true;
	one = ctx_begin(c->conf, c->db);
	TRY(ctx_join(
	    c, one, folder_copy(one, archive, i, first && !*down ? down : NULL, copied)));
	/* A folder that changes twice within a tick of the clock has one time for both. */
	if (st.st_mtim.tv_sec + SETTLED_S < l->began.tv_sec && !(first && *down))
		l->changed[i] = st.st_mtim;
	else
		memset(&l->changed[i], 0, sizeof l->changed[i]);
	return E_OK;
}

enum err
objects_copy(struct ctx *c, const struct archive *archive, int64_t until_ms, int64_t *copied,
    bool *more)
{
	int fd = open(archive_path(c, "looked"), O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_size = 0 };
	bool down = false, any, over;
	struct timespec whole; /* when the last reading of all folders began; 0: none was */
	struct looked l;
	unsigned i;

	memset(&l, 0, sizeof l);
	/* A former release wrote less. */
	if (fd < 0 || read(fd, &l, sizeof l) < (ssize_t)sizeof l.changed || fstat(fd, &st))
		memset(&l, 0, sizeof l);
	whole = st.st_mtim;
	if (fd >= 0)
		close(fd);
	i = more ? l.next : 0;
	if (!i)
		clock_gettime(CLOCK_REALTIME, &l.began);
	while (i < FOLDERS) {
		TRY(folder_scan(c, archive, i++, &l, &down, copied, &any));
		if (more && any && clock_ms() >= until_ms)
			break;
	}
	over = i < FOLDERS;
	l.next = over ? i : 0;
	if (more)
		*more = over;
	return state_write(
	    c, archive_path(c, "looked"), &l, sizeof l, over ? &whole : &l.began);
}

/* ---- out of the backup ---- */

static enum err
digest_check(struct ctx *c, const uint8_t got[SHA256_BYTES], const char *hex)
{
	return str_eq(crypto_hex(c->mem, got, SHA256_BYTES), hex)
	    ? E_OK
	    : fail(c, E_CONFLICT, "object %s has other bytes in the backup", hex);
}

static enum err
one_prove(struct ctx *c, const struct archive *archive, const char *hex, int to)
{
	struct sha256 *hash = crypto_sha256_begin(c->mem);
	uint8_t got[SHA256_BYTES];
	struct frames *f;

	TRY(piece_open(c, archive, object_name(c, hex), &f));
	TRY(frames_copy(c, f, to, hash));
	crypto_sha256_end(hash, got);
	return digest_check(c, got, hex);
}

enum err
object_prove(struct ctx *c, const struct archive *archive, const char *hex, int to)
{
	struct ctx *one = ctx_begin(c->conf, NULL);

	return ctx_join(c, one, one_prove(one, archive, hex, to));
}

static enum err
one_fetch(struct ctx *c, const struct archive *archive, const char *hex)
{
	struct object_writer *to;
	const uint8_t *bytes;
	struct frames *f;
	struct object o;
	struct batch *b;
	size_t n;

	TRY(batch_begin(c, &b));
	TRY(object_writer_new(c, b, &to));
	TRY(piece_open(c, archive, object_name(c, hex), &f));
	do {
		TRY(frames_next(c, f, &bytes, &n));
		TRY(object_writer_add(c, to, bytes, n));
	} while (n);
	TRY(object_writer_end(c, to, &o));
	TRY(digest_check(c, o.sha256, hex));
	return batch_sync(c, b);
}

enum err
object_fetch(struct ctx *c, const struct archive *archive, const char *hex)
{
	struct ctx *one = ctx_begin(c->conf, NULL);

	return ctx_join(c, one, one_fetch(one, archive, hex));
}

/* ---- retention ---- */

#define GONE "gone"
enum { GONE_LINE = SHA256_HEX + 1 + 11 };

static enum err
gone_text(struct ctx *c, const struct archive *archive, int fd, struct buf *b)
{
	const uint8_t *bytes;
	struct frames *f;
	size_t n;

	TRY(frames_open(c, c->mem, &archive->key, GONE, fd, &f));
	do {
		TRY(frames_next(c, f, &bytes, &n));
		buf_add(b, bytes, n);
	} while (n);
	return E_OK;
}

/* Reads lines "<digest> <second>", in order; none if there is no list yet. Without a list that can
 * be read, objects only stay for longer. A former release didn't encrypt it. */
static enum err
gone_read(struct ctx *c, const struct archive *archive, struct names *out)
{
	struct buf b = BUF(c->mem);
	char *text;
	int fd;

	*out = (struct names){ 0 };
	TRY(place_find(c, c->mem, &archive->place, GONE, &fd));
	if (fd < 0)
		return E_OK;
	if (gone_text(c, archive, fd, &b)) {
		log_line(LOG_LEVEL_WARN, "what has gone from the store is noted anew", "why",
		    ctx_why(c), NULL);
		return ctx_forgive(c);
	}
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

/* Leaves those that the store (data_dir) lacks. What is only in store_url hasn't gone. */
static enum err
lacking_keep(struct ctx *c, const char *folder, struct names *theirs)
{
	uint8_t *digests = mem_zalloc(c->mem, (theirs->n + 1) * SHA256_BYTES);
	bool *has = mem_array(c->mem, bool, theirs->n + 1);
	struct names ours;
	size_t n = 0, kept = 0;
	int root;

	TRY(store_root_kept(c, &root));
	TRY(dir_list(c, c->mem, root, folder, &ours));
	if (ours.n)
		qsort(ours.v, ours.n, sizeof *ours.v, str_order);
	for (size_t i = 0; i < theirs->n; i++)
		if (!name_listed(&ours, theirs->v[i]) &&
		    crypto_unhex(theirs->v[i], digests + n * SHA256_BYTES, SHA256_BYTES))
			theirs->v[n++] = theirs->v[i];
	if (n && conf_has(c->conf->store_url))
		TRY(bucket_recorded(c, digests, n, has));
	for (size_t i = 0; i < n; i++)
		if (!has[i])
			theirs->v[kept++] = theirs->v[i];
	theirs->n = kept;
	return E_OK;
}

static enum err
folder_expire(struct ctx *c, const struct place *place, const char *folder,
    const struct names *gone, int64_t second, struct buf *still)
{
	struct names theirs;

	TRY(place_list(c, c->mem, place, folder, &theirs));
	TRY(lacking_keep(c, folder, &theirs));
	for (size_t i = 0; i < theirs.n; i++) {
		const char *hex = theirs.v[i], **line;
		int64_t since = c->now;

		line = gone->n
		    ? bsearch(&hex, gone->v, gone->n, sizeof *gone->v, digest_order)
		    : NULL;
		if (line)
			since = strtoll(*line + SHA256_HEX + 1, NULL, 10);
		if (since < second)
			TRY(place_delete(c, place, mem_printf(c->mem, "%s/%s", folder, hex)));
		else
			buf_fmt(still, "%s %010lld\n", hex, (long long)since);
	}
	return E_OK;
}

enum err
objects_expire(struct ctx *c, const struct archive *archive, int64_t second)
{
	const struct place *place = &archive->place;
	struct buf still = BUF(c->mem);
	struct names gone;
	struct frames *f;
	struct put *p;

	TRY(gone_read(c, archive, &gone));
	for (unsigned i = 0; i < FOLDERS; i++)
		TRY(folder_expire(c, place, mem_printf(c->mem, "objects/%02x", i), &gone, second,
		    &still));
	TRY(piece_begin(c, c->mem, archive, GONE, &p, &f));
	TRY(frames_add(c, f, still.s, still.n));
	return piece_end(c, p, f);
}
