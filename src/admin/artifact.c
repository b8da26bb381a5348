/* SPDX-License-Identifier: Apache-2.0
 * What an operator may do to anybody's artifact. */
#include "domain/artifact.h"

#include "admin/cmd.h"
#include "base/id.h"
#include "base/str.h"
#include "domain/project.h"
#include "domain/user.h"

#define LISTED(F, T) \
	F(T, ID,    id, .arg = "art_") \
	F(T, ID,    owner_id, .arg = "usr_") \
	F(T, SLUG,  slug) \
	F(T, STR,   visibility) \
	F(T, EMAIL, email) \
	F(T, BOOL,  paused) \
	F(T, BOOL,  deleted)
SHAPE_DECLARE(listed, LISTED);
SHAPE_DEFINE(listed, LISTED);

#define LISTED_FROM "SELECT a.id, a.owner_id, a.slug, a.visibility, u.email, a.paused_at IS NOT NULL AS paused," \
	" a.deleted_at IS NOT NULL AS deleted FROM artifact a JOIN user u ON u.id = a.owner_id"

static enum err
cmd_artifact_list(struct cmd_call *call)
{
	const char *email = call->with.n ? call->with.args[0] : NULL;
	struct user *u = NULL;
	struct listed_list rows;

	if (email)
		TRY(user_get_by_email(call->c, email, &u));
	TRY(db_all(call->c,
	    ROWS(listed, LISTED_FROM " WHERE ? IS NULL OR a.owner_id = ? ORDER BY a.id"),
	    ARGS(u ? u->id : NULL, u ? u->id : NULL), &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct listed *a = &rows.v[i];

		printf("%s  %s  %s  %s%s%s\n", a->id, a->slug, a->visibility, a->email,
		    a->paused ? "  paused" : "", a->deleted ? "  in the trash" : "");
	}
	return E_OK;
}

/* By its id, or by its slug as long as it is not in the trash. The row is held to the commit. */
static enum err
artifact_named(struct ctx *c, const char *name, struct listed **out)
{
	TRY(db_find(c,
	    ROWS(listed, LISTED_FROM " WHERE a.id = COALESCE((SELECT s.artifact_id FROM slug s WHERE s.slug = ? AND s.released_at IS NULL), ?) FOR UPDATE"),
	    ARGS(name, name), out));
	return *out ? E_OK
		    : fail(c, E_NOT_FOUND, "%s: no artifact has this id or slug", name);
}

enum change { PAUSE, RESUME, TRASH, PURGE };

static enum err
listed_change(struct ctx *c, const struct listed *row, enum change what)
{
	struct artifact a = { .id = row->id, .owner_id = row->owner_id, .slug = row->slug };

	if (what == PURGE)
		return artifact_purge(c, &a);
	if (what == TRASH)
		return row->deleted ? fail(c, E_CONFLICT, "%s is in the trash already", row->id)
				    : artifact_delete(c, &a);
	return artifact_pause(c, row->id, what == PAUSE);
}

/* What the worker does after its commit. */
enum err
effects_carry_out(struct ctx *c)
{
	for (size_t i = 0; i < c->effect_n; i++) {
		TRY(project_effect(c, &c->effects[i]));
		TRY(project_done(c, c->effects[i].outbox_id));
	}
	return E_OK;
}

static enum err
artifact_change_named(struct ctx *c, const char *name, enum change what)
{
	struct listed *row;

	TRY(db_begin(c));
	TRY(artifact_named(c, name, &row));
	TRY(listed_change(c, row, what));
	TRY(db_commit(c));
	return effects_carry_out(c);
}

static enum err
cmd_artifact_pause(struct cmd_call *call)
{
	return artifact_change_named(call->c, call->with.args[0], PAUSE);
}

static enum err
cmd_artifact_resume(struct cmd_call *call)
{
	return artifact_change_named(call->c, call->with.args[0], RESUME);
}

static enum err
cmd_artifact_delete(struct cmd_call *call)
{
	return artifact_change_named(call->c, call->with.args[0], TRASH);
}

static enum err
cmd_artifact_purge(struct cmd_call *call)
{
	if (!usage_option(&call->with, "--yes"))
		return fail(call->c, E_INVALID, "a purge is final: say --yes as well");
	return artifact_change_named(call->c, call->with.args[0], PURGE);
}

const struct cmd artifact_cmds[] = {
	{ "artifact list", "[EMAIL]", "everybody's artifacts, or one person's, those in the trash too",
	    cmd_artifact_list },
	{ "artifact pause", "ARTIFACT", "close its pages, named by its id or slug; its people keep it",
	    cmd_artifact_pause },
	{ "artifact resume", "ARTIFACT", "open them again", cmd_artifact_resume },
	{ "artifact delete", "ARTIFACT", "put it into its owner's trash", cmd_artifact_delete },
	{ "artifact purge", "ARTIFACT --yes", "remove it for good", cmd_artifact_purge },
	{ 0 },
};
