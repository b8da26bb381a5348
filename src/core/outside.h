/* SPDX-License-Identifier: Apache-2.0
 * Records acts of people outside a workspace who have a grant (core/reach.h). Its admins read them.
 * Lists: sharing/sharee_act.h. */
#ifndef VITRINE_OUTSIDE_H
#define VITRINE_OUTSIDE_H
#include "base/principal.h"
#include "db/db.h"

#define OUTSIDE_ACTIONS "view|download|comment|create|edit"
#define OUTSIDE_THINGS "folder|artifact|file"

/* action and type are of these; id and name are the thing's. We record the same act of the same
 * person once in ten minutes. A change calls this in its transaction, a read after its reply. */
enum err outside_did(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *action, const char *type, const char *id, const char *name);
/* The facts of a read, stored until its reply has left. */
struct outside_read {
	const char *user_id, *workspace_id, *action, *type, *id, *name;
};
enum err outside_has_read(struct ctx *c, const struct outside_read *);
#endif
