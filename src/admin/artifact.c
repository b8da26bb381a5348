/* SPDX-License-Identifier: Apache-2.0
 * Commands about any artifact. */
#include "share/oversight.h"

#include "admin/cmd.h"
#include "core/user.h"
#include "site/project.h"

enum { AT_ONCE = 200 };

static enum err
cmd_artifact_list(struct cmd_call *call)
{
	const char *email = call->with.n ? call->with.args[0] : NULL, *cursor = NULL;
	struct user *u;

	if (email)
		TRY(user_get_by_email(call->c, email, &u));
	do {
		const struct overseen *a;
		struct list rows;

		TRY(oversight_find(call->c, email, cursor, AT_ONCE, &rows, &cursor));
		a = rows.v;
		for (size_t i = 0; i < rows.n; i++, a++)
			printf("%s  %s  %s  %s%s%s\n", a->id, a->slug, a->visibility,
			    a->email ? a->email : "-", a->paused ? "  paused" : "",
			    a->deleted ? "  in the trash" : "");
	} while (cursor);
	return E_OK;
}

/* Does what a worker does after its commit. */
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
artifact_change_named(struct ctx *c, const char *name, enum oversight what)
{
	TRY(db_begin(c));
	TRY(oversight_change(c, name, what));
	TRY(db_commit(c));
	return effects_carry_out(c);
}

static enum err
cmd_artifact_pause(struct cmd_call *call)
{
	return artifact_change_named(call->c, call->with.args[0], OVERSIGHT_PAUSE);
}

static enum err
cmd_artifact_resume(struct cmd_call *call)
{
	return artifact_change_named(call->c, call->with.args[0], OVERSIGHT_RESUME);
}

static enum err
cmd_artifact_delete(struct cmd_call *call)
{
	return artifact_change_named(call->c, call->with.args[0], OVERSIGHT_TRASH);
}

static enum err
cmd_artifact_purge(struct cmd_call *call)
{
	if (!usage_option(&call->with, "--yes"))
		return fail(call->c, E_INVALID, "a purge can't be undone; add --yes to confirm");
	return artifact_change_named(call->c, call->with.args[0], OVERSIGHT_PURGE);
}

const struct cmd artifact_cmds[] = {
	{ "artifact list", "[EMAIL]",
	    "list all artifacts, or one person's, including those in the trash",
	    cmd_artifact_list },
	{ "artifact pause", "ARTIFACT", "close its pages; ARTIFACT is an ID or slug",
	    cmd_artifact_pause },
	{ "artifact resume", "ARTIFACT", "reopen its pages", cmd_artifact_resume },
	{ "artifact delete", "ARTIFACT", "move it to its owner's trash", cmd_artifact_delete },
	{ "artifact purge", "ARTIFACT --yes", "delete it permanently", cmd_artifact_purge },
	{ 0 },
};
