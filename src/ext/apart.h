/* SPDX-License-Identifier: Apache-2.0
 * Parses strangers' bytes in a separate process, which has these bytes, limited memory and time,
 * and a pipe back, but no files, network, keys, or data of other work. A helper forks a process for
 * each piece of work; the helper itself was forked before this process knew any secret, and ends
 * with it. */
#ifndef VITRINE_APART_H
#define VITRINE_APART_H
#include "base/buf.h"
#include "base/ctx.h"

enum { APART_CPU_S = 5, APART_S = 15, APART_BYTES = 512 << 20, APART_IN = 16 << 20 };

/* Fills out, or fails with a message for people. c has no configuration and no database. */
typedef enum err apart_work(struct ctx *c, const char *in, size_t n, struct buf *out);

/* Starts the helper. Must be called first, with one thread: work can see all that this process
 * knows at this point. */
void apart_prepare(apart_work *work);
bool apart_prepared(void);
/* Returns the work's answer for n bytes (at most APART_IN), of at most `most` bytes, followed by a
 * NUL, in c->mem. E_INVALID with the work's message if it failed; E_LIMIT_REACHED if it took too
 * much memory or time, which a retry may not; E_UNAVAILABLE if there is no helper. */
enum err apart_run(struct ctx *c, const char *in, size_t n, size_t most, const char **out,
    size_t *out_n);
#endif
