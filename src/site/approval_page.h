/* SPDX-License-Identifier: Apache-2.0
 * The part of an artifact’s pages about approvals (site/approval.html): a pending one, or the form
 * that asks for one. */
#ifndef VITRINE_APPROVAL_PAGE_H
#define VITRINE_APPROVAL_PAGE_H
#include "http/req.h"
#include "site/approval.h"

#define APPROVAL_PART(F, T) \
	F(T, BOOL, must_ask, \
		.doc = "Its workspace requires it, there is something to open, and they may ask") \
	F(T, OBJ,  pending,      .sub = &approval_shape)
SHAPE_DECLARE(approval_part, APPROVAL_PART);

/* Finds what an artifact's own page shows of it; nothing if nobody asked and nobody must. */
enum err approval_part_find(struct req *, struct shown *out);
#endif
