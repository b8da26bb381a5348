/* SPDX-License-Identifier: Apache-2.0 */
#include "core/reach.h"

#include "base/str.h"
#include "core/tier.h"

#define REACHED(F, T) \
	F(T, WORD, capability, .arg = CAPABILITIES) \
	TIER_ROW(F, T)
SHAPE_DECLARE(reached, REACHED);
SHAPE_DEFINE(reached, REACHED);

/* The folders that x.folder_id lies in, itself first: as many as there can be (FOLDER_DEPTH). */
#define UP(child, parent) \
	" LEFT JOIN folder " parent " ON " parent ".id = " child ".parent_id"
#define WAY \
	" LEFT JOIN folder f0 ON f0.id = x.folder_id" UP("f0", "f1") UP("f1", "f2") \
	    UP("f2", "f3") UP("f3", "f4") UP("f4", "f5") UP("f5", "f6") UP("f6", "f7") \
	    UP("f7", "f8") UP("f8", "f9")
#define ON_WAY \
	"(x.id, f0.id, f1.id, f2.id, f3.id, f4.id, f5.id, f6.id, f7.id, f8.id, f9.id)"
#define REACH_COLUMNS "SELECT g.capability, " TIER_COLUMNS("w")
#define REACH_THING(thing) \
	" FROM " thing " x JOIN workspace w ON w.id = x.workspace_id AND w.deleted_at IS NULL" WAY
#define REACH_WHERE \
	" AND g.resource_id IN " ON_WAY " AND g.workspace_id = w.id" \
	" AND COALESCE(g.expires_at > ?, TRUE)" \
	" WHERE x.id = ? AND COALESCE(w.id = ?, TRUE)" \
	" AND NOT EXISTS (SELECT 1 FROM member o WHERE o.workspace_id = w.id AND o.user_id = ?)"
/* What the person was given, and what each of their clients was. */
#define REACH(thing) \
	REACH_COLUMNS REACH_THING(thing) " JOIN share_grant g ON g.subject_id = ?" REACH_WHERE \
	" UNION ALL " REACH_COLUMNS REACH_THING(thing) \
	" JOIN sharee_member m ON m.user_id = ? AND m.workspace_id = w.id" \
	" AND COALESCE(m.sharee_id = ?, TRUE)" \
	" JOIN share_grant g ON g.subject_id = m.sharee_id" REACH_WHERE
#define A_FOLDER "(SELECT id, id AS folder_id, workspace_id FROM folder)"
#define A_FILE \
	"(SELECT id, folder_id, workspace_id FROM deliverable WHERE visibility = 'workspace')"

static enum err
reach_by(struct ctx *c, struct reached_rows rows, const struct principal *who, const char *id,
    struct reach *out)
{
	const char *in = who ? who->workspace_id : NULL, *user = who ? who->user_id : NULL;
	struct reached_list all;

	*out = (struct reach){ 0 };
	if (!who || !who->outside || (in && !who->grants_only))
		return E_OK;
	TRY(db_all(c, rows,
	    ARGS(user, c->now, id, in, user, user, who->sharee_id, c->now, id, in, user),
	    &all));
	for (size_t i = 0; i < all.n; i++) {
		const struct reached *g = &all.v[i];
		struct tier t;

		tier_read(c, &(struct tier_row){ .plan_id = g->plan_id,
			.plan_until = g->plan_until,
			.features_on = g->features_on,
			.features_off = g->features_off }, &t);
		if (!(t.features & 1u << FEATURE_EXTERNAL_SHARING))
			continue;
		out->view = true;
		out->comment |= str_in(g->capability, "comment|edit");
		out->create |= str_eq(g->capability, "create");
		out->edit |= str_eq(g->capability, "edit");
	}
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
