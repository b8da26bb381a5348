/* SPDX-License-Identifier: Apache-2.0
 * Who outside has access to a thing, as pages about it show that (sharing/outsiders.html). */
#ifndef VITRINE_SHARE_PAGE_H
#define VITRINE_SHARE_PAGE_H
#include "http/req.h"
#include "sharing/outsiders.h"

#define OUTSIDER_ROW(F, T) \
	F(T, ID,   grant_id,      .arg = "grt_") \
	F(T, WORD, subject_type,  .arg = GRANT_SUBJECTS) \
	F(T, STR,  subject_id) \
	F(T, STR,  subject_name) \
	F(T, STR,  subject_initials) \
	F(T, STR,  email) \
	F(T, BOOL, invited) \
	F(T, STR,  client_people, .doc = "How many a client has") \
	F(T, WORD, capability,    .arg = CAPABILITIES) \
	F(T, TIME, until) \
	F(T, STR,  until_s,       .doc = "As the API has it; NULL: it doesn't end by itself") \
	F(T, ID,   through_id,    .arg = "fld_") \
	F(T, STR,  through_name)
SHAPE_DECLARE(outsider_row, OUTSIDER_ROW);

#define SHARE_PART(F, T) \
	F(T, STR,  at,        .doc = "Path of the page that shares it") \
	F(T, WORD, type,      .arg = OUTSIDE_THINGS) \
	F(T, WORD, capability, .arg = CAPABILITIES, .doc = "That a form begins with") \
	F(T, LIST, outsiders, .sub = &outsider_row_shape) \
	F(T, BOOL, some) \
	F(T, INT,  most,      .doc = "So many are shown, and there may be more; 0: these are all")
SHAPE_DECLARE(share_part, SHARE_PART);

/* *out is a struct share_part. */
enum err share_part_read(struct req *, const struct workspace *, const struct share_thing *,
    void **out);
/* The page that shares a thing. */
const char *share_path(struct ctx *, const char *workspace_id, const struct share_thing *);
#endif
