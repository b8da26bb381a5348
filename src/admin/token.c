/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token.h"

#include "admin/cmd.h"
#include "base/str.h"
#include "core/user.h"

static enum err
token_owner(struct cmd_call *call, struct user **out)
{
	const char *email = usage_option(&call->with, "--user");

	if (!email)
		return fail(call->c, E_INVALID, "--user EMAIL is required");
	return user_get_by_email(call->c, email, out);
}

static enum err
cmd_mint(struct cmd_call *call)
{
	const char *name = usage_option(&call->with, "--name"),
		   *days = usage_option(&call->with, "--days"), *token;
	int64_t n = 0;
	struct user *u;

	TRY(token_owner(call, &u));
	if (days && (!str_int(days, &n) || n < 1 || n > 3650))
		return fail(call->c, E_INVALID, "--days: %s isn't a number from 1 to 3650", days);
	TRY(token_mint(call->c, u->id,
	    &(struct token_wish){ .name = name ? name : "created by vitrinectl", .days = n },
	    &token));
	printf("%s\n", token);
	return E_OK;
}

static enum err
cmd_token_list(struct cmd_call *call)
{
	const struct token *t;
	struct list rows;
	struct user *u;

	TRY(token_owner(call, &u));
	TRY(token_list(call->c, u->id, &rows));
	t = rows.v;
	for (size_t i = 0; i < rows.n; i++, t++)
		printf("%s  expires %s  %s%s\n", t->id, str_rfc3339(call->c->mem, t->expires_at),
		    t->name, t->revoked_at ? "  revoked" : "");
	return E_OK;
}

static enum err
cmd_revoke(struct cmd_call *call)
{
	struct user *u;

	TRY(token_owner(call, &u));
	return token_revoke(call->c, u->id, call->with.args[0]);
}

const struct cmd token_cmds[] = {
	{ "token mint", "--user EMAIL [--name NAME] [--days N]",
	    "create a token, and print it once",
	    cmd_mint },
	{ "token list", "--user EMAIL", "list a person's tokens", cmd_token_list },
	{ "token revoke", "TOKEN_ID --user EMAIL", "revoke a token; it stops working at once",
	    cmd_revoke },
	{ 0 },
};
