/* SPDX-License-Identifier: Apache-2.0
 * Installable pages: what a publish request's pwa object becomes. Source: interface, "Publish
 * request"; site/README.md. */
#ifndef VITRINE_PWA_H
#define VITRINE_PWA_H
#include "base/shape.h"

#define PWA_KEPT(F, T) \
	F(T, STR, name) \
	F(T, STR, short_name)
SHAPE_DECLARE(pwa_kept, PWA_KEPT);

struct pwa_made {
	const char *icon; /* PNG bytes, or NULL */
	size_t icon_n;
	struct strs reasons; /* why browsers will not offer to install it; empty: they will */
};

struct publish_pwa;
/* *out and *kept (JSON for the version's row) stay NULL when pwa is NULL or not enabled. Fetches an
 * icon given by address. E_INVALID. */
enum err pwa_make(struct ctx *c, const char *artifact_name, const struct publish_pwa *pwa,
    struct pwa_made **out, const char **kept);
#endif
