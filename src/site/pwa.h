/* SPDX-License-Identifier: Apache-2.0
 * Installable pages, from the pwa object of a publish request. Source: interface, "Publish
 * request"; site/README.md. */
#ifndef VITRINE_PWA_H
#define VITRINE_PWA_H
#include "base/shape.h"

#define PUBLISH_PWA(F, T) \
	F(T, BOOL, enabled) \
	F(T, STR,  name,       .flags = F_NUL, .lo = 1, .hi = 100) \
	F(T, STR,  short_name, .flags = F_NUL, .lo = 1, .hi = 30) \
	F(T, STR,  icon,       .flags = F_NUL, .lo = 1, .doc = "data: URL or absolute URL of a PNG")
SHAPE_DECLARE(publish_pwa, PUBLISH_PWA);

#define PWA_KEPT(F, T) \
	F(T, STR, name) \
	F(T, STR, short_name)
SHAPE_DECLARE(pwa_kept, PWA_KEPT);

struct pwa_made {
	const char *icon; /* PNG bytes, or NULL */
	size_t icon_n;
	struct strs reasons; /* why browsers won't offer to install it; empty: they will */
};

/* *out and *kept (JSON for the version's row) stay NULL when pwa is NULL or not enabled. Fetches an
 * icon given by address. E_INVALID. */
enum err pwa_make(struct ctx *c, const char *artifact_name, const struct publish_pwa *pwa,
    const char *entrypoint, struct pwa_made **out, const char **kept);
#endif
