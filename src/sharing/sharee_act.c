/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/sharee_act.h"

#include "base/id.h"
#include "core/follow.h"
#include "sharing/sharee.h"
#include "store/rounds.h"

SHAPE_DEFINE(sharee_act, SHAREE_ACT);

#define ACT_COLUMNS \
	"SELECT x.id, " OUTSIDE_PERSON_COLUMNS("u", "member.") ", x.action, x.resource_type," \
	" x.resource_id, x.resource_name, x.at"

enum err
sharee_act_list(struct ctx *c, const struct workspace *w, const char *sharee_id,
    const struct page_query *q, struct sharee_act_list *out, const char **next)
{
	struct sharee *client;
	struct arg before = arg_before(q->cursor, "sac_");

	if (!sharee_id)
		return db_part(c,
		    ROWS(sharee_act,
			ACT_COLUMNS " FROM sharee_act x FORCE INDEX (sharee_act_workspace)"
			" JOIN user u ON u.id = x.user_id WHERE x.workspace_id = ?"
			" AND x.id < ? ORDER BY x.id DESC LIMIT ?"),
		    ARGS(w->id, before), q->limit, out, next, last->id);
	TRY(sharee_get(c, w, sharee_id, &client));
	return db_part(c,
	    ROWS(sharee_act,
		ACT_COLUMNS " FROM sharee_member m STRAIGHT_JOIN sharee_act x"
		" FORCE INDEX (sharee_act_user) ON x.workspace_id = m.workspace_id"
		" AND x.user_id = m.user_id JOIN user u ON u.id = x.user_id"
		" WHERE m.sharee_id = ? AND x.id < ? ORDER BY x.id DESC LIMIT ?"),
	    ARGS(client->id, before), q->limit, out, next, last->id);
}

static enum err
act_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM sharee_act WHERE at <= ? LIMIT ?"),
	    ARGS(c->now - SHAREE_ACT_DAYS * 86400, limit), removed);
}

/* ---- when other things change ---- */

enum { ACTS_AT_ONCE = 500 };

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	int64_t rows;

	TRY(db_exec(c, EXEC("DELETE FROM sharee_act WHERE workspace_id = ? LIMIT ?"),
	    ARGS(h->workspace_id, ACTS_AT_ONCE), &rows));
	*h->more = rows == ACTS_AT_ONCE;
	return E_OK;
}

/* Both accounts may have a row of the same minutes. */
USERS(USER_EITHER(sharee_act, user_id))
FOLLOWS(sharee_act, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(sharee_act, { "sharee_act", .rows = act_reap });
