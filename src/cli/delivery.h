/* SPDX-License-Identifier: Apache-2.0
 * Links that let others have files of a library: one for whoever has it, or one by mail for each
 * address. */
#ifndef VITRINE_CLI_DELIVERY_H
#define VITRINE_CLI_DELIVERY_H
#include "cli/cli.h"

/* The member of a body that --expires, a date or a number of days, gives; none without it. false
 * after saying what is wrong. */
bool expiry_add(struct cli *, struct buf *, const char *member);
int run_share(struct cli *);
int run_send(struct cli *);
#endif
