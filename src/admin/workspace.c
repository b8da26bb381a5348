/* SPDX-License-Identifier: Apache-2.0
 * What an operator may do to workspaces, and give them. */
#include "domain/workspace.h"

#include "admin/cmd.h"
#include "base/str.h"
#include "domain/project.h"

enum { AT_ONCE = 200 };

static enum err
cmd_workspace_list(struct cmd_call *call)
{
	const char *after = "";
	struct workspace_list all;

	do {
		TRY(workspace_list_all(call->c, after, AT_ONCE, &all));
		for (size_t i = 0; i < all.n; i++) {
			const struct workspace *w = &all.v[i];
			const struct seats *seats = w->seats;
			struct tier tier;

			TRY(tier_of(call->c, w->id, &tier));
			printf("%s  %s  %s  %lld%s  %s\n", w->id, w->slug, tier.plan->id,
			    (long long)seats->used, w->deleted_at ? "  in the trash" : "",
			    w->name);
			after = w->id;
		}
	} while (all.n);
	return E_OK;
}

/* A day, until whose end it holds. */
static enum err
until_read(struct ctx *c, const char *day, int64_t *out)
{
	*out = 0;
	if (!day)
		return E_OK;
	if (!str_from_rfc3339(mem_printf(c->mem, "%sT23:59:59Z", day), out))
		return fail(c, E_INVALID, "--until: %s must be a day, such as 2027-12-31", day);
	return E_OK;
}

static enum err
cmd_workspace_plan(struct cmd_call *call)
{
	struct workspace *w;
	int64_t until;

	TRY(until_read(call->c, usage_option(&call->with, "--until"), &until));
	TRY(workspace_named(call->c, call->with.args[0], &w));
	TRY(db_begin(call->c));
	TRY(tier_give(call->c, w->id, call->with.args[1], until));
	return db_commit(call->c);
}

static enum err
cmd_workspace_feature(struct cmd_call *call)
{
	const char *state = call->with.args[2];
	struct workspace *w;

	if (!str_in(state, "on|off|plan"))
		return fail(call->c, E_INVALID, "%s must be on, off or plan", state);
	TRY(workspace_named(call->c, call->with.args[0], &w));
	TRY(db_begin(call->c));
	TRY(tier_feature(call->c, w->id, call->with.args[1], state));
	return db_commit(call->c);
}

static enum err
cmd_workspace_delete(struct cmd_call *call)
{
	struct workspace *w;

	TRY(workspace_named(call->c, call->with.args[0], &w));
	TRY(db_begin(call->c));
	TRY(workspace_delete(call->c, w, NULL));
	TRY(db_commit(call->c));
	return effects_carry_out(call->c);
}

const struct cmd workspace_cmds[] = {
	{ "workspace list", "", "all workspaces, with plan and number of members",
	    cmd_workspace_list },
	{ "workspace plan", "WORKSPACE PLAN [--until DAY]",
	    "give it, named by its id or slug, a plan without payment", cmd_workspace_plan },
	{ "workspace feature", "WORKSPACE FEATURE STATE",
	    "on or off beside its plan; or plan, which leaves it to that", cmd_workspace_feature },
	{ "workspace delete", "WORKSPACE", "put it into the trash, as its owner can",
	    cmd_workspace_delete },
	{ 0 },
};
