/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/password.h"

#include "admin/cmd.h"
#include "base/passhash.h"
#include "base/str.h"
#include "domain/session.h"

static enum err
cmd_add(struct cmd_call *call)
{
	const char *name = usage_option(&call->with, "--name");
	struct user *u;

	TRY(user_add(call->c, call->with.args[0], name ? name : "", &u));
	printf("%s\n", u->id);
	return E_OK;
}

static enum err
cmd_user_list(struct cmd_call *call)
{
	const struct user *u;
	struct list rows;

	TRY(user_list(call->c, &rows));
	u = rows.v;
	for (size_t i = 0; i < rows.n; i++, u++)
		printf("%s  %s  %s%s\n", u->id, str_rfc3339(call->c->mem, u->created_at), u->email,
		    u->disabled_at ? "  disabled" : "");
	return E_OK;
}

static enum err
set_disabled(struct cmd_call *call, bool disabled)
{
	struct user *u;

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
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

static enum err
cmd_password(struct cmd_call *call)
{
	struct user *u;
	char line[PASSHASH_MAX + 2];

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
	if (!fgets(line, sizeof line, stdin))
		return fail(call->c, E_INVALID, "password: none came on standard input");
	line[strcspn(line, "\r\n")] = '\0';
	TRY(password_judge(call->c, u, line));
	TRY(password_set(call->c, u, passhash_new(call->c->mem, line)));
	return session_end_others(call->c, u->id, NULL);
}

static enum err
cmd_invite(struct cmd_call *call)
{
	struct user *u;

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
	return password_send_link(call->c, u->email, LETTER_INVITATION);
}

const struct cmd user_cmds[] = {
	{ "user add", "EMAIL [--name NAME]", "add a person; prints the id", cmd_add },
	{ "user list", "", "list everybody", cmd_user_list },
	{ "user password", "EMAIL",
	    "set the password to a line of standard input; every session ends", cmd_password },
	{ "user invite", "EMAIL",
	    "mail a link with which the person sets a password, good for a week", cmd_invite },
	{ "user disable", "EMAIL", "their tokens stop working at once", cmd_disable },
	{ "user enable", "EMAIL", "and work again", cmd_enable },
	{ 0 },
};
