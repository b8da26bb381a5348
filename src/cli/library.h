/* SPDX-License-Identifier: Apache-2.0
 * Which asset library a command is about, and which file in it: one's own, unless --workspace or
 * --folder asks for a workspace's, as vitrine list has it. */
#ifndef VITRINE_CLI_LIBRARY_H
#define VITRINE_CLI_LIBRARY_H
#include "cli/cli.h"

#define LIBRARY_OWN "/v1/assets"

struct library_file {
	const char *id, *name, *sha256;
	int64_t size;
};

bool library_is_own(const struct cli *);
/* A workspace's; NULL of NULL. */
const char *library_at(struct cli *, const char *workspace_id);
/* NULL after saying what is wrong. */
const char *library_which(struct cli *, int *exit_status);
/* A file by its id or its name. Gives the exit status. */
int library_find(
    struct cli *, const char *library, const char *named, struct library_file *out);
/* The id alone, which needn't be looked for where it is given. NULL after saying what is wrong. */
const char *library_file_id(
    struct cli *, const char *library, const char *named, int *exit_status);
#endif
