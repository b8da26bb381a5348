/* SPDX-License-Identifier: Apache-2.0
 * Knows which rows name bytes and trees in the store. A new table that names some is added here. */
#ifndef VITRINE_REFERENCE_H
#define VITRINE_REFERENCE_H
#include "base/crypto.h"
#include "db/db.h"
#include "store/sweep.h"

#define REFERENCE(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE_DECLARE(reference, REFERENCE);

enum err reference_list(struct ctx *c, struct list *out); /* each object once */
/* Set sweep_item.known, by one statement each for all items. */
sweep_judge reference_judge_objects, reference_judge_trees;
#endif
