/* SPDX-License-Identifier: Apache-2.0
 * Removing what no row names. A thing is judged without a lock first; only garbage is judged again,
 * and removed, while nobody holds store_share(). When somebody does, it stays for the next sweep.
 * The contexts must not hold store_share() themselves. The callbacks read rows without locking them
 * and answer true when they can't tell. */
#ifndef VITRINE_SWEEP_H
#define VITRINE_SWEEP_H
#include "base/crypto.h"
#include "base/ctx.h"

/* Objects that aren't referenced and whose ctime is more than grace_s ago; temporaries without an
 * owner; trash/. *removed counts objects. */
enum err object_sweep(struct ctx *c,
    bool (*referenced)(struct ctx *, void *arg, const uint8_t sha256[SHA256_BYTES]), void *arg,
    int64_t grace_s, int64_t *removed);
/* Versions that aren't known and older than grace_s. known() is asked with no = 0 for the artifact
 * as a whole. *removed counts trees. */
enum err
tree_sweep(struct ctx *c, bool (*known)(struct ctx *, void *arg, const char *artifact, int64_t no),
    void *arg, int64_t grace_s, int64_t *removed);
#endif
