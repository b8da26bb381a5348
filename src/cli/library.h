/* SPDX-License-Identifier: Apache-2.0
 * Finds the asset library that a command is about, and a file in it. It is the user's own, unless
 * --workspace or --folder names a workspace's. */
#ifndef VITRINE_CLI_LIBRARY_H
#define VITRINE_CLI_LIBRARY_H
#include "cli/cli.h"

#define LIBRARY_OWN "/v1/assets"

struct library_file {
	const char *id, *name, *sha256;
	int64_t size;
};

bool library_is_own(const struct cli *);
/* Returns the path of a workspace's library; NULL for NULL. */
const char *library_at(struct cli *, const char *workspace_id);
/* Returns the path of the command's library; NULL after saying what is wrong. */
const char *library_which(struct cli *, int *exit_status);
/* Finds a file by id or name. Returns the exit status. */
int library_find(
    struct cli *, const char *library, const char *named, struct library_file *out);
/* Returns a file's id; NULL after saying what is wrong. Asks nothing if named is an id. */
const char *library_file_id(
    struct cli *, const char *library, const char *named, int *exit_status);
#endif
