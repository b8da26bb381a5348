/* SPDX-License-Identifier: Apache-2.0
 * Moves an artifact into a workspace, out of one, or into another. */
#include "base/str.h"
#include "core/artifact.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/member.h"
#include "core/workspace.h"

static enum err
rehome_allowed(struct ctx *c, const struct artifact *a, const struct principal *who)
{
	if (!a->workspace_id && !str_eq(a->role, "owner"))
		return fail(c, E_DENIED,
		    "workspace_id: only the artifact's owner can move it into a workspace");
	if (a->workspace_id && member_rank(a->workspace_role) < MEMBER_ADMIN)
		return fail(c, E_DENIED,
		    "workspace_id: only an admin of the artifact's workspace can move it out");
	/* Outside of a workspace, only an operator could end the pause. */
	if (str_eq(a->paused_by, "admin"))
		return fail(c, E_CONFLICT,
		    "workspace_id: an admin of its workspace paused the artifact; resume it first");
	if (who->workspace_id)
		return fail(c, E_DENIED,
		    "workspace_id: this token acts only in its own workspace "
		    "and can't move artifacts out of it");
	return E_OK;
}

/* The owner must be in the new workspace; otherwise collaborators couldn't look them up. */
static enum err
rehome_owner_check(struct ctx *c, const struct artifact *a, const char *to)
{
	bool in;

	TRY(member_is_in(c, to, a->owner_id, &in));
	return in ? E_OK
		  : fail(c, E_CONFLICT,
			"workspace_id: the artifact's owner isn't in that workspace; "
			"first transfer the artifact to someone who is in both");
}

SHAPE_DEFINE(home, HOME);

enum err
artifact_homes(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct home_list *out)
{
	return db_all(c,
	    ROWS(home,
		"SELECT w.id AS home_id, w.name AS home_name, m.role AS home_role,"
		" COALESCE(w.id = ?, FALSE) AS home_current FROM member m"
		" STRAIGHT_JOIN member o ON o.workspace_id = m.workspace_id AND o.user_id = ?"
		" STRAIGHT_JOIN workspace w ON w.id = m.workspace_id"
		" WHERE m.user_id = ? AND w.deleted_at IS NULL ORDER BY m.workspace_id LIMIT ?"),
	    ARGS(a->workspace_id, a->owner_id, who->user_id, (int64_t)HOMES), out);
}

/* An artifact can’t come in with a visibility that would need an approval there. */
static enum err
rehome_approval_check(struct ctx *c, const struct artifact *a, bool needs)
{
	return needs && visibility_opens("private", a->visibility)
	    ? fail(c, E_APPROVAL_REQUIRED,
		  "workspace_id: that workspace requires approval to make an artifact %s; "
		  "make it private first, then request approval there",
		  a->visibility)
	    : E_OK;
}

enum err
artifact_rehome(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *workspace_id)
{
	struct workspace_held to = { 0 };
	struct artifact there = *a;
	int64_t changed;

	if (str_eq(workspace_id, a->workspace_id))
		return E_OK;
	TRY(rehome_allowed(c, a, who));
	if (workspace_id) {
		TRY(workspace_for(c, who, workspace_id, &to));
		TRY(rehome_owner_check(c, a, to.id));
		TRY(rehome_approval_check(c, a, to.needs_approval));
	}
	/* Approvals and grants end. */
	TRY(follow(c, ARTIFACT_LEAVES, &(struct happened){ .art = a }));
	TRY(audit_artifact(c, a, "artifact.moved_out", NULL, NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE artifact SET workspace_id = ?, folder_id = NULL, updated_at = ?"
		" WHERE id = ? AND owner_id = ? AND NOT by_agent"),
	    ARGS(to.id, c->now, a->id, a->owner_id), &changed));
	if (!changed)
		return fail(c, E_CONFLICT,
		    "workspace_id: the artifact belongs to an agent of its workspace; "
		    "transfer it to a person first");
	TRY(db_exec(c, EXEC("UPDATE artifact_storage SET workspace_id = ? WHERE artifact_id = ?"),
	    ARGS(to.id, a->id), NULL));
	TRY(db_exec(c, EXEC("UPDATE access_request SET workspace_id = ? WHERE artifact_id = ?"),
	    ARGS(to.id, a->id), NULL));
	TRY(follow(c, FINDERS_CHANGE, &(struct happened){ .artifact_id = a->id }));
	TRY(follow(c, ARTIFACT_MOVED, &(struct happened){ .art = a, .workspace_id = to.id }));
	there.workspace_id = to.id;
	TRY(audit_artifact(c, &there, "artifact.moved_in", NULL,
	    audit_facts(c, "visibility", a->visibility)));
	return artifact_touch(c, a->id);
}
