/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/folder.h"

#include "base/shape.h"
#include "base/str.h"
#include "cli/ignore.h"
#include "cli/secret.h"
#include "store/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 65536, PATH_BYTES = 1024 };

struct walking {
	struct cli *cli;
	struct folder *out;
	struct ignore *ignore;
	size_t entries;
};

/* ---- the bytes of a file ---- */

static const char *
file_source(struct cli *cli, const struct folder *o, const char *path)
{
	return o->single ? o->place : mem_printf(cli->c->mem, "%s/%s", o->place, path);
}

static int
file_open(const struct folder *o, const char *path, struct stat *st)
{
	int fd;

	if (!o->single)
		return beneath_open_file(o->root, path, st);
	/* Who names one file means what it leads to. */
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
	cli_fail("%s: changed while it was read; publish again when it is at rest",
	    file_source(cli, o, f->path));
	return false;
}

/* Gives the bytes in pieces to use(), and is true when they are as many as f->size says and all
 * were taken. One byte more is asked for, which a file that grows has; so we end though it does
 * not. */
static bool
file_pieces(struct cli *cli, const struct folder *o, const struct folder_file *f,
    bool (*use)(void *arg, const char *bytes, size_t n), void *arg)
{
	struct stat st;
	char chunk[CHUNK];
	int fd = file_open(o, f->path, &st);
	int64_t left = f->size;
	ssize_t got = -1;
	bool taken = true;

	if (fd < 0) {
		cli_fail("%s: %s", file_source(cli, o, f->path),
		    errno == EINVAL || errno == ENOENT ? "is no plain file (any more)"
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
	size_t kept; /* bytes of the piece before, at the start of piece */
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

static bool
file_hash(struct cli *cli, const struct folder *o, struct folder_file *f)
{
	void *mem = mem_root("hash");
	struct hashing *w = mem_new(mem, struct hashing);
	bool good;

	w->h = crypto_sha256_begin(mem);
	w->secret = secret_by_name(f->path);
	good = file_pieces(cli, o, f, hash_use, w);
	crypto_sha256_end(w->h, f->sha256);
	f->secret = w->secret;
	mem_free(mem);
	return good;
}

struct copying {
	struct sha256 *h;
	char *to; /* where the bytes go, or NULL: */
	gzFile gz;
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
	return gzwrite(w->gz, bytes, (unsigned)n) == (int)n;
}

/* The bytes that were digested, or nothing is sent. */
static bool
file_copy(struct cli *cli, const struct folder *o, const struct folder_file *f, char *to, gzFile gz)
{
	void *mem = mem_root("copy");
	struct copying w = { crypto_sha256_begin(mem), to, gz };
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

/* ---- the tree ---- */

static bool
file_add(struct walking *w, const char *path, int64_t size)
{
	struct folder *o = w->out;

	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->v = mem_grow(w->cli->c->mem, o->v, o->room * sizeof *o->v);
	}
	o->v[o->n++] = (struct folder_file){ .path = path, .size = size };
	o->bytes += size;
	return o->bytes <= FOLDER_BYTES ||
	    cli_fail("%s has more than %lld bytes; no service takes as many", o->place,
		(long long)FOLDER_BYTES) == EXIT_FINE;
}

static void
leave_out(struct walking *w, const char *path, bool is_dir)
{
	struct folder *o = w->out;

	if (ignore_is_ours(path))
		return;
	if (o->left_n < sizeof o->left / sizeof *o->left)
		o->left[o->left_n] = mem_printf(w->cli->c->mem, is_dir ? "%s/" : "%s", path);
	o->left_n++;
}

static bool folder_walk(struct walking *w, const char *dir);

static bool
entry_refuse(struct walking *w, const char *path, const char *why)
{
	cli_fail("%s: %s", file_source(w->cli, w->out, path), why);
	return false;
}

static bool
folder_entry(struct walking *w, const char *path)
{
	struct stat st;

	if (fstatat(w->out->root, path, &st, AT_SYMLINK_NOFOLLOW))
		return entry_refuse(w, path, strerror(errno));
	if (ignore_leaves_out(w->ignore, path, S_ISDIR(st.st_mode))) {
		leave_out(w, path, S_ISDIR(st.st_mode));
		return true;
	}
	if (!str_utf8_valid(path, strlen(path)))
		return entry_refuse(w, path,
		    "its name is not UTF-8; rename it, or name its folder in .vitrineignore");
	if (strlen(path) > PATH_BYTES)
		return entry_refuse(w, path, "its path has more than 1,024 bytes");
	if (S_ISDIR(st.st_mode))
		return folder_walk(w, path);
	if (S_ISLNK(st.st_mode))
		return entry_refuse(w, path,
		    "is a symbolic link; copy the file itself, or name it in .vitrineignore");
	if (!S_ISREG(st.st_mode))
		return entry_refuse(w, path, "is no file; name it in .vitrineignore");
	return file_add(w, path, st.st_size);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
names_add(struct walking *w, const char *dir, const char *name, struct strs *out)
{
	if (str_in(name, ".|.."))
		return true;
	if (++w->entries > FOLDER_ENTRIES) {
		cli_fail("%s has more than %d files and folders; name the one to publish",
		    w->out->place, FOLDER_ENTRIES);
		return false;
	}
	if ((out->n & (out->n - 1)) == 0)
		out->v = mem_grow(
		    w->cli->c->mem, out->v, (out->n ? 2 * out->n : 1) * sizeof *out->v);
	out->v[out->n++] = str_eq(dir, ".") ? mem_strdup(w->cli->c->mem, name)
					    : mem_printf(w->cli->c->mem, "%s/%s", dir, name);
	return true;
}

/* All names first, so that folders within folders hold no descriptors open. */
static bool
names_read(struct walking *w, const char *dir, struct strs *out)
{
	int fd = beneath_open(w->out->root, dir, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool good = d != NULL;

	if (!good && fd >= 0)
		close(fd);
	if (!good)
		return entry_refuse(w, dir, strerror(errno));
	while (good && (entry = readdir(d)))
		good = names_add(w, dir, entry->d_name, out);
	closedir(d);
	return good;
}

static bool
folder_walk(struct walking *w, const char *dir)
{
	struct strs names = { 0 };

	if (!names_read(w, dir, &names))
		return false;
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_text);
	for (size_t i = 0; i < names.n; i++)
		if (!folder_entry(w, names.v[i]))
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

	/* Passing over one that can't be read would publish what it leaves out. */
	if (!cli_file_read(w->cli, file_source(w->cli, w->out, ".vitrineignore"), IGNORE_FILE_BYTES,
		&st, &text, &n) ||
	    !(w->ignore = ignore_new(w->cli, text)) || !folder_walk(w, "."))
		return false;
	return w->out->n > 0 ||
	    cli_fail("%s has no files%s", w->out->place,
		w->out->left_n ? " but those that are left out" : "") == EXIT_FINE;
}

bool
folder_read(struct cli *cli, const char *place, struct folder *out)
{
	struct walking w = { .cli = cli, .out = out };
	const char *slash = strrchr(place, '/');
	struct stat st;
	bool good;

	*out = (struct folder){ .place = place };
	if (stat(place, &st)) {
		cli_fail("%s: %s", place, strerror(errno));
		return false;
	}
	out->single = !S_ISDIR(st.st_mode);
	if (out->single) {
		good = file_add(&w, slash ? slash + 1 : place, st.st_size);
	} else {
		out->root = mem_fd(cli->c->mem, open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		good = walk_all(&w);
	}
	for (size_t i = 0; good && i < out->n; i++)
		good = file_hash(cli, out, &out->v[i]);
	return good;
}

/* ---- .tar.gz: a pax header with the path before each file, so that any path and size fits ---- */

static void
tar_octal(char *field, size_t n, uint64_t value)
{
	snprintf(field, n, "%0*llo", (int)n - 1, (unsigned long long)value);
}

static void
tar_header(char block[512], const char *name, char type, int64_t size)
{
	unsigned sum = 0;

	memset(block, 0, 512);
	snprintf(block, 100, "%s", name);
	tar_octal(block + 100, 8, 0644);
	tar_octal(block + 108, 8, 0);
	tar_octal(block + 116, 8, 0);
	tar_octal(block + 124, 12, (uint64_t)size);
	tar_octal(block + 136, 12, 946684800);
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 257, "ustar\00000", 8);
	for (int i = 0; i < 512; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum);
}

static bool
tar_pad(gzFile gz, int64_t n)
{
	static const char zero[512];
	int pad = (int)((512 - n % 512) % 512);

	return !pad || gzwrite(gz, zero, (unsigned)pad) == pad;
}

static bool
tar_put(gzFile gz, const void *bytes, size_t n)
{
	return gzwrite(gz, bytes, (unsigned)n) == (int)n && tar_pad(gz, (int64_t)n);
}

static bool
tar_file(struct cli *cli, gzFile gz, const struct folder *o, const struct folder_file *f)
{
	char block[512], *record;
	size_t n = strlen(f->path) + 7, digits;

	/* "<length> path=<path>\n", where the length counts itself. */
	digits = n + 2 > 99 ? n + 3 > 999 ? 4 : 3 : 2;
	record = mem_printf(cli->c->mem, "%zu path=%s\n", n + digits, f->path);
	tar_header(block, "pax", 'x', (int64_t)strlen(record));
	if (!tar_put(gz, block, 512) || !tar_put(gz, record, strlen(record)))
		return false;
	tar_header(block, "file", '0', f->size);
	return tar_put(gz, block, 512) && file_copy(cli, o, f, NULL, gz) && tar_pad(gz, f->size);
}

static void
unlink_path(void *path)
{
	unlink(path);
}

const char *
folder_pack(struct cli *cli, const struct folder *folder, const bool *chosen)
{
	const char *base = getenv("TMPDIR");
	char *path = mem_printf(cli->c->mem, "%s/vitrine-XXXXXX", base && *base ? base : "/tmp");
	int fd = mkstemp(path);
	gzFile gz = fd < 0 ? NULL : gzdopen(fd, "wb6");
	bool good = gz != NULL;
	char end[1024] = "";

	if (fd >= 0)
		mem_defer(cli->c->mem, unlink_path, path);
	for (size_t i = 0; good && i < folder->n; i++)
		good = !chosen[i] || tar_file(cli, gz, folder, &folder->v[i]);
	good = good && gzwrite(gz, end, sizeof end) == sizeof end;
	if (gz)
		good &= gzclose(gz) == Z_OK;
	if (!good)
		cli_fail("%s: no archive could be made there", path);
	return good ? path : NULL;
}
