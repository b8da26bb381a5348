/* SPDX-License-Identifier: Apache-2.0
 * The client: what was typed, and the command that does it. */
#ifndef VITRINE_CLI_CMD_H
#define VITRINE_CLI_CMD_H

int cli_main(int argc, char **argv); /* gives the exit status */
#endif
