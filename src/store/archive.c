/* SPDX-License-Identifier: Apache-2.0 */
#include "store/archive.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/str.h"
#include "base/tar.h"
#include "store/gzip.h"
#include "store/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <unistd.h>

enum {
	FREE_BYTES = 1 << 20,  /* smaller totals aren't checked for their ratio */
	ENTRY_BYTES = 1 << 12, /* allowance for headers and padding per file of a tar */
	PIECE_BYTES = 1 << 16,
};

static void
reader_free(void *a)
{
	archive_read_free(a);
}

/* Sets a UTF-8 locale once per process, because libarchive converts names by the locale. */
static void
names_utf8(void)
{
	static bool done;

	if (!done)
		done = setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

static enum err
bad_archive(struct ctx *c, struct archive *a)
{
	const char *why = archive_error_string(a);

	return fail(c, E_INVALID, "archive: can't be read as .zip or .tar.gz: %s",
	    why ? why : "it is damaged");
}

/* Checks a folder's name like a file's, although no folder is made from it. */
static enum err
folder_check(struct ctx *c, struct archive_entry *entry, const char *path)
{
	size_t n = strlen(path);

	if (archive_entry_size(entry) > 0)
		return fail(c, E_INVALID, "archive: %s is a folder but has content", path);
	if (!n || str_eq(path, "."))
		return E_OK;
	if (path[n - 1] == '/')
		path = mem_strndup(c->mem, path, n - 1);
	return path_check(c, "archive", &path);
}

/* Hiragana or katakana in CP932, of which each byte could also be a letter in CP437. */
static bool
is_kana(const unsigned char *s)
{
	return (*s == 0x82 && s[1] >= 0x9f) || (*s == 0x83 && s[1] >= 0x40 && s[1] <= 0x96);
}

/* In other code pages most bytes of a name would be symbols in CP437, not letters. */
static bool
may_be_cp437(const char *raw)
{
	const unsigned char *s = (const unsigned char *)raw;

	for (; *s; s++) {
		if (*s > 0x9a && (*s < 0xa0 || *s > 0xa7) && *s != 0xe1)
			return false;
		if (is_kana(s) && is_kana(s + 2))
			return false;
	}
	return true;
}

/* The letters of MS-DOS's code page 437, in UTF-8. */
static char *
cp437_text(void *owner, const char *raw)
{
	static const char *const from_80[] = { "Ç", "ü", "é", "â", "ä", "à", "å", "ç", "ê", "ë",
		"è", "ï", "î", "ì", "Ä", "Å", "É", "æ", "Æ", "ô", "ö", "ò", "û", "ù", "ÿ", "Ö",
		"Ü" };
	static const char *const from_a0[] = { "á", "í", "ó", "ú", "ñ", "Ñ", "ª", "º" };
	struct buf b = BUF(owner);

	for (const unsigned char *s = (const unsigned char *)raw; *s; s++)
		if (*s < 0x80)
			buf_chr(&b, (char)*s);
		else
			buf_str(&b,
			    *s == 0xe1      ? "ß"
				: *s < 0xa0 ? from_80[*s - 0x80]
					    : from_a0[*s - 0xa0]);
	return b.n ? b.s : mem_strdup(owner, "");
}

static enum err
entry_path(struct ctx *c, struct archive_entry *entry, bool zip, const char **out)
{
	const char *path = archive_entry_pathname_utf8(entry), *raw;
	mode_t type = archive_entry_filetype(entry);

	/* Windows Explorer writes names in MS-DOS's code page without saying so. */
	if (!path) {
		raw = archive_entry_pathname(entry);
		path = zip && raw && may_be_cp437(raw) ? cp437_text(c->mem, raw) : NULL;
		if (!path)
			return fail(c, E_INVALID,
			    "archive: %s is a name that isn't valid UTF-8; pack it again with "
			    "names in UTF-8, as 7-Zip and newer systems do, or rename the file",
			    raw ? path_shown(c->mem, raw, strlen(raw)) : "an entry's");
	}
	while (str_starts(path, "./"))
		path += 2;
	*out = NULL;
	if (type == AE_IFDIR)
		return folder_check(c, entry, path);
	if (type != AE_IFREG || archive_entry_hardlink(entry) || archive_entry_symlink(entry))
		return fail(c, E_INVALID,
		    "archive: %s is a link or a device; only files and folders are accepted", path);
	if (archive_entry_is_encrypted(entry))
		return fail(c, E_INVALID, "archive: %s is encrypted", path);
	TRY(path_check(c, "archive", &path));
	*out = path;
	return E_OK;
}

struct reading {
	struct ctx *c;
	struct archive *a;
	struct span zip;
	int64_t zip_at; /* position of libarchive's next read */
	const struct archive_limits *limits;
	const struct archive_sink *sink;
	struct gunzip *gunzip; /* NULL for a .zip */
	struct tar_walk *walk;
	int64_t entries, files, total, packed, unzipped;
	int64_t content_end; /* of a tar: after the last byte so far that isn't zero */
	char piece[PIECE_BYTES];
};

static enum err
entry_read(struct ctx *c, struct reading *r, struct archive_entry *entry, const char *path)
{
	int64_t size = 0, told = archive_entry_size(entry);
	const void *bytes;
	la_int64_t at;
	size_t n;
	int got;

	while ((got = archive_read_data_block(r->a, &bytes, &n, &at)) == ARCHIVE_OK) {
		if (at != size)
			return fail(c, E_INVALID,
			    "archive: %s is a sparse file, which isn't supported", path);
		size += (int64_t)n;
		r->total += (int64_t)n;
		if (size > r->limits->max_file_bytes)
			return fail(c, E_FILE_TOO_LARGE,
			    "archive: %s has more than %lld bytes, the maximum for a file",
			    path, (long long)r->limits->max_file_bytes);
		if (r->total > r->limits->max_total_bytes)
			return fail(c, E_BODY_TOO_LARGE,
			    "archive: it unpacks to more than %lld bytes, "
			    "the maximum for a version",
			    (long long)r->limits->max_total_bytes);
		if (r->total > FREE_BYTES && r->total / r->limits->max_ratio > r->packed)
			return fail(c, E_INVALID,
			    "archive: it unpacks to more than %lld times its size",
			    (long long)r->limits->max_ratio);
		TRY(r->sink->data(r->sink->arg, c, bytes, n));
	}
	if (got != ARCHIVE_EOF) {
		const char *why = archive_error_string(r->a);

		return fail(c, E_INVALID, "archive: %s can't be read: %s", path,
		    why ? why : "it is damaged");
	}
	return size == told
	    ? E_OK
	    : fail(c, E_INVALID, "archive: %s has %lld bytes, but its header says %lld", path,
		  (long long)size, (long long)told);
}

/* libarchive's own gzip filter ignores the checksum. */
static la_ssize_t
tar_next(struct archive *a, void *arg, const void **bytes)
{
	struct reading *r = arg;
	const char *why;
	size_t n;

	if (!gunzip_read(r->gunzip, bytes, &n)) {
		archive_set_error(a, EINVAL, "the gzip stream is damaged or cut short");
		return -1;
	}
	why = tar_walk(r->walk, *bytes, n);
	if (why) {
		archive_set_error(a, EINVAL, "%s", why);
		return -1;
	}
	for (size_t i = n; i; i--) {
		if (((const char *)*bytes)[i - 1]) {
			r->content_end = r->unzipped + (int64_t)i;
			break;
		}
	}
	r->unzipped += (int64_t)n;
	/* Bytes between the files count too, because headers alone can be endless. */
	if (r->unzipped > r->limits->max_total_bytes + r->limits->max_files * ENTRY_BYTES) {
		archive_set_error(a, EFBIG,
		    "it unpacks to far more than the maximum for a version");
		return -1;
	}
	return (la_ssize_t)n;
}

static la_ssize_t
zip_next(struct archive *a, void *arg, const void **bytes)
{
	struct reading *r = arg;
	struct span rest = span_after(r->zip, r->zip_at);
	int64_t n = rest.n < PIECE_BYTES ? rest.n : PIECE_BYTES;

	*bytes = r->piece;
	if (n <= 0)
		return 0;
	if (span_read(r->c, &rest, r->piece, (size_t)n)) {
		archive_set_error(a, EIO, "it can't be read");
		return -1;
	}
	r->zip_at += n;
	return (la_ssize_t)n;
}

static la_int64_t
zip_seek(struct archive *a, void *arg, la_int64_t to, int whence)
{
	struct reading *r = arg;

	(void)a;
	to += whence == SEEK_CUR ? r->zip_at : whence == SEEK_END ? r->zip.n : 0;
	if (to < 0 || to > r->zip.n)
		return ARCHIVE_FATAL;
	return r->zip_at = to;
}

static la_int64_t
zip_skip(struct archive *a, void *arg, la_int64_t n)
{
	struct reading *r = arg;
	la_int64_t rest = r->zip.n - r->zip_at;

	(void)a;
	n = n < rest ? n : rest;
	r->zip_at += n;
	return n;
}

static int
source_open(struct reading *r, const struct span *from, bool gzip)
{
	if (gzip) {
		archive_read_set_options(r->a, "hdrcharset=UTF-8");
		r->gunzip = gunzip_new(r->c, r->c->mem, *from);
		r->walk = tar_walk_new(r->c->mem);
		archive_read_support_format_tar(r->a);
		return archive_read_open(r->a, r, NULL, tar_next, NULL);
	}
	/* The seekable reader requires the directory at the end, which a truncated .zip lacks. */
	archive_read_support_format_zip_seekable(r->a);
	r->zip = *from;
	archive_read_set_seek_callback(r->a, zip_seek);
	return archive_read_open2(r->a, r, NULL, zip_next, zip_skip, NULL);
}

/* A tar ends before its gzip stream does, and the checksum comes last. Only zeros may be between,
 * because libarchive would silently skip files after the end. */
static enum err
source_end(struct ctx *c, struct reading *r)
{
	int64_t end = archive_filter_bytes(r->a, 0);
	la_ssize_t got = 1;
	const void *bytes;

	while (r->gunzip && got > 0)
		got = tar_next(r->a, r, &bytes);
	if (got < 0)
		return bad_archive(c, r->a);
	return r->content_end > end
	    ? fail(c, E_INVALID, "archive: there is data after the end of the .tar in it")
	    : E_OK;
}

static int64_t
entries_most(const struct archive_limits *limits)
{
	return 2 * limits->max_files;
}

static enum err
entry_deliver(struct ctx *c, struct reading *r, struct archive_entry *entry)
{
	const struct archive_limits *limits = r->limits;
	const char *path = NULL;

	if (++r->entries > entries_most(limits))
		return fail(c, E_BODY_TOO_LARGE, "archive: it has more than %lld files and folders",
		    (long long)entries_most(limits));
	TRY(entry_path(c, entry, !r->gunzip, &path));
	if (!path)
		return E_OK;
	if (++r->files > limits->max_files)
		return fail(c, E_BODY_TOO_LARGE, "archive: it has more than %lld files",
		    (long long)limits->max_files);
	TRY(r->sink->begin(r->sink->arg, c, path));
	TRY(entry_read(c, r, entry, path));
	return r->sink->end(r->sink->arg, c);
}

enum err
archive_read(struct ctx *c, const struct span *from, const struct archive_limits *limits,
    const struct archive_sink *sink)
{
	struct reading *r = mem_new(c->mem, struct reading);
	struct archive_entry *entry;
	char magic[2] = { 0 };
	bool gzip;
	int got;

	r->c = c;
	r->a = archive_read_new();
	r->limits = limits;
	r->sink = sink;
	r->packed = from->n;
	names_utf8();
	mem_defer(c->mem, reader_free, r->a);
	if (from->n >= 2)
		TRY(span_read(c, from, magic, sizeof magic));
	gzip = memcmp(magic, "\x1f\x8b", sizeof magic) == 0;
	if (!gzip)
		TRY(zip_check(c, from, entries_most(limits)));
	if (source_open(r, from, gzip) != ARCHIVE_OK)
		return bad_archive(c, r->a);
	while ((got = archive_read_next_header(r->a, &entry)) == ARCHIVE_OK || got == ARCHIVE_WARN)
		TRY(entry_deliver(c, r, entry));
	return got == ARCHIVE_EOF ? source_end(c, r) : bad_archive(c, r->a);
}

/* ---- writing ---- */

struct archive_out {
	struct archive *a;
	struct ctx *c;
	enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n);
	void *arg;
	enum err failed;
};

