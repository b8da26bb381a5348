/* SPDX-License-Identifier: Apache-2.0
 * Finds the workspace, and the folder in it, that a command is about. */
#ifndef VITRINE_CLI_WORKSPACE_H
#define VITRINE_CLI_WORKSPACE_H
#include "cli/http.h"

/* Says in a command's help how --workspace is read. */
#define WORKSPACE_RULE \
	"by slug or id (default: VITRINE_WORKSPACE, then the one in use, then your only one)"

/* Returns the id of the workspace that a command is about: that of --workspace (slug or id), else
 * of VITRINE_WORKSPACE, else the one in use (cli/members.h), else the user's only one. NULL after
 * saying what is wrong. */
const char *workspace_which(struct cli *, int *exit_status);
/* Asks for a workspace by slug or id. Returns the exit status. */
int workspace_reply(struct cli *, const char *named, struct http_res *);
/* Returns the id of the workspace's folder at path ("/Reports/2026", in any case); "" for "/" and
 * "". NULL after saying that there is none. */
const char *workspace_folder(
    struct cli *, const char *workspace_id, const char *path, int *exit_status);
#endif
