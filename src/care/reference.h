/* SPDX-License-Identifier: Apache-2.0
 * Which rows name bytes and trees in the store: the one place to extend when another table does. */
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
/* Judges for store/sweep.h, one statement each, however many items. */
sweep_judge reference_judge_objects, reference_judge_trees;
#endif
