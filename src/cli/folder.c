/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/folder.h"

#include "base/ignore.h"
#include "base/shape.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/secret.h"
#include "store/archive.h"
#include "store/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { CHUNK = 65536, PATH_BYTES = 1024, STDIN_BYTES = 64 << 20 };

struct walking {
	struct cli *cli;
	struct folder *out;
	struct ignore *ignore;
	size_t entries;
};
/* An entry of the folder that is being read. */
struct spot {
	const char *path, *real; /* its published path, and its path in the folder */
	const struct spot *in;   /* the folder that contains it */
};

/* ---- the bytes of a file ---- */

static const char *
file_source(struct cli *cli, const struct folder *o, const char *path)
{
	return o->single ? o->place : mem_printf(cli->c->mem, "%s/%s", o->place, path);
}

static int
file_open(const struct folder *o, const char *real, struct stat *st)
{
	int fd;

	if (!o->single)
		return beneath_open_file(o->root, real, st);
	/* A single file may be named through a link. */
	fd = open(o->place, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static bool
file_changed(struct cli *cli, const struct folder *o, const struct folder_file *f)
{
	cli_fail("%s: changed while it was being read; publish again when it no longer changes",
	    file_source(cli, o, f->path));
	return false;
}

/* Calls use() with the file's bytes in pieces. Returns true if they were f->size bytes and use()
 * accepted all. Asks for one byte more than that, so a file that grows neither passes nor keeps us
 * reading. */
static bool
file_pieces(struct cli *cli, const struct folder *o, const struct folder_file *f,
    bool (*use)(void *arg, const char *bytes, size_t n), void *arg)
{
	struct stat st;
	char chunk[CHUNK];
	int fd = f->made ? -1 : file_open(o, f->real, &st);
	int64_t left = f->size;
	ssize_t got = -1;
	bool taken = true;

	if (f->made) {
		for (int64_t at = 0, n; taken && at < f->size; at += n) {
			n = f->size - at < CHUNK ? f->size - at : CHUNK;
			taken = use(arg, f->made + at, (size_t)n);
		}
		return taken;
	}
	if (fd < 0) {
		cli_fail("%s: %s", file_source(cli, o, f->path),
		    errno == EINVAL || errno == ENOENT ? "isn't a regular file (anymore)"
						       : strerror(errno));
		return false;
	}
	while (taken && left >= 0 &&
	    (got = read(fd, chunk, left < CHUNK ? (size_t)left + 1 : CHUNK)) > 0) {
		left -= got;
		taken = left < 0 || use(arg, chunk, (size_t)got);
	}
	close(fd);
	if (got < 0)
		cli_fail("%s: %s", file_source(cli, o, f->path), strerror(errno));
	if (got < 0 || !taken)
		return false;
	return left == 0 || file_changed(cli, o, f);
}

struct hashing {
	struct sha256 *h;
	const char *secret;
	char piece[SECRET_BYTES + CHUNK];
	size_t kept; /* bytes of the last piece, at the start of piece: a secret may span two */
};

static bool
hash_use(void *arg, const char *bytes, size_t n)
{
	struct hashing *w = arg;

	crypto_sha256_add(w->h, bytes, n);
	memcpy(w->piece + w->kept, bytes, n);
	n += w->kept;
	if (!w->secret)
		w->secret = secret_in(w->piece, n);
	w->kept = n < SECRET_BYTES ? n : SECRET_BYTES;
	memmove(w->piece, w->piece + n - w->kept, w->kept);
	return true;
}

struct copying {
	struct sha256 *h;
	char *to; /* receives the bytes; NULL: the archive does */
	struct archive_out *archive;
};

static bool
copy_use(void *arg, const char *bytes, size_t n)
{
	struct copying *w = arg;

	crypto_sha256_add(w->h, bytes, n);
	if (w->to) {
		memcpy(w->to, bytes, n);
		w->to += n;
		return true;
	}
	return archive_put(w->archive, bytes, n) == E_OK;
}

/* Copies a file's bytes. Fails if they aren't those that were digested. */
static bool
file_copy(struct cli *cli, const struct folder *o, const struct folder_file *f, char *to,
    struct archive_out *archive)
{
	void *mem = mem_root("copy");
	struct copying w = { crypto_sha256_begin(mem), to, archive };
	uint8_t digest[SHA256_BYTES];
	bool good = file_pieces(cli, o, f, copy_use, &w);

	crypto_sha256_end(w.h, digest);
	mem_free(mem);
	if (good && memcmp(digest, f->sha256, sizeof digest))
		return file_changed(cli, o, f);
	return good;
}

bool
folder_content(struct cli *cli, const struct folder *o, const struct folder_file *f, char **out)
{
	*out = mem_zalloc(cli->c->mem, (size_t)f->size + 1);
	return file_copy(cli, o, f, *out, NULL);
}

bool
folder_hash(struct cli *cli, struct folder *o)
{
	bool good = true;

	for (struct folder_file *f = o->v; good && f < o->v + o->n; f++) {
		void *mem = mem_root("hash");
		struct hashing *w = mem_new(mem, struct hashing);

		w->h = crypto_sha256_begin(mem);
		w->secret = secret_by_name(f->path);
		good = file_pieces(cli, o, f, hash_use, w);
		crypto_sha256_end(w->h, f->sha256);
		f->secret = w->secret;
		mem_free(mem);
	}
	return good;
}

/* ---- the tree ---- */

static struct folder_file *
file_next(struct cli *cli, struct folder *o)
{
	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->v = mem_grow(cli->c->mem, o->v, o->room * sizeof *o->v);
	}
	return &o->v[o->n++];
}

static bool
file_add(struct walking *w, const struct spot *at, int64_t size)
{
	struct folder *o = w->out;
	struct folder_file *f = file_next(w->cli, o);

	*f = (struct folder_file){ .path = at->path, .real = at->real, .size = size };
	if (str_utf8_valid(at->path, strlen(at->path)) && !unicode_is_nfc(at->path))
		f->path = unicode_nfc(w->cli->c->mem, at->path);
	o->bytes += size;
	return o->bytes <= FOLDER_BYTES ||
	    cli_fail("%s has more than %s, which no service accepts", o->place,
		str_amount_1024(w->cli->c->mem, FOLDER_BYTES)) == EXIT_FINE;
}

struct folder_file *
folder_make(struct cli *cli, struct folder *o, const char *path, const char *bytes, size_t n)
{
	struct folder_file *f = file_next(cli, o);

	*f = (struct folder_file){ .path = path, .made = bytes, .size = (int64_t)n };
	crypto_sha256(bytes, n, f->sha256);
	o->bytes += f->size;
	return f;
}

const struct folder_file *
folder_file_at(const struct folder *o, const char *path)
{
	for (size_t i = 0; i < o->n; i++)
		if (str_eq(o->v[i].path, path))
			return &o->v[i];
	return NULL;
}

void
folder_leave_out(struct cli *cli, struct folder *o, const char *path, bool is_dir)
{
	if (ignore_is_ours(path))
		return;
	if (o->left_n < sizeof o->left / sizeof *o->left)
		o->left[o->left_n] = mem_printf(cli->c->mem, is_dir ? "%s/" : "%s", path);
	o->left_n++;
}

bool
folder_has_files(const struct folder *o)
{
	return o->n > 0 ||
	    cli_fail("%s has no files%s", o->place,
		o->left_n ? " except those that are left out" : "") == EXIT_FINE;
}

static bool
entry_refuse(struct walking *w, const char *path, const char *why)
{
	cli_fail("%s: %s", file_source(w->cli, w->out, path), why);
	return false;
}

static bool
is_left_out(const struct walking *w, const struct spot *at, bool is_dir)
{
	return ignore_leaves_out(w->ignore, at->path, is_dir) ||
	    (!str_eq(at->path, at->real) && ignore_leaves_out(w->ignore, at->real, is_dir));
}

/* ---- links ---- */

/* Returns an open file's path in the folder, without links; NULL if it is elsewhere. */
static const char *
fd_beneath(struct walking *w, int fd)
{
	char root[PATH_MAX], path[PATH_MAX];
	int fds[] = { w->out->root, fd };
	char *out[] = { root, path };
	size_t n;

	for (int i = 0; i < 2; i++) {
		ssize_t got = readlink(
		    mem_printf(w->cli->c->mem, "/proc/self/fd/%d", fds[i]), out[i], PATH_MAX - 1);

		if (got < 0)
			return NULL;
		out[i][got] = '\0';
	}
	n = root[1] ? strlen(root) : 0;
	if (str_eq(path, root))
		return ".";
	return str_starts(path, root) && path[n] == '/' ? mem_strdup(w->cli->c->mem, path + n + 1)
							: NULL;
}

static const char *
link_wrong(int err)
{
	return err == EXDEV
	    ? "is a symbolic link out of the folder; "
	      "copy the file itself, or list the link in .vitrineignore"
	    : err == ELOOP
	    ? "is a symbolic link in a loop; remove it, or list it in .vitrineignore"
	    : err == ENOENT
	    ? "is a broken symbolic link; remove it, or list it in .vitrineignore"
	    : strerror(err);
}

/* Sets at->real and *st to the link's target. Returns false after refusing the link. */
static bool
link_follow(struct walking *w, struct spot *at, struct stat *st)
{
	int fd = beneath_follow(w->out->root, at->real);
	bool good;

	if (fd < 0)
		return entry_refuse(w, at->path, link_wrong(errno));
	good = fstat(fd, st) == 0 && (at->real = fd_beneath(w, fd));
	close(fd);
	if (!good)
		return entry_refuse(w, at->path, link_wrong(EXDEV));
	for (const struct spot *up = at->in; up; up = up->in)
		if (str_eq(up->real, at->real))
			return entry_refuse(w, at->path,
			    "is a symbolic link to a folder that contains it; "
			    "remove it, or list it in .vitrineignore");
	/* A link must not publish a left out file under another name. */
	if (ignore_leaves_out_within(w->ignore, at->real, S_ISDIR(st->st_mode)))
		return entry_refuse(w, at->path,
		    mem_printf(w->cli->c->mem,
			"is a symbolic link to %s, which is left out; include that with ! "
			"in .vitrineignore, or list the link there",
			at->real));
	return true;
}

/* ---- the walk ---- */

static bool folder_walk(struct walking *w, const struct spot *dir);

static const char *
path_within(struct walking *w, const char *dir, const char *name)
{
	return str_eq(dir, ".") ? name : mem_printf(w->cli->c->mem, "%s/%s", dir, name);
}

static bool
folder_entry(struct walking *w, const struct spot *dir, const char *name)
{
	struct spot at = { path_within(w, dir->path, name), path_within(w, dir->real, name), dir };
	bool linked = false;
	struct stat st;

	if (fstatat(w->out->root, at.real, &st, AT_SYMLINK_NOFOLLOW))
		return entry_refuse(w, at.path, strerror(errno));
	if (S_ISLNK(st.st_mode) && !is_left_out(w, &at, false)) {
		linked = true;
		if (!link_follow(w, &at, &st))
			return false;
	}
	/* link_follow() has checked the target. A pattern may mean a folder by the link's name. */
	if (linked ? ignore_leaves_out(w->ignore, at.path, S_ISDIR(st.st_mode))
		   : is_left_out(w, &at, S_ISDIR(st.st_mode))) {
		folder_leave_out(w->cli, w->out, at.path, S_ISDIR(st.st_mode));
		return true;
	}
	if (!str_utf8_valid(at.path, strlen(at.path)))
		return entry_refuse(w, at.path,
		    "its name is not UTF-8; rename it, or list its folder in .vitrineignore");
	if (strlen(at.path) > PATH_BYTES)
		return entry_refuse(w, at.path, "its path has more than 1,024 bytes");
	if (S_ISDIR(st.st_mode))
		return folder_walk(w, &at);
	if (!S_ISREG(st.st_mode))
		return entry_refuse(w, at.path, "isn't a regular file; list it in .vitrineignore");
	return file_add(w, &at, st.st_size);
}

/* Reads all names first, so that nested folders don't hold descriptors open. */
static bool
names_read(struct walking *w, const struct spot *dir, struct strs *out)
{
	int fd = beneath_open(w->out->root, dir->real, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool good = d != NULL;

	if (!good && fd >= 0)
		close(fd);
	if (!good)
		return entry_refuse(w, dir->path, strerror(errno));
	while (good && (entry = readdir(d))) {
		if (str_in(entry->d_name, ".|.."))
			continue;
		if (++w->entries > FOLDER_ENTRIES) {
			good = cli_fail("%s has more than %d files and folders; "
					"choose a smaller folder to publish",
				   w->out->place, FOLDER_ENTRIES) == EXIT_FINE;
			break;
		}
		if ((out->n & (out->n - 1)) == 0)
			out->v = mem_grow(
			    w->cli->c->mem, out->v, (out->n ? 2 * out->n : 1) * sizeof *out->v);
		out->v[out->n++] = mem_strdup(w->cli->c->mem, entry->d_name);
	}
	closedir(d);
	return good;
}

static bool
folder_walk(struct walking *w, const struct spot *dir)
{
	struct strs names = { 0 };

	if (!names_read(w, dir, &names))
		return false;
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, str_order);
	for (size_t i = 0; i < names.n; i++)
		if (!folder_entry(w, dir, names.v[i]))
			return false;
	mem_free(names.v);
	return true;
}

static bool
walk_all(struct walking *w)
{
	const char *text;
	struct stat st;
	size_t n;

	/* Ignoring rules that can't be read would publish files that they leave out. */
	if (!cli_file_take(w->cli, openat(w->out->root, IGNORE_FILE, CLI_FILE_FLAGS),
		file_source(w->cli, w->out, IGNORE_FILE), IGNORE_FILE_BYTES, &st, &text, &n))
		return false;
	if (!(w->ignore = ignore_new(w->cli->c->mem, text)))
		return cli_fail(IGNORE_FILE ": has more than %d patterns", IGNORE_RULES) ==
		    EXIT_FINE;
	return folder_walk(w, &(struct spot){ ".", ".", NULL }) && folder_has_files(w->out);
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct folder_file *)a)->path, ((const struct folder_file *)b)->path);
}

