/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/outsiders.h"

#include "base/str.h"
#include "base/unicode.h"
#include "db/ids.h"

SHAPE_DEFINE(share_thing, SHARE_THING);
SHAPE_DEFINE(share_access, SHARE_ACCESS);
SHAPE_DEFINE(share_known, SHARE_KNOWN);

static struct share_thing_rows
thing_rows(const char *type)
{
	if (str_eq(type, "folder"))
		return ROWS(share_thing,
		    "SELECT 'folder' AS type, id, name, parent_id AS folder_id FROM folder"
		    " WHERE id = ? AND workspace_id = ?");
	if (str_eq(type, "artifact"))
		return ROWS(share_thing,
		    "SELECT 'artifact' AS type, id, name, folder_id FROM artifact"
		    " WHERE id = ? AND workspace_id = ? AND deleted_at IS NULL");
	return ROWS(share_thing,
	    "SELECT 'file' AS type, id, name, folder_id FROM deliverable"
	    " WHERE id = ? AND workspace_id = ? AND visibility = 'workspace'");
}

enum err
share_thing_get(struct ctx *c, const struct workspace *w, const char *type, const char *id,
    struct share_thing **out)
{
	return db_one(c, thing_rows(type), ARGS(id, w->id), out);
}

enum err
outsiders_of(struct ctx *c, const struct workspace *w, const struct share_thing *thing,
    struct share_access_list *out)
{
	return db_all(c,
	    ROWS(share_access,
		"WITH RECURSIVE up AS (SELECT f.id, f.name, f.parent_id, 1 AS n FROM folder f"
		" WHERE f.id = ? AND f.workspace_id = ? UNION ALL SELECT f.id, f.name, f.parent_id,"
		" up.n + 1 FROM up JOIN folder f ON f.id = up.parent_id),"
		" places AS (SELECT t.id, NULL AS through_id, NULL AS through_name, 0 AS n"
		" FROM " ID_TABLE " UNION ALL SELECT id, id, name, n FROM up)"
		" SELECT g.id AS grant_id, g.subject_type, g.subject_id,"
		" COALESCE(s.name, NULLIF(u.name, ''), u.email, u.invited_email) AS subject_name,"
		" IF(u.name <> '', u.email, NULL) AS email, u.kind <=> 'guest' AS invited,"
		" (SELECT COUNT(*) FROM sharee_member m WHERE m.sharee_id = s.id) AS people,"
		" g.capability, g.expires_at, p.through_id, p.through_name"
		" FROM places p STRAIGHT_JOIN share_grant g FORCE INDEX (share_grant_resource)"
		" ON g.resource_id = p.id AND g.workspace_id = ?"
		" AND COALESCE(g.expires_at > ?, TRUE)"
		" LEFT JOIN sharee s ON s.id = g.subject_id LEFT JOIN user u ON u.id = g.subject_id"
		" ORDER BY p.n, subject_name, g.id LIMIT ?"),
	    ARGS(thing->folder_id, w->id, ids_json(c, &thing->id, 1), w->id, c->now,
		OUTSIDERS_MOST),
	    out);
}

enum err
share_known_list(struct ctx *c, const struct workspace *w, struct share_known_list *out)
{
	return db_all(c,
	    ROWS(share_known,
		"(SELECT s.name AS value, (SELECT COUNT(*) FROM sharee_member m"
		" WHERE m.sharee_id = s.id) AS people FROM sharee s FORCE INDEX (sharee_name)"
		" WHERE s.workspace_id = ? ORDER BY s.name_key LIMIT ?)"
		" UNION ALL (SELECT COALESCE(u.email, u.invited_email) AS value, 0 AS people"
		" FROM (SELECT user_id FROM (SELECT DISTINCT user_id FROM sharee_member"
		" WHERE workspace_id = ? ORDER BY user_id LIMIT ?) m UNION SELECT g.subject_id"
		" FROM (SELECT subject_id, subject_type FROM share_grant WHERE workspace_id = ?"
		" ORDER BY id DESC LIMIT ?) g WHERE g.subject_type = 'external_user') k"
		" JOIN user u ON u.id = k.user_id)"),
	    ARGS(w->id, SHARE_KNOWN_MOST, w->id, SHARE_KNOWN_MOST, w->id, SHARE_KNOWN_MOST),
	    out);
}

#define CLIENT_NAMED(F, T) F(T, ID, id, .arg = "shr_")
SHAPE(client_named, CLIENT_NAMED);

enum err
share_client_named(
    struct ctx *c, const struct workspace *w, const char *name, const char **id)
{
	struct client_named *found;

	TRY(db_find(c,
	    ROWS(client_named, "SELECT id FROM sharee WHERE workspace_id = ? AND name_key = ?"),
	    ARGS(w->id, unicode_name_key(c->mem, name)), &found));
	*id = found ? found->id : NULL;
	return E_OK;
}
