/* SPDX-License-Identifier: Apache-2.0
 * The workspace that a command is about: the one that it names, or the one that the person uses,
 * which is kept beside the token for its service. */
#ifndef VITRINE_CLI_MEMBERS_H
#define VITRINE_CLI_MEMBERS_H
#include "cli/cli.h"

/* The id of the workspace that name (a slug or an id; NULL: the one in use) means. NULL, with
 * *status after saying why, when there is none. */
const char *workspace_id_find(struct cli *, const char *name, int *status);
/* The slug of the one in use at this service, or NULL. */
const char *workspace_used(struct cli *);
#endif
