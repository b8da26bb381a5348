/* SPDX-License-Identifier: Apache-2.0
 * The files of a workspace's data catalog, to a folder and back, so that people keep them with
 * their own tools. Both give the exit status, after saying what was done. */
#ifndef VITRINE_CLI_CATALOGFILES_H
#define VITRINE_CLI_CATALOGFILES_H
#include "cli/cli.h"

#define CATALOG_PATH "/v1/workspaces/%s/catalog"
int catalog_pull(struct cli *);
int catalog_push(struct cli *);
#endif
