/* SPDX-License-Identifier: Apache-2.0
 * Archives of files: .zip and .tar.gz, in and out. archive.c alone sees libarchive. */
#ifndef VITRINE_ARCHIVE_H
#define VITRINE_ARCHIVE_H
#include "store/spool.h"

struct archive_limits {
	int64_t max_files, max_file_bytes, max_total_bytes, max_ratio;
};
/* What becomes of each file, in order: begin, data…, end. */
struct archive_sink {
	enum err (*begin)(void *arg, struct ctx *c, const char *path);
	enum err (*data)(void *arg, struct ctx *c, const void *bytes, size_t n);
	enum err (*end)(void *arg, struct ctx *c);
	void *arg;
};

/* Paths are checked before a byte of the file is given. Folders are passed over, but their names
 * are checked too; links, devices and encrypted entries refused: E_INVALID. E_FILE_TOO_LARGE,
 * E_BODY_TOO_LARGE as it reads, whatever the headers claim; files and folders together may be twice
 * max_files. E_INVALID when it is damaged or cut short anywhere, checksums included, when a size is
 * not what was told, or files stand behind the end; the sink has had files by then. A .zip is
 * judged by zip_check() before. */
enum err archive_read(struct ctx *c, const struct span *, const struct archive_limits *,
    const struct archive_sink *);

struct archive_out;
/* A .zip or a .tar.gz in pieces, to write() as it is made; deterministic: the same files give the
 * same bytes. When anything fails, write() is not called again: no directory ends what was
 * begun. */
enum err archive_zip_begin(struct ctx *c,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out);
enum err archive_tar_begin(struct ctx *c,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out);
/* Of a .zip: whether the files that follow are deflated, as they are at first, or stored. */
void archive_pack(struct archive_out *, bool deflate);
/* A file, whose bytes archive_put() gives: as many as size says, or what comes of it can't be
 * read. */
enum err archive_add(struct archive_out *, const char *path, int64_t size);
enum err archive_put(struct archive_out *, const void *bytes, size_t n);
/* Both; reads fd to its end: size bytes, else E_INTERNAL. */
enum err archive_add_fd(struct archive_out *, const char *path, int fd, int64_t size);
enum err archive_end(struct archive_out *);
#endif
