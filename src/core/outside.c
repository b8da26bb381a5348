/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outside.h"

#include "base/id.h"
#include "core/lately.h"

enum err
outside_did(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *action, const char *type, const char *id, const char *name)
{
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO sharee_act (id, workspace_id, user_id, action,"
		 " resource_type, resource_id, resource_name, at, slice)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "sac_"), workspace_id, who->user_id, action, type, id, name, c->now,
		c->now / LATELY_S),
	    NULL);
}

enum err
outside_has_read(struct ctx *c, const struct outside_read *seen)
{
	static struct lately kept;
	struct lately_at at = lately_of(c, &kept,
	    mem_printf(c->mem, "%s %s %s", seen->user_id, seen->action, seen->id));

	if (lately_was(at))
		return E_OK;
	TRY(outside_did(c, &(struct principal){ .user_id = seen->user_id }, seen->workspace_id,
	    seen->action, seen->type, seen->id, seen->name));
	lately_keep(at);
	return E_OK;
}
