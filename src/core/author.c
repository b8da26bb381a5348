/* SPDX-License-Identifier: Apache-2.0 */
#include "core/author.h"

#include "base/id.h"
#include "db/db.h"

enum err
author_grant(struct ctx *c, const struct artifact *a, const struct principal *who)
{
	return db_exec1(c,
	    EXEC("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id,"
		 " resource_type, resource_id, capability, expires_at, created_by, created_at)"
		 " WITH RECURSIVE up AS (SELECT id, parent_id FROM folder WHERE id = ?"
		 " UNION SELECT p.id, p.parent_id FROM up JOIN folder p ON p.id = up.parent_id)"
		 " SELECT ?, ?, 'external_user', ?, 'artifact', ?, 'edit',"
		 " IF(COUNT(g.expires_at) < COUNT(*), NULL, MAX(g.expires_at)), ?, ? FROM up"
		 " STRAIGHT_JOIN share_grant g FORCE INDEX (share_grant_resource)"
		 " ON g.resource_id = up.id AND g.capability = 'create'"
		 " AND COALESCE(g.expires_at > ?, TRUE)"
		 " AND (g.subject_id = ? OR g.subject_id IN (SELECT m.sharee_id"
		 " FROM sharee_member m WHERE m.user_id = ? AND m.workspace_id = ?))"
		 " HAVING COUNT(*) > 0"),
	    ARGS(a->folder_id, id_new(c->mem, "grt_"), a->workspace_id, who->user_id, a->id,
		who->user_id, c->now, c->now, who->user_id, who->user_id, a->workspace_id));
}
