/* SPDX-License-Identifier: Apache-2.0
 * Makes an artifact visible by two symbolic links: trees/<artifact>/live -> "<no>", and
 * sites/<slug> -> "../trees/<artifact>", which exists only while the artifact is open to everybody.
 * The link of an unlisted one has another name, for which nginx tells search engines to stay away.
 */
#ifndef VITRINE_SITE_H
#define VITRINE_SITE_H
#include "base/ctx.h"

#include <stddef.h>

struct site {
	const char *artifact_id;
	const char *slug;          /* NULL if it has none */
	int64_t live_no;           /* 0: no live version, so it isn't shown */
	bool open;                 /* public or unlisted, and neither paused nor deleted */
	const char *const *former; /* slugs under which it may have been shown */
	size_t former_n;
	/* Make everything durable, also links that need no change, because an earlier projection
	 * may have failed before its sync. */
	bool all;
	bool later; /* only removals must be durable now: see tree_sync() */
	const char *second; /* another address beside the slug; NULL: none */
	const char *const *hosts; /* domains of its own */
	size_t host_n;
	bool moved; /* only hosts show it; the other addresses redirect there */
	bool unlisted;
};

#define SITE_UNLISTED ".unlisted" /* no slug has a dot, and no host this ending */

/* Returns the link's name in sites/ for an address: a slug, a slug with a subdomain, or a host. */
const char *site_link_name(void *owner, const char *address, bool unlisted);

/* Waits until no other process projects this artifact. Released by site_unlock(), or with c->mem,
 * which also closes the descriptor; callers with many artifacts should use a context for each.
 * Taking it twice deadlocks. */
enum err site_lock(struct ctx *c, const char *artifact_id, int *lock_fd);
void site_unlock(int lock_fd);
/* The first half of site_show(), to close something before all else: durably removes the addresses
 * of an artifact that isn't shown. */
enum err site_close(struct ctx *c, const struct site *s);
/* Durably removes the addresses that the artifact doesn't have any more, and makes none. For a
 * machine whose trees may not be built yet. */
enum err site_withdraw(struct ctx *c, const struct site *s);
/* Makes the links agree with the facts, durably, together with the names in the artifact's
 * directory. Call under the lock, with facts read after it was taken. When it closes, removes the
 * address first; never removes a link to another artifact. Idempotent. */
enum err site_show(struct ctx *c, const struct site *s);
#endif
