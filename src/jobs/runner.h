/* SPDX-License-Identifier: Apache-2.0
 * What vitrine-runner does: the outbox under one lock, then the rounds under another, so that what
 * somebody waits for never waits for a sweep. Between the pieces of a round the outbox has its turn
 * again. One process at a time on a machine does each. */
#ifndef VITRINE_RUNNER_H
#define VITRINE_RUNNER_H
#include "base/ctx.h"

struct runner;
/* NULL when the files of the locks can't be opened. Lives as long as owner. */
struct runner *runner_open(void *owner, const struct conf *conf, struct db *db);
/* Carries out what is due; what another process is at is left to it. */
enum err runner_once(struct runner *r);
#endif
