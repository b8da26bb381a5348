/* SPDX-License-Identifier: Apache-2.0
 * The part of a thing’s pages about outside people with access to it (sharing/outsiders.html). */
#ifndef VITRINE_SHARE_PAGE_H
#define VITRINE_SHARE_PAGE_H
#include "http/req.h"
#include "sharing/outsiders.h"

#define SHARE_PART(F, T) \
	F(T, STR,  at,        .doc = "Path of the page that shares it") \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, WORD, capability, .arg = CAPABILITIES, .doc = "That a form begins with") \
	F(T, LIST, outsiders, .sub = &share_access_shape) \
	F(T, INT,  most,      .doc = "So many are shown, and there may be more; 0: these are all")
SHAPE_DECLARE(share_part, SHARE_PART);

/* *out is a struct share_part. */
enum err share_part_read(struct req *, const struct workspace *, const struct share_thing *,
    void **out);
/* The page that shares a thing. */
const char *share_path(struct ctx *, const char *workspace_id, const struct share_thing *);
#endif
