/* SPDX-License-Identifier: Apache-2.0
 * Artifacts: their names, who can see them, which version is live. Rows live in c->mem. Source:
 * interface, "Artifact"; core/README.md. */
#ifndef VITRINE_ARTIFACT_H
#define VITRINE_ARTIFACT_H
#include "base/visibility.h"
#include "core/shown.h"
#include "core/token.h"

#define PAUSERS "operator|admin"
#define COMMENTERS "signed_in|people"
#define CHECK_WORDS "blank|errors|missing|basics"
enum { CHECK_BLANK = 1, CHECK_ERRORS = 2, CHECK_MISSING = 4, CHECK_BASICS = 8 };

extern const struct shape document_shape;

/* The last review of it that was approved (review/review.h). */
#define ARTIFACT_REVIEWED(F, T) \
	F(T, ID,   review_id,  .arg = "rvw_") \
	F(T, INT,  version_no) \
	F(T, TIME, at) \
	F(T, BOOL, applies,    .doc = "The live version is the one that was approved, or equals it")
SHAPE_DECLARE(artifact_reviewed, ARTIFACT_REVIEWED);

#define ARTIFACT(F, T) \
	F(T, ID,   id,                 .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, WORD, visibility,         .arg = VISIBILITIES) \
	F(T, URL,  url) \
	F(T, URL,  mobile_url,         .flags = F_NUL, \
		.doc = "The page for small screens, if the live version has one") \
	F(T, URL,  thumbnail_url) \
	F(T, BOOL, is_favorite) \
	F(T, WORD, role,               .flags = F_NUL, .arg = ROLES, \
		.doc = "Your role; null if you have only the access that everyone has") \
	F(T, WORD, capability,         .flags = F_NUL, .arg = "view|comment|edit", \
		.doc = "What its workspace shares with you as somebody outside of it; " \
		       "null if nothing, and in lists") \
	F(T, INT,  version_no,         .flags = F_NUL, \
		.doc = "The live version; null while there are only drafts") \
	F(T, INT,  pinned_version,     .flags = F_NUL, \
		.doc = "The version that stays live until its owner ends that; null: none") \
	F(T, STRS, checks,             .item = K_WORD, .arg = CHECK_WORDS, \
		.doc = "What a browser must see of each version before it goes live. blank: " \
		       "something can be seen; errors: no script fails, and it ends loading; " \
		       "missing: no file is missing; basics: it has a title, a language, and " \
		       "texts for pictures, links, and fields") \
	F(T, BOOL, paused) \
	F(T, WORD, paused_by,          .flags = F_NUL, .arg = PAUSERS, \
		.doc = "admin: an admin of its workspace; operator: the operator of the service") \
	F(T, STR,  pause_reason,       .flags = F_NUL, .doc = "Shown to its owner") \
	F(T, ID,   workspace_id,       .flags = F_NUL, .arg = "wsp_", \
		.doc = "The workspace it belongs to; null if it's personal") \
	F(T, ID,   folder_id,          .flags = F_NUL, .arg = "fld_", \
		.doc = "The workspace folder it's in") \
	F(T, STRS, domains,            .doc = "Domains of its own at which it is served") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, TIME, deleted_at,         .flags = F_NUL) \
	F(T, STR,  social_title,       .flags = F_NUL) \
	F(T, STR,  social_description, .flags = F_NUL) \
	F(T, STR,  social_image_url,   .flags = F_NUL) \
	F(T, BOOL, comments_open, \
		.doc = "Whether signed-in people who can see it can comment on it") \
	F(T, WORD, comments_from,      .arg = COMMENTERS, \
		.doc = "Who of them can, while comments are open. people: only those with a role " \
		       "on it, or with a grant to comment") \
	F(T, BOOL, comment_mails,      .flags = F_NUL, \
		.doc = "Whether its owner is notified of comments by e-mail, " \
		       "at most once an hour; null for others") \
	F(T, STR,  audience,           .flags = F_NUL, \
		.doc = "Who can open it, as visibility and its workspace have it, in words; " \
		       "null if you have no role on it") \
	F(T, OBJ,  reviewed,           .flags = F_NUL, .sub = &artifact_reviewed_shape, \
		.doc = "The last review that was approved; null: none, or you have no role on it") \
	SHOWN_FIELD(F, T) \
	F(T, ID,   review_id,          .flags = F_HID, .arg = "rvw_", .doc = "The open review") \
	F(T, BOOL, anchored,           .flags = F_HID, .doc = "It has had remarks") \
	F(T, ID,   reviewed_id,        .flags = F_HID, .arg = "rvw_") \
	F(T, INT,  reviewed_no,        .flags = F_HID) \
	F(T, TIME, reviewed_at,        .flags = F_HID) \
	F(T, BOOL, reviewed_applies,   .flags = F_HID) \
	F(T, STR,  domain_hosts,       .flags = F_HID, .doc = "domains, with spaces") \
	F(T, STR,  subdomain,          .flags = F_HID, .doc = "Of its workspace") \
	F(T, STR,  workspace_name,     .flags = F_HID, .doc = "For who is in it") \
	F(T, BOOL, has_catalog,        .flags = F_HID, \
		.doc = "Who looks is in its workspace, whose catalog is on; of one alone") \
	F(T, STR,  member_access,      .flags = F_HID, .doc = "As its settings have it") \
	F(T, ID,   owner_id,           .flags = F_HID) \
	F(T, INT,  last_no,            .flags = F_HID) \
	F(T, BOOL, has_mobile,         .flags = F_HID) \
	F(T, INT,  check_bits,         .flags = F_HID, .doc = "checks") \
	F(T, BOOL, is_open,            .flags = F_HID) \
	F(T, STR,  access_policy,      .flags = F_HID) \
	F(T, WORD, workspace_role,     .flags = F_HID, .arg = MEMBER_ROLES) \
	F(T, BOOL, needs_approval,     .flags = F_HID) \
	F(T, BOOL, closed,             .flags = F_HID) \
	F(T, BOOL, by_agent,           .flags = F_HID) \
	F(T, BOOL, in_workspace,       .flags = F_HID) \
	F(T, STR,  agents,             .flags = F_HID) \
	F(T, BOOL, other_host,         .flags = F_HID) \
	F(T, BOOL, fenced,             .flags = F_HID) \
	F(T, WORD, member,             .flags = F_HID, .arg = MEMBER_ROLES) \
	F(T, WORD, collaborator,       .flags = F_HID, .arg = ROLES) \
	F(T, WORD, client_given,       .flags = F_HID, .arg = CAPABILITIES) \
	F(T, WORD, person_given,       .flags = F_HID, .arg = CAPABILITIES) \
	F(T, INT,  given,              .flags = F_HID) \
	F(T, BOOL, can_view,           .flags = F_HID) \
	F(T, BOOL, can_comment,        .flags = F_HID) \
	F(T, BOOL, can_edit,           .flags = F_HID) \
	TIER_ROW(F, T) \
	F(T, STR,  agent_bound,        .flags = F_HID, .doc = "struct rights has it") \
	F(T, BOOL, stopped,            .flags = F_HID) \
	F(T, OBJ,  document,           .flags = F_HID, .sub = &document_shape)
