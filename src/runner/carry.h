/* SPDX-License-Identifier: Apache-2.0
 * Runs of jobs carried out, as many at once as a lane has room for: taken from a queue, asked by
 * one set of requests, ended together. */
#ifndef VITRINE_CARRY_H
#define VITRINE_CARRY_H
#include "jobs/run.h"

struct carry;
struct carry *carry_open(void *owner, const struct conf *conf, struct db *db, enum run_queue);
/* Goes on until nothing waits in the queue and nothing is under way. Once lane_over() nothing is
 * taken, what has not begun is given back, and what has is ended. *done counts ends. */
enum err carry_run(struct carry *, int64_t *done);
#endif
