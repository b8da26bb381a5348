/* SPDX-License-Identifier: Apache-2.0
 * Links that let others have files of a library: one for whoever has it, or one by mail for each
 * address. */
#ifndef VITRINE_CLI_DELIVERY_H
#define VITRINE_CLI_DELIVERY_H
#include "cli/cli.h"

int run_share(struct cli *);
int run_send(struct cli *);
#endif
