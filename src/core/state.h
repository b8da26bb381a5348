/* SPDX-License-Identifier: Apache-2.0
 * The state of the service in figures that only the database has. */
#ifndef VITRINE_STATE_H
#define VITRINE_STATE_H
#include "base/gauge.h"
#include "db/db.h"

/* Current figures. Each costs a few rows, however many wait. */
enum err state_read(struct ctx *c, int64_t gauges[GAUGES]);
/* how long the next job in turn has waited; 0: none waits */
enum err state_run_late(struct ctx *c, int64_t *seconds);
#endif
