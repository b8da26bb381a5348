/* SPDX-License-Identifier: Apache-2.0
 * Rate limits: counters of fixed windows in a file that all workers map, so they are exact across
 * workers and survive crashes and restarts. Each shard has a robust mutex; if a worker dies in one,
 * the count is wrong by at most its own request. Counters are per machine. */
#ifndef VITRINE_LIMIT_H
#define VITRINE_LIMIT_H
#include "base/ctx.h"

struct limits;
/* Returns the number by which limits know a key; never 0. */
uint64_t limit_hash(const char *key);
/* Maps path, which is made if missing. The parent calls it once before it forks. Returns NULL with
 * *why on failure. in_use: processes of another program map it; if its format is another one, they
 * keep it, and a new file takes its place. */
struct limits *limits_open(const char *path, bool in_use, const char **why);
extern struct limits *server_limits; /* opened by the parent for all workers */
/* Counts one in key's current window of window_s seconds, of at most max. Returns false if none is
 * left. *left and *reset_s (seconds) describe the window afterwards. */
bool limit_take(struct limits *, const char *key, int64_t now, int64_t window_s, int64_t max,
    int64_t *left, int64_t *reset_s);
/* Uncounts one. Does nothing if the key has no count in the current window. */
void limit_give_back(struct limits *, const char *key, int64_t now, int64_t window_s);
/* Takes one of as many places as half the machine's processors, for work that keeps one busy. Waits
 * at most wait_s seconds; returns -1 if none became free. limit_leave(), or the death of the
 * process, frees it. */
int limit_enter(struct limits *, int wait_s);
void limit_leave(struct limits *, int place);
#endif
