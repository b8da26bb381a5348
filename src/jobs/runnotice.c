/* SPDX-License-Identifier: Apache-2.0
 * The members whom a workspace's admins chose to hear of failing jobs; jobs/runend.c sends the
 * e-mails. */
#include "base/buf.h"
#include "core/follow.h"
#include "db/ids.h"
#include "jobs/governed.h"

enum err
governed_told(struct ctx *c, const struct workspace *w, struct ws_user_list *out)
{
	return db_all(c,
	    ROWS(ws_user,
		"SELECT n.user_id, u.name, u.email, u.kind FROM run_notice n"
		" JOIN user u ON u.id = n.user_id WHERE n.workspace_id = ? ORDER BY n.user_id"),
	    ARGS(w->id), out);
}

static const char *
recipients_text(struct ctx *c, const struct ws_user_list *people)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < people->n; i++) {
		buf_str(&b, i ? "," : "");
		buf_json(&b, people->v[i].email ? people->v[i].email : people->v[i].user_id);
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

enum err
governed_told_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *user_ids)
{
	struct ws_user_list before, after;
	int64_t stored;

	TRY(governed_told(c, w, &before));
	TRY(db_exec(c, EXEC("DELETE FROM run_notice WHERE workspace_id = ?"), ARGS(w->id), NULL));
	for (size_t i = 0; i < user_ids->n; i++) {
		TRY(db_exec(c,
		    EXEC(
			"INSERT INTO run_notice (workspace_id, user_id)"
			" SELECT m.workspace_id, m.user_id FROM member m"
			" WHERE m.workspace_id = ? AND m.user_id = ? AND m.role <> 'agent'"
			" ON DUPLICATE KEY UPDATE user_id = VALUES(user_id)"),
		    ARGS(w->id, user_ids->v[i]), &stored));
		if (!stored)
			return fail(c, E_INVALID,
			    "user_ids[%zu]: must be the id of somebody who is a member of the "
			    "workspace; GET /v1/workspaces/%s/members lists them",
			    i, w->id);
	}
	TRY(governed_told(c, w, &after));
	return audit_workspace(
	    c, w, who, "runs.told", recipients_text(c, &before), recipients_text(c, &after));
}

/* ---- reactions to other nouns ---- */

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("DELETE FROM run_notice WHERE workspace_id = ? AND user_id = ?"),
	    ARGS(h->workspace_id, h->user_id), NULL);
}

WORKSPACE_ROWS(run_notice, "")

USERS(USER_EITHER(run_notice, user_id))
FOLLOWS(run_notice, { MEMBER_LEFT, member_left }, USERS_FOLLOW,
    { WORKSPACE_PURGED, workspace_purged });