/* libarchive writes a directory even if it is freed early. That must not reach the client. */
static void
writer_free(void *arg)
{
	struct archive_out *out = arg;

	if (!out->failed)
		out->failed = E_INTERNAL;
	archive_write_free(out->a);
}

static la_ssize_t
writer_pass(struct archive *a, void *arg, const void *bytes, size_t n)
{
	struct archive_out *out = arg;

	(void)a;
	/* We don't report the failure to libarchive, because it would leak what it holds of the
	 * entry. */
	if (!out->failed)
		out->failed = out->write(out->arg, out->c, bytes, n);
	return (la_ssize_t)n;
}

static enum err
writer_failed(struct archive_out *out, const char *what)
{
	return out->failed
	    ? out->failed
	    : fail_here(out->c, "archive: %s: %s", what, archive_error_string(out->a));
}

static enum err
writer_begin(struct ctx *c, bool zip,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out)
{
	struct archive_out *o = *out = mem_new(c->mem, struct archive_out);
	bool refused;

	names_utf8();
	*o = (struct archive_out){ archive_write_new(), c, write, arg, E_OK };
	mem_defer(c->mem, writer_free, o);
	archive_write_set_bytes_per_block(o->a, 64 << 10);
	archive_write_set_bytes_in_last_block(o->a, 1);
	if (zip)
		refused = archive_write_set_format_zip(o->a);
	/* The gzip header has no time. Restricted pax writes extended headers only for files that
	 * need one, so any path and size fits. */
	else
		refused = archive_write_set_format_pax_restricted(o->a) ||
		    archive_write_add_filter_gzip(o->a) ||
		    archive_write_set_options(o->a, "gzip:!timestamp");
	if (refused || archive_write_set_options(o->a, "hdrcharset=UTF-8") ||
	    archive_write_open(o->a, o, NULL, writer_pass, NULL))
		return writer_failed(o, "begin");
	return E_OK;
}

