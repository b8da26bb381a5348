/* SPDX-License-Identifier: Apache-2.0
 * What vitrine-runner does, in lanes: what somebody waits for never waits for another kind of work.
 * Any number of runners may be at it, on any machines: what they take they take from each other by
 * rows of the database. Source: docs/architecture.md, "The runner". */
#ifndef VITRINE_RUNNER_H
#define VITRINE_RUNNER_H
#include "base/ctx.h"

struct runner;
/* NULL when the files of the locks can't be opened. Lives as long as owner. */
struct runner *runner_open(void *owner, const struct conf *conf, struct db *db);
/* All lanes in this process, one after the other, until nothing is due; what another process is at
 * is left to it. */
enum err runner_once(struct runner *r);

/* Each lane in a process of its own (of those whose names, separated by bars, are listed; NULL:
 * all), which confines itself and is replaced when it dies; for so
 * many seconds, or (0) until SIGTERM. Then nothing more is taken, and what is under way is ended,
 * for RUNNER_DRAIN_S at most. SIGHUP reads the configuration anew by fresh(), NULL when that is
 * wrong, and replaces each lane when it has ended what is under way. Returns the exit status. The
 * calling process must have no connection and one thread. */
enum { RUNNER_DRAIN_S = 40 };
int runner_stay(const struct conf *conf, const struct conf *(*fresh)(void), const char *names,
    int64_t seconds);
bool runner_lanes_known(const char *names);
#endif
