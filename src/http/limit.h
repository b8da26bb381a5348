/* SPDX-License-Identifier: Apache-2.0
 * Rate limits: counters of fixed windows in a file that all workers map, so they are exact across
 * workers and survive the death of any of them, and a restart. A robust mutex a shard; a child that
 * dies inside one leaves a count that is off by its own request at most. Per machine. */
#ifndef VITRINE_LIMIT_H
#define VITRINE_LIMIT_H
#include "base/ctx.h"

struct limits;
/* What limits know a key by; never 0. */
uint64_t limit_hash(const char *key);
/* Maps path (made if absent); the parent calls it once before it forks. NULL with *why on failure.
 */
struct limits *limits_open(const char *path, const char **why);
extern struct limits *server_limits; /* what the parent has opened for all workers */
/* Takes one of max from key's window of window_s seconds that now lies in. false: none left. *left
 * and *reset_s describe the window after it. */
bool limit_take(struct limits *, const char *key, int64_t now, int64_t window_s, int64_t max,
    int64_t *left, int64_t *reset_s);
/* A key that has none in the window now changes nothing. */
void limit_give_back(struct limits *, const char *key, int64_t now, int64_t window_s);
/* A place among those who keep a CPU busy: half as many as the machine has CPUs. Waits for one,
 * wait_s seconds at most, and is -1 then; it is free again after limit_leave(), or the death of
 * whoever has it. */
int limit_enter(struct limits *, int wait_s);
void limit_leave(struct limits *, int place);
#endif
