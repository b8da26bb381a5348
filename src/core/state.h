/* SPDX-License-Identifier: Apache-2.0
 * How the service is, in numbers that only the database knows. */
#ifndef VITRINE_STATE_H
#define VITRINE_STATE_H
#include "base/gauge.h"
#include "db/db.h"

/* Each number, as it is now, costs some rows, however many wait. */
enum err state_read(struct ctx *c, int64_t gauges[GAUGES]);
/* For how long the run of a job whose turn is next has waited; 0: none waits. */
enum err state_run_late(struct ctx *c, int64_t *seconds);
#endif