/* document (data/document.h) is NULL unless the caller asked for it. role, is_open, workspace_role,
 * can_view, can_comment, can_edit, stopped, and agent_bound come from struct rights
 * (core/rights.h). Grants set the three can_ fields, which are false for members of the workspace;
 * can_edit implies the other two. needs_approval (site/approval.h) is set if the artifact is in a
 * workspace. Only artifact_find.c reads the facts from closed to given and the workspace's plan;
 * lists don't. */
SHAPE_DECLARE(artifact, ARTIFACT);

#define ARTIFACT_EDIT(F, T) \
	F(T, STR,  name,               .lo = 1, .hi = 200, .eg = "\"Another name\"") \
	F(T, SLUG, slug,               .lo = 1, .hi = 63) \
	F(T, WORD, visibility,         .arg = VISIBILITIES) \
	F(T, STR,  social_title,       .flags = F_NUL, .hi = 300) \
	F(T, STR,  social_description, .flags = F_NUL | F_LONG, .hi = 1000) \
	F(T, URL,  social_image_url,   .flags = F_NUL) \
	F(T, BOOL, comments_open) \
	F(T, WORD, comments_from,      .arg = COMMENTERS) \
	F(T, BOOL, comment_mails) \
	F(T, INT,  pinned_version,     .flags = F_NUL, .lo = 1, .hi = 2147483647, \
		.doc = "Makes this version live and keeps it so: later publishes become drafts. " \
		       "null ends that. Only the owner, or an admin of its workspace") \
	F(T, STRS, checks,             .item = K_WORD, .arg = CHECK_WORDS, .hi = 4, \
		.doc = "What a browser must see of each version before it goes live; [] ends " \
		       "that. Only its owner, and no agent") \
	F(T, ID,   workspace_id,       .flags = F_NUL, .arg = "wsp_", \
		.doc = "Moves it to this workspace, which its owner must be a member of; " \
		       "null makes it personal. " \
		       "Only an admin or the owner of its current workspace can move it out")
