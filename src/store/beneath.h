/* SPDX-License-Identifier: Apache-2.0
 * The one way in which the store opens a path, and how it reads, names and makes durable. All paths
 * are relative to conf's data_dir, whose descriptor is called root. New files have mode 0640 and
 * new directories 0750, less the umask (077 would shut the web server out). */
#ifndef VITRINE_BENEATH_H
#define VITRINE_BENEATH_H
#include "base/ctx.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum {
	SYNC_EACH =
	    8, /* up to so many things are fsynced one by one; for more, one syncfs is faster */
	RANDOM_NAME = 33 /* bytes of a random name with its NUL */
};

/* The descriptor of data_dir. Opened before anything is written, it makes syncfs() on it report
 * every error since. */
enum err store_root(struct ctx *c, void *owner, int *root);

/* Opens below the directory at. A path that leaves it or meets a symbolic link fails (EXDEV,
 * ELOOP), whatever ".." or races it uses. -1 with errno; O_CLOEXEC is added. Source: openat2(2),
 * RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. */
int beneath_open(int at, const char *path, int flags);
/* What path leads to, through links too, as long as none leads out of at (EXDEV, which an absolute
 * one does always) nor round in a circle (ELOOP). The descriptor tells what it is and where
 * (O_PATH), not what is in it. -1 with errno. */
int beneath_follow(int at, const char *path);
/* Opens a regular file for reading; ENOENT when it is something else. -1 with errno. */
int beneath_open_file(int at, const char *path, struct stat *st);
/* Waits for a lock of flock(2), LOCK_SH or LOCK_EX, through signals; path is for the message. */
enum err lock_wait(struct ctx *c, int fd, int how, const char *path);
/* Opens a directory, making what is missing of it; *made (may be NULL) tells whether anything was.
 * path is plain. -1 with errno. */
int beneath_mkdirs(int at, const char *path, bool *made);
/* Opens the directory that holds path; *name points at its last segment. -1 with errno. */
int beneath_parent(int at, const char *path, const char **name);
/* Whether errno says that a path from outside names nothing that may be opened. */
bool beneath_absent(int err);
/* A relative path of plain segments: none empty, ".", ".." or longer than 255 bytes. */
bool path_plain(const char *path);
/* path_plain() and one segment, as ids and slugs are. */
bool segment_plain(const char *name);
bool same_file(const struct stat *a, const struct stat *b);

/* 2n lower-case digits, without a NUL. */
void hex_write(char *out, const uint8_t *bytes, size_t n);
void random_name(char out[RANDOM_NAME]);
/* Fails when the file ends before n bytes. The bytes belong to owner and are followed by a NUL. */
enum err read_exactly(struct ctx *c, void *owner, int fd, size_t n, const char **bytes);
/* The names in a directory, but "." and ".."; none when there is no such directory. */
struct names {
	const char **v;
	size_t n;
};
enum err dir_list(struct ctx *c, void *owner, int at, const char *path, struct names *out);

/* Goes through a directory a name at a time, from a position that an earlier walk gave, of any
 * process (0: from the start). Where the directory has changed since, a name may be met twice or
 * not at all. *out is NULL when there is no such directory. */
struct walk;
enum err
walk_begin(struct ctx *c, void *owner, int at, const char *path, int64_t from, struct walk **out);
/* *name is NULL after the last, and lives until the next; *position goes on after it. */
enum err walk_next(struct ctx *c, struct walk *w, const char **name, int64_t *position);

/* fsync. An error is final: the kernel has dropped the pages, so trying again would succeed without
 * the bytes. */
enum err sync_fd(struct ctx *c, int fd);
enum err sync_dir(struct ctx *c, int at, const char *path);
/* Everything on the file system of root. */
enum err sync_all(struct ctx *c, int root);
#endif
