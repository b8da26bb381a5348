/* SPDX-License-Identifier: Apache-2.0
 * The client's commands: tables of rows, in a file for each noun. */
#ifndef VITRINE_CLI_COMMANDS_H
#define VITRINE_CLI_COMMANDS_H
#include "cli/cli.h"

/* Rows leave out members that they don't need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct cli_option {
	const char *name, *help; /* name: with the name of its value: "--slug S" */
	const char *words;       /* the values it accepts, if name has only "V": "public|private" */
	const char *only;        /* names of the commands that accept it; NULL: all */
	bool checked;            /* the value must be one of the words in name */
};
enum cli_needs {
	NEEDS_TOKEN,
	NEEDS_SERVICE, /* a service but no token */
	NEEDS_NOTHING
};
struct cli_cmd {
	/* args: a usage for usage_read(); a word in lower case is typed literally */
	const char *name, *args, *help;
	const struct cli_option *options; /* ends with name NULL; may be NULL */
	const struct cli_row *rows;       /* ends with {0} */
	int (*run)(struct cli *);         /* in place of rows */
	enum cli_needs needs;
	/* Returns what a row's @name means, beside the names of row_found(). NULL with EXIT_FINE
	 * for a name that the command doesn't know. */
	const char *(*find)(struct cli *, const char *what, int *exit_status);
	const struct text_library *texts; /* what pull and push copy (cli/textfiles.h) */
};
/* The tables, x_cli in a file for each noun, in the order of the help. Each ends with name NULL. */
#define CLI_TABLES(T) T(publish) T(new) T(dev) T(elsewhere) T(search) T(inbox) T(artifact) T(pull) \
	T(people) T(domains) T(document) T(table) T(policy) T(metric) T(blob) T(asset) \
	T(delivery) T(job) T(comment) T(reviews) T(members) T(clients) T(grants) \
	T(connections) T(catalog) T(notes) T(workspace) T(runs) T(token) T(mcp) T(account) \
	T(support) T(complete)
#define CLI_DECLARE(noun) extern const struct cli_cmd noun##_cli[];
CLI_TABLES(CLI_DECLARE)
#endif
