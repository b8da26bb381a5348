/* SPDX-License-Identifier: Apache-2.0
 * Carries out what other machines of a cluster have shown or closed (core/spread.h), for this
 * one. */
#ifndef VITRINE_RUNNER_PROJECT_H
#define VITRINE_RUNNER_PROJECT_H
#include "base/ctx.h"

/* Each looks for rows of this node 10 times a second, for half a minute or until lane_over().
 * nodes_close() removes addresses and does nothing that takes long, since replies wait for it.
 * nodes_build() fetches what is missing, builds, and compresses. Both can be killed at any time. */
enum err nodes_close(const struct conf *conf, struct db *db);
enum err nodes_build(const struct conf *conf, struct db *db);
#endif
