/* SPDX-License-Identifier: Apache-2.0
 * Files that go to the service as they are, and files that come from it: into the folder of --to,
 * or the current one, under the name that the service has for it, or as --out. They get their name
 * when they are whole, and take nobody's. */
#ifndef VITRINE_CLI_FILE_H
#define VITRINE_CLI_FILE_H
#include "cli/http.h"

/* Opens a file to be sent. A link or a mount of the caller's is followed; what has no end is
 * refused. The descriptor is cli->c->mem's. Gives the exit status. */
int file_open(struct cli *, const char *path, struct http_file *out, struct stat *st);

struct file_place {
	const char *dir, *name; /* name: NULL until the service's is taken */
	int at;                 /* the folder */
};
/* --out is the name of a single file, and goes with get. false after saying so. */
bool file_out_judge(const struct cli *);
/* What --to and --out say. Gives the exit status. */
int file_place_find(struct cli *, struct file_place *out);
/* Whether what was asked for as `named`, and is `theirs` to the service, can come there. */
int file_place_judge(
    struct file_place *, const char *named, const char *theirs, int64_t size);
/* Makes a file that has the name `fresh` for now; -1 after saying why not. */
int file_place_make(const struct file_place *, const char *fresh, int flags);
/* It is whole, and durable: it gets its name, which is printed. */
int file_place_keep(const struct file_place *, const char *fresh, int fd);
#endif
