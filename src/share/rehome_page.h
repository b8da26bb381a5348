/* SPDX-License-Identifier: Apache-2.0
 * The form that moves an artifact into a workspace, or out of one (share/rehome.html). */
#ifndef VITRINE_REHOME_PAGE_H
#define VITRINE_REHOME_PAGE_H
#include "core/artifact.h"
#include "http/req.h"

#define REHOME_PART(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  from,  .doc = "Name of the workspace that it is of, or NULL") \
	F(T, BOOL, may) \
	F(T, BOOL, held,  .doc = "An admin has paused it, so it stays") \
	F(T, BOOL, yours) \
	F(T, BOOL, elsewhere, .doc = "There is a workspace to go to") \
	F(T, LIST, homes, .sub = &home_shape)
SHAPE_DECLARE(rehome_part, REHOME_PART);

/* Fills *out with a struct rehome_part. */
enum err rehome_part_read(struct req *, const struct artifact *, void **out);
#endif
