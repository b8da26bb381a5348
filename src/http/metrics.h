/* SPDX-License-Identifier: Apache-2.0
 * Counters in memory shared by the pools. Each worker has its own block, so they never contend; the
 * parent sums them when Prometheus asks. Also knows which workers are busy. */
#ifndef VITRINE_METRICS_H
#define VITRINE_METRICS_H
#include "http/req.h"

void metrics_open(void); /* before the first fork */
/* Call before forking a worker, which will count in this block. */
void metrics_worker(enum pool, int slot);
void metrics_busy(bool);
bool metrics_idle(enum pool); /* another worker of the pool isn't busy */
bool metrics_lasts(const struct route *); /* its last requests here took more than 5 ms each */
void metrics_count(const struct req *, int64_t us);
void metrics_respawn(enum pool);
/* Returns Prometheus' text format 0.0.4, with the runner's gauges (base/gauge.h) and the free space
 * in data_dir. */
const char *metrics_text(void *mem, const struct conf *);
#endif
