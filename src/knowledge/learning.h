/* SPDX-License-Identifier: Apache-2.0
 * What of a workspace's pages is to be learned: one row an artifact, written by the transaction in
 * which a version becomes live (LEARN_WANT, core/learn_want.h), which says when it is due, what
 * came of it, and that it is never to be learned again. Who learns is learn.c. What is counted and
 * listed here is of artifacts that the caller may read. Source: knowledge/README.md. */
#ifndef VITRINE_LEARNING_H
#define VITRINE_LEARNING_H
#include "core/user.h"
#include "core/workspace.h"

/* Of a statement over SUBJECT_TABLE that has the artifact `a` of something learned, by LEFT JOIN,
 * with ROLE_TABLES("s.user_id"): the caller may read it. That is what a GET of the artifact says,
 * but that one which is unlisted takes a role: a note's path has the slug, and the slug is what
 * keeps such a page. Also false of what has no artifact. */
#define LEARNED_SEEN \
	"COALESCE(a.deleted_at IS NULL" \
	" AND (a.paused_at IS NULL OR a.owner_id = s.user_id OR " GOVERNS ")" \
	" AND ((a.visibility = 'public' AND " ARTIFACT_IS_OPEN ")" \
	" OR " ROLE_COLUMN " IS NOT NULL), FALSE)"

enum { LEARNING_QUEUE = 200 /* at once, on request */, LEARNING_RECENT = 50, LEARNING_HOURS = 24 };
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

/* Of the last LEARNING_HOURS, but for what waits, has failed, or was forgotten. */
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

enum { LEARNING_LEASE_S = 180 /* that who has taken a page has it */ };
/* The row `l` neither waits nor is worked on; its parameters are the time and LEARNING_LEASE_S. */
#define LEARNING_IDLE \
	"(l.due_at IS NULL OR l.outcome = 'failed' OR l.stage = 'summary' OR l.due_at > ? + ?)"

enum err learning_counts(struct ctx *c, const struct workspace *, const struct principal *who,
    struct learning_counts **out);
enum err learning_recent(struct ctx *c, const struct workspace *, const struct principal *who,
    struct learning_status **out);

/* Live artifacts of the workspace that are to be learned now: those that are named (at most
 * LEARNING_QUEUE), forgotten or not; else (ids has none) the newest of those that have no learned
 * note, or of another version. What waits already is not counted again. E_NOT_FOUND, naming the
 * place in artifact_ids, for one that isn't the workspace's or that the caller may not read; then
 * nothing is queued. Plan and switch are the caller's to judge. */
enum err learning_queue(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct strs *ids, struct learning_queued **out);
/* What was learned stands in the note now that people had changed; a summary may follow. */
enum err learning_taken(struct ctx *c, const char *artifact_id);
/* It is never learned again, unless learning_queue() names it. */
enum err learning_forget(struct ctx *c, const char *artifact_id);
#endif
