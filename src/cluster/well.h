/* SPDX-License-Identifier: Apache-2.0
 * Whether this machine's pools and disk work. */
#ifndef VITRINE_CLUSTER_WELL_H
#define VITRINE_CLUSTER_WELL_H
#include "base/conf.h"

enum well { WELL, WELL_DISK, WELL_POOL };
/* Writes and syncs a file in data_dir, then asks both pools. A disk may let it wait for ever;
 * SIGALRM ends the process if the pools do. */
enum { WELL_POOL_S = 4 };
enum well well_try(const struct conf *);
#endif
