/* SPDX-License-Identifier: Apache-2.0
 * Counters in memory shared by the pools, one block a worker so that they never contend, summed
 * when Prometheus asks the parent; and what each worker is at. */
#ifndef VITRINE_METRICS_H
#define VITRINE_METRICS_H
#include "http/req.h"

enum { POOL_SLOTS = 256 }; /* workers of a pool at most */

void metrics_open(void); /* before the first fork */
/* Before a worker is forked, which counts in that block from then on. */
void metrics_worker(enum pool, int slot);
void metrics_busy(bool);
/* Whether this worker may be one more of those that send what their client takes at its own pace:
 * most of them at a time. Until metrics_busy(). */
bool metrics_send(int64_t most);
void metrics_count(const struct req *, int64_t us);
void metrics_respawn(enum pool);
const char *metrics_text(void *mem); /* Prometheus text format 0.0.4 */
#endif
