/* SPDX-License-Identifier: Apache-2.0
 * Links to files of a library: one for anyone who has it, or one for each address, sent by mail. */
#ifndef VITRINE_CLI_DELIVERY_H
#define VITRINE_CLI_DELIVERY_H
#include "cli/cli.h"

/* Adds a member with the end of --expires, a date or a number of days; adds none without it.
 * Returns false after saying what is wrong. */
bool expiry_add(struct cli *, struct buf *, const char *member);
int run_share(struct cli *);
int run_send(struct cli *);
#endif