SHAPE_DECLARE(artifact_edit, ARTIFACT_EDIT);

#define ARTIFACT_BACK(F, T) \
	F(T, SLUG, slug, .lo = 1, .hi = 63, .doc = "A new slug, if the previous one has been taken")
SHAPE_DECLARE(artifact_back, ARTIFACT_BACK);

#define ARTIFACT_QUERY(F, T) \
	F(T, WORD, owner,      .arg = "me|shared", \
		.doc = "me: only yours; shared: only those shared with you; absent: both") \
	F(T, ID,   workspace_id, .arg = "wsp_", \
		.doc = "Only artifacts in this workspace that you can see, whoever owns them; " \
		       "owner narrows this: me for your own, shared for the others") \
	F(T, STR,  folder_id,  .lo = 1, .hi = 40, \
		.doc = "Only those in this folder of workspace_id; root: only those in no folder") \
	F(T, WORD, visibility, .arg = VISIBILITIES) \
	F(T, SLUG, slug,       .doc = "Exactly this slug") \
	F(T, STR,  q,          .hi = 200, .doc = "Part of the name or slug") \
	F(T, BOOL, favorite,   .doc = "1: only favorites") \
	F(T, BOOL, deleted,    .doc = "1: list the trash instead") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(artifact_query, ARTIFACT_QUERY);

#define PAGE_QUERY(F, T) \
	PAGE_FIELDS(F, T, 2048)
SHAPE_DECLARE(page_query, PAGE_QUERY);

#define FAVORITE(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, BOOL, favorited)
SHAPE_DECLARE(favorite, FAVORITE);

/* Bits for words of CHECK_WORDS. */
int64_t check_bits(const struct strs *words);
/* Reads the artifact as `who` (NULL: nobody signed in) sees it, even in the trash; its role is NULL
 * if `who` has none. for_update locks the row. E_NOT_FOUND if it doesn't exist, or is neither open
 * to `who`, theirs, nor shared with them; E_DENIED for an agent that the workspace bars, if the
 * agent's person has a role. */
enum err artifact_get(struct ctx *c, const char *id, const struct principal *who, bool for_update,
    struct artifact **out);
/* Finds the artifact that a body or a query names, for its owner or an editor. E_NOT_FOUND if `who`
 * may not know of it, E_DENIED or E_PAUSED if they may, as for an artifact in a path. lock: locks
 * the row for a change, after the check. */
enum err artifact_get_to_edit(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct artifact **out);
/* Reads the artifact as the token's owner sees it, and the token's owner, in one round trip if they
 * may see it, else in two; in one more if core/guess.h guessed wrong. Fails as token_check() does.
 * *out is NULL if there is no such artifact. */
enum err artifact_get_by_token(struct ctx *c, const char *id, const char *bearer,
    struct principal **who, struct artifact **out);
/* A visitor of the content host of a slug. */
struct visitor {
	const char *slug;
	const char *subdomain; /* the subdomain in the host; NULL: none */
	const char *cookie; /* of core/viewer.h, or NULL */
	const char *frame;  /* in place of a cookie, the name of a frame: also core/viewer.h */
	bool document;      /* also read the artifact's document; known: as in data/document.h */
	const char *known;
};
/* Returns https://… of the artifact's host, with the workspace's subdomain if it has one. */
const char *artifact_origin(struct ctx *c, const struct artifact *);
/* Reads the artifact for a visitor, in one round trip. *out is NULL unless the artifact has, or
 * had, this slug; id NULL: any artifact. *who is NULL unless the cookie belongs to a person and is
 * for this artifact. */
enum err artifact_get_by_visitor(struct ctx *c, const char *id, const struct visitor *,
    struct principal **who, struct artifact **out);
/* Says in words who could open the artifact if it had that visibility, such as "anyone with the
 * address can open it". For "private" the words depend on its workspace. */
const char *artifact_audience(struct ctx *c, const struct artifact *, const char *visibility);
/* Finds an artifact by its slug or a former slug. *out is NULL if there is none, it is in the
 * trash, or it is neither open nor theirs; *hidden tells the last case from the others. */
enum err artifact_find_by_slug(struct ctx *c, const char *slug, const struct principal *who,
    bool hidden, struct artifact **out);
/* Lists the artifacts that `who` owns or is a collaborator of, newest first. *next is NULL on the
 * last page. */
