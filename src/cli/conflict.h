/* SPDX-License-Identifier: Apache-2.0
 * Tells which files of a publish are in conflict with what others have published. */
#ifndef VITRINE_CLI_CONFLICT_H
#define VITRINE_CLI_CONFLICT_H
#include "cli/cli.h"

struct json;

/* Prints the files, the parts that differ, and the command that goes on. Returns EXIT_CONFLICT. */
int conflict_tell(struct cli *, const struct json *reply, const char *place);
#endif