static bool
stdin_read(struct cli *cli, struct folder *out)
{
	struct buf b = BUF(cli->c->mem);
	bool good = cli_stream_read(stdin, STDIN_BYTES, &b);

	*out = (struct folder){ .place = FOLDER_STDIN, .single = true };
	if (!good || !b.n)
		return cli_fail("standard input %s", good ? "is empty" : "can't be read") ==
		    EXIT_FINE;
	if (b.n > STDIN_BYTES)
		return cli_fail("standard input is larger than a service accepts") == EXIT_FINE;
	folder_make(cli, out, "index.html", b.s, b.n);
	return folder_hash(cli, out);
}

bool
folder_read(struct cli *cli, const char *place, int dir, struct folder *out)
{
	struct walking w = { .cli = cli, .out = out };
	struct stat st;
	bool good;

	if (str_eq(place, FOLDER_STDIN))
		return stdin_read(cli, out);
	*out = (struct folder){ .place = place };
	if (dir < 0 ? stat(place, &st) : fstat(dir, &st)) {
		cli_fail("%s: %s", place, strerror(errno));
		return false;
	}
	out->single = !S_ISDIR(st.st_mode);
	if (out->single) {
		good = file_add(&w, &(struct spot){ str_base(place), place, NULL }, st.st_size);
	} else {
		out->root = dir >= 0
		    ? dir
		    : mem_fd(cli->c->mem, open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		good = walk_all(&w);
		if (good)
			qsort(out->v, out->n, sizeof *out->v, by_path);
		/* Two names on this disk may differ only in how Unicode spells them. */
		for (size_t i = 1; good && i < out->n; i++)
			if (str_eq(out->v[i - 1].path, out->v[i].path))
				good = cli_fail("%s: two files have this name, "
						"in different spellings of Unicode; rename one",
					   file_source(cli, out, out->v[i].path)) == EXIT_FINE;
	}
	return good && folder_hash(cli, out);
}

/* ---- .tar.gz ---- */

static enum err
pack_write(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	return cli_bytes_write(*(const int *)arg, bytes, n)
	    ? E_OK
	    : fail(c, E_DISK_FULL, "%s", strerror(errno));
}

static bool
pack_files(struct ctx *c, struct cli *cli, const struct folder *o, const bool *chosen, int *fd)
{
	struct archive_out *out;

	if (archive_tar_begin(c, pack_write, fd, &out))
		return false;
	for (size_t i = 0; i < o->n; i++)
		if (chosen[i] &&
		    (archive_add(out, o->v[i].path, o->v[i].size) ||
			!file_copy(cli, o, &o->v[i], NULL, out)))
			return false;
	return archive_end(out) == E_OK;
}

static void
unlink_path(void *path)
{
	unlink(path);
}

int
folder_scratch(struct cli *cli, char **path)
{
	const char *base = getenv("TMPDIR");
	int fd;

	*path = mem_printf(cli->c->mem, "%s/vitrine-XXXXXX", base && *base ? base : "/tmp");
	fd = mkstemp(*path);
	if (fd < 0)
		cli_fail("%s: a file can't be created there: %s", *path, strerror(errno));
	else
		mem_defer(cli->c->mem, unlink_path, *path);
	return fd;
}

const char *
folder_pack(struct cli *cli, const struct folder *folder, const bool *chosen)
{
	char *path;
	int fd = folder_scratch(cli, &path);
	struct ctx *c;
	bool good;

	if (fd < 0)
		return NULL;
	c = ctx_begin(NULL, NULL);
	good = pack_files(c, cli, folder, chosen, &fd);
	close(fd);
	/* If there is no c->err, a file couldn't be read, which was said already. */
	if (c->err)
		cli_fail("%s: the archive can't be created there: %s", path, ctx_why(c));
	ctx_end(c);
	return good ? path : NULL;
}
