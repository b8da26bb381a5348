/* SPDX-License-Identifier: Apache-2.0
 * Which workspace, and which of its folders, a command is about. */
#ifndef VITRINE_CLI_WORKSPACE_H
#define VITRINE_CLI_WORKSPACE_H
#include "cli/http.h"

/* How a command's help says it of --workspace. */
#define WORKSPACE_RULE \
	"by slug or id (default: VITRINE_WORKSPACE, then the one in use, then your only one)"

/* The id of the workspace that a command is about. This is the one rule for all: what --workspace
 * names by slug or id; else what VITRINE_WORKSPACE names; else the one in use (cli/members.h); else
 * the only one that the user is in. NULL after saying what is wrong. */
const char *workspace_which(struct cli *, int *exit_status);
/* The reply about one by slug or id; gives the exit status. */
int workspace_reply(struct cli *, const char *named, struct http_res *);
/* The id of its folder at path ("/Reports/2026", in any case), or "" for "/" and "". NULL after
 * saying that there is none. */
const char *workspace_folder(
    struct cli *, const char *workspace_id, const char *path, int *exit_status);
#endif
