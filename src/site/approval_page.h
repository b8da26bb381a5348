/* SPDX-License-Identifier: Apache-2.0
 * What an artifact's pages say of approvals (site/approval.html): that one is pending, or is
 * to be asked for. */
#ifndef VITRINE_APPROVAL_PAGE_H
#define VITRINE_APPROVAL_PAGE_H
#include "http/req.h"
#include "site/approval.h"

#define APPROVAL_PART(F, T) \
	F(T, BOOL, must_ask, \
		.doc = "Its workspace requires it, there is something to open, and they may ask") \
	F(T, INT,  newest_no,    .doc = "The version that is asked for") \
	F(T, OBJ,  pending,      .sub = &approval_shape) \
	F(T, BOOL, withdrawable, .doc = "They asked for it")
SHAPE_DECLARE(approval_part, APPROVAL_PART);

/* NULL where nothing is to be said. */
enum err approval_part_read(struct req *, void **out);
#endif
