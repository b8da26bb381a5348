/* SPDX-License-Identifier: Apache-2.0
 * Artifacts: what they are called, who sees them, which version is live. Rows live in c->mem.
 * Source: interface, "Artifact"; decisions, "Publish". */
#ifndef VITRINE_ARTIFACT_H
#define VITRINE_ARTIFACT_H
#include "domain/token.h"

#define VISIBILITIES "public|unlisted|private"

#define ARTIFACT(F, T) \
	F(T, ID,   id,                 .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, WORD, visibility,         .arg = VISIBILITIES) \
	F(T, URL,  url) \
	F(T, URL,  mobile_url,         .flags = F_NUL, .doc = "Page for small screens, when the live version has one") \
	F(T, URL,  thumbnail_url) \
	F(T, BOOL, is_favorite) \
	F(T, WORD, role,               .flags = F_NUL, .arg = "owner|editor|viewer", .doc = "Yours; null when you only see what everybody sees") \
	F(T, INT,  version_no,         .flags = F_NUL, .doc = "The live version; null while there are only drafts") \
	F(T, BOOL, paused) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, TIME, deleted_at,         .flags = F_NUL) \
	F(T, STR,  social_title,       .flags = F_NUL) \
	F(T, STR,  social_description, .flags = F_NUL) \
	F(T, STR,  social_image_url,   .flags = F_NUL) \
	F(T, ID,   owner_id,           .flags = F_HID) \
	F(T, INT,  last_no,            .flags = F_HID) \
	F(T, BOOL, has_mobile,         .flags = F_HID)
SHAPE_DECLARE(artifact, ARTIFACT);

#define ARTIFACT_EDIT(F, T) \
	F(T, STR,  name,               .lo = 1, .hi = 200) \
	F(T, SLUG, slug,               .lo = 1, .hi = 63) \
	F(T, WORD, visibility,         .arg = VISIBILITIES) \
	F(T, STR,  social_title,       .flags = F_NUL, .hi = 300) \
	F(T, STR,  social_description, .flags = F_NUL, .hi = 1000) \
	F(T, URL,  social_image_url,   .flags = F_NUL)
SHAPE_DECLARE(artifact_edit, ARTIFACT_EDIT);

#define ARTIFACT_QUERY(F, T) \
	F(T, WORD, owner,      .arg = "me|shared", .doc = "me: only yours; shared: only those shared with you; absent: both") \
	F(T, WORD, visibility, .arg = VISIBILITIES) \
	F(T, STR,  slug,       .hi = 63, .doc = "Exactly this slug") \
	F(T, STR,  q,          .hi = 200, .doc = "Part of the name or slug") \
	F(T, BOOL, favorite,   .doc = "1: only favourites") \
	F(T, BOOL, deleted,    .doc = "1: the trash instead") \
	F(T, INT,  limit,      .lo = 1, .hi = 1000000000, .def = "50") \
	F(T, STR,  cursor,     .hi = 200)
SHAPE_DECLARE(artifact_query, ARTIFACT_QUERY);

#define PAGE_QUERY(F, T) \
	F(T, INT, limit,  .lo = 1, .hi = 1000000000, .def = "50", .doc = "At most 200; more is taken as 200") \
	F(T, STR, cursor, .hi = 2048)
SHAPE_DECLARE(page_query, PAGE_QUERY);
enum { PAGE_MAX = 200 };

#define FAVORITE(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, BOOL, favorited)
SHAPE_DECLARE(favorite, FAVORITE);

/* As user (NULL: nobody) sees it, deleted ones too; role NULL when they have none. E_NOT_FOUND if
 * absent. for_update locks the row. */
enum err artifact_get(
    struct ctx *c, const char *id, const char *user, bool for_update, struct artifact **out);
/* The same, and whose the token is, in one round trip: most requests are of this kind. Fails as
 * token_check() does; *out is NULL if it is absent. */
enum err artifact_get_by_token(struct ctx *c, const char *id, const char *bearer,
    struct principal **who, struct artifact **out);
/* By its present slug, or one it was renamed away from; *out NULL when there is none, or it is in
 * the trash. */
enum err
artifact_find_by_slug(struct ctx *c, const char *slug, const char *user, struct artifact **out);
/* Those user owns or is a collaborator of, newest first. *next is NULL on the last page. */
enum err artifact_list(struct ctx *c, const char *user, const struct artifact_query *q,
    struct list *out, const char **next);
/* E_SLUG_TAKEN; E_INVALID. What changed shows at its addresses once the transaction is in. */
enum err artifact_change(struct ctx *c, const struct artifact *a, const struct artifact_edit *in);
/* Into the trash: gone from every address, restorable for trash_days. */
enum err artifact_delete(struct ctx *c, const struct artifact *a);
/* Final; see domain/purge.h for what becomes of its rows. */
enum err artifact_purge(struct ctx *c, const struct artifact *a);
enum err artifact_restore(struct ctx *c,
    const struct artifact
	*a); /* E_CONFLICT if it isn't deleted; E_SLUG_TAKEN if its slug has gone */
enum err
artifact_favor(struct ctx *c, const struct artifact *a, const char *user, bool on); /* idempotent */

/* That version becomes the live one. E_NOT_FOUND if there is none. */
enum err artifact_show(struct ctx *c, const char *id, int64_t no);
/* The slug is taken for the artifact: a new one, or one that its owner still holds. E_SLUG_TAKEN.
 */
enum err slug_take(struct ctx *c, const char *slug, const char *owner, const char *artifact);
/* Everything that projects the artifact again after the commit; the runner repeats it if this
 * process does not live to. */
enum err artifact_touch(struct ctx *c, const char *id);
#endif