enum err
archive_zip_begin(struct ctx *c,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out)
{
	return writer_begin(c, true, write, arg, out);
}

enum err
archive_tar_begin(struct ctx *c,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out)
{
	return writer_begin(c, false, write, arg, out);
}

void
archive_pack(struct archive_out *out, bool deflate)
{
	if (deflate)
		archive_write_zip_set_compression_deflate(out->a);
	else
		archive_write_zip_set_compression_store(out->a);
}

enum err
archive_add(struct archive_out *out, const char *path, int64_t size)
{
	struct archive_entry *entry = archive_entry_new();
	bool bad;

	archive_entry_set_pathname_utf8(entry, path);
	archive_entry_set_size(entry, size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_mtime(entry, 946684800, 0);
	bad = archive_write_header(out->a, entry) != ARCHIVE_OK;
	archive_entry_free(entry);
	return bad || out->failed ? writer_failed(out, path) : E_OK;
}

enum err
archive_put(struct archive_out *out, const void *bytes, size_t n)
{
	bool bad = archive_write_data(out->a, bytes, n) != (la_ssize_t)n;

	return bad || out->failed ? writer_failed(out, "bytes") : E_OK;
}

enum err
archive_add_fd(struct archive_out *out, const char *path, int fd, int64_t size)
{
	char chunk[65536];
	int64_t sum = 0;
	ssize_t got;

	TRY(archive_add(out, path, size));
	for (; (got = read(fd, chunk, sizeof chunk)) > 0; sum += got)
		TRY(archive_put(out, chunk, (size_t)got));
	return got < 0 || sum != size
	    ? fail_here(out->c, "archive: %s has %lld bytes", path, (long long)sum)
	    : E_OK;
}

enum err
archive_end(struct archive_out *out)
{
	return archive_write_close(out->a) == ARCHIVE_OK && !out->failed
	    ? E_OK
	    : writer_failed(out, "end");
}
