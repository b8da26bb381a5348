/* SPDX-License-Identifier: Apache-2.0
 * Acts of people outside a workspace who have a grant (core/reach.h), for its admins. Lists:
 * sharing/sharee_act.h. */
#ifndef VITRINE_OUTSIDE_H
#define VITRINE_OUTSIDE_H
#include "base/principal.h"
#include "db/db.h"

#define OUTSIDE_ACTIONS "view|download|comment|create|edit"
#define OUTSIDE_THINGS "folder|artifact|file"

/* action and type: of these; id and name: the thing's. Of the same by the same person, the first
 * within ten minutes is kept. For a change in its transaction, for what is only read after the
 * reply. */
enum err outside_did(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *action, const char *type, const char *id, const char *name);
/* These facts, kept until the reply to a read has left. */
struct outside_read {
	const char *user_id, *workspace_id, *action, *type, *id, *name;
};
enum err outside_has_read(struct ctx *c, const struct outside_read *);
#endif
