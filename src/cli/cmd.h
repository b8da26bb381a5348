/* SPDX-License-Identifier: Apache-2.0
 * The client's commands: a table of rows, one file a noun. */
#ifndef VITRINE_CLI_CMD_H
#define VITRINE_CLI_CMD_H
#include "cli/cli.h"

struct cli_option {
	const char *name, *help; /* name as usage has it: "--slug S" */
};
struct cli_cmd {
	const char *name, *usage, *help; /* usage: as usage_read() has it */
	int (*run)(struct cli *);
	bool anonymous;                   /* needs no token */
	const struct cli_option *options; /* each of usage explained; ends with name NULL */
};
extern const struct cli_cmd account_cli[], artifact_cli[], publish_cli[],
    pull_cli[]; /* each ends with name NULL */

int cli_main(int argc, char **argv);
#endif
