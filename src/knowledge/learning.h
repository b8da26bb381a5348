/* SPDX-License-Identifier: Apache-2.0
 * The queue of pages to learn: one row for each artifact, written in the transaction that makes
 * a version live (LEARN_WANT, core/learn_want.h). The row has the due time and the last outcome.
 * learn.c does the learning. Counts and lists here contain artifacts that the caller may read.
 * Source: knowledge/README.md. */
#ifndef VITRINE_LEARNING_H
#define VITRINE_LEARNING_H
#include "core/user.h"
#include "core/workspace.h"

/* SQL condition: the caller may read the learned note's artifact `a` (LEFT JOIN), in a statement
 * with SUBJECT_TABLE and ROLE_TABLES("s.user_id"). It agrees with a GET of the artifact, except
 * that an unlisted one requires a role: the note's path would reveal the slug. False if there is
 * no artifact. */
#define LEARNED_SEEN \
	"COALESCE(a.deleted_at IS NULL" \
	" AND (a.paused_at IS NULL OR a.owner_id = s.user_id OR " GOVERNS ")" \
	" AND ((a.visibility = 'public' AND " ARTIFACT_IS_OPEN ")" \
	" OR " ROLE_COLUMN " IS NOT NULL), FALSE)"

enum {
	LEARNING_QUEUE = 200, /* artifacts queued by one request */
	LEARNING_RECENT = 50,
	LEARNING_HOURS = 24
};
#define LEARNING_OUTCOMES "waiting|learned|kept|skipped|failed"

#define LEARNING_COUNTS(F, T) \
	F(T, INT, queued,    .doc = "Pages that wait to be learned") \
	F(T, INT, failed,    .doc = "Pages that could not be learned") \
	F(T, INT, forgotten, .doc = "Pages that are not learned again until somebody asks for them")
SHAPE_DECLARE(learning_counts, LEARNING_COUNTS);

#define LEARNING(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  name,        .doc = "Of the artifact") \
	F(T, SLUG, slug) \
	F(T, WORD, outcome,     .arg = LEARNING_OUTCOMES, \
		.doc = "kept: somebody has changed the note, so it stays as it is; " \
		       "skipped: there was nothing to learn") \
	F(T, INT,  version_no,  .flags = F_NUL, .doc = "The version that was read last") \
	F(T, STR,  says,        .flags = F_NUL, .doc = "Why, or what was left out") \
	F(T, TIME, at) \
	F(T, BOOL, forgotten,   .flags = F_HID) \
	F(T, BOOL, noted,       .flags = F_HID, .doc = "There is a note of it")
SHAPE_DECLARE(learning, LEARNING);

/* Counts cover the last LEARNING_HOURS, except waiting, failed, and forgotten pages. */
#define LEARNING_STATUS(F, T) \
	F(T, INT,  window_hours) \
	F(T, INT,  queued,          .doc = "Pages that wait to be learned now") \
	F(T, INT,  learned) \
	F(T, INT,  kept,            .doc = "Notes that stay as somebody has changed them") \
	F(T, INT,  skipped) \
	F(T, INT,  failed) \
	F(T, TIME, last_learned_at, .flags = F_NUL, .doc = "Also before those hours") \
	F(T, LIST, recent,          .sub = &learning_shape, \
		.doc = "The last 50, newest first; what waits, has failed, or was forgotten " \
		       "also from before")
SHAPE_DECLARE(learning_status, LEARNING_STATUS);

#define LEARNING_QUEUED(F, T) \
	F(T, INT,  queued, .doc = "Pages that wait now and did not before") \
	F(T, BOOL, kicked, .doc = "Whether the runner was woken for them")
SHAPE_DECLARE(learning_queued, LEARNING_QUEUED);

enum { LEARNING_LEASE_S = 180 /* seconds that a runner's claim on a page lasts */ };
/* SQL condition: the row `l` neither waits nor is worked on. Parameters: now and
 * LEARNING_LEASE_S. */
#define LEARNING_IDLE \
	"(l.due_at IS NULL OR l.outcome = 'failed' OR l.stage = 'summary' OR l.due_at > ? + ?)"

enum err learning_counts(struct ctx *c, const struct workspace *, const struct principal *who,
    struct learning_counts **out);
enum err learning_recent(struct ctx *c, const struct workspace *, const struct principal *who,
    struct learning_status **out);

/* Queues live artifacts of the workspace: those in `ids` (at most LEARNING_QUEUE), also
 * forgotten ones. Without ids: the newest artifacts without a learned note, or with a note of
 * another version. Waiting pages aren't counted again. E_NOT_FOUND names the first id that isn't
 * readable in this workspace; then nothing is queued. The caller checks plan and switch. */
enum err learning_queue(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct strs *ids, struct learning_queued **out);
/* Records that people took the page's text in place of their own. A summary may follow. */
enum err learning_taken(struct ctx *c, const char *artifact_id);
/* Marks an artifact so that it is never learned again, unless learning_queue() names it. */
enum err learning_forget(struct ctx *c, const char *artifact_id);
#endif
