/* SPDX-License-Identifier: Apache-2.0
 * The part of an artifact’s pages about approvals (site/approval.html): a pending one, or the form
 * that asks for one. */
#ifndef VITRINE_APPROVAL_PAGE_H
#define VITRINE_APPROVAL_PAGE_H
#include "http/req.h"
#include "site/approval.h"
#include "site/standing.h"

#define APPROVAL_PART(F, T) \
	F(T, BOOL, must_ask, \
		.doc = "Its workspace requires it, there is something to open, and they may ask") \
	F(T, INT,  newest_no,    .doc = "The version that is asked for") \
	F(T, OBJ,  pending,      .sub = &approval_shape) \
	F(T, BOOL, withdrawable, .doc = "They asked for it")
SHAPE_DECLARE(approval_part, APPROVAL_PART);

/* The fields of the box that lets an agent refresh the page (site/standing-box.html), beside
 * `agent`. */
#define STANDING_BOX(F, T) F(T, TIME, until, .doc = "The time that the box stands for")
#define STANDING_BOX_OF(r) .until = (r)->c->now + STANDING_S

/* NULL if there is nothing to show. */
enum err approval_part_read(struct req *, void **out);
#endif
