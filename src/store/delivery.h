/* SPDX-License-Identifier: Apache-2.0
 * The files that nginx serves without a worker for a delivery link without a gate:
 * deliveries/<secret>/<blob>/<filename>, hard links to objects. Workers serve what isn't there, so
 * only removals are urgent. Idempotent; can be made again from the rows at any time. */
#ifndef VITRINE_DELIVERY_H
#define VITRINE_DELIVERY_H
#include "base/crypto.h"
#include "base/ctx.h"
#include "store/beneath.h"

struct delivery_file {
	const char *blob_id, *name;
	uint8_t sha256[SHA256_BYTES];
};

/* Lets one process at a time change deliveries. Released by delivery_unlock() or with c->mem. Facts
 * must be read after the lock is held. */
enum err delivery_lock(struct ctx *c, int *lock_fd);
void delivery_unlock(int lock_fd);
/* Under the lock: replaces a delivery's files by n others (0: closes it). Skips files without an
 * object, or whose object has too many links; workers serve those. Only the removal is urgent, and
 * nothing is durable before delivery_sync(). */
enum err delivery_show(
    struct ctx *c, const char *secret, const struct delivery_file *files, size_t n);
enum err delivery_sync(struct ctx *c);
/* *sound: every file there is one that delivery_show() would make. Missing files are fine. */
enum err delivery_check(struct ctx *c, const char *secret, const struct delivery_file *files,
    size_t n, bool *sound);
/* Lists the secrets of all deliveries that are shown. */
enum err delivery_list(struct ctx *c, void *owner, struct names *out);
#endif
