/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place.h"

#include "base/id.h"
#include "base/str.h"
#include "db/db.h"

#define PLACED(F, T) F(T, ID, id, .arg = "fld_")
SHAPE(placed, PLACED);

static enum err
folder_absent(struct ctx *c, const char *field)
{
	return fail(c, E_NOT_FOUND, "%s: the workspace has no such folder", field);
}

enum err
place_exists(struct ctx *c, const char *workspace_id, const char *field, const char *id)
{
	struct placed *row;

	TRY(db_find(c,
	    ROWS(placed, "SELECT id FROM folder WHERE id = ? AND workspace_id = ?"),
	    ARGS(id, workspace_id), &row));
	return row ? E_OK : folder_absent(c, field);
}

#define PLACE_RULE(F, T) F(T, STR, visibility)
SHAPE(place_rule, PLACE_RULE);

enum err
place_default(struct ctx *c, const char *workspace_id, const char *field, const char *id,
    const char **visibility)
{
	struct place_rule *row;

	TRY(db_find(c,
	    ROWS(place_rule,
		"WITH RECURSIVE up AS (SELECT f.parent_id, f.default_visibility, 1 AS level"
		" FROM folder f WHERE f.id = ? AND f.workspace_id = ?"
		" UNION ALL SELECT p.parent_id, p.default_visibility, up.level + 1"
		" FROM up JOIN folder p ON p.id = up.parent_id"
		" WHERE up.default_visibility IS NULL)"
		" SELECT default_visibility AS visibility FROM up ORDER BY level DESC LIMIT 1"),
	    ARGS(id, workspace_id), &row));
	if (row && row->visibility)
		*visibility = row->visibility;
	return row ? E_OK : folder_absent(c, field);
}

enum err
place_named(struct ctx *c, const char *workspace_id, const char *field, const char *named,
    const char **id)
{
	*id = str_eq(named, FOLDER_TOP) ? NULL : named;
	if (*id && !id_valid(*id, "fld_"))
		return fail(
		    c, E_INVALID, "%s: must be the id of a folder or %s", field, FOLDER_TOP);
	return *id ? place_exists(c, workspace_id, field, *id) : E_OK;
}
