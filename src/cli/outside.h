/* SPDX-License-Identifier: Apache-2.0
 * `vitrine share --with` and `unshare --with`: sharing with people outside of a workspace. */
#ifndef VITRINE_CLI_OUTSIDE_H
#define VITRINE_CLI_OUTSIDE_H
#include "cli/cli.h"
#include "core/reach.h"

/* The options that go with --with. */
#define OUTSIDE_THING \
	{ "--folder PATH", "with --with: this folder of the workspace, and all that is in it" }, \
	{ "--file FILE", "with --with: this file of the workspace's library, by name or id" }, \
	{ "--workspace W", "where that is, " WORKSPACE_RULE }

int run_share_with(struct cli *);
int run_unshare_with(struct cli *);
/* Refuses options that go with --with, for a command without it. Returns the exit status. */
int outside_check(struct cli *);
#endif
