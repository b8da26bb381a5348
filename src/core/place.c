/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place.h"

#include "base/id.h"
#include "base/str.h"
#include "db/db.h"

#define PLACED(F, T) F(T, ID, id, .arg = "fld_")
SHAPE_DECLARE(placed, PLACED);
SHAPE_DEFINE(placed, PLACED);

enum err
place_exists(struct ctx *c, const char *workspace_id, const char *field, const char *id)
{
	struct placed *row;

	TRY(db_find(c,
	    ROWS(placed, "SELECT id FROM folder WHERE id = ? AND workspace_id = ?"),
	    ARGS(id, workspace_id), &row));
	return row ? E_OK
		   : fail(c, E_NOT_FOUND, "%s: the workspace has no such folder", field);
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
