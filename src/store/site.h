/* SPDX-License-Identifier: Apache-2.0
 * What the outside sees of an artifact, as two symbolic links: trees/<artifact>/live -> "<no>", and
 * sites/<slug> ->
 * "../trees/<artifact>", which exists only while the artifact is open to everybody. That of an
 * unlisted one has another name, under which nginx tells search engines to stay away. */
#ifndef VITRINE_SITE_H
#define VITRINE_SITE_H
#include "base/ctx.h"

#include <stddef.h>

struct site {
	const char *artifact_id;
	const char *slug;          /* NULL when it has none anymore */
	int64_t live_no;           /* 0: no live version, so it isn't shown */
	bool open;                 /* public or unlisted, neither paused nor deleted */
	const char *const *former; /* slugs that it may have been seen under */
	size_t former_n;
	bool all; /* make everything durable, also what agrees: nobody knows what an earlier
	             projection came to */
	bool later; /* nothing but what is closed needs to be durable: see tree_sync() */
	const char *second; /* another name, beside the slug; NULL: none */
	bool unlisted;
};

#define SITE_UNLISTED ".unlisted" /* no slug has a dot */

/* What the link of an address is called in sites/; the address is a slug, or one with a
 * subdomain. */
const char *site_link_name(void *owner, const char *address, bool unlisted);

/* One projection of an artifact at a time, over all processes: waits for the lock. Released by
 * site_unlock(), or with c->mem, which also closes the descriptor: whoever does many artifacts uses
 * a context for each. Taking it twice waits for ever. */
enum err site_lock(struct ctx *c, const char *artifact_id, int *lock_fd);
void site_unlock(int lock_fd);
/* The first half of site_show(), for what must be closed before anything else: removes the
 * addresses of an artifact that isn't shown, durably. */
enum err site_close(struct ctx *c, const struct site *s);
/* Makes the links agree, durably, and with them the names in the artifact's directory; under the
 * lock, with facts read after it was taken. Closing removes the address before anything else; a
 * link that shows another artifact is never removed. Idempotent. */
enum err site_show(struct ctx *c, const struct site *s);
#endif
