/* SPDX-License-Identifier: Apache-2.0
 * Commands about any workspace. */
#include "core/workspace.h"

#include "admin/cmd.h"
#include "base/str.h"
#include "site/project.h"

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

			printf("%s  %s  %s  %lld%s  %s\n", w->id, w->slug,
			    workspace_tier(call->c, w).plan->id, (long long)seats->used,
			    w->deleted_at ? "  in the trash" : "", w->name);
			after = w->id;
		}
	} while (all.n);
	return E_OK;
}

static const char *
plan_words(struct ctx *c, const struct workspace *w)
{
	const char *now = workspace_tier(c, w).plan->id, *day;

	if (!w->plan_id || !w->plan_until)
		return now;
	day = str_day(c->mem, w->plan_until);
	return w->plan_until > c->now
	    ? mem_printf(c->mem, "%s until %s", now, day)
	    : mem_printf(c->mem, "%s, since %s ended on %s", now, w->plan_id, day);
}

static void
features_print(struct ctx *c, const char *what, unsigned bits)
{
	if (bits)
		printf("%-9s %s\n", what, tier_feature_words(c, bits));
}

static enum err
cmd_workspace_show(struct cmd_call *call)
{
	const struct seats *seats;
	struct workspace *w;
	const char *owner;

	TRY(workspace_named(call->c, call->with.args[0], &w));
	TRY(workspace_owner_email(call->c, w->id, &owner));
	seats = w->seats;
	printf("%-9s %s\n%-9s %s\n%-9s %s\n%-9s %s\n", "id", w->id, "slug", w->slug, "name",
	    w->name, "owner", owner);
	printf("%-9s %lld of %s\n", "members", (long long)seats->used,
	    seats->has.limit == GIVEN
		? mem_printf(call->c->mem, "%lld", (long long)seats->limit)
		: "unlimited");
	printf("%-9s %s\n", "plan", plan_words(call->c, w));
	features_print(call->c, "features", workspace_tier(call->c, w).features);
	features_print(call->c, "added", (unsigned)w->features_on);
	features_print(call->c, "removed", (unsigned)w->features_off);
	if (w->deleted_at)
		printf("%-9s since %s\n", "trash", str_rfc3339(call->c->mem, w->deleted_at));
	return E_OK;
}

static enum err
cmd_workspace_plan(struct cmd_call *call)
{
	const char *day = usage_option(&call->with, "--until");
	struct workspace *w;
	int64_t until = 0; /* the day's end */

	if (day && !str_from_rfc3339(mem_printf(call->c->mem, "%sT23:59:59Z", day), &until))
		return fail(
		    call->c, E_INVALID, "--until: %s must be a day, such as 2027-12-31", day);
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

/* Moves a workspace to the trash, or restores it from there. */
static enum err
cmd_workspace_trash(struct cmd_call *call)
{
	bool restores = call->cmd->act;
	struct workspace *w;

	TRY(workspace_named(call->c, call->with.args[0], &w));
	if (restores != (w->deleted_at != 0))
		return fail(call->c, E_CONFLICT, "%s is %s in the trash", w->slug,
		    w->deleted_at ? "already" : "not");
	TRY(db_begin(call->c));
	TRY((restores ? workspace_restore : workspace_delete)(call->c, w, NULL));
	TRY(db_commit(call->c));
	return effects_carry_out(call->c);
}

const struct cmd workspace_cmds[] = {
	{ "workspace list", "", "list all workspaces with their plan and number of members",
	    cmd_workspace_list },
	{ "workspace show", "WORKSPACE",
	    "show its owner, members, plan and features, and which were added or removed by hand",
	    cmd_workspace_show },
	{ "workspace plan", "WORKSPACE PLAN [--until DAY]",
	    "put it on a plan without payment; WORKSPACE is an ID or slug", cmd_workspace_plan },
	{ "workspace feature", "WORKSPACE FEATURE STATE",
	    "turn a feature on or off, whatever the plan, or leave it to the plan: "
	    "STATE is on, off or plan",
	    cmd_workspace_feature },
	{ "workspace delete", "WORKSPACE", "move it to the trash, as its owner can",
	    cmd_workspace_trash, false },
	{ "workspace restore", "WORKSPACE", "restore it from the trash; its tokens stay revoked",
	    cmd_workspace_trash, true },
	{ 0 },
};
