/* SPDX-License-Identifier: Apache-2.0
 * Files that are sent unchanged, and files that are fetched. A fetched file goes into the folder of
 * --to, or the current one, under the name that the service has for it; or to --out. It gets its
 * name when it is complete, and never replaces a file. */
#ifndef VITRINE_CLI_FILE_H
#define VITRINE_CLI_FILE_H
#include "cli/http.h"

/* A file's name until it is complete. No published path has a colon. */
#define FRESH_NAME ".vitrine:new"

/* Opens a regular file to be sent. Follows a link of the caller's; refuses devices and pipes.
 * cli->c->mem owns the descriptor. Returns the exit status. */
int file_open(struct cli *, const char *path, struct http_file *out, struct stat *st);

/* Copies standard input to a file in $TMPDIR, and opens that as file_open() does. cli->c->mem owns
 * the file. EXIT_USAGE if standard input is a terminal. */
int file_stdin(struct cli *, struct http_file *out, struct stat *st);

struct file_place {
	const char *dir, *name; /* name: NULL until file_place_judge() sets the service's */
	int at;                 /* the folder's descriptor */
};
/* Returns false after saying that --out isn't a file's name, or that it goes with get and a single
 * file only. */
bool file_out_judge(const struct cli *);
/* True if --out is -, standard output. *status is EXIT_USAGE then if that is a terminal. */
bool file_out_stdout(struct cli *, int *status);
/* Opens the folder of --to or --out. Returns the exit status. */
int file_place_find(struct cli *, struct file_place *out);
/* Checks that a file, typed as `named` and called `theirs` by the service, can be saved there. */
int file_place_judge(
    struct file_place *, const char *named, const char *theirs, int64_t size);
/* Creates a file with the temporary name `fresh`. Returns its descriptor; -1 after saying why. */
int file_place_make(const struct file_place *, const char *fresh, int flags);
/* Syncs the complete file to disk, gives it its name, and prints that. */
int file_place_keep(const struct file_place *, const char *fresh, int fd);

/* Writes a file at path below the folder root, and makes the folders of path. flags: as for
 * renameat2(), RENAME_NOREPLACE keeps an existing file. False with errno. */
bool file_write_at(
    struct cli *, int root, const char *path, const void *bytes, size_t n, unsigned flags);
#endif
