/* SPDX-License-Identifier: Apache-2.0
 * Artifacts: what they are called, who sees them, which version is live. Rows live in c->mem.
 * Source: interface, "Artifact"; core/README.md. */
#ifndef VITRINE_ARTIFACT_H
#define VITRINE_ARTIFACT_H
#include "base/visibility.h"
#include "core/shown.h"
#include "core/token.h"

#define PAUSERS "operator|admin"

extern const struct shape document_shape;

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
	F(T, BOOL, paused) \
	F(T, WORD, paused_by,          .flags = F_NUL, .arg = PAUSERS, \
		.doc = "admin: an admin of its workspace; operator: the operator of the service") \
	F(T, STR,  pause_reason,       .flags = F_NUL, .doc = "Shown to its owner") \
	F(T, ID,   workspace_id,       .flags = F_NUL, .arg = "wsp_", \
		.doc = "The workspace it belongs to; null if it's personal") \
	F(T, ID,   folder_id,          .flags = F_NUL, .arg = "fld_", \
		.doc = "The workspace folder it's in") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, TIME, deleted_at,         .flags = F_NUL) \
	F(T, STR,  social_title,       .flags = F_NUL) \
	F(T, STR,  social_description, .flags = F_NUL) \
	F(T, STR,  social_image_url,   .flags = F_NUL) \
	F(T, BOOL, comments_open, \
		.doc = "Whether signed-in people who can see it can comment on it") \
	F(T, BOOL, comment_mails,      .flags = F_NUL, \
		.doc = "Whether its owner is notified of comments by e-mail, " \
		       "at most once an hour; null for others") \
	F(T, STR,  audience,           .flags = F_NUL, \
		.doc = "Who can open it, as visibility and its workspace have it, in words; " \
		       "null if you have no role on it") \
	SHOWN_FIELD(F, T) \
	F(T, STR,  subdomain,          .flags = F_HID, .doc = "Of its workspace") \
	F(T, STR,  workspace_name,     .flags = F_HID, .doc = "For who is in it") \
	F(T, BOOL, has_catalog,        .flags = F_HID, \
		.doc = "Who looks is in its workspace, whose catalog is on; of one alone") \
	F(T, STR,  member_access,      .flags = F_HID, .doc = "As its settings have it") \
	F(T, ID,   owner_id,           .flags = F_HID) \
	F(T, INT,  last_no,            .flags = F_HID) \
	F(T, BOOL, has_mobile,         .flags = F_HID) \
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
/* document (of data/document.h) is NULL unless it was asked for. role, is_open, workspace_role,
 * can_view, can_comment, can_edit, stopped, and agent_bound are struct rights (core/rights.h).
 * Grants give the three can_, which are false for members of the workspace; can_edit implies the
 * others. needs_approval (site/approval.h) is set where the artifact is in a workspace. closed to
 * given, and the workspace's plan, are facts that artifact_find.c reads; lists don't. */
SHAPE_DECLARE(artifact, ARTIFACT);

#define ARTIFACT_EDIT(F, T) \
	F(T, STR,  name,               .lo = 1, .hi = 200, .eg = "\"Another name\"") \
	F(T, SLUG, slug,               .lo = 1, .hi = 63) \
	F(T, WORD, visibility,         .arg = VISIBILITIES) \
	F(T, STR,  social_title,       .flags = F_NUL, .hi = 300) \
	F(T, STR,  social_description, .flags = F_NUL | F_LONG, .hi = 1000) \
	F(T, URL,  social_image_url,   .flags = F_NUL) \
	F(T, BOOL, comments_open) \
	F(T, BOOL, comment_mails) \
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

/* Reads the artifact as `who` (NULL: nobody signed in) sees it, even when it is in the trash; its
 * role is NULL when `who` has none. for_update locks the row. E_NOT_FOUND when it is not there, or
 * neither open nor theirs nor shared with them; E_DENIED for an agent that its workspace keeps out,
 * where the agent's person has a role. */
enum err artifact_get(struct ctx *c, const char *id, const struct principal *who, bool for_update,
    struct artifact **out);
/* The artifact that a body or a query names, for its owner or an editor: E_NOT_FOUND when `who` may
 * not know of it, E_DENIED or E_PAUSED when they may, as for what a path names. lock, for a
 * change, holds its row, once it is known that they may change it. */
enum err artifact_get_to_edit(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct artifact **out);
/* Reads the artifact as the token's owner sees it, and the token's owner, in one round trip when
 * they may see it and in two when they may not; one more where core/guess.h is wrong. Fails as
 * token_check() does. *out is NULL when there is no such artifact. */
enum err artifact_get_by_token(struct ctx *c, const char *id, const char *bearer,
    struct principal **who, struct artifact **out);
