/* SPDX-License-Identifier: Apache-2.0
 * Counters in memory shared by the pool, one block a worker so that they never contend, summed when
 * Prometheus asks the parent. */
#ifndef VITRINE_METRICS_H
#define VITRINE_METRICS_H
#include "http/req.h"

void metrics_open(size_t workers); /* before the fork */
void metrics_count(int slot, const struct req *, int64_t us);
void metrics_respawn(void);
const char *metrics_text(void *mem); /* Prometheus text format 0.0.4 */
#endif
