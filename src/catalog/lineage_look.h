/* SPDX-License-Identifier: Apache-2.0
 * An entry's lineage as its page shows it: a picture, two lists, and the jobs that fill it. */
#ifndef VITRINE_LINEAGE_LOOK_H
#define VITRINE_LINEAGE_LOOK_H
#include "catalog/filled.h"
#include "catalog/lineage_draw.h"
#include "core/workspace.h"

#define LINEAGE_SAID(F, T) \
	F(T, LIST, jobs,        .sub = &filling_job_shape, .doc = "That fill it") \
	F(T, INT,  steps,       .doc = "Each way, as chosen") \
	F(T, OBJ,  picture,     .sub = &lineage_picture_shape) \
	F(T, BOOL, alone,       .doc = "It comes from nothing and leads to nothing") \
	F(T, BOOL, not_drawn,   .doc = "The list has more") \
	F(T, INT,  not_listed) \
	F(T, LIST, before,      .sub = &lineage_node_shape) \
	F(T, LIST, after,       .sub = &lineage_node_shape)
SHAPE_DECLARE(lineage_said, LINEAGE_SAID);
/* Fills all but steps. */
enum err lineage_say(struct ctx *c, const struct workspace *, const struct lineage *,
    struct lineage_said *out);
#endif
