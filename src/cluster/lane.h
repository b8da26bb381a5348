/* SPDX-License-Identifier: Apache-2.0
 * The lane `cluster`: this machine's beats, its role, and its lease. */
#ifndef VITRINE_CLUSTER_LANE_H
#define VITRINE_CLUSTER_LANE_H
#include "base/conf.h"

/* Runs until SIGTERM. Only the guard starts it (guard.h). */
int cluster_lane(const struct conf *);
#endif
