/* SPDX-License-Identifier: Apache-2.0
 * The client: what was typed, and the command that does it. */
#ifndef VITRINE_CLI_CMD_H
#define VITRINE_CLI_CMD_H

#include "cli/commands.h"

/* cli->url, by --url, the environment, or what login saved. The exit status, after saying why. */
int cmd_address(struct cli *);
/* The same, and the token, as far as a command needs it. */
int cmd_service(struct cli *, enum cli_needs);
int cli_main(int argc, char **argv); /* gives the exit status */
#endif
