/* SPDX-License-Identifier: Apache-2.0
 * Carries out runs of jobs: claims them from a queue, sends their requests together, and ends them
 * together. */
#ifndef VITRINE_CARRY_H
#define VITRINE_CARRY_H
#include "jobs/run.h"

struct carry;
struct carry *carry_open(void *owner, const struct conf *conf, struct db *db, enum run_queue);
/* Runs until the queue is empty and no run is under way. Once lane_over(), claims nothing, gives
 * back runs that haven't begun, and ends the others. Adds to *done the runs that have ended. */
enum err carry_run(struct carry *, int64_t *done);
#endif
