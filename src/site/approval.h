/* SPDX-License-Identifier: Apache-2.0
 * Approvals: artifacts of a workspace become public only after others approve. If its publish
 * policy requires that, it does so for admins too: a new artifact is private, and a new version of
 * an open one is a draft. artifact_change(), version_restore() and a move in refuse to open one
 * (E_APPROVAL_REQUIRED); closing needs no approval. An approval is for one version and one
 * visibility. When enough people have approved, the last one's transaction makes that version live
 * and the artifact visible, and closes the addresses of versions that were never approved. Source:
 * site/README.md. */
#ifndef VITRINE_APPROVAL_H
#define VITRINE_APPROVAL_H
#include "core/artifact.h"
#include "core/user.h"
#include "core/workspace.h"

enum {
	APPROVALS_MOST = 10,
	APPROVAL_S = 14 * 86400,
	APPROVERS_MOST = 100,
	APPROVERS_MAILED = 30 /* in a request; others are named in the list */
};

#define PUBLISH_POLICIES "open|require_approval"
#define PUBLISH_POLICY(F, T) \
	F(T, WORD, policy,             .arg = PUBLISH_POLICIES) \
	F(T, INT,  approvals_required)
SHAPE_DECLARE(publish_policy, PUBLISH_POLICY);
#define PUBLISH_POLICY_EDIT(F, T) \
	F(T, WORD, policy,             .arg = PUBLISH_POLICIES, .eg = "\"require_approval\"") \
	F(T, INT,  approvals_required, .lo = 1, .hi = APPROVALS_MOST)
SHAPE_DECLARE(publish_policy_edit, PUBLISH_POLICY_EDIT);

#define APPROVAL_STATUSES "pending|approved|rejected|cancelled|superseded|expired"
#define APPROVAL_DECISIONS "approve|reject"
#define APPROVAL_VOTE(F, T) \
	F(T, OBJ,  user,     .sub = &ws_user_shape) \
	F(T, WORD, decision, .arg = APPROVAL_DECISIONS) \
	F(T, STR,  comment,  .flags = F_NUL) \
	F(T, TIME, at)
SHAPE_DECLARE(approval_vote, APPROVAL_VOTE);

/* Answers in the newest review of the same version (review/review.h). */
#define REVIEW_ANSWERED(F, T) \
	F(T, ID,   user_id, .arg = "usr_") \
	F(T, STR,  name,    .doc = "Can be empty") \
	F(T, STR,  client,  .flags = F_NUL, .doc = "For which they answered; null: none") \
	F(T, WORD, answer,  .arg = "approve|send_back") \
	F(T, STR,  note,    .flags = F_NUL) \
	F(T, TIME, at)
SHAPE_DECLARE(review_answered, REVIEW_ANSWERED);
#define APPROVAL_REVIEW(F, T) \
	F(T, ID,   id,      .arg = "rvw_") \
	F(T, LIST, answers, .sub = &review_answered_shape)
SHAPE_DECLARE(approval_review, APPROVAL_REVIEW);

#define APPROVAL(F, T) \
	F(T, ID,   id,            .arg = "apr_") \
	F(T, ID,   artifact_id,   .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, INT,  version_no) \
	F(T, STR,  next,          .flags = F_HID) \
	F(T, STRS, changes, \
		.doc = "What of the artifact changes with the version: " \
		       "name, access_policy (who can read and write its data), agent, " \
		       "vitrine.yaml") \
	F(T, WORD, visibility,    .arg = VISIBILITIES) \
	F(T, OBJ,  requested_by,  .sub = &ws_user_shape) \
	F(T, ID,   author_id,     .flags = F_HID, .arg = "usr_") \
	F(T, STR,  agent,         .flags = F_HID, .doc = "Which published the version") \
	F(T, INT,  given,         .flags = F_HID) /* for pages, approvals so far */ \
	F(T, BOOL, may_decide,    .flags = F_HID) /* for pages */ \
	F(T, STRS, approver_ids,  .doc = "Who was asked; empty means any admin or the owner") \
	F(T, LIST, approvals,     .sub = &approval_vote_shape) \
	F(T, OBJ,  review,        .flags = F_NUL, .sub = &approval_review_shape, \
		.doc = "The newest review of that version; null: none") \
	F(T, INT,  approvals_required) \
	F(T, WORD, status,        .arg = APPROVAL_STATUSES) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, TIME, decided_at,    .flags = F_NUL)
