/* SPDX-License-Identifier: Apache-2.0
 * The client's start: reads the command line and runs its command. */
#ifndef VITRINE_CLI_CMD_H
#define VITRINE_CLI_CMD_H

#include "cli/commands.h"

/* Sets cli->url from --url, the environment, or what login stored. Returns the exit status, after
 * saying why. */
int cmd_address(struct cli *);
/* Sets cli->url, and cli->token if the command needs one. Returns the exit status. */
int cmd_service(struct cli *, enum cli_needs);
int cli_main(int argc, char **argv); /* returns the exit status */
#endif
