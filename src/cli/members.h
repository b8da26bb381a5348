/* SPDX-License-Identifier: Apache-2.0
 * The workspace in use, stored beside the token. */
#ifndef VITRINE_CLI_MEMBERS_H
#define VITRINE_CLI_MEMBERS_H
#include "cli/cli.h"

/* Returns the slug of the workspace in use at this service, or NULL. */
const char *workspace_used(struct cli *);
#endif
