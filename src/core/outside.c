/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outside.h"

#include "base/id.h"

enum { SLICE_S = 600 };

enum err
outside_did(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *action, const char *type, const char *id, const char *name)
{
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO sharee_act (id, workspace_id, user_id, action,"
		 " resource_type, resource_id, resource_name, at, slice)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "sac_"), workspace_id, who->user_id, action, type, id, name, c->now,
		c->now / SLICE_S),
	    NULL);
}

enum err
outside_has_read(struct ctx *c, const struct outside_read *seen)
{
	return outside_did(c, &(struct principal){ .user_id = seen->user_id }, seen->workspace_id,
	    seen->action, seen->type, seen->id, seen->name);
}
