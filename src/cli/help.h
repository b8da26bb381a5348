/* SPDX-License-Identifier: Apache-2.0
 * The client's help: the list of commands, a command with its options, and suggestions for a
 * mistyped word. */
#ifndef VITRINE_CLI_HELP_H
#define VITRINE_CLI_HELP_H
#include "cli/commands.h"

#define CMD_ALWAYS "[--url URL] [--json] [--quiet]"

/* Goes through all commands of all tables. */
#define HELP_EACH(cmd) \
	for (const struct cli_cmd *const *table_ = help_tables; *table_; table_++) \
		for (const struct cli_cmd *cmd = *table_; cmd->name; cmd++)
extern const struct cli_cmd *const help_tables[]; /* ends with NULL */
extern const struct cli_option help_always[]; /* options of every command; ends with name NULL */
/* Says that the arguments mean nothing: names the nearest word, or says why and prints the usages,
 * one a line (NULL: the command's). why may be NULL. Returns EXIT_USAGE. */
int help_usage(struct cli *, const char *why, const char *usages);
const char *help_too_many(struct cli *, const char *arg); /* says that arg is one too many */
/* Returns the option's name with the name of its value: "--slug S" of "--slug". NULL if the list
 * hasn't got it. */
const char *help_option(const struct cli_option *, const char *name);
void help_all(void (*line)(const char *fmt, ...));
void help_command(struct cli *, const struct cli_cmd *);
/* Returns the command's arguments and options as a usage for usage_read(). */
const char *help_synopsis(struct cli *, const struct cli_cmd *);
/* Says why usage_read() refused the arguments. For an unknown option, names the nearest known one;
 * for arguments, prints the usage, too. */
void help_refusal(struct cli *, const struct cli_cmd *, int argc, char **argv);
const struct cli_cmd *help_find(const char *name); /* NULL if there is none */
void help_unknown(const char *name);               /* fails, naming the nearest command */
#endif
