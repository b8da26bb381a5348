/* SPDX-License-Identifier: Apache-2.0 */
#include "team/sessionpolicy.h"

#include "base/conf.h"
#include "core/audit.h"
#include "core/follow.h"

SHAPE_DEFINE(session_policy, SESSION_POLICY);
SHAPE_DEFINE(session_policy_new, SESSION_POLICY_NEW);
SHAPE_DEFINE(session_odd, SESSION_ODD);

enum err
session_policy_get(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct session_policy **out)
{
	return db_one(c,
	    ROWS(session_policy,
		"SELECT w.session_max_days, CAST(LEAST(?, COALESCE((SELECT u.session_max_days"
		" FROM user u WHERE u.id = ?), 255)) AS SIGNED) AS effective_days FROM workspace w"
		" WHERE w.id = ?"),
	    ARGS(c->conf->session_days, who->user_id, w->id), out);
}

#define LEAST_OF(user) \
	"(SELECT MIN(w.session_max_days) FROM member m JOIN workspace w ON w.id = m.workspace_id" \
	" AND w.deleted_at IS NULL WHERE m.user_id = " user ")"

static enum err
members_follow(struct ctx *c, const char *workspace_id)
{
	return db_exec(c,
	    EXEC(
		"UPDATE member o JOIN user u ON u.id = o.user_id"
		" SET u.session_max_days = " LEAST_OF("u.id")
		" WHERE o.workspace_id = ? AND o.role <> 'agent'"),
	    ARGS(workspace_id), NULL);
}

enum err
session_policy_check(struct ctx *c, struct session_odd_list *out)
{
	return db_all(c,
	    ROWS(session_odd,
		"SELECT u.id FROM user u"
		" WHERE u.kind = 'person' AND NOT u.session_max_days <=> " LEAST_OF("u.id")),
	    NOARGS, out);
}

enum err
session_policy_mend(struct ctx *c, int64_t *mended)
{
	return db_exec(c,
	    EXEC(
		"UPDATE user u SET u.session_max_days = " LEAST_OF("u.id")
		" WHERE u.kind = 'person' AND NOT u.session_max_days <=> " LEAST_OF("u.id")),
	    NOARGS, mended);
}

enum err
session_policy_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct session_policy_new *in)
{
	const struct arg days = arg_opt(in->has.session_max_days, in->session_max_days);
	struct session_policy *before;

	if (in->has.session_max_days == GIVEN)
		TRY(tier_need(c, w->id, FEATURE_SESSION_POLICY));
	TRY(session_policy_get(c, w, who, &before));
	TRY(db_exec1(c,
	    EXEC("UPDATE workspace SET session_max_days = ?, updated_at = ? WHERE id = ?"),
	    ARGS(days, c->now, w->id)));
	TRY(members_follow(c, w->id));
	return audit_workspace(c, w, who, "session_policy.changed",
	    audit_facts(c, "session_max_days",
		arg_opt(before->has.session_max_days, before->session_max_days)),
	    audit_facts(c, "session_max_days", days));
}

/* ---- when other things change ---- */

static enum err
workspace_changed(struct ctx *c, const struct happened *h)
{
	return members_follow(c, h->ws->id);
}

static enum err
memberships_changed(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("UPDATE user u SET u.session_max_days = " LEAST_OF("u.id") " WHERE u.id = ?"),
	    ARGS(h->user_id), NULL);
}

FOLLOWS(session_policy, { WORKSPACE_DELETED, workspace_changed },
    { WORKSPACE_BACK, workspace_changed }, { MEMBERSHIPS_CHANGED, memberships_changed });
