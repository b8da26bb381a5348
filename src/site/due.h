/* SPDX-License-Identifier: Apache-2.0
 * A page that our browser is to open, as a row of seen.c or picture.c, which say when it is due
 * (NULL: it isn't) and the number of attempts. A runner that leases a row moves its due_at; that
 * time and the attempts identify the lease. runner/picture.c does the work. */
#ifndef VITRINE_DUE_H
#define VITRINE_DUE_H
#include "core/artifact.h"

#define PAGE_DUE(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, INT,  version_no,  .doc = "Of a picture the live one, when it was taken") \
	F(T, BOOL, live,        .doc = "It was the live one then") \
	F(T, INT,  waiter_until) \
	F(T, INT,  due_at) \
	F(T, INT,  attempts)
SHAPE_DECLARE(page_due, PAGE_DUE);
enum { DUE_LEASE_S = 90, DUE_ATTEMPTS = 3 /* of a version */, DUE_TRIES = 8 };

/* SQL condition: the row still has this lease; takes DUE_ARGS. */
#define DUE_IS_MINE " artifact_id = ? AND due_at = ? AND attempts = ?"
#define DUE_ARGS(d) (d)->artifact_id, (d)->due_at, (d)->attempts
#endif
