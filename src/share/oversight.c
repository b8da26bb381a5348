/* SPDX-License-Identifier: Apache-2.0 */
#include "share/oversight.h"

#include "base/conf.h"
#include "base/id.h"
#include "core/user.h"

SHAPE_DEFINE(overseen, OVERSEEN);

#define OVERSEEN_COLUMNS \
	"a.id, a.owner_id, a.workspace_id, a.name, a.slug, a.visibility, u.email," \
	" a.updated_at, a.paused_at IS NOT NULL AS paused," \
	" a.deleted_at IS NOT NULL AS deleted"

static enum err
overseen_list(struct ctx *c, const char *q, const char *cursor, int64_t limit, struct list *out,
    const char **next)
{
	const struct arg before = arg_before(cursor, "art_");

	if (!q)
		return db_part(c,
		    ROWS(overseen,
			"SELECT " OVERSEEN_COLUMNS
			" FROM artifact a JOIN user u ON u.id = a.owner_id"
			" WHERE TRUE AND a.id < ? ORDER BY a.id DESC LIMIT ?"),
		    ARGS(before), limit, out, next, last->id);
	if (strchr(q, '@'))
		return db_part(c,
		    ROWS(overseen,
			"SELECT " OVERSEEN_COLUMNS
			" FROM user u JOIN artifact a ON a.owner_id = u.id"
			" WHERE u.email = ? AND a.id < ? ORDER BY a.id DESC LIMIT ?"),
		    ARGS(email_fold(c, q), before), limit, out, next, last->id);
	if (id_valid(q, "art_"))
		return db_part(c,
		    ROWS(overseen,
			"SELECT " OVERSEEN_COLUMNS
			" FROM artifact a JOIN user u ON u.id = a.owner_id"
			" WHERE a.id = ? AND a.id < ? ORDER BY a.id DESC LIMIT ?"),
		    ARGS(q, before), limit, out, next, last->id);
	return db_part(c,
	    ROWS(overseen,
		"SELECT " OVERSEEN_COLUMNS " FROM slug h JOIN artifact a ON a.id = h.artifact_id"
		" JOIN user u ON u.id = a.owner_id WHERE h.slug = ?"
		" AND a.id < ? ORDER BY a.id DESC LIMIT ?"),
	    ARGS(q, before), limit, out, next, last->id);
}

enum err
oversight_find(struct ctx *c, const char *q, const char *cursor, int64_t limit, struct list *out,
    const char **next)
{
	struct overseen *rows;

	TRY(overseen_list(c, q, cursor, limit, out, next));
	rows = out->v;
	for (size_t i = 0; i < out->n; i++)
		rows[i].url = mem_printf(
		    c->mem, "%s/", conf_site_origin(c->mem, c->conf, rows[i].slug));
	return E_OK;
}

enum err
oversight_change(struct ctx *c, const char *name, enum oversight what)
{
	struct overseen *row;
	struct artifact a;

	c->actor = NULL; /* any operator's name */

	TRY(db_find(c,
	    ROWS(overseen,
		"SELECT " OVERSEEN_COLUMNS " FROM artifact a JOIN user u ON u.id = a.owner_id"
		" WHERE a.id = COALESCE((SELECT h.artifact_id FROM slug h"
		" WHERE h.slug = ? AND h.released_at IS NULL), ?) FOR UPDATE"),
	    ARGS(name, name), &row));
	if (!row)
		return fail(c, E_NOT_FOUND, "%s: no artifact has this ID or slug", name);
	a = (struct artifact){ .id = row->id,
		.owner_id = row->owner_id,
		.workspace_id = row->workspace_id,
		.name = row->name,
		.slug = row->slug };
	if (what == OVERSIGHT_PURGE)
		return artifact_purge(c, &a);
	if (what == OVERSIGHT_TRASH)
		return row->deleted ? fail(c, E_CONFLICT, "%s is already in the trash", row->id)
				    : artifact_delete(c, &a);
	return artifact_pause(c, &a, "operator", what == OVERSIGHT_PAUSE, NULL);
}
