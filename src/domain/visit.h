/* SPDX-License-Identifier: Apache-2.0
 * What a visitor of a content host finds: the artifact behind its label, and whether they may see
 * it. One statement, whoever comes. */
#ifndef VITRINE_VISIT_H
#define VITRINE_VISIT_H
#include "domain/role.h"

#define SITE_SEEN(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, BOOL, is_open) \
	F(T, BOOL, paused) \
	F(T, BOOL, deleted) \
	F(T, INT,  version_no) \
	F(T, STR,  entrypoint) \
	F(T, STR,  routing) \
	F(T, STR,  role)
/* slug is the present one; version_no 0: there is no such version; role NULL: the cookie is
 * nobody's who has one. */
SHAPE_DECLARE(site_seen, SITE_SEEN);

/* By a slug of the artifact, present or former; no 0: the live version. cookie is the viewer's
 * (domain/viewer.h) or NULL. *out NULL when nothing ever stood there. */
enum err
visit_find(struct ctx *c, const char *slug, int64_t no, const char *cookie, struct site_seen **out);
/* There is something at this address that this visitor may see. */
bool visit_may(const struct site_seen *);
/* The media type that was declared for a file of the version; NULL when it has none in the rows. */
enum err visit_mime(
    struct ctx *c, const struct site_seen *, const char *path, const char **mime);
#endif
