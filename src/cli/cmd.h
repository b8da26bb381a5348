/* SPDX-License-Identifier: Apache-2.0
 * The client's commands: a table of rows, one file a noun. */
#ifndef VITRINE_CLI_CMD_H
#define VITRINE_CLI_CMD_H
#include "cli/cli.h"

struct cli_option {
	const char *name, *help; /* name as usage has it: "--slug S" */
};
enum cli_needs {
	NEEDS_TOKEN,
	NEEDS_SERVICE, /* and no token */
	NEEDS_NOTHING
};
struct cli_cmd {
	/* usage: as usage_read() has it; words in lower case are meant as they stand */
	const char *name, *usage, *help;
	int (*run)(struct cli *);
	enum cli_needs needs;
	const struct cli_option *options; /* each of usage explained; ends with name NULL */
};
/* Each ends with name NULL. */
extern const struct cli_cmd account_cli[], artifact_cli[], publish_cli[], pull_cli[], people_cli[],
    comment_cli[], complete_cli[], document_cli[], table_cli[], blob_cli[], job_cli[],
    metric_cli[], members_cli[], workspace_cli[], token_cli[];

int cli_main(int argc, char **argv);
#endif
