/* SPDX-License-Identifier: Apache-2.0
 * A parser's work on strangers' bytes, in a process of its own: it has these bytes, memory for a
 * while, and a pipe back, and neither files, network, keys nor what others gave to be worked on. It
 * is forked for each piece of work, by a helper that was forked before this process knew any
 * secret, and ends with it. */
#ifndef VITRINE_APART_H
#define VITRINE_APART_H
#include "base/buf.h"
#include "base/ctx.h"

enum { APART_CPU_S = 5, APART_S = 15, APART_BYTES = 512 << 20, APART_IN = 16 << 20 };

/* Fills out, or fails with words for people; c has neither configuration nor database. */
typedef enum err apart_work(struct ctx *c, const char *in, size_t n, struct buf *out);

/* Starts the helper. Call it first of all, with one thread: nothing that is known by then is out of
 * the work's reach. */
void apart_prepare(apart_work *work);
bool apart_prepared(void);
/* What the work makes of n bytes (APART_IN at most), of which it may be `most`, followed by a NUL.
 * E_INVALID with its words when it failed; E_LIMIT_REACHED when it took too much memory or time,
 * which another try may not; E_UNAVAILABLE without a helper. */
enum err apart_run(struct ctx *c, const char *in, size_t n, size_t most, const char **out,
    size_t *out_n);
#endif