enum err artifact_list(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    struct list *out, const char **next);
/* Changes the slug. E_SLUG_TAKEN if another artifact has it; E_INVALID if it can't be a slug.
 * Visitors see the change after the commit. */
enum err artifact_change(struct ctx *c, const struct artifact *a, const struct artifact_edit *in);
/* Moves the artifact to the trash: no address leads to it, and it can be restored for
 * trash_days. */
enum err artifact_delete(struct ctx *c, const struct artifact *a);
/* Can't be undone. care/purge.c deletes the rows. */
enum err artifact_purge(struct ctx *c, const struct artifact *a);
/* Pauses the artifact, which closes its pages to everybody, or ends the pause. Its owner and the
 * admins of its workspace still reach its files, data and settings. by: one of PAUSERS; only an
 * operator can end an operator's pause. reason may be NULL. */
enum err artifact_pause(
    struct ctx *c, const struct artifact *a, const char *by, bool paused, const char *reason);
/* Restores the artifact from the trash, under its former slug or the given one (NULL: none given).
 * E_CONFLICT if it isn't in the trash; E_SLUG_TAKEN if another artifact has the slug now. */
enum err artifact_restore(struct ctx *c, const struct artifact *a, const char *slug);
/* Makes the artifact a favorite of `who`, or ends that. E_OK if nothing changes. */
enum err artifact_favor(
    struct ctx *c, const struct artifact *a, const struct principal *who, bool on);

/* ---- the audit of the artifact's workspace (core/audit.h); an artifact without a workspace has
 * none ---- */

/* Records that the context's actor changed rights on an artifact. */
enum err audit_artifact(struct ctx *c, const struct artifact *, const char *action,
    const char *before, const char *after);
/* Records "artifact.visibility" if the new visibility differs; NULL: it stays. */
enum err audit_visibility(struct ctx *c, const struct artifact *, const char *becomes);
/* Records "artifact.data_rules" if the new access_policy differs; NULL and "" mean none. */
enum err audit_policy(
    struct ctx *c, const struct artifact *, const char *before, const char *after);

/* ---- the workspace of an artifact ---- */

/* Moves the artifact into another workspace, or (NULL) out of any, to its owner. Moving it out
 * needs an admin of its workspace, or its owner if it has none; moving it in needs that both `who`
 * and the owner are members. It leaves its folder. E_DENIED, E_NOT_FOUND, E_CONFLICT. */
enum err artifact_rehome(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *workspace_id);
/* A workspace that the artifact can move to. */
#define HOME(F, T) \
	F(T, ID,   home_id,       .arg = "wsp_") \
	F(T, STR,  home_name) \
	F(T, WORD, home_role,     .arg = MEMBER_ROLES, .doc = "The caller's") \
	F(T, BOOL, home_current)
SHAPE_DECLARE(home, HOME);
/* Lists the workspaces that both `who` and the artifact's owner are in, at most HOMES. */
enum { HOMES = 100 };
enum err artifact_homes(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct home_list *out);
/* Inserts a new artifact without a version, made by `who`, from its id, owner_id, workspace_id,
 * folder_id, name, and visibility. It takes a->slug, or sets it to one made from the name if it is
 * NULL. E_SLUG_TAKEN. */
enum err artifact_insert(struct ctx *c, const struct principal *who, struct artifact *a);
/* After the commit, this process and the packer project the artifact to disk again, within
 * PROJECT_S seconds. If one of them dies, the runner does it. */
#define PROJECT_S 5
/* Part of a compound statement, for the artifact `art` at the time `at`. Its parameter is the id of
 * the outbox row. */
#define PROJECT_WANT \
	" INSERT INTO outbox (id, kind, subject, due_at)" \
	" VALUES (?, 'project', art, at + " SQL_NUMBER(PROJECT_S) ");"
/* Queues the artifact's projection after a change that may close an address. */
enum err artifact_touch(struct ctx *c, const char *id);
/* artifact_touch(), which also starts jobs that wait for artifact.updated. payload is
 * EVENT_PAYLOAD_UPDATED() (core/event.h); NULL starts none. closes: see core/spread.h. */
enum err artifact_touch_told(struct ctx *c, const char *id, const char *payload, bool closes);
/* artifact_touch_told() for changes that make versions other than the live one reachable or
 * unreachable. */
enum err artifact_touch_whole(struct ctx *c, const char *id, const char *payload);
/* Like artifact_touch(), and builds the tree of a version anew. No address closes. */
enum err artifact_touch_rebuilt(struct ctx *c, const char *id, int64_t version_no);
#endif
