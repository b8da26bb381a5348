/* SPDX-License-Identifier: Apache-2.0
 * Counters in memory shared by the pools, one block a worker so that they never contend, summed
 * when Prometheus asks the parent; and which workers have a request. */
#ifndef VITRINE_METRICS_H
#define VITRINE_METRICS_H
#include "http/req.h"

void metrics_open(void); /* before the first fork */
/* Before a worker is forked, which counts in that block from then on. */
void metrics_worker(enum pool, int slot);
void metrics_busy(bool);
void metrics_count(const struct req *, int64_t us);
void metrics_respawn(enum pool);
/* Prometheus' text format 0.0.4, with what the runner left (base/gauge.h) and the room in
 * data_dir. */
const char *metrics_text(void *mem, const struct conf *);
#endif
