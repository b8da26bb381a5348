/* SPDX-License-Identifier: Apache-2.0
 * Which workspace, and which of its folders, a command is about. */
#ifndef VITRINE_CLI_WORKSPACE_H
#define VITRINE_CLI_WORKSPACE_H
#include "cli/cli.h"

/* The id of the workspace that --workspace or VITRINE_WORKSPACE names by id or slug; else of the
 * one that the user is in. NULL after saying what is wrong. */
const char *workspace_which(struct cli *, int *exit_status);
/* The id of its folder at path ("/Reports/2026", in any case), or "" for "/" and "". NULL after
 * saying that there is none. */
const char *workspace_folder(
    struct cli *, const char *workspace_id, const char *path, int *exit_status);
#endif
