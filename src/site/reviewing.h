/* SPDX-License-Identifier: Apache-2.0
 * An open review shows its version, which may be a draft, to people who are asked by a grant. The
 * rules of reviews are in review/. */
#ifndef VITRINE_REVIEWING_H
#define VITRINE_REVIEWING_H
#include "db/db.h"

/* SQL condition: the row `o` of review_asked asks the user "?", "?" (the same): themselves, or a
 * client that they are in. */
#define REVIEW_ASKS \
	"(o.subject_id = ? OR o.subject_id IN (SELECT x.sharee_id FROM sharee_member x" \
	" WHERE x.user_id = ?))"

/* *yes is true if an open review of that version asks the user. One statement. */
enum err reviewing_asks(struct ctx *c, const char *artifact_id, int64_t version_no,
    const char *user_id, bool *yes);
/* True if an open review is about that version, so that it must stay. */
#define REVIEW_HOLDS(v) \
	"EXISTS (SELECT 1 FROM review rv WHERE rv.open_of = " v ".artifact_id" \
	" AND rv.version_no = " v ".version_no)"
#endif
