/* SPDX-License-Identifier: Apache-2.0
 * The way of an artifact into a workspace, or out of one, as pages offer it (share/rehome.html). */
#ifndef VITRINE_REHOME_H
#define VITRINE_REHOME_H
#include "core/artifact.h"
#include "core/workspace.h"

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
enum err rehome_part_read(
    struct ctx *c, const struct artifact *, const struct principal *who, void **out);
/* Says who will see it in the workspace, and who can move it out again. */
const char *rehome_entered(struct ctx *c, const struct workspace *to);
#endif
