/* SPDX-License-Identifier: Apache-2.0 */
#include "core/reach.h"

#include "base/str.h"
#include "db/db.h"

#define REACHED(F, T) \
	F(T, INT, given) \
	F(T, STR, agent_bound) \
	TIER_ROW(F, T)
SHAPE_DECLARE(reached, REACHED);
SHAPE_DEFINE(reached, REACHED);

static bool
shares(const struct ctx *c, const struct tier_row *row)
{
	struct tier t;

	tier_read(c, row, &t);
	return t.features & 1u << FEATURE_EXTERNAL_SHARING;
}

bool
reach_may(const struct principal *who)
{
	return who && who->outside && (!who->workspace_id || who->grants_only);
}

void
reach_read(const struct ctx *c, int64_t given, const struct tier_row *of, struct reach *out)
{
	*out = (struct reach){ 0 };
	if (!given || !shares(c, of))
		return;
	out->view = given & REACH_VIEW;
	out->comment = given & REACH_COMMENT;
	out->create = given & REACH_CREATE;
	out->edit = given & REACH_EDIT;
}

#define REACH(thing) \
	"SELECT " REACH_GIVEN " AS given, " TIER_COLUMNS("wk") ", " \
	ROLE_BOUND(AS_SUBJECT) " AS agent_bound FROM " SUBJECT_TABLE " JOIN " thing " a" \
	    MEMBER_TABLES("s.user_id") REACH_TABLES("s.user_id", "?") \
	" WHERE a.id = ? AND " WITHIN_("s.workspace_id") REACH_GROUP
#define A_FOLDER "(SELECT id, id AS folder_id, workspace_id FROM folder)"
#define A_FILE \
	"(SELECT id, folder_id, workspace_id FROM deliverable WHERE visibility = 'workspace')"

static enum err
reach_by(struct ctx *c, struct reached_rows rows, const struct principal *who, const char *id,
    struct reach *out)
{
	struct reached *row;

	*out = (struct reach){ 0 };
	if (!reach_may(who))
		return E_OK;
	TRY(db_find(c, rows, ARGS(SUBJECT(who), REACH_ARGS(c, who), id), &row));
	if (!row || agent_is_barred(row->agent_bound))
		return E_OK;
	reach_read(c, row->given, TIER_ROW_OF(row), out);
	out->create = out->create && !row->agent_bound;
	out->edit = out->edit && !row->agent_bound;
	return E_OK;
}

enum err
reach_artifact(
    struct ctx *c, const struct principal *who, const char *artifact_id, struct reach *out)
{
	return reach_by(c, ROWS(reached, REACH("artifact")), who, artifact_id, out);
}

enum err
reach_folder(struct ctx *c, const struct principal *who, const char *folder_id, struct reach *out)
{
	return reach_by(c, ROWS(reached, REACH(A_FOLDER)), who, folder_id, out);
}

enum err
reach_file(
    struct ctx *c, const struct principal *who, const char *deliverable_id, struct reach *out)
{
	return reach_by(c, ROWS(reached, REACH(A_FILE)), who, deliverable_id, out);
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
	return row && shares(c, row)
	    ? E_OK
	    : fail(c, E_UNAUTHENTICATED, "The token isn't valid anymore: what it is for has ended");
}
