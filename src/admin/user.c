/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/user.h"

#include "admin/cmd.h"
#include "base/str.h"

static enum err
cmd_add(struct cmd_call *call)
{
	const char *name = cmd_option(call, "--name");
	struct user *u;

	TRY(user_add(call->c, call->args[0], name ? name : "", &u));
	printf("%s\n", u->id);
	return E_OK;
}

static enum err
cmd_list(struct cmd_call *call)
{
	const struct user *u;
	struct list rows;

	TRY(user_list(call->c, &rows));
	u = rows.v;
	for (size_t i = 0; i < rows.n; i++, u++)
		printf("%s  %s  %s%s\n", u->id, str_rfc3339(call->c->mem, u->created_at), u->email, u->disabled_at ? "  disabled" : "");
	return E_OK;
}

static enum err
set_disabled(struct cmd_call *call, bool disabled)
{
	struct user *u;

	TRY(user_get_by_email(call->c, call->args[0], &u));
	return user_set_disabled(call->c, u->id, disabled);
}

static enum err
cmd_disable(struct cmd_call *call)
{
	return set_disabled(call, true);
}

static enum err
cmd_enable(struct cmd_call *call)
{
	return set_disabled(call, false);
}

const struct cmd user_cmds[] = {
	{ "user add", "EMAIL [--name NAME]", "add a person; prints the id", cmd_add, 1, 3, false },
	{ "user list", "", "list everybody", cmd_list, 0, 0, false },
	{ "user disable", "EMAIL", "their tokens stop working at once", cmd_disable, 1, 1, false },
	{ "user enable", "EMAIL", "and work again", cmd_enable, 1, 1, false },
	{ 0 },
};
