/* SPDX-License-Identifier: Apache-2.0
 * The client's commands: a table of rows, one file a noun. */
#ifndef VITRINE_CLI_COMMANDS_H
#define VITRINE_CLI_COMMANDS_H
#include "cli/cli.h"

/* Rows leave out what they don't need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct cli_option {
	const char *name, *help; /* name with what it takes: "--slug S" */
	const char *words;       /* what it takes, if name says only "V": "public|private" */
	const char *only;        /* the words of the rows that it goes with; NULL: all */
	bool checked;            /* it is one of the two words in name */
};
enum cli_needs {
	NEEDS_TOKEN,
	NEEDS_SERVICE, /* and no token */
	NEEDS_NOTHING
};
struct cli_cmd {
	/* args: as usage_read() has them; words in lower case are meant as they stand */
	const char *name, *args, *help;
	const struct cli_option *options; /* all may be left out; ends with name NULL */
	const struct cli_row *rows;       /* what it does; ends with {0} */
	int (*run)(struct cli *);         /* in place of rows */
	enum cli_needs needs;
	/* What a row's @names mean beside those of row_found(); NULL, with EXIT_FINE for a name
	 * that it doesn't know. */
	const char *(*find)(struct cli *, const char *what, int *exit_status);
};
/* Each ends with name NULL. */
extern const struct cli_cmd account_cli[], artifact_cli[], publish_cli[], search_cli[], pull_cli[],
    people_cli[], comment_cli[], complete_cli[], document_cli[], table_cli[], blob_cli[],
    asset_cli[], delivery_cli[], job_cli[], runs_cli[], metric_cli[], members_cli[], clients_cli[],
    grants_cli[], connections_cli[], catalog_cli[], notes_cli[], workspace_cli[], token_cli[],
    mcp_cli[], support_cli[];
#endif
