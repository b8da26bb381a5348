/* SPDX-License-Identifier: Apache-2.0 */
#include "core/reach.h"

#include "db/db.h"

/* The facts of a folder or a file; a row for each pair of grants. */
#define REACHED(F, T) \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, BOOL, in_workspace) \
	F(T, STR,  member) \
	F(T, STR,  agents) \
	F(T, BOOL, other_host) \
	F(T, STR,  client_given) \
	F(T, STR,  person_given) \
	TIER_ROW(F, T)
SHAPE(reached, REACHED);

bool
reach_shares(const struct ctx *c, const struct tier_row *row)
{
	struct tier t;

	tier_read(c, row, &t);
	return t.features & 1u << FEATURE_EXTERNAL_SHARING;
}

static enum err
reach_by(struct ctx *c, struct reached_rows rows, const struct principal *who, const char *id,
    struct rights *out)
{
	struct reached_list found;
	const struct reached *first;
	struct facts f;

	*out = (struct rights){ 0 };
	if (!rights_may_be_given(who))
		return E_OK;
	TRY(db_all(c, rows,
	    ARGS(who->agent_host, who->user_id, who->user_id, who->sharee_id, c->now, who->user_id,
		c->now, id),
	    &found));
	if (!found.n)
		return E_OK;
	/* The rows differ only in their grants, which add up. */
	first = found.v;
	f = (struct facts){ .workspace_id = first->workspace_id,
		.in_workspace = first->in_workspace,
		.member = first->member,
		.agents = first->agents,
		.other_host = first->other_host };
	for (size_t i = 0; i < found.n; i++)
		f.given |= capability_bits(found.v[i].client_given) |
		    capability_bits(found.v[i].person_given);
	f.shares = f.given && reach_shares(c, TIER_ROW_OF(first));
	*out = rights_given(who, &f);
	return E_OK;
}

#define REACHED_COLUMNS \
	"a.workspace_id, wk.id IS NOT NULL AS in_workspace, wm.role AS member, wk.agents," \
	" FIND_IN_SET(?, wk.agent_hosts) = 0 AS other_host, " GIVEN_COLUMNS("") ", " \
	TIER_COLUMNS("wk")

enum err
reach_folder(
    struct ctx *c, const struct principal *who, const char *folder_id, struct rights *out)
{
	return reach_by(c,
	    ROWS(reached,
		"SELECT " REACHED_COLUMNS " FROM folder a" MEMBER_TABLES("?")
		GIVEN_TABLES("a.id", "?", "?") " WHERE a.id = ?"),
	    who, folder_id, out);
}

enum err
reach_file(
    struct ctx *c, const struct principal *who, const char *deliverable_id, struct rights *out)
{
	return reach_by(c,
	    ROWS(reached,
		"SELECT " REACHED_COLUMNS " FROM deliverable a" MEMBER_TABLES("?")
		GIVEN_TABLES("a.folder_id", "?", "?")
		" WHERE a.id = ? AND a.visibility = 'workspace'"),
	    who, deliverable_id, out);
}

enum err
reach_token_check(struct ctx *c, const struct principal *who)
{
	struct tier_row *row;

	if (!who->sharee_id)
		return E_OK;
	TRY(db_find(c,
	    ROWS(tier_row,
		"SELECT " TIER_COLUMNS("w") " FROM sharee_member m"
		" JOIN workspace w ON w.id = m.workspace_id AND w.deleted_at IS NULL"
		" WHERE m.sharee_id = ? AND m.user_id = ? AND m.workspace_id = ? AND NOT EXISTS"
		" (SELECT 1 FROM member o WHERE o.workspace_id = w.id AND o.user_id = m.user_id)"),
	    ARGS(who->sharee_id, who->user_id, who->workspace_id), &row));
	return row && reach_shares(c, row)
	    ? E_OK
	    : fail(c, E_UNAUTHENTICATED, "The token isn't valid anymore: what it is for has ended");
}
