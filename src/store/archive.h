/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes archives: .zip and .tar.gz. Only archive.c includes libarchive. */
#ifndef VITRINE_ARCHIVE_H
#define VITRINE_ARCHIVE_H
#include "store/spool.h"

struct archive_limits {
	int64_t max_files, max_file_bytes, max_total_bytes, max_ratio;
};
/* Receives each file in order: begin, data…, end. */
struct archive_sink {
	enum err (*begin)(void *arg, struct ctx *c, const char *path);
	enum err (*data)(void *arg, struct ctx *c, const void *bytes, size_t n);
	enum err (*end)(void *arg, struct ctx *c);
	void *arg;
};

/* Reads an archive into the sink, checking each path before its bytes. Skips folders after checking
 * their names. E_INVALID for links, devices, encrypted entries, and a damaged or truncated archive
 * (wrong checksum or size, files after the end). E_FILE_TOO_LARGE or E_BODY_TOO_LARGE by the bytes
 * read, whatever headers claim; files and folders together may be twice max_files. The sink may
 * have received files before a failure. zip_check() checks a .zip first. */
enum err archive_read(struct ctx *c, const struct span *, const struct archive_limits *,
    const struct archive_sink *);

struct archive_out;
/* Begin a .zip or .tar.gz that is passed to write() in chunks. Deterministic: equal files give
 * equal bytes. After a failure write() isn't called again, so a truncated archive has no directory.
 */
enum err archive_zip_begin(struct ctx *c,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out);
enum err archive_tar_begin(struct ctx *c,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg,
    struct archive_out **out);
/* For a .zip: deflate the following files (the default) or store them. */
void archive_pack(struct archive_out *, bool deflate);
/* Begins a file. archive_put() must then pass exactly size bytes, else the archive is corrupt. */
enum err archive_add(struct archive_out *, const char *path, int64_t size);
enum err archive_put(struct archive_out *, const void *bytes, size_t n);
/* Adds a file from fd, which must have exactly size bytes left, else E_INTERNAL. */
enum err archive_add_fd(struct archive_out *, const char *path, int fd, int64_t size);
enum err archive_end(struct archive_out *);
#endif
