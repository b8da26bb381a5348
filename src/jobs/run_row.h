/* SPDX-License-Identifier: Apache-2.0
 * What the files of runs share of their rows, and nobody else sees. */
#ifndef VITRINE_RUN_ROW_H
#define VITRINE_RUN_ROW_H

/* The queue of an action's runs (enum run_queue). */
#define RUN_LANE_OF(action) "IF(" action " IN ('http_get', 'materialize'), 2, 1)"
/* The queue of a run that comes back. */
#define RUN_QUEUE_OF "IF(deaths = 0, lane, IF(deaths = 1, 3, 4))"
#endif
