/* SPDX-License-Identifier: Apache-2.0
 * nginx serves the folders sites and deliveries of data_dir without a worker. A machine
 * of a cluster that may show nothing (LEASE_HIDDEN) has them under other names, so that nginx finds
 * nothing, while changes go on there. */
#ifndef VITRINE_STORE_SHOWN_H
#define VITRINE_STORE_SHOWN_H
#include "base/conf.h"

#define SHOWN_SITES "sites"
#define SHOWN_DELIVERIES "deliveries"

/* Returns the present name of one of these folders, and any other name as it is. A machine that is
 * alone doesn't look. If the name changes before it is used, opening it fails with ENOENT. */
const char *shown_name(int root, const char *folder);
/* Gives the folders their names for shown or hidden. Only the guard calls it (src/cluster/guard.h).
 * Returns false with errno. */
bool shown_set(const struct conf *, bool shown);
/* False if nginx finds neither folder, so that this machine shows no page. */
bool shown_any(const struct conf *);
#endif
