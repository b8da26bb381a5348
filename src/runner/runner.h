/* SPDX-License-Identifier: Apache-2.0
 * vitrine-runner's lanes: work that people wait for never waits for another kind of work. Any
 * number of runners may run on any machines; they claim work by rows of the database. Source:
 * docs/architecture.md, "The runner". */
#ifndef VITRINE_RUNNER_H
#define VITRINE_RUNNER_H
#include "base/ctx.h"

struct runner;
/* Returns NULL if the locks' files can't be opened. The owner frees it. */
struct runner *runner_open(void *owner, const struct conf *conf, struct db *db);
/* Runs all lanes in this process, one after the other, until nothing is due. Skips work that
 * another process is doing. */
enum err runner_once(struct runner *r);

/* Copies to the continuous backup once, if there is one. Call it before this process confines
 * itself, since it starts programs. */
enum err runner_archive(const struct conf *conf);

/* Runs each lane in a process of its own, which confines itself and is replaced if it dies. names:
 * the lanes, separated by bars; NULL: all. seconds: the time to run; 0: until SIGTERM. Then begins
 * nothing more and ends the work under way, for at most RUNNER_DRAIN_S. SIGHUP reads the
 * configuration by fresh(), which returns NULL if it is wrong, and replaces each lane after its
 * current work. Returns the exit status. The calling process must have no connection and only one
 * thread. */
enum { RUNNER_DRAIN_S = 40 };
int runner_stay(const struct conf *conf, const struct conf *(*fresh)(void), const char *names,
    int64_t seconds);
bool runner_lanes_known(const char *names);
#endif