SHAPE_DECLARE(approval, APPROVAL);

#define APPROVAL_NEW(F, T) \
	F(T, WORD, visibility,   .flags = F_REQ, .arg = "public|unlisted", .eg = "\"public\"") \
	F(T, STRS, approver_ids, .hi = APPROVERS_MOST, .item = K_ID, .arg = "usr_", \
		.doc = "Admins or the owner, but not yourself; if absent, any of them can decide")
SHAPE_DECLARE(approval_new, APPROVAL_NEW);

#define APPROVAL_DECISION(F, T) \
	F(T, WORD, decision, .flags = F_REQ, .arg = APPROVAL_DECISIONS, .eg = "\"approve\"") \
	F(T, STR,  comment,  .flags = F_LONG, .hi = 1000) \
	F(T, TIME, refresh_until, \
		.doc = "With approve: also lets the agent that published the version " \
		       "refresh the artifact until then (a standing approval)")
SHAPE_DECLARE(approval_decision, APPROVAL_DECISION);

#define APPROVAL_QUERY(F, T) \
	F(T, WORD, status, .arg = APPROVAL_STATUSES) \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(approval_query, APPROVAL_QUERY);

enum err publish_policy_get(struct ctx *c, const char *workspace_id, struct publish_policy **out);
/* Changes the policy. Artifacts that are open at that time, or versions open at their own
 * addresses, count as approved. */
enum err publish_policy_change(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct publish_policy_edit *);

/* Lists the newest first: all of a workspace for its admins, a member's own for others. */
enum err approval_list(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct approval_query *, struct approval_list *out, const char **next);
enum err approval_get(struct ctx *c, const char *id, struct approval **out);
/* Reads the pending approval of an artifact; NULL if there is none. */
enum err approval_pending(struct ctx *c, const char *artifact_id, struct approval **out);

/* The callers of these have locked the artifact's row. Asks for approval of its newest version, and
 * mails the named people, or else up to APPROVERS_MAILED who may decide, the owner first.
 * E_CONFLICT if one is pending, or the artifact is in no workspace. */
enum err approval_ask(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct approval_new *, const char **id);
/* Approves or declines, which also answers an open review of the version (APPROVAL_DECIDED).
 * E_DENIED if the caller may not decide; E_CONFLICT if it has ended. Approving twice counts once.
 * The asker is mailed the outcome if they still have a role on the artifact. */
enum err approval_decide(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id, const struct approval_decision *);
/* Decides the pending approval of a version, as an answer in a review does. E_OK if there is none,
 * or it isn't theirs to decide; E_PAUSED. */
enum err approval_answer(struct ctx *c, const struct artifact *, const struct principal *who,
    int64_t version_no, const struct approval_decision *);
/* Withdraws it, for the person who asked. */
enum err approval_withdraw(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id);
/* Cancels the pending approval, because the artifact is deleted. */
enum err approval_cancel(struct ctx *c, const char *artifact_id);
/* Cancels it if `user_id` asked for it, because they can no longer edit the artifact. */
enum err approval_cancel_of(struct ctx *c, const char *artifact_id, const char *user_id);
/* Cancels it because `who` publishes another version; mails the asker if that is somebody else. */
enum err approval_supersede(
    struct ctx *c, const char *artifact_id, const struct principal *who);
/* Cancels all approvals that a person asked for in a workspace, because they left it. */
enum err approval_end_of(struct ctx *c, const char *workspace_id, const char *user_id);

/* E_APPROVAL_REQUIRED if the artifact's workspace requires approval for that. */
enum err approval_need(struct ctx *c, const struct artifact *, const char *visibility);

/* Says of each how many approved it, and whether `who` may decide. */
void approvals_say(
    const struct workspace *, const struct principal *who, const struct approval_list *);
#endif
