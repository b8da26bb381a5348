/* SPDX-License-Identifier: Apache-2.0
 * Parts of review.c: who is asked (ask.c), whether they still can answer (look.c), and how a review
 * ends (end.c). Source: review/README.md. */
#ifndef VITRINE_REVIEW_ENTRY_H
#define VITRINE_REVIEW_ENTRY_H
#include "inbox/item.h"
#include "review/review.h"

enum { REVIEW_LOOK_S = 3600 };

/* Reads a review under the artifact's lock; *out is NULL if the artifact has no such review. */
enum err review_hold(struct ctx *c, const char *artifact_id, const char *id, struct review **out);
bool review_is_over(const struct ctx *c, const struct review *);

/* Somebody who is asked, themselves or for a client. */
#define REVIEWER(F, T) \
	F(T, ID,    id, .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, BOOL,  is_guest) \
	F(T, BOOL,  mailed, .doc = "They want mail about reviews")
SHAPE_DECLARE(reviewer, REVIEWER);
/* Lists the people of a client of a workspace, at most REVIEW_CLIENT_PEOPLE + 1. */
enum err reviewers_of_client(struct ctx *c, const char *workspace_id, const char *sharee_id,
    struct reviewer_list *out);
/* *can is true if they can comment on the artifact, by a role or a grant. */
enum err reviewer_can(struct ctx *c, const char *artifact_id, const char *user_id, bool *can);

extern const struct inbox_waits review_waits; /* items of those for whom a review waits */

/* Ends the review if it needs no further answer. by: who gave the last one, or NULL. */
enum err review_settle(struct ctx *c, const struct artifact *, const struct review *,
    const struct principal *by, const char *note);
/* Ends it with that status, and mails who asked, unless `by` is them. */
enum err review_end(struct ctx *c, const char *artifact_id, const struct review *,
    const char *status, const struct principal *by, const char *note);
#endif
