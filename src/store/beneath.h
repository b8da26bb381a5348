/* SPDX-License-Identifier: Apache-2.0
 * How the store opens, reads, names and syncs files. Paths are relative to data_dir, whose
 * descriptor is called root. New files have mode 0640 and new directories 0750, less the umask (077
 * would lock the web server out). */
#ifndef VITRINE_BENEATH_H
#define VITRINE_BENEATH_H
#include "base/ctx.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum {
	SYNC_EACH =
	    8, /* Up to this many files are fsynced one by one; for more, one syncfs is faster. */
	RANDOM_NAME = 33 /* bytes of a random name with its NUL */
};

/* Opens data_dir. Open it before writing: syncfs() on it then reports all errors since. */
enum err store_root(struct ctx *c, void *owner, int *root);
/* Sets *root to a descriptor of data_dir that this process keeps open. It finds files, but can't be
 * synced: syncfs() on it could report what another request's write did. A data_dir that is replaced
 * meanwhile is out of reach with or without it, because Landlock allows the old one. */
enum err store_root_kept(struct ctx *c, int *root);

/* Opens a path below the directory at. Fails (EXDEV, ELOOP) if the path leaves it or contains a
 * symbolic link, also through ".." or races. Adds O_CLOEXEC. Returns -1 with errno. Source:
 * openat2(2), RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. */
int beneath_open(int at, const char *path, int flags);
/* Opens what path leads to through symbolic links that stay below at (EXDEV otherwise, and for an
 * absolute link) and don't form a loop (ELOOP). The descriptor is O_PATH: it can't be read. -1 with
 * errno. */
int beneath_follow(int at, const char *path);
/* Opens a regular file for reading; ENOENT for anything else. Returns -1 with errno. */
int beneath_open_file(int at, const char *path, struct stat *st);
/* Waits for a flock(2) lock, LOCK_SH or LOCK_EX, also through signals. path is for the error
 * message. */
enum err lock_wait(struct ctx *c, int fd, int how, const char *path);
/* Opens a directory, making missing ones. *made (made may be NULL) is true if any was made. path
 * must be plain. Returns -1 with errno. */
int beneath_mkdirs(int at, const char *path, bool *made);
/* Opens the directory of path; *name points to the last segment. Returns -1 with errno. */
int beneath_parent(int at, const char *path, const char **name);
/* True if errno means that a path from outside names nothing that may be opened. */
bool beneath_absent(int err);
/* True for a relative path without empty, "." and ".." segments or one longer than 255 bytes. */
bool path_plain(const char *path);
/* True for a plain path of one segment, like an id or a slug. */
bool segment_plain(const char *name);
bool same_file(const struct stat *a, const struct stat *b);

void random_name(char out[RANDOM_NAME]);
/* Reads n bytes into owner's memory, followed by a NUL. Fails if the file ends before. */
enum err read_exactly(struct ctx *c, void *owner, int fd, size_t n, const char **bytes);
/* Lists the names in a directory without "." and ".."; none if it doesn't exist. */
struct names {
	const char **v;
	size_t n;
};
enum err dir_list(struct ctx *c, void *owner, int at, const char *path, struct names *out);

/* Walks through a directory from a position that an earlier walk returned, in any process (0: the
 * start). If the directory has changed since, a name may come twice or not at all. *out is NULL if
 * there is no such directory. */
struct walk;
enum err
walk_begin(struct ctx *c, void *owner, int at, const char *path, int64_t from, struct walk **out);
/* *name is NULL after the last, and valid until the next call; *position is where to continue. */
enum err walk_next(struct ctx *c, struct walk *w, const char **name, int64_t *position);

/* fsync. Don't retry after an error: the kernel has dropped the pages, so a retry would succeed
 * without the bytes being stored. */
enum err sync_fd(struct ctx *c, int fd);
enum err sync_dir(struct ctx *c, int at, const char *path);
/* Syncs the whole file system of root. */
enum err sync_all(struct ctx *c, int root);
#endif
