/* SPDX-License-Identifier: Apache-2.0
 * The parent of the lane `cluster`. It uses no database itself, so nothing that hangs there delays
 * it: it hides this machine's pages when the lease is over, and gives up the active role when this
 * machine can't carry it out. */
#ifndef VITRINE_CLUSTER_GUARD_H
#define VITRINE_CLUSTER_GUARD_H
#include "base/conf.h"

/* Runs until a signal. SIGTERM, also when the parent dies: hands over and hides. SIGHUP: leaves all
 * to the next guard. Returns the exit status. */
int guard_run(const struct conf *);
#endif
