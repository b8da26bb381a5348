/* SPDX-License-Identifier: Apache-2.0
 * Approvals: artifacts of a workspace that may become public only when others approve. Where its
 * publish policy requires that, of admins too, a new artifact is private, a version of an open one
 * is a draft, and nothing else opens one: artifact_change(), version_restore() and a move in refuse
 * (E_APPROVAL_REQUIRED). Closing is free. An approval is of one version and one visibility: the
 * n-th who approves makes that version live and the artifact visible, in the same transaction; the
 * addresses of its versions that were never approved are closed then. Source: site/README.md. */
#ifndef VITRINE_APPROVAL_H
#define VITRINE_APPROVAL_H
#include "core/artifact.h"
#include "core/user.h"
#include "core/workspace.h"

enum {
	APPROVALS_MOST = 10,
	APPROVAL_S = 14 * 86400,
	APPROVERS_MOST = 100,
	APPROVERS_MAILED = 30 /* of a request; the others find it in the list */
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

#define APPROVAL(F, T) \
	F(T, ID,   id,            .arg = "apr_") \
	F(T, ID,   artifact_id,   .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, INT,  version_no) \
	F(T, STR,  next,          .flags = F_HID) \
	F(T, STRS, changes, \
		.doc = "What of the artifact changes with the version: " \
		       "name, access_policy (who can read and write its data), agent") \
	F(T, WORD, visibility,    .arg = VISIBILITIES) \
	F(T, OBJ,  requested_by,  .sub = &ws_user_shape) \
	F(T, ID,   author_id,     .flags = F_HID, .arg = "usr_") \
	F(T, STR,  agent,         .flags = F_HID, .doc = "Which published the version") \
	F(T, STRS, approver_ids,  .doc = "Who was asked; empty means any admin or the owner") \
	F(T, LIST, approvals,     .sub = &approval_vote_shape) \
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
/* Changes the policy. Artifacts that are open then, or were at their own addresses, count as
 * approved. */
enum err publish_policy_change(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct publish_policy_edit *);

/* Admins see all of a workspace, members their own; the newest first. */
enum err approval_list(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct approval_query *, struct approval_list *out, const char **next);
enum err approval_get(struct ctx *c, const char *id, struct approval **out);
/* Reads the pending approval of an artifact; NULL if there is none. */
enum err approval_pending(struct ctx *c, const char *artifact_id, struct approval **out);
/* How many are pending in a workspace, up to 100. */
enum err approval_waiting(struct ctx *c, const char *workspace_id, int64_t *n);

/* The artifact's row must be locked in these. Asks for its newest version, and mails those who are
 * named, or else any APPROVERS_MAILED who may decide, the owner first. E_CONFLICT while another is
 * pending, or when it is of no workspace. */
enum err approval_ask(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct approval_new *, const char **id);
/* E_DENIED for who may not decide; E_CONFLICT when it is over. Twice the same counts once. Who
 * asked is mailed how it ends, as long as they have a role on the artifact. */
enum err approval_decide(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id, const struct approval_decision *);
/* By who asked. */
enum err approval_withdraw(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id);
/* Cancels the pending approval, because the artifact is deleted. */
enum err approval_cancel(struct ctx *c, const char *artifact_id);
/* Cancels it if `user_id` asked for it, because they may not edit any more. */
enum err approval_cancel_of(struct ctx *c, const char *artifact_id, const char *user_id);
/* Cancels it because `who` publishes another version; mails the asker if that is somebody else. */
enum err approval_supersede(
    struct ctx *c, const char *artifact_id, const struct principal *who);
/* Cancels all approvals that a person asked for in a workspace, because they left it. */
enum err approval_end_of(struct ctx *c, const char *workspace_id, const char *user_id);

/* E_APPROVAL_REQUIRED when the artifact's workspace requires approval for that. */
enum err approval_need(struct ctx *c, const struct artifact *, const char *visibility);
#endif