/* A visitor of the content host of that slug. */
struct visitor {
	const char *slug;
	const char *subdomain; /* of its host; NULL: the plain one */
	const char *cookie; /* of core/viewer.h, or NULL */
	bool document;      /* read the artifact's document, too; known as in data/document.h */
	const char *known;
};
/* https://… of its host: the one of its workspace's subdomain, where it has one. */
const char *artifact_origin(struct ctx *c, const struct artifact *);
/* Reads the artifact for a visitor, in one round trip. *out is NULL unless the slug is, or was,
 * this artifact's; id NULL: whichever it is. *who is NULL unless the cookie belongs to a person and
 * is for this artifact. */
enum err artifact_get_by_visitor(struct ctx *c, const char *id, const struct visitor *,
    struct principal **who, struct artifact **out);
/* Says in words who could open the artifact with that visibility: "anyone with the address can open
 * it". For a private one this depends on its workspace. */
const char *artifact_audience(struct ctx *c, const struct artifact *, const char *visibility);
/* Finds an artifact by its present slug or by one that it was renamed from. *out is NULL when there
 * is none, it is in the trash, or it is neither open nor theirs; hidden: not for that reason. */
enum err artifact_find_by_slug(struct ctx *c, const char *slug, const struct principal *who,
    bool hidden, struct artifact **out);
/* Lists the artifacts that `who` owns or is a collaborator of, newest first. *next is NULL on the
 * last page. */
enum err artifact_list(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    struct list *out, const char **next);
/* E_SLUG_TAKEN when the new slug is another artifact's; E_INVALID when it can't be a slug. Visitors
 * see the change after the commit. */
enum err artifact_change(struct ctx *c, const struct artifact *a, const struct artifact_edit *in);
/* Moves the artifact to the trash: it is gone from every address and can be restored for
 * trash_days. */
enum err artifact_delete(struct ctx *c, const struct artifact *a);
/* Can't be undone; care/purge.c says what becomes of its rows. */
enum err artifact_purge(struct ctx *c, const struct artifact *a);
/* Closes its pages to everybody, or opens them again, whatever its visibility; its owner and who
 * governs its workspace still reach its files, data and settings. by: of PAUSERS; an operator's
 * pause stays an operator's. reason may be NULL. */
enum err artifact_pause(
    struct ctx *c, const struct artifact *a, const char *by, bool paused, const char *reason);
/* Takes the artifact out of the trash, under the slug it had or the one that is given (NULL: none).
 * E_CONFLICT when it isn't there; E_SLUG_TAKEN when another artifact has that slug by now. */
enum err artifact_restore(struct ctx *c, const struct artifact *a, const char *slug);
/* Makes the artifact a favourite of `who`, or no longer one; E_OK when it is so already. */
enum err artifact_favor(
    struct ctx *c, const struct artifact *a, const struct principal *who, bool on);

/* ---- its workspace's audit (core/audit.h); nothing where it is a person's own ---- */

/* A change of rights on an artifact, by the context's actor. */
enum err audit_artifact(struct ctx *c, const struct artifact *, const char *action,
    const char *before, const char *after);
/* "artifact.visibility" when it becomes another one; NULL: it stays as it is. */
enum err audit_visibility(struct ctx *c, const struct artifact *, const char *becomes);
/* "artifact.data_rules" when its access_policy becomes another one; NULL and "": none. */
enum err audit_policy(
    struct ctx *c, const struct artifact *, const char *before, const char *after);

/* ---- where it belongs, and where it shows ---- */

/* Takes the artifact into another workspace, or (NULL) to its owner alone: out of one who governs
 * it, else its owner; into one that both are in. Its folder ends. E_DENIED, E_NOT_FOUND,
 * E_CONFLICT. */
enum err artifact_rehome(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *workspace_id);
/* Where it may be taken. */
#define HOME(F, T) \
	F(T, ID,   home_id,       .arg = "wsp_") \
	F(T, STR,  home_name) \
	F(T, WORD, home_role,     .arg = MEMBER_ROLES, .doc = "The caller's") \
	F(T, BOOL, home_current)
SHAPE_DECLARE(home, HOME);
/* The workspaces that `who` and the artifact's owner are in, at most HOMES of them. */
enum { HOMES = 100 };
enum err artifact_homes(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct home_list *out);
/* Has the artifact projected to disk again after the commit, by this process and the packer, which
 * have PROJECT_S seconds; then, should one have died, by the runner. */
#define PROJECT_S 5
/* Within a compound statement, for `art` at `at`; the row's id is its parameter. */
#define PROJECT_WANT \
	" INSERT INTO outbox (id, kind, subject, due_at)" \
	" VALUES (?, 'project', art, at + " SQL_NUMBER(PROJECT_S) ");"
enum err artifact_touch(struct ctx *c, const char *id);
/* artifact_touch(), which also starts jobs that wait for artifact.updated. payload is
 * EVENT_PAYLOAD_UPDATED() (core/event.h); NULL starts none. */
enum err artifact_touch_told(struct ctx *c, const char *id, const char *payload);
/* artifact_touch_told() if other versions than the live one become reachable, or unreachable. */
enum err artifact_touch_whole(struct ctx *c, const char *id, const char *payload);
#endif
