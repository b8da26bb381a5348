/* SPDX-License-Identifier: Apache-2.0
 * The workspace that the person uses, which is kept beside the token for its service. */
#ifndef VITRINE_CLI_MEMBERS_H
#define VITRINE_CLI_MEMBERS_H
#include "cli/cli.h"

/* The slug of the one in use at this service, or NULL. */
const char *workspace_used(struct cli *);
#endif
