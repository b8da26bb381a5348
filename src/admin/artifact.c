/* SPDX-License-Identifier: Apache-2.0
 * Commands about any artifact. */
#include "share/oversight.h"

#include "admin/cmd.h"
#include "core/spread.h"
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
	bool closed;

	for (size_t i = 0; i < c->effect_n; i++) {
		TRY(project_effect(c, &c->effects[i]));
		TRY(project_done(c, c->effects[i].outbox_id));
	}
	TRY(spread_wait(c, SPREAD_PATIENCE_MS, &closed));
	return closed ? E_OK : fail(c, E_PENDING, "%s", err_table[E_PENDING].text);
}

static enum err
cmd_artifact_change(struct cmd_call *call)
{
	enum oversight what = (enum oversight)call->cmd->act;

	if (what == OVERSIGHT_PURGE && !usage_option(&call->with, "--yes"))
		return fail(call->c, E_INVALID, "a purge can't be undone; add --yes to confirm");
	TRY(db_begin(call->c));
	TRY(oversight_change(call->c, call->with.args[0], what));
	TRY(db_commit(call->c));
	return effects_carry_out(call->c);
}

const struct cmd artifact_cmds[] = {
	{ "artifact list", "[EMAIL]",
	    "list all artifacts, or one person's, including those in the trash",
	    cmd_artifact_list },
	{ "artifact pause", "ARTIFACT", "close its pages; ARTIFACT is an ID or slug",
	    cmd_artifact_change, OVERSIGHT_PAUSE },
	{ "artifact resume", "ARTIFACT", "reopen its pages", cmd_artifact_change,
	    OVERSIGHT_RESUME },
	{ "artifact delete", "ARTIFACT", "move it to its owner's trash", cmd_artifact_change,
	    OVERSIGHT_TRASH },
	{ "artifact purge", "ARTIFACT --yes", "delete it permanently", cmd_artifact_change,
	    OVERSIGHT_PURGE },
	{ 0 },
};
