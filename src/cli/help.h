/* SPDX-License-Identifier: Apache-2.0
 * What the client says about itself: all commands, one of them with each option, and what somebody
 * may have meant. */
#ifndef VITRINE_CLI_HELP_H
#define VITRINE_CLI_HELP_H
#include "cli/commands.h"

#define CMD_ALWAYS "[--url URL] [--json] [--quiet]"

/* Calls fn for each command until it gives one, which is returned. */
const struct cli_cmd *
help_each(const struct cli_cmd *(*fn)(void *arg, const struct cli_cmd *), void *arg);
extern const struct cli_option help_always[]; /* what every command takes; ends with name NULL */
/* Arguments that are the right number and mean nothing: prints the usage, gives EXIT_USAGE. */
int help_usage(struct cli *);
void help_all(void (*line)(const char *fmt, ...));
void help_command(struct cli *, const struct cli_cmd *);
/* The command's args and options, as usage_read() has them. */
const char *help_synopsis(struct cli *, const struct cli_cmd *);
/* Why the arguments don't fit: an option without its value, or one that the command has not, with
 * the nearest; else the usage. */
void help_refusal(struct cli *, const struct cli_cmd *, int argc, char **argv);
const struct cli_cmd *help_find(const char *name); /* NULL if there is none */
void help_unknown(const char *name);               /* names the nearest command */
#endif
