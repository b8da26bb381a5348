/* SPDX-License-Identifier: Apache-2.0
 * What the web server sends by itself for a delivery link that anybody may open:
 * deliveries/<secret>/<blob>/<filename>, hard links to objects. What is not there a worker judges
 * and sends, so only what must not be sent any more has to be in time. Idempotent, and made anew
 * from the rows at any time. */
#ifndef VITRINE_DELIVERY_H
#define VITRINE_DELIVERY_H
#include "base/crypto.h"
#include "base/ctx.h"
#include "store/beneath.h"

struct delivery_file {
	const char *blob_id, *name;
	uint8_t sha256[SHA256_BYTES];
};

/* One projection of deliveries at a time, over all processes. Released by delivery_unlock(), or
 * with c->mem. Facts are to be read after it was taken. */
enum err delivery_lock(struct ctx *c, int *lock_fd);
void delivery_unlock(int lock_fd);
/* Under the lock: n files (0: it is closed) in place of whatever was there. Files without an object
 * or whose object has as many names as the file system allows are left to the workers. Nothing is
 * durable before delivery_sync(); that what was there is gone is all that must be. */
enum err delivery_show(
    struct ctx *c, const char *secret, const struct delivery_file *files, size_t n);
enum err delivery_sync(struct ctx *c);
/* Whether all that is there is what delivery_show() would make of these; what isn't there needn't
 * be. */
enum err delivery_check(struct ctx *c, const char *secret, const struct delivery_file *files,
    size_t n, bool *sound);
/* The secrets of all that are shown. */
enum err delivery_list(struct ctx *c, void *owner, struct names *out);
#endif
