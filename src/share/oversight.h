/* SPDX-License-Identifier: Apache-2.0
 * Acts on anybody’s artifact by the people who run the service, at the console (vitrinectl) and on
 * the pages for staff. The caller checks who that is. */
#ifndef VITRINE_OVERSIGHT_H
#define VITRINE_OVERSIGHT_H
#include "core/artifact.h"

#define OVERSEEN(F, T) \
	F(T, ID,    id,         .arg = "art_") \
	F(T, ID,    owner_id,   .arg = "usr_") \
	F(T, ID,    workspace_id, .arg = "wsp_") \
	F(T, STR,   name) \
	F(T, SLUG,  slug) \
	F(T, URL,   url) \
	F(T, WORD,  visibility, .arg = VISIBILITIES) \
	F(T, EMAIL, email,      .doc = "The owner's e-mail address; null for an agent") \
	F(T, TIME,  updated_at) \
	F(T, BOOL,  paused) \
	F(T, BOOL,  deleted)
SHAPE_DECLARE(overseen, OVERSEEN);

/* Lists artifacts, newest first, including the trash: the one with this id or slug, those of this
 * e-mail address, or all (q NULL). cursor and *next as in artifact_list(). */
enum err oversight_find(struct ctx *c, const char *q, const char *cursor, int64_t limit,
    struct list *out, const char **next);
enum oversight { OVERSIGHT_PAUSE, OVERSIGHT_RESUME, OVERSIGHT_TRASH, OVERSIGHT_PURGE };
/* name: an id, or a slug unless it is in the trash. E_NOT_FOUND; E_CONFLICT if it is in the trash
 * already. */
enum err oversight_change(struct ctx *c, const char *name, enum oversight what);
#endif
